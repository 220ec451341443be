/* SPDX-License-Identifier: Apache-2.0
 *
 * Starting, talking to and ending a child process. Between fork and exec only calls that are safe in a child
 * of a threaded program are made; all texts are ready before.
 */
#include "snippet/child.h"

#include "base/programs.h"
#include "base/text.h"
#include "snippet/suite_int.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_OUTPUT = 64 << 10, MUCH_OUTPUT = 1 << 20, FIRST_OWN = 16, LOOK_UP_MS = 100 };

/* ---- starting ---- */

/* Never below the descriptors that the child is given: dup2 onto those must not overwrite a source. */
static int move_up(int fd)
{
    if (fd < 0)
        return -1;
    const int moved = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_OWN);
    close(fd);
    return moved;
}

/* What the child has from the beginning. */
typedef struct child_ends {
    int socket, output;
    int ready[2]; /* a pipe: nothing runs before its guard does */
} child_ends;

_Noreturn static void run_child(const ob_child_params *p, char *const *environment,
                                const child_ends *ends, pid_t parent)
{
    char byte;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    const int null = open("/dev/null", O_RDONLY);
    close(ends->ready[1]);
    if (read(ends->ready[0], &byte, 1) != 1 || getppid() != parent || null < 0 ||
        dup2(null, 0) < 0 || dup2(ends->output, 1) < 0 || dup2(ends->output, 2) < 0 ||
        (ends->socket >= 0 && dup2(ends->socket, OB_CHILD_SOCKET) < 0) ||
        (p->dir != NULL && chdir(p->dir) != 0))
        _exit(127);
    execve(p->words[0], (char *const *)(void *)p->words, environment);
    _exit(127);
}

/* Both ends above the descriptors that the child is given. */
static bool make_pipe(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    ends[0] = move_up(ends[0]);
    ends[1] = move_up(ends[1]);
    return ends[0] >= 0 && ends[1] >= 0;
}

static void close_ends(child_ends *ends)
{
    const int all[] = {ends->socket, ends->ready[0], ends->ready[1]};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i] >= 0)
            close(all[i]);
}

/* Descriptors for both sides. */
static bool open_ends(const ob_child_params *params, ob_child *child, child_ends *ends)
{
    int pair[2] = {-1, -1};
    *ends = (child_ends){.socket = -1, .ready = {-1, -1}};
    child->output = ends->output = move_up(memfd_create("opbench-output", MFD_CLOEXEC));
    if (child->output < 0 || !make_pipe(ends->ready))
        return false;
    if (!params->talk)
        return true;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return false;
    child->socket = move_up(pair[0]);
    ends->socket = move_up(pair[1]);
    return child->socket >= 0 && ends->socket >= 0;
}

/* Lets the child run, guarded. */
static bool release(ob_child *child, const child_ends *ends)
{
    setpgid(child->pid, child->pid); /* whoever comes first */
    child->guard = ob__guard_start(child->pid);
    return write(ends->ready[1], "", 1) == 1;
}

ob_status ob__child_start(const ob_child_params *params, ob_child *out, ob_err *err)
{
    child_ends ends;
    *out =
        (ob_child){.pid = 0, .socket = -1, .output = -1, .guard = {.fd = -1}, .stop = params->stop};
    char **environment = ob__environment_make(params->variables);
    if (!open_ends(params, out, &ends) || environment == NULL) {
        const int why = errno;
        free(environment);
        close_ends(&ends);
        ob__child_close(out);
        return ob_err_set(err, OB_ERR_IO, "no room for a child process: %s", strerror(why));
    }
    const pid_t parent = getpid();
    out->pid = fork();
    if (out->pid == 0)
        run_child(params, environment, &ends, parent);
    const bool started = out->pid > 0 && release(out, &ends);
    const int why = errno;
    free(environment);
    close_ends(&ends);
    if (started)
        return OB_OK;
    out->pid = out->pid > 0 ? out->pid : 0;
    ob__child_close(out);
    return ob_err_set(err, OB_ERR_IO, "%s cannot be started: %s", params->words[0], strerror(why));
}

/* ---- output ---- */

/* What a statement prints lies in memory that nobody else limits: what is too old to be shown is given back. */
static void bound_output(const ob_child *child)
{
    struct stat st;
    if (child->output >= 0 && fstat(child->output, &st) == 0 && st.st_blocks * 512 > MUCH_OUTPUT &&
        st.st_size > MOST_OUTPUT)
        fallocate(child->output, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                  st.st_size - MOST_OUTPUT);
}

/* ---- talking ---- */

ob_status ob__child_send(const ob_child *child, const char *data, size_t size, ob_err *err)
{
    while (size > 0) {
        const ssize_t sent = send(child->socket, data, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return ob_err_set(err, OB_ERR_IO, "the snippet's process takes no more requests");
        data += sent;
        size -= (size_t)sent;
    }
    return OB_OK;
}

double ob__now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool ob__is_stopped(const ob_stop *stop)
{
    return stop->fn != NULL && stop->fn(stop->ctx) != 0;
}

ob_status ob__interrupted(ob_err *err)
{
    return ob_err_set(err, OB_ERR_STATE, "interrupted");
}

ob_status ob__child_receive(const ob_child *child, void *data, size_t size, double timeout_s,
                            size_t *got, ob_err *err)
{
    const double end = ob__now_s() + timeout_s;
    for (;;) {
        struct pollfd p = {.fd = child->socket, .events = POLLIN};
        const double left = end - ob__now_s();
        if (ob__is_stopped(&child->stop))
            return ob__interrupted(err);
        if (timeout_s > 0 && left <= 0)
            return ob_err_set(err, OB_ERR_LIMIT, "it took longer than %g s", timeout_s);
        const int wait_ms =
            timeout_s > 0 && left * 1000 < (double)LOOK_UP_MS ? (int)(left * 1000) + 1 : LOOK_UP_MS;
        if (poll(&p, 1, wait_ms) < 0 && errno != EINTR)
            return ob_err_set(err, OB_ERR_IO, "no answer can be read: %s", strerror(errno));
        bound_output(child);
        if (p.revents == 0)
            continue;
        const ssize_t count = recv(child->socket, data, size, 0);
        if (count < 0 && errno == EINTR)
            continue;
        *got = count < 0 ? 0 : (size_t)count;
        return OB_OK;
    }
}

/* ---- ending ---- */

/* Waits until the child is over, but leaves it there to be asked; false if it was not within patience_s. */
static bool wait_for_end(const ob_child *child, double patience_s)
{
    const double end = ob__now_s() + patience_s;
    for (;;) {
        siginfo_t info = {.si_pid = 0};
        if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOWAIT | WNOHANG) != 0 &&
            errno != EINTR)
            return true;
        if (info.si_pid != 0)
            return true;
        if ((patience_s >= 0 && ob__now_s() >= end) || ob__is_stopped(&child->stop))
            return false;
        bound_output(child);
        const struct timespec nap = {.tv_nsec = 2000000};
        nanosleep(&nap, NULL);
    }
}

int ob__child_end(ob_child *child, double patience_s)
{
    int status = 0;
    if (child->socket >= 0)
        close(child->socket);
    child->socket = -1;
    if (child->pid == 0)
        return 0;
    wait_for_end(child, patience_s);
    /* The whole group, with what it started: while its leader is not waited for, the number is its own. */
    kill(-child->pid, SIGKILL);
    ob__guard_end(&child->guard);
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    child->pid = 0;
    return status;
}

bool ob__child_output(const ob_child *child, ob_text *text)
{
    const off_t size = lseek(child->output, 0, SEEK_END);
    off_t at = size > MOST_OUTPUT ? size - MOST_OUTPUT : 0;
    while (size > 0 && at < size) {
        char part[4096];
        const ssize_t got = pread(child->output, part, sizeof part, at);
        if (got <= 0)
            break;
        if (!ob__text_append(text, part, (size_t)got))
            return false;
        at += got;
    }
    return true;
}

void ob__child_close(ob_child *child)
{
    ob__child_end(child, 0);
    if (child->output >= 0)
        close(child->output);
    child->output = -1;
}
