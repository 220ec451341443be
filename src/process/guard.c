/* SPDX-License-Identifier: Apache-2.0
 *
 * A guard is forked and not executed, so it may only do what is safe in the child of a threaded program. It keeps no
 * descriptor but its own: others would believe that this process still has theirs.
 */
#include "process/guard.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    SOME_FDS = 1024, /* where close_range is not there */
    FIRST_HIGH = 16, /* above what the child is given: no dup2 overwrites a source */
    CANNOT = 127,    /* exit code of what could not be started, as shells have it */
    END_S = 10, /* for killed processes to be gone; one that hangs in the kernel is left to it */
    STEP_MS = 5,
};

/* ---- the child ---- */

/* Those that this program may ignore, and those that a copy of it dies of: a handler would make an exit code of it. */
static void reset_signals(void)
{
    static const int CHANGED[] = {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ, SIGCHLD,
                                  SIGILL, SIGSEGV, SIGBUS,  SIGFPE,  SIGABRT};
    sigset_t none;
    for (size_t i = 0; i < sizeof CHANGED / sizeof *CHANGED; i++)
        signal(CHANGED[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void offer_to_oom_killer(void)
{
    static const char FIRST_CHOICE[] = "1000";
    const int oom = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (oom < 0)
        return;
    const ssize_t ignored = write(oom, FIRST_CHOICE, sizeof FIRST_CHOICE - 1);
    (void)ignored;
    close(oom);
}

/* Where each of the child's descriptors comes from; -1 = it has none of that number. */
typedef struct sources {
    int of[OB_CHILD_FIRST + OB_MOST_CHILD_FDS];
} sources;

enum { MOST_NUMBERS = OB_CHILD_FIRST + OB_MOST_CHILD_FDS };

static_assert((int)MOST_NUMBERS <= (int)FIRST_HIGH, "sources lie above");

static sources sources_of(const ob_guard_plan *plan)
{
    sources s;
    for (int i = 0; i < MOST_NUMBERS; i++)
        s.of[i] = i < OB_CHILD_SOCKET ? plan->null : -1;
    if (plan->output >= 0)
        s.of[STDOUT_FILENO] = s.of[STDERR_FILENO] = plan->output;
    s.of[OB_CHILD_SOCKET] = plan->socket;
    for (size_t i = 0; i < plan->params->fd_count; i++)
        s.of[plan->params->fds[i].child] = plan->params->fds[i].ours;
    return s;
}

/* All others are closed: by exec, because how that fails is said over one of them. */
static bool place_descriptors(const ob_guard_plan *plan)
{
    sources s = sources_of(plan);
    for (int i = 0; i < MOST_NUMBERS; i++)
        if (s.of[i] >= 0 && (s.of[i] = fcntl(s.of[i], F_DUPFD_CLOEXEC, FIRST_HIGH)) < 0)
            return false;
    /* A copy of this process goes on with its descriptors, but for the standard ones. */
    const int count = plan->params->fn != NULL ? OB_CHILD_SOCKET : MOST_NUMBERS;
    for (int i = 0; i < count; i++)
        if (s.of[i] >= 0 && dup2(s.of[i], i) < 0)
            return false;
        else if (s.of[i] < 0)
            fcntl(i, F_SETFD, FD_CLOEXEC);
    if (plan->params->fn == NULL && close_range(MOST_NUMBERS, ~0U, CLOSE_RANGE_CLOEXEC) != 0)
        for (int fd = MOST_NUMBERS; fd < SOME_FDS; fd++)
            fcntl(fd, F_SETFD, FD_CLOEXEC);
    return true;
}

/* What a new child knows. */
typedef struct birth {
    const ob_guard_plan *plan;
    pid_t guard;
    int failure; /* takes the reason */
} birth;

static int be_child(void *argument)
{
    const birth *b = argument;
    const ob_process_params *p = b->plan->params;
    setpgid(0, 0); /* an interrupt of the terminal is for this program, which decides */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    reset_signals();
    if (p->first_to_die)
        offer_to_oom_killer();
    if (getppid() != b->guard)
        _exit(CANNOT); /* it died before it could be noticed */
    if (place_descriptors(b->plan) && (p->dir == NULL || chdir(p->dir) == 0)) {
        if (p->fn != NULL) {
            close(b->plan->control);
            _exit(p->fn(p->ctx, b->plan->socket));
        }
        execve(p->words[0], (char *const *)(void *)p->words, b->plan->environment);
    }
    const int reason = errno;
    const ssize_t ignored = write(b->failure, &reason, sizeof reason);
    (void)ignored;
    _exit(CANNOT);
}

/* A copy of this process; or one that borrows its memory until it is another program, because copying the page tables
 * of a large program takes longer than the rest. */
static pid_t give_birth(birth *b)
{
    alignas(16) char stack[64 << 10];
    const pid_t pid = b->plan->params->fn != NULL ? fork()
                                                  : clone(be_child, stack + sizeof stack,
                                                          CLONE_VM | CLONE_VFORK | SIGCHLD, b);
    if (pid == 0)
        be_child(b);
    return pid;
}

/* *reason is 0, or why it could not be started. */
static pid_t start_child(const ob_guard_plan *plan, int *reason)
{
    int failure[2];
    *reason = 0;
    if (pipe2(failure, O_CLOEXEC) != 0) {
        *reason = errno;
        return -1;
    }
    birth b = {.plan = plan, .guard = getpid(), .failure = failure[1]};
    const pid_t pid = give_birth(&b);
    if (pid < 0)
        *reason = errno;
    close(failure[1]);
    /* Exec closes this pipe; only a failed one writes. A copy of this process has nothing to fail at. */
    if (pid > 0 && plan->params->fn == NULL &&
        read(failure[0], reason, sizeof *reason) != (ssize_t)sizeof *reason)
        *reason = 0;
    close(failure[0]);
    return pid;
}

/* ---- the guard ---- */

static void tell(int control, ob_guard_word what, int value)
{
    const ob_guard_report report = {.what = what, .value = value};
    send(control, &report, sizeof report, MSG_NOSIGNAL);
}

static void keep_only(int *control, int *signals)
{
    const int high_control = fcntl(*control, F_DUPFD_CLOEXEC, FIRST_HIGH);
    const int high_signals = fcntl(*signals, F_DUPFD_CLOEXEC, FIRST_HIGH);
    if (dup2(high_control, 0) < 0 || dup2(high_signals, 1) < 0)
        return; /* without room for more it keeps all */
    *control = 0;
    *signals = 1;
    if (close_range(2, ~0U, 0) != 0) /* an old kernel */
        for (int fd = 2; fd < SOME_FDS; fd++)
            close(fd);
}

/* Waits for what is over but the child itself, which stays there so that its number is not given away: true when it
 * is over. */
static bool reap_others(pid_t child)
{
    for (;;) {
        siginfo_t info = {.si_pid = 0};
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0 || info.si_pid == 0)
            return false;
        if (info.si_pid == child)
            return true;
        waitpid(info.si_pid, NULL, __WALL);
    }
}

/* Until the child is over, or the end of all is wanted. */
static void watch(pid_t child, int control, int signals)
{
    for (;;) {
        struct pollfd p[] = {{.fd = control, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
        struct signalfd_siginfo drained;
        char byte;
        poll(p, 2, -1);
        if (p[1].revents != 0 && read(signals, &drained, sizeof drained) > 0 && reap_others(child))
            return;
        /* Nothing is sent this way: it ends, or the other process is gone. */
        if (p[0].revents != 0 && (recv(control, &byte, 1, MSG_DONTWAIT) >= 0 || errno != EAGAIN))
            return;
    }
}

static void kill_children(void)
{
    char text[4096];
    const int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t got;
    pid_t pid = 0;
    while ((got = read(fd, text, sizeof text)) > 0)
        for (ssize_t i = 0; i < got; i++) {
            if (text[i] >= '0' && text[i] <= '9') {
                pid = pid * 10 + (text[i] - '0');
            } else if (pid > 0) {
                kill(pid, SIGKILL);
                pid = 0;
            }
        }
    close(fd);
}

static time_t seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* What dies leaves its children to this process, until there are none. Gives what the child died of. */
static int end_all(pid_t child, int signals)
{
    int status = SIGKILL;
    const time_t end = seconds() + END_S;
    kill(-child, SIGKILL);
    kill(child, SIGKILL); /* it may not lead its group yet */
    do {
        int one;
        pid_t pid;
        while ((pid = waitpid(-1, &one, WNOHANG | __WALL)) > 0)
            if (pid == child)
                status = one;
        if (pid < 0 && errno == ECHILD)
            break;
        kill_children();
        struct pollfd p = {.fd = signals, .events = POLLIN};
        struct signalfd_siginfo drained;
        if (poll(&p, 1, STEP_MS) > 0 && read(signals, &drained, sizeof drained) < 0)
            break;
    } while (seconds() < end);
    return status;
}

_Noreturn void ob__guard_run(const ob_guard_plan *plan)
{
    int control = plan->control, reason;
    sigset_t child_over;
    close(plan->parents_control);
    if (plan->parents_socket >= 0)
        close(plan->parents_socket);
    signal(SIGCHLD, SIG_DFL); /* where it is ignored nobody could be waited for */
    sigemptyset(&child_over);
    sigaddset(&child_over, SIGCHLD);
    setpgid(0, 0); /* an interrupt of the terminal is not for it */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_NAME, "opbench-guard");
    int signals = signalfd(-1, &child_over, SFD_CLOEXEC | SFD_NONBLOCK);
    const pid_t child = start_child(plan, &reason);
    tell(control, reason == 0 ? OB_GUARD_STARTED : OB_GUARD_FAILED, reason == 0 ? child : reason);
    if (child > 0) {
        keep_only(&control, &signals);
        watch(child, control, signals);
        tell(control, OB_GUARD_ENDED, end_all(child, signals));
    }
    _exit(0);
}
