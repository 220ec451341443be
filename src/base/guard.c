/* SPDX-License-Identifier: Apache-2.0
 *
 * A guard is forked and not executed, so it may only do what is safe in the child of a threaded program. It keeps no
 * descriptor but its pipe: others would believe that this process still has theirs.
 */
#include "base/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIPE_FD = 3, SOME_FDS = 1024 };

/* A byte says that all is well, the end of the pipe that its writer is gone. */
_Noreturn static void wait_and_kill(int pipe_fd, pid_t group)
{
    char byte;
    ssize_t got;
    setpgid(0, 0); /* an interrupt of the terminal is not for it */
    if (dup2(pipe_fd, PIPE_FD) < 0)
        _exit(1);
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
    if (close_range(PIPE_FD + 1, ~0U, 0) != 0) /* an old kernel */
        for (int fd = PIPE_FD + 1; fd < SOME_FDS; fd++)
            close(fd);
    do
        got = read(PIPE_FD, &byte, 1);
    while (got < 0 && errno == EINTR);
    if (got == 0)
        kill(-group, SIGKILL);
    _exit(0);
}

ob_guard ob__guard_start(pid_t group)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return (ob_guard){.fd = -1};
    ob_guard guard = {.pid = fork(), .fd = ends[1]};
    if (guard.pid == 0)
        wait_and_kill(ends[0], group);
    close(ends[0]);
    if (guard.pid > 0)
        return guard;
    close(ends[1]);
    return (ob_guard){.fd = -1};
}

void ob__guard_end(ob_guard *guard)
{
    if (guard->pid <= 0)
        return;
    ssize_t wrote;
    do
        wrote = write(guard->fd, "", 1);
    while (wrote < 0 && errno == EINTR);
    if (wrote != 1)
        kill(guard->pid, SIGKILL);
    close(guard->fd);
    while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    *guard = (ob_guard){.fd = -1};
}
