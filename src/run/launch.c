/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared memory and the profiler's process. Nothing goes through a shell. Between fork and exec only calls that
 * are safe in a child of a threaded program are made; what they need is ready before.
 */
#include "run/launch.h"

#include "base/programs.h"
#include "base/text.h"
#include "base/write_all.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- shared memory ---- */

enum { MOST_NAMES = 16, MOST_SEGMENT_BYTES = 1 << 30 };

static ob_status fill_segment(int fd, const void *data, size_t size, ob_err *err)
{
    if (!ob__write_all(fd, data, size))
        return ob_err_set(err, OB_ERR_IO, "shared memory cannot be written: %s", strerror(errno));
    return OB_OK;
}

ob_status ob__segment_make(const void *data, size_t size, ob_segment *out, ob_err *err)
{
    char path[sizeof out->name + 1];
    int fd = -1;
    out->name[0] = '\0';
    errno = EEXIST;
    for (int i = 0; fd < 0 && errno == EEXIST && i < MOST_NAMES; i++) {
        uint64_t secret;
        if (getrandom(&secret, sizeof secret, 0) != (ssize_t)sizeof secret)
            break;
        snprintf(path, sizeof path, "/opbench_%ld_%016llx", (long)getpid(),
                 (unsigned long long)secret);
        fd = shm_open(path, O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
    }
    if (fd < 0)
        return ob_err_set(err, OB_ERR_IO, "no shared memory for the batch: %s", strerror(errno));
    memcpy(out->name, path + 1, strlen(path));
    const ob_status status = fill_segment(fd, data, size, err);
    close(fd);
    if (status != OB_OK)
        ob__segment_remove(out);
    return status;
}

void ob__segment_remove(ob_segment *segment)
{
    char path[sizeof segment->name + 1];
    if (segment->name[0] == '\0')
        return;
    snprintf(path, sizeof path, "/%s", segment->name);
    shm_unlink(path);
    segment->name[0] = '\0';
}

ob_status ob__segment_read(const char *name, ob_text *text, ob_err *err)
{
    char path[256];
    struct stat st = {0};
    while (*name == '/')
        name++;
    snprintf(path, sizeof path, "/%s", name);
    const int fd = shm_open(path, O_RDONLY, 0);
    if (fd < 0)
        return ob_err_set(err, OB_ERR_NOT_FOUND, "there is no shared memory \"%s\": %s", name,
                          strerror(errno));
    ob_status status = OB_OK;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > MOST_SEGMENT_BYTES)
        status = ob_err_set(err, OB_ERR_INVALID, "shared memory \"%s\" holds no batch", name);
    text->size = 0;
    if (status == OB_OK && !ob__text_reserve(text, (size_t)st.st_size + 1))
        status = ob_err_set(err, OB_ERR_NOMEM, "out of memory for the batch");
    while (status == OB_OK && text->size < (size_t)st.st_size) {
        const ssize_t got = read(fd, text->data + text->size, (size_t)st.st_size - text->size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            status = ob_err_set(err, OB_ERR_IO, "shared memory \"%s\" cannot be read", name);
        else
            text->size += (size_t)got;
    }
    close(fd);
    return status;
}

/* ---- the child ---- */

enum { ASK_EVERY_MS = 50, MOST_LINE = 1 << 16 };

static _Noreturn void become(const ob_launch *launch, char **environment, const int *output,
                             const int *failure, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0); /* an interrupt of the terminal is for the parent, which decides */
    const int null = open("/dev/null", O_RDONLY);
    if (getppid() == parent && null >= 0 && dup2(null, STDIN_FILENO) >= 0 &&
        dup2(output[1], STDOUT_FILENO) >= 0 && dup2(output[1], STDERR_FILENO) >= 0)
        execve(launch->words[0], launch->words, environment);
    const int reason = errno;
    const ssize_t ignored = write(failure[1], &reason, sizeof reason);
    (void)ignored;
    _exit(127);
}

static void tell(const ob_batch_params *params, const char *line, size_t length)
{
    size_t blank = 0;
    while (blank < length && (line[blank] == ' ' || line[blank] == '\t' || line[blank] == '\r'))
        blank++;
    if (blank < length && params->on_output != NULL)
        params->on_output(params->ctx, line, length);
}

/* Hands on whole lines; a line without an end is cut where the room ends. */
static void tell_lines(const ob_batch_params *params, ob_text *text, bool last)
{
    size_t from = 0;
    for (size_t i = 0; i < text->size; i++)
        if (text->data[i] == '\n') {
            tell(params, text->data + from, i - from);
            from = i + 1;
        }
    if (last || (from == 0 && text->size >= MOST_LINE)) {
        tell(params, text->data + from, text->size - from);
        from = text->size;
    }
    memmove(text->data, text->data + from, text->size - from);
    text->size -= from;
}

/* Until the child and all that it started have closed the pipe, or the child is gone. */
static bool read_output(const ob_launch *launch, int fd, pid_t pid, int *wait_status, bool *reaped,
                        ob_text *text)
{
    const ob_batch_params *params = launch->params;
    bool ended = false;
    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        const int ready = poll(&p, 1, ASK_EVERY_MS);
        if (!ended && params->stop != NULL && params->stop(params->ctx) > 1) {
            kill(-pid, SIGKILL);
            ended = true;
        }
        if (ready > 0) {
            const ssize_t got = read(fd, text->data + text->size, MOST_LINE - text->size);
            if (got < 0 && errno == EINTR)
                continue;
            if (got <= 0)
                break;
            text->size += (size_t)got;
            tell_lines(params, text, false);
            continue;
        }
        /* A daemon that the profiler left behind may hold the pipe for ever. */
        if (waitpid(pid, wait_status, WNOHANG) == pid) {
            *reaped = true;
            break;
        }
    }
    tell_lines(params, text, true);
    return ended;
}

static void close_pair(int *pair)
{
    for (int i = 0; i < 2; i++)
        if (pair[i] >= 0)
            close(pair[i]);
}

static ob_status start(const ob_launch *launch, int *output, int *failure, pid_t *pid, ob_err *err)
{
    char **environment = ob__environment_make((const char *const[]){launch->variable, NULL});
    const pid_t parent = getpid();
    if (environment == NULL || pipe2(output, O_CLOEXEC) != 0 || pipe2(failure, O_CLOEXEC) != 0) {
        free(environment);
        return ob_err_set(err, OB_ERR_IO, "no pipe for %s: %s", launch->words[0], strerror(errno));
    }
    *pid = fork();
    if (*pid == 0)
        become(launch, environment, output, failure, parent);
    const int reason = errno;
    free(environment);
    close(output[1]);
    close(failure[1]);
    output[1] = failure[1] = -1;
    if (*pid < 0)
        return ob_err_set(err, OB_ERR_IO, "no process for %s: %s", launch->words[0],
                          strerror(reason));
    return OB_OK;
}

ob_status ob__launch(const ob_launch *launch, int *wait_status, ob_err *err)
{
    int output[2] = {-1, -1}, failure[2] = {-1, -1}, reason = 0;
    pid_t pid = -1;
    bool stopped = false, reaped = false;
    ob_text text = {0};
    *wait_status = 0;
    ob_status status =
        ob__text_reserve(&text, MOST_LINE)
            ? start(launch, output, failure, &pid, err)
            : ob_err_set(err, OB_ERR_NOMEM, "out of memory for the output of %s", launch->words[0]);
    if (status == OB_OK) {
        /* Exec closes this pipe; only a failed one writes. */
        if (read(failure[0], &reason, sizeof reason) == (ssize_t)sizeof reason)
            status = ob_err_set(err, OB_ERR_IO, "%s cannot be started: %s", launch->words[0],
                                strerror(reason));
        else
            stopped = read_output(launch, output[0], pid, wait_status, &reaped, &text);
        while (!reaped && waitpid(pid, wait_status, 0) < 0 && errno == EINTR)
            ;
    }
    close_pair(output);
    close_pair(failure);
    ob_text_fini(&text);
    return status == OB_OK && stopped ? OB_END : status;
}
