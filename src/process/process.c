/* SPDX-License-Identifier: Apache-2.0
 *
 * Starting, watching and ending a process, from this side of its guard.
 */
#include "process/process.h"

#include "process/guard.h"
#include "process/programs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_UP_MS = 100 };
static const struct timeval SEND_LIMIT = {.tv_sec = 60};
static const double START_S = 60, GUARD_S = 15; /* for a guard that does not answer */

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

static void close_all(int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

/* ---- reports ---- */

/* The next report; false if none came within so long. A guard that is gone without one was killed, and took its child
 * with it. */
static bool take_report(const ob_process *p, double patience_s, ob_guard_report *out)
{
    const double end = ob__now_s() + patience_s;
    for (;;) {
        struct pollfd ready = {.fd = p->control, .events = POLLIN};
        const double left_s = end - ob__now_s();
        const int n = poll(&ready, 1, left_s > 0 ? (int)(left_s * 1000) + 1 : 0);
        if (n > 0) {
            const ssize_t got = recv(p->control, out, sizeof *out, MSG_DONTWAIT);
            if (got < 0 && (errno == EINTR || errno == EAGAIN))
                continue;
            if (got != (ssize_t)sizeof *out)
                *out = (ob_guard_report){.what = OB_GUARD_ENDED, .value = SIGKILL};
            return true;
        }
        if (left_s <= 0)
            return false;
    }
}

/* Nothing of the guard may be left, and its end is sure: it ended by itself or is killed. */
static void reap_guard(ob_process *p)
{
    while (waitpid(p->guard, NULL, 0) < 0 && errno == EINTR)
        continue;
    p->guard = 0;
}

/* ---- starting ---- */

static bool make_ends(const ob_process_params *params, ob_process *out, ob_guard_plan *plan)
{
    int control[2], talk[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) != 0)
        return false;
    out->control = plan->parents_control = control[0];
    plan->control = control[1];
    if (params->talk) {
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, talk) != 0)
            return false;
        /* Nor does a send wait for ever: the other side need not read. */
        setsockopt(talk[0], SOL_SOCKET, SO_SNDTIMEO, &SEND_LIMIT, sizeof SEND_LIMIT);
        out->socket = plan->parents_socket = talk[0];
        plan->socket = talk[1];
    }
    if (params->capture && (out->output = plan->output = ob__capture_open()) < 0)
        return false;
    plan->null = open("/dev/null", O_RDWR | O_CLOEXEC);
    plan->environment = params->fn == NULL ? ob__environment_make(params->variables) : NULL;
    return plan->null >= 0 && (params->fn != NULL || plan->environment != NULL);
}

/* No handler of this program runs in the guard. */
static pid_t fork_guard(const ob_guard_plan *plan)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t pid = fork();
    if (pid == 0)
        ob__guard_run(plan);
    const int why = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = why;
    return pid;
}

ob_status ob__process_start(const ob_process_params *params, ob_process *out, ob_err *err)
{
    ob_guard_plan plan = {.params = params,
                          .control = -1,
                          .null = -1,
                          .output = -1,
                          .socket = -1,
                          .parents_socket = -1};
    ob_guard_report report = {.what = OB_GUARD_FAILED, .value = ETIMEDOUT};
    const char *name = params->fn == NULL ? params->words[0] : "a trial";
    *out = OB_NO_PROCESS;
    out->stop = params->stop;
    const bool ready = make_ends(params, out, &plan);
    const pid_t guard = ready ? fork_guard(&plan) : -1;
    if (guard < 0)
        report.value = errno;
    free(plan.environment);
    close_all((int[]){plan.control, plan.null, plan.socket}, 3);
    if (guard > 0) {
        out->guard = guard;
        take_report(out, START_S, &report);
    }
    if (report.what == OB_GUARD_STARTED) {
        out->pid = report.value;
        return OB_OK;
    }
    ob__process_close(out);
    return ob_err_set(err, OB_ERR_IO, "%s cannot be started: %s", name,
                      report.what == OB_GUARD_FAILED ? strerror(report.value) : "it was killed");
}

/* ---- waiting and ending ---- */

static bool take_end(ob_process *p, double patience_s)
{
    ob_guard_report report;
    if (p->guard == 0 || p->ended || !take_report(p, patience_s, &report))
        return p->guard == 0 || p->ended;
    p->ended = true;
    p->status = report.value;
    return true;
}

bool ob__process_has_ended(ob_process *process)
{
    return take_end(process, 0);
}

bool ob__process_wait(ob_process *process, double patience_s)
{
    const double end = ob__now_s() + patience_s;
    for (;;) {
        const double left_s = end - ob__now_s();
        const double step_s = (double)LOOK_UP_MS / 1000;
        if (take_end(process, patience_s >= 0 && left_s < step_s ? left_s : step_s))
            return true;
        if ((patience_s >= 0 && left_s <= 0) || ob__is_stopped(&process->stop))
            return false;
        ob__capture_bound(process->output, OB_KEPT_END);
    }
}

void ob__process_kill(const ob_process *process)
{
    if (process->guard != 0)
        shutdown(process->control, SHUT_WR);
}

int ob__process_end(ob_process *process, double patience_s)
{
    close_all(&process->socket, 1);
    process->socket = -1;
    if (process->guard == 0)
        return process->status;
    if (patience_s != 0)
        ob__process_wait(process, patience_s);
    ob__process_kill(process);
    /* Whoever has the right to can stop or kill a guard too. */
    if (!take_end(process, GUARD_S)) {
        if (process->pid > 0)
            kill(-process->pid, SIGKILL);
        process->ended = true;
        process->status = SIGKILL;
    }
    kill(process->guard, SIGKILL); /* it has said all, and is not waited for in vain */
    reap_guard(process);
    close_all(&process->control, 1);
    process->control = -1;
    return process->status;
}

void ob__process_close(ob_process *process)
{
    const int status = ob__process_end(process, 0);
    close_all(&process->output, 1);
    *process = OB_NO_PROCESS;
    process->status = status;
}
