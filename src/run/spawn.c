/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker is started with fork and exec: thread pools of libraries do not survive a bare fork. Between
 * the two only calls that are safe in a child of a threaded program are made; all texts are ready before.
 */
#include "run/spawn.h"

#include "base/programs.h"
#include "base/text.h"
#include "base/write_all.h"
#include "run/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Where the child finds its descriptors; 0 to 2 are the standard ones. */
enum {
    CHILD_SOCKET = 3,
    CHILD_STATE,
    CHILD_CONFIG,
    CHILD_RING,
    CHILD_CHECK,
    CHILD_LAST = CHILD_CHECK
};

ob_status ob__memory_file(const char *name, int *out, ob_err *err)
{
    /* Never below the child's own descriptors: dup2 onto those must not overwrite a source. */
    const int fd = memfd_create(name, MFD_CLOEXEC);
    *out = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, CHILD_LAST + 1);
    if (fd >= 0)
        close(fd);
    if (*out >= 0)
        return OB_OK;
    return ob_err_set(err, OB_ERR_IO, "no memory file for the worker: %s", strerror(errno));
}

/* A word of its own: its end is a NUL. */
static bool append_number(ob_text *text, const char *option, int number)
{
    return ob__text_printf(text, "%s=%d", option, number) && ob__text_append(text, "", 1);
}

static bool append_place(ob_text *text, const ob_worker_place *place)
{
    if (place == NULL)
        return true;
    return (place->counts == 0 || append_number(text, "--counts", (int)place->counts)) &&
           (place->ring_fd < 0 || (append_number(text, "--ring-fd", CHILD_RING) &&
                                   append_number(text, "--ring-member", (int)place->member))) &&
           (place->check_fd < 0 ||
            (append_number(text, "--check-fd", CHILD_CHECK) &&
             ob__text_append_str(text, "--reference=") &&
             ob__text_append_str(text, place->reference) && ob__text_append(text, "", 1)));
}

/* What stands before the worker's own words. */
static bool append_before(ob_text *text, const ob_worker_place *place)
{
    bool ok = true;
    for (size_t i = 0; ok && place != NULL && place->before != NULL && place->before[i] != NULL;
         i++)
        ok = ob__text_append_str(text, place->before[i]) && ob__text_append(text, "", 1);
    return ok;
}

static ob_status make_words(ob_worker_seed *seed, const char *program,
                            const ob_run_options *options, const ob_worker_place *place,
                            ob_err *err)
{
    ob_text text = {0};
    bool ok = append_before(&text, place) && ob__text_append_str(&text, program) &&
              ob__text_append(&text, "", 1) && ob__text_append_str(&text, "worker") &&
              ob__text_append(&text, "", 1) && append_number(&text, "--socket-fd", CHILD_SOCKET) &&
              append_number(&text, "--state-fd", CHILD_STATE) &&
              append_number(&text, "--config-fd", CHILD_CONFIG) && append_place(&text, place);
    if (ok && options->config_name != NULL)
        ok = ob__text_append_str(&text, "--config-name=") &&
             ob__text_append_str(&text, options->config_name) && ob__text_append(&text, "", 1);
    if (ok && options->config_command != NULL)
        ok = ob__text_append_str(&text, "--config-command=") &&
             ob__text_append_str(&text, options->config_command) && ob__text_append(&text, "", 1);
    if (ok && options->by_words)
        ok = ob__text_append_str(&text, "--by-words") && ob__text_append(&text, "", 1);
    if (ok && options->program != NULL)
        ok = ob__text_append_str(&text, "--program-name=") &&
             ob__text_append_str(&text, options->program) && ob__text_append(&text, "", 1);
    if (ok && options->command != NULL)
        ok = ob__text_append_str(&text, "--command-name=") &&
             ob__text_append_str(&text, options->command) && ob__text_append(&text, "", 1);
    ok = ok && ob__run_options_words(options, &text);
    size_t count = 0;
    for (size_t i = 0; ok && i < text.size; i++)
        count += text.data[i] == '\0';
    seed->words = ok ? calloc(count + 1, sizeof *seed->words) : NULL;
    if (seed->words == NULL) {
        ob_text_fini(&text);
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the worker's command line");
    }
    seed->word_text = text.data;
    count = 0;
    for (size_t at = 0; at < text.size; at += strlen(text.data + at) + 1)
        seed->words[count++] = text.data + at;
    return OB_OK;
}

ob_status ob__worker_seed_make(const char *program, const ob_config *config,
                               const ob_run_options *options, const ob_worker_place *place,
                               ob_worker_seed *out, ob_err *err)
{
    char *text = NULL;
    size_t length = 0;
    *out = (ob_worker_seed){.config_fd = -1,
                            .state_fd = -1,
                            .output_fd = -1,
                            .ring_fd = place != NULL ? place->ring_fd : -1,
                            .check_fd = place != NULL ? place->check_fd : -1,
                            .page = MAP_FAILED};
    ob_status status = make_words(out, program, options, place, err);
    if (status == OB_OK && place != NULL && place->variables != NULL &&
        (out->environment = ob__environment_make(place->variables)) == NULL)
        status = ob_err_set(err, OB_ERR_NOMEM, "out of memory for the worker's environment");
    if (status == OB_OK)
        status = ob__memory_file("opbench-config", &out->config_fd, err);
    if (status == OB_OK)
        status = ob__memory_file("opbench-state", &out->state_fd, err);
    if (status == OB_OK)
        status = ob__memory_file("opbench-output", &out->output_fd, err);
    if (status == OB_OK)
        status = ob_json_print(ob_config_json(config), &text, &length, err);
    if (status == OB_OK)
        status = ob__write_all(out->config_fd, text, length)
                     ? OB_OK
                     : ob_err_set(err, OB_ERR_IO, "the config cannot be handed over: %s",
                                  strerror(errno));
    free(text);
    const bool whole = status == OB_OK && ftruncate(out->state_fd, (off_t)sizeof *out->page) == 0;
    if (whole ||
        (status == OB_OK && ftruncate(out->state_fd, (off_t)offsetof(ob_state_page, samples)) == 0))
        out->page =
            mmap(NULL, sizeof *out->page, PROT_READ | PROT_WRITE, MAP_SHARED, out->state_fd, 0);
    if (status == OB_OK && out->page == MAP_FAILED)
        status = ob_err_set(err, OB_ERR_IO, "no shared page for the worker: %s", strerror(errno));
    else if (status == OB_OK)
        atomic_store(&out->page->has_samples, out->has_samples = whole);
    if (status == OB_OK && fcntl(out->output_fd, F_SETFL, O_APPEND) != 0)
        status = ob_err_set(err, OB_ERR_IO, "no output file for the worker: %s", strerror(errno));
    if (status != OB_OK)
        ob__worker_seed_fini(out);
    return status;
}

void ob__worker_seed_fini(ob_worker_seed *seed)
{
    const int fds[] = {seed->config_fd, seed->state_fd, seed->output_fd};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    if (seed->page != MAP_FAILED && seed->page != NULL)
        munmap(seed->page, sizeof *seed->page);
    free(seed->words);
    free(seed->word_text);
    free(seed->environment);
    *seed = (ob_worker_seed){.config_fd = -1, .state_fd = -1, .output_fd = -1, .page = MAP_FAILED};
}

/* In the child, after fork. Does not return. */
static _Noreturn void become_worker(const ob_worker_seed *seed, int socket, int null, pid_t parent)
{
    static const char FIRST_CHOICE[] = "1000";
    setpgid(0, 0); /* so that what it starts can be ended with it */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127); /* it died before the line above */
    const int oom = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (oom >= 0) {
        const ssize_t ignored = write(oom, FIRST_CHOICE, sizeof FIRST_CHOICE - 1);
        (void)ignored;
        close(oom);
    }
    if (dup2(null, STDIN_FILENO) < 0 || dup2(seed->output_fd, STDOUT_FILENO) < 0 ||
        dup2(seed->output_fd, STDERR_FILENO) < 0 || dup2(socket, CHILD_SOCKET) < 0 ||
        dup2(seed->state_fd, CHILD_STATE) < 0 || dup2(seed->config_fd, CHILD_CONFIG) < 0 ||
        (seed->ring_fd >= 0 && dup2(seed->ring_fd, CHILD_RING) < 0) ||
        (seed->check_fd >= 0 && dup2(seed->check_fd, CHILD_CHECK) < 0))
        _exit(126);
    execve(seed->words[0], seed->words, seed->environment != NULL ? seed->environment : environ);
    _exit(127);
}

ob_status ob__worker_start(const ob_worker_seed *seed, ob_worker_process *out, ob_err *err)
{
    int pair[2] = {-1, -1};
    const pid_t parent = getpid();
    *out = (ob_worker_process){.socket = -1, .death = -1};
    const int low = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int null = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, CHILD_LAST + 1);
    if (low >= 0)
        close(low);
    if (null < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        const int reason = errno;
        if (null >= 0)
            close(null);
        return ob_err_set(err, OB_ERR_IO, "no socket for the worker: %s", strerror(reason));
    }
    const int theirs = fcntl(pair[1], F_DUPFD_CLOEXEC, CHILD_LAST + 1);
    close(pair[1]);
    atomic_store(&seed->page->case_index, OB_NO_CASE);
    if (ftruncate(seed->output_fd, 0) != 0 || lseek(seed->config_fd, 0, SEEK_SET) != 0 ||
        theirs < 0) {
        close(pair[0]);
        close(null);
        if (theirs >= 0)
            close(theirs);
        return ob_err_set(err, OB_ERR_IO, "the worker's files cannot be reset: %s",
                          strerror(errno));
    }
    const pid_t pid = fork();
    if (pid == 0)
        become_worker(seed, theirs, null, parent);
    const int reason = errno;
    close(theirs);
    close(null);
    if (pid < 0) {
        close(pair[0]);
        return ob_err_set(err, OB_ERR_IO, "no process for the worker: %s", strerror(reason));
    }
    *out = (ob_worker_process){.pid = pid,
                               .socket = pair[0],
                               .death = (int)syscall(SYS_pidfd_open, pid, 0),
                               .oom_kills = ob__oom_kills()};
    return OB_OK;
}

/* Whether it is dead; it stays a zombie, so that its number is not given away. */
static bool is_dead(pid_t pid)
{
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid;
}

static bool wait_for_death(const ob_worker_process *process, int patience_ms)
{
    enum { STEP_MS = 2 };
    const ob_clock clock = ob_clock_monotonic();
    const uint64_t end = ob_clock_now_ns(&clock) + (uint64_t)patience_ms * 1000000u;
    for (;;) {
        if (is_dead(process->pid))
            return true;
        const uint64_t now = ob_clock_now_ns(&clock);
        if (now >= end)
            return false;
        const int left_ms = (int)((end - now) / 1000000u) + 1;
        struct pollfd death = {.fd = process->death, .events = POLLIN};
        poll(&death, 1, process->death >= 0 || left_ms < STEP_MS ? left_ms : STEP_MS);
    }
}

void ob__worker_kill(const ob_worker_process *process)
{
    kill(-process->pid, SIGKILL);
    kill(process->pid, SIGKILL); /* it may not lead its group yet */
}

bool ob__worker_end(ob_worker_process *process, int patience_ms, int *status)
{
    *status = 0;
    if (process->pid == 0)
        return true;
    if (process->socket >= 0)
        close(process->socket);
    bool by_itself = wait_for_death(process, patience_ms);
    ob__worker_kill(process);
    while (waitpid(process->pid, status, 0) < 0 && errno == EINTR)
        ;
    /* A dying process closes its descriptors some time before it is dead, on a busy machine long before;
     * a signal that comes in between does not change what it died of. */
    by_itself = by_itself || !WIFSIGNALED(*status) || WTERMSIG(*status) != SIGKILL;
    if (process->death >= 0)
        close(process->death);
    *process = (ob_worker_process){.socket = -1, .death = -1};
    return by_itself;
}

/* The start of a small file of the kernel's. */
static bool read_start(const char *path, char *text, size_t size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    size_t length = 0;
    ssize_t got;
    while (length < size - 1 && (got = read(fd, text + length, size - 1 - length)) > 0)
        length += (size_t)got;
    close(fd);
    text[length] = '\0';
    return length > 0;
}

uint64_t ob__worker_resident_bytes(const ob_worker_process *process)
{
    char path[64], text[128], *end;
    snprintf(path, sizeof path, "/proc/%ld/statm", (long)process->pid);
    if (!read_start(path, text, sizeof text))
        return 0;
    strtoull(text, &end, 10); /* the address space */
    return strtoull(end, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t ob__oom_kills(void)
{
    static const char NAME[] = "\noom_kill ";
    char text[16384];
    const char *row = read_start("/proc/vmstat", text, sizeof text) ? strstr(text, NAME) : NULL;
    return row != NULL ? strtoull(row + sizeof NAME - 1, NULL, 10) : 0;
}
