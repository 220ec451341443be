/* SPDX-License-Identifier: Apache-2.0
 *
 * The process that makes the calls is this program with --no-isolate --json and a page of memory in which
 * it says what it is doing. Its last line of output is the result. If a signal ends it, the call under way
 * did that: the next process is told to leave it out.
 */
#include "interrupts.h"
#include "replay.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_WORDS = 64, MAX_CRASHES = 100, CHILD_STATE = 3 };

typedef struct child {
    pid_t pid;
    int output; /* what it prints */
    char *text;
    size_t size, capacity;
} child;

/* ---- interrupts: the first lets the child end its call and say what it has, the second ends it ---- */

static volatile sig_atomic_t interrupts, child_pid;

static void pass_on(int signal_number)
{
    (void)signal_number;
    interrupts = interrupts < 2 ? interrupts + 1 : 2;
    if (child_pid > 0)
        kill(child_pid, interrupts == 1 ? SIGTERM : SIGKILL);
}

static void catch_interrupts(void)
{
    const struct sigaction action = {.sa_handler = pass_on};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* ---- */

/* The command line of the child: this one's, with what it needs besides. Words are malloc'ed. */
static char **child_words(const char *crashed)
{
    char **words = calloc(MAX_WORDS + 8, sizeof *words);
    FILE *file = fopen("/proc/self/cmdline", "re");
    char *line = NULL;
    size_t capacity = 0, count = 0;
    bool ok = words != NULL && file != NULL;
    while (ok && count < MAX_WORDS && getdelim(&line, &capacity, '\0', file) >= 0)
        ok = (words[count++] = strdup(line)) != NULL;
    free(line);
    if (file != NULL)
        fclose(file);
    const char *more[] = {"--no-isolate", "--json", "--state-fd=3", crashed};
    for (size_t i = 0; ok && i < sizeof more / sizeof *more; i++)
        ok = (words[count++] = strdup(more[i])) != NULL;
    if (ok)
        return words;
    for (size_t i = 0; words != NULL && i < count; i++)
        free(words[i]);
    free(words);
    return NULL;
}

static _Noreturn void become_child(char *const *words, int output, int state, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || dup2(output, STDOUT_FILENO) < 0 || dup2(state, CHILD_STATE) < 0)
        _exit(126);
    execv("/proc/self/exe", words);
    _exit(127);
}

static bool start(child *c, char *const *words, int state)
{
    int ends[2];
    const pid_t parent = getpid();
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    c->pid = fork();
    if (c->pid == 0)
        become_child(words, ends[1], state, parent);
    close(ends[1]);
    c->output = ends[0];
    if (c->pid < 0)
        close(ends[0]);
    return c->pid > 0;
}

static bool read_output(child *c)
{
    for (;;) {
        if (c->capacity - c->size < 65536) {
            char *text = realloc(c->text, 2 * c->capacity + 65536 * 2);
            if (text == NULL)
                return false;
            c->text = text;
            c->capacity = 2 * c->capacity + 65536 * 2;
        }
        const ssize_t got = read(c->output, c->text + c->size, c->capacity - c->size - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0;
        c->size += (size_t)got;
    }
}

/* Prints the result that the child's last line is. */
static int show_result(ob_cli *cli, const ob_replay_line *line, child *c)
{
    while (c->size > 0 && c->text[c->size - 1] == '\n')
        c->size--;
    size_t first = c->size;
    while (first > 0 && c->text[first - 1] != '\n')
        first--;
    ob_json_doc *doc;
    ob_err err;
    if (ob_json_parse("replay", c->text + first, c->size - first, NULL, &doc, &err) != OB_OK)
        return ob__cli_fail(cli, &err);
    const int code = ob__replay_print(cli, line, ob_json_doc_root(doc));
    ob_json_doc_destroy(doc);
    return code;
}

/* ---- */

typedef struct attempts {
    ob_cli *cli;
    const ob_replay_line *line;
    int state_fd;
    ob_replay_state *state;
    char crashed[MAX_CRASHES * 24 + 16];
    size_t crashes;
} attempts;

static void tell_crash(const attempts *a, int64_t node, int status)
{
    const ob_backend_desc *desc = ob_context_find_backend(a->cli->context, a->line->run.backend);
    const bool illegal = WIFSIGNALED(status) && WTERMSIG(status) == SIGILL;
    const char *limits = illegal && desc != NULL ? desc->isa_limits : NULL;
    ob__cli_warn(a->cli,
                 "node %" PRId64 " ended the process (%s); it is left out, and the replay begins "
                 "again%s%s%s",
                 node, WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit",
                 limits != NULL ? "; a library took an instruction that this machine lacks: set "
                                : "",
                 limits != NULL ? limits : "", limits != NULL ? " in the environment" : "");
}

/* One process; *again says whether to start another. */
static int attempt(attempts *a, bool *again)
{
    child c = {0};
    int status = 0;
    *again = false;
    char **words = child_words(a->crashed);
    atomic_store(&a->state->node, INT64_MIN);
    const bool started = words != NULL && start(&c, words, a->state_fd);
    for (size_t i = 0; words != NULL && words[i] != NULL; i++)
        free(words[i]);
    free(words);
    if (!started)
        return ob__cli_out_of_memory(a->cli);
    child_pid = c.pid;
    if (interrupts > 0) /* before its number was known */
        kill(c.pid, SIGTERM);
    const bool read = read_output(&c);
    close(c.output);
    while (waitid(P_PID, (id_t)c.pid, &(siginfo_t){0}, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        ;
    child_pid = 0; /* only then is its number free for others */
    waitpid(c.pid, &status, 0);
    int code = OB_EXIT_FAILED;
    const int64_t node = atomic_load(&a->state->node);
    /* A library that calls exit ends it as well as a signal does; the result comes last. */
    const bool ended = WIFSIGNALED(status) || (read && c.size == 0);
    if (ended && interrupts > 0) {
        code = OB_EXIT_INTERRUPTED;
    } else if (ended && node != INT64_MIN && a->crashes < MAX_CRASHES) {
        tell_crash(a, node, status);
        snprintf(a->crashed + strlen(a->crashed), sizeof a->crashed - strlen(a->crashed),
                 "%s%" PRId64, a->crashes > 0 ? "," : "", node);
        a->crashes++;
        *again = true;
    } else if (WIFSIGNALED(status)) {
        ob__cli_warn(a->cli, "the process that replays was ended: %s", strsignal(WTERMSIG(status)));
    } else if (read && c.size > 0) {
        /* That the profile could not be written only the process knows. */
        code = show_result(a->cli, a->line, &c);
        if (WIFEXITED(status) && WEXITSTATUS(status) == OB_EXIT_USAGE)
            code = OB_EXIT_USAGE;
    } else {
        code = WEXITSTATUS(status);
    }
    free(c.text);
    return code;
}

int ob__replay_isolated(ob_cli *cli, const ob_replay_line *line)
{
    attempts a = {.cli = cli, .line = line, .crashed = "--crashed="};
    const int fd = memfd_create("opbench-replay", MFD_CLOEXEC);
    a.state_fd = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 16);
    if (fd >= 0)
        close(fd);
    void *page =
        a.state_fd >= 0 && ftruncate(a.state_fd, sizeof *a.state) == 0
            ? mmap(NULL, sizeof *a.state, PROT_READ | PROT_WRITE, MAP_SHARED, a.state_fd, 0)
            : MAP_FAILED;
    if (page == MAP_FAILED)
        return ob__cli_out_of_memory(cli);
    a.state = page;
    catch_interrupts();
    int code = OB_EXIT_OK;
    bool again = true;
    while (again)
        code = attempt(&a, &again);
    munmap(page, sizeof *a.state);
    close(a.state_fd);
    return code;
}
