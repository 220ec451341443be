/* SPDX-License-Identifier: Apache-2.0
 *
 * Processes that end, do not end, print too much, leave others behind, and take their guard down.
 */
#include "check.h"

#include "process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void nap(void)
{
    const struct timespec time = {.tv_nsec = 5000000};
    nanosleep(&time, NULL);
}

static bool is_alive(pid_t pid)
{
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    const bool there = file != NULL && fgets(text, sizeof text, file) != NULL;
    if (file != NULL)
        fclose(file);
    const char *state = strrchr(text, ')');
    return there && state != NULL && state[2] != 'Z' && state[2] != 'X';
}

/* Whoever is killed is gone soon, but not at once. */
static bool dies(pid_t pid)
{
    for (int i = 0; i < 4000 && is_alive(pid); i++)
        nap();
    return !is_alive(pid);
}

static ob_process start_shell(const char *script, ob_process_params params)
{
    const char *const words[] = {"/bin/sh", "-c", script, NULL};
    ob_process process;
    ob_err err = {.message = ""};
    params.words = words;
    CHECK_INT(ob__process_start(&params, &process, &err), OB_OK);
    CHECK_STR(err.message, "");
    return process;
}

static const ob_process_params CAPTURED = {.capture = true};

static void check_output(const ob_process *process, const char *want)
{
    ob_text text = {0};
    CHECK(ob__process_output(process, &text));
    CHECK_INT(text.size, strlen(want));
    CHECK(text.size == strlen(want) && memcmp(text.data, want, text.size) == 0);
    ob_text_fini(&text);
}

/* ---- starting and ending ---- */

static void output_and_status_come_back(void)
{
    ob_process p = start_shell("echo out; echo err >&2; exit 7", CAPTURED);
    CHECK(ob__process_wait(&p, -1));
    CHECK(ob__process_has_ended(&p));
    CHECK_INT(WEXITSTATUS(ob__process_end(&p, 0)), 7);
    CHECK_INT(p.guard, 0);
    check_output(&p, "out\nerr\n");
    ob__process_close(&p);
    ob__process_close(&p); /* done twice is done once */
    CHECK_INT(WEXITSTATUS(p.status), 7);
}

static void variables_and_folder_are_the_childs(void)
{
    setenv("OB_TEST", "old", 1);
    ob_process p = start_shell(
        "echo $OB_TEST $OB_MORE; pwd",
        (ob_process_params){.capture = true,
                            .variables = (const char *const[]){"OB_TEST=new", "OB_MORE=1", NULL},
                            .dir = "/usr"});
    ob__process_end(&p, -1);
    check_output(&p, "new 1\n/usr\n");
    ob__process_close(&p);
}

static void what_cannot_be_started_says_why(void)
{
    ob_process p;
    ob_err err;
    const char *const words[] = {"/no/such/program", NULL}, *const sh[] = {"/bin/sh", NULL};
    CHECK_INT(ob__process_start(&(ob_process_params){.words = words}, &p, &err), OB_ERR_IO);
    CHECK_STR(err.message, "/no/such/program cannot be started: No such file or directory");
    CHECK_INT(p.guard, 0);
    CHECK_INT(ob__process_start(&(ob_process_params){.words = sh, .dir = "/no"}, &p, &err),
              OB_ERR_IO);
    CHECK_STR(err.message, "/bin/sh cannot be started: No such file or directory");
}

static void descriptors_are_exact(void)
{
    int pipe_fds[2];
    /* One that exec would not close, and one above all others. */
    const int left = open("/dev/null", O_RDONLY), high = fcntl(left, F_DUPFD, 900);
    CHECK_INT(pipe2(pipe_fds, O_CLOEXEC), 0);
    ob_process p =
        start_shell("ls /proc/self/fd | tr '\\n' ' '; readlink /proc/self/fd/0; echo five >&5",
                    (ob_process_params){
                        .capture = true, .talk = true, .fds = {{5, pipe_fds[1]}}, .fd_count = 1});
    close(pipe_fds[1]);
    ob__process_end(&p, -1);
    char said[16] = "";
    CHECK_INT(read(pipe_fds[0], said, sizeof said - 1), 5);
    CHECK_STR(said, "five\n");
    /* ls itself has one more for the folder: the first that is free. */
    check_output(&p, "0 1 2 3 4 5 /dev/null\n");
    ob__process_close(&p);
    close(pipe_fds[0]);
    close(left);
    close(high);
}

static int always(void *ctx)
{
    (void)ctx;
    return 2;
}

static void waits_have_limits(void)
{
    ob_process p = start_shell("sleep 600", CAPTURED);
    const pid_t pid = p.pid;
    CHECK(!ob__process_wait(&p, 0.01));
    p.stop.fn = always;
    CHECK(!ob__process_wait(&p, -1));
    const int status = ob__process_end(&p, -1);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    CHECK(!is_alive(pid));
    ob__process_close(&p);
}

static void a_stopped_process_is_ended(void)
{
    ob_process p = start_shell("kill -STOP $$", CAPTURED);
    CHECK(!ob__process_wait(&p, 0.05));
    CHECK(WIFSIGNALED(ob__process_end(&p, 0)));
    ob__process_close(&p);
}

static void much_output_is_bounded(void)
{
    ob_process p = start_shell("head -c 3000000 /dev/zero | tr '\\0' x; echo end", CAPTURED);
    CHECK(ob__process_wait(&p, -1));
    ob_text text = {0};
    CHECK(ob__process_output(&p, &text));
    CHECK_INT(text.size, 64 << 10);
    CHECK(memcmp(text.data + text.size - 5, "xend\n", 5) == 0);
    ob__capture_bound(p.output, OB_KEPT_END);
    text.size = 0;
    CHECK(ob__process_output(&p, &text));
    CHECK(text.data[0] == 'x' && memcmp(text.data + text.size - 5, "xend\n", 5) == 0);
    ob_text_fini(&text);
    ob__process_close(&p);
}

/* ---- what it leaves behind ---- */

/* The number that it printed. */
static pid_t printed_pid(const ob_process *p)
{
    for (int i = 0; i < 4000; i++, nap()) {
        ob_text text = {0};
        char number[32] = "";
        CHECK(ob__process_output(p, &text));
        if (text.size > 0 && text.size < sizeof number && text.data[text.size - 1] == '\n')
            memcpy(number, text.data, text.size);
        ob_text_fini(&text);
        if (number[0] != '\0')
            return (pid_t)strtol(number, NULL, 10);
    }
    CHECK(false);
    return -1;
}

/* QEMU has none for the programs that it emulates: what left its group is not found there. */
static bool can_be_subreaper(void)
{
    return prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) == 0;
}

static bool has_subreaper(void)
{
    if (can_be_subreaper())
        return true;
    printf("not tested: there is no subreaper here\n");
    return false;
}

/* In a session of its own, with another parent, and without the descriptors. */
#define RUNAWAY "setsid sh -c 'echo $$; exec sleep 600' 2>/dev/null &"

static void runaways_end_with_the_process(void)
{
    ob_process p =
        start_shell(RUNAWAY " while ! [ -s /dev/stdout ]; do sleep 0.01; done; exit 3", CAPTURED);
    CHECK_INT(WEXITSTATUS(ob__process_end(&p, -1)), 3);
    CHECK(!is_alive(printed_pid(&p)));
    ob__process_close(&p);
}

static void runaways_end_when_it_is_ended(void)
{
    ob_process p = start_shell(RUNAWAY " sleep 600", CAPTURED);
    const pid_t pid = printed_pid(&p);
    CHECK(is_alive(pid));
    CHECK(WIFSIGNALED(ob__process_end(&p, 0)));
    CHECK(!is_alive(pid));
    ob__process_close(&p);
}

static void all_end_with_a_killed_parent(void)
{
    int answer[2];
    CHECK_INT(pipe2(answer, O_CLOEXEC), 0);
    const pid_t parent = fork();
    if (parent == 0) {
        ob_process p = start_shell(RUNAWAY " sleep 600", CAPTURED);
        const pid_t pids[] = {p.pid, printed_pid(&p), p.guard};
        _exit(write(answer[1], pids, sizeof pids) < 0 || pause() == 0);
    }
    pid_t pids[3] = {0, 0, 0};
    close(answer[1]);
    CHECK_INT(read(answer[0], pids, sizeof pids), sizeof pids);
    close(answer[0]);
    CHECK(is_alive(pids[0]) && is_alive(pids[1]));
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    for (size_t i = 0; i < 3; i++)
        CHECK(dies(pids[i]));
}

static void a_killed_guard_takes_its_child_along(void)
{
    ob_process p = start_shell("exec sleep 600", CAPTURED);
    kill(p.guard, SIGKILL);
    CHECK(ob__process_wait(&p, -1));
    CHECK_INT(p.status, SIGKILL);
    const pid_t pid = p.pid;
    ob__process_close(&p);
    CHECK(dies(pid));
}

static void nothing_of_it_is_left_here(void)
{
    const int before = dup(STDIN_FILENO);
    close(before);
    ob_process p = start_shell(":", (ob_process_params){.capture = true, .talk = true});
    ob__process_close(&p);
    CHECK_INT(waitpid(-1, NULL, WNOHANG), -1);
    CHECK_INT(errno, ECHILD);
    const int after = dup(STDIN_FILENO);
    CHECK_INT(after, before);
    close(after);
}

/* ---- copies of this process ---- */

static int answer_or_die(void *ctx, int socket)
{
    const int how = *(int *)ctx;
    if (how < 0)
        abort();
    return send(socket, "yes", 3, MSG_NOSIGNAL) == 3 ? how : -1;
}

static void a_function_runs_apart(void)
{
    int how = 5;
    ob_process p;
    char said[8] = "";
    ob_process_params params = {.fn = answer_or_die, .ctx = &how, .talk = true};
    CHECK_INT(ob__process_start(&params, &p, NULL), OB_OK);
    CHECK_INT(recv(p.socket, said, sizeof said - 1, MSG_WAITALL), 3);
    CHECK_STR(said, "yes");
    CHECK_INT(WEXITSTATUS(ob__process_end(&p, -1)), 5);
    ob__process_close(&p);
    how = -1;
    CHECK_INT(ob__process_start(&params, &p, NULL), OB_OK);
    const int status = ob__process_end(&p, -1);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    ob__process_close(&p);
}

/* ---- memory ---- */

enum { MIB = 1 << 20, PIECE = 64 * MIB };

typedef enum holder { IN_CHILD, IN_FILE, SHARED } holder;

static void take_memory(void)
{
    volatile char *piece =
        mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; piece != MAP_FAILED && i < PIECE; i += 4096)
        piece[i] = 1;
}

static void write_file(void)
{
    static const char page[4096] = "full";
    const int fd = memfd_create("large", 0);
    for (int i = 0; i < PIECE / (int)sizeof page; i++)
        if (write(fd, page, sizeof page) < 0)
            abort();
}

/* Small itself, but what it started or wrote is not. */
static int hold(void *ctx, int socket)
{
    const holder how = *(holder *)ctx;
    if (how == SHARED)
        take_memory();
    if (how == IN_FILE)
        write_file();
    const pid_t child = how == IN_FILE ? 0 : fork();
    if (how == IN_CHILD && child == 0) {
        setsid();
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* where there is no subreaper */
        take_memory();
    }
    if (child == 0 && send(socket, "x", 1, MSG_NOSIGNAL) != 1)
        abort();
    for (;;)
        pause();
}

static void memory_of_all_counts(void)
{
    static const struct {
        holder how;
        uint64_t limit_mib;
        bool above;
    } ROWS[] = {{IN_CHILD, 48, true},  {IN_CHILD, 200, false}, {IN_FILE, 48, true},
                {IN_FILE, 200, false}, {SHARED, 48, true},     {SHARED, 96, false}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        holder how = ROWS[i].how;
        ob_process p;
        char byte;
        const ob_process_params params = {.fn = hold, .ctx = &how, .talk = true};
        CHECK_INT(ob__process_start(&params, &p, NULL), OB_OK);
        CHECK_INT(recv(p.socket, &byte, 1, MSG_WAITALL), 1);
        const uint64_t held = ob__process_above_limit(&p, ROWS[i].limit_mib * MIB);
        CHECK_INT(held > 0, ROWS[i].above);
        ob__process_close(&p);
    }
}

/* ---- lines ---- */

typedef struct lines {
    char text[256];
    int stop;
} lines;

static void take_line(void *ctx, const char *line, size_t length)
{
    lines *l = ctx;
    snprintf(l->text + strlen(l->text), sizeof l->text - strlen(l->text), "%.*s|", (int)length,
             line);
}

static int say_stop(void *ctx)
{
    return ((lines *)ctx)->stop;
}

static ob_status run_lines(const char *script, lines *l, int *status, double limit_s)
{
    const char *const words[] = {"/bin/sh", "-c", script, NULL};
    const ob_process_params params = {
        .words = words, .stop = {.fn = say_stop, .ctx = l}, .limit_s = limit_s};
    return ob__process_lines(&params, take_line, l, status, NULL);
}

static void lines_come_one_by_one(void)
{
    lines l = {.text = ""};
    int status;
    CHECK_INT(
        run_lines("echo out; echo; echo '  '; echo err >&2; printf end; exit 7", &l, &status, 0),
        OB_OK);
    CHECK_STR(l.text, "out|err|end|");
    CHECK_INT(WEXITSTATUS(status), 7);
    l.text[0] = '\0';
    CHECK_INT(run_lines("kill -9 $$", &l, &status, 0), OB_OK);
    CHECK(WIFSIGNALED(status));
    const char *const words[] = {"/no/such/program", NULL};
    ob_err err;
    CHECK_INT(ob__process_lines(&(ob_process_params){.words = words}, take_line, &l, &status, &err),
              OB_ERR_IO);
    CHECK_STR(err.message, "/no/such/program cannot be started: No such file or directory");
}

static void lines_end_on_request_or_at_the_limit(void)
{
    lines l = {.text = "", .stop = 2};
    int status;
    CHECK_INT(run_lines("sleep 600", &l, &status, 0), OB_END);
    l.stop = 0;
    CHECK_INT(run_lines("sleep 600", &l, &status, 0.05), OB_END);
}

/* What the process left running has the pipe; that must not hold the run, and it ends too. */
static void a_daemon_does_not_hold_the_run(void)
{
    lines l = {.text = ""};
    int status;
    CHECK_INT(run_lines("sleep 600 & echo $!", &l, &status, 0), OB_OK);
    CHECK(WIFEXITED(status));
    char *end;
    const long pid = strtol(l.text, &end, 10);
    CHECK(pid > 1 && *end == '|');
    /* A subreaper has waited for it; else it is killed and nobody knows when it is gone. */
    CHECK(can_be_subreaper() ? !is_alive((pid_t)pid) : dies((pid_t)pid));
}

int main(void)
{
    RUN(output_and_status_come_back);
    RUN(variables_and_folder_are_the_childs);
    RUN(what_cannot_be_started_says_why);
    RUN(descriptors_are_exact);
    RUN(waits_have_limits);
    RUN(a_stopped_process_is_ended);
    RUN(much_output_is_bounded);
    if (has_subreaper()) {
        RUN(runaways_end_with_the_process);
        RUN(runaways_end_when_it_is_ended);
        RUN(all_end_with_a_killed_parent);
    }
    RUN(a_killed_guard_takes_its_child_along);
    RUN(nothing_of_it_is_left_here);
    RUN(a_function_runs_apart);
    RUN(memory_of_all_counts);
    RUN(lines_come_one_by_one);
    RUN(lines_end_on_request_or_at_the_limit);
    RUN(a_daemon_does_not_hold_the_run);
    return ob_test_end();
}
