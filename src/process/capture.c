/* SPDX-License-Identifier: Apache-2.0
 *
 * What a process prints: in a file in memory, of which a part is kept, or through a pipe, line by line.
 */
#include "base/text_append.h"
#include "process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEPT = 64 << 10, MUCH = 256 << 10, MOST_LINE = 64 << 10, LOOK_UP_MS = 50 };

int ob__capture_open(void)
{
    const int fd = memfd_create("opbench-output", MFD_CLOEXEC);
    if (fd >= 0 && fcntl(fd, F_SETFL, O_APPEND) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

void ob__capture_bound(int fd, ob_kept kept)
{
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0 || st.st_blocks * 512 <= MUCH || st.st_size <= KEPT)
        return;
    fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, kept == OB_KEPT_BEGIN ? KEPT : 0,
              st.st_size - KEPT);
}

bool ob__process_output(const ob_process *process, ob_text *text)
{
    const off_t size = lseek(process->output, 0, SEEK_END);
    off_t at = size > KEPT ? size - KEPT : 0;
    while (size > 0 && at < size) {
        char part[4096];
        const ssize_t got = pread(process->output, part, sizeof part, at);
        if (got <= 0)
            break;
        if (!ob_text_append(text, part, (size_t)got))
            return false;
        at += got;
    }
    return true;
}

/* ---- lines ---- */

typedef struct lines {
    void (*on_line)(void *ctx, const char *line, size_t length);
    void *ctx;
    ob_text text;
} lines;

static void hand_on(const lines *l, const char *line, size_t length)
{
    size_t blank = 0;
    while (blank < length && (line[blank] == ' ' || line[blank] == '\t' || line[blank] == '\r'))
        blank++;
    if (blank < length && l->on_line != NULL)
        l->on_line(l->ctx, line, length);
}

/* Whole lines; one without an end is cut where the room ends. */
static void hand_on_all(lines *l, bool last)
{
    ob_text *text = &l->text;
    size_t from = 0;
    for (size_t i = 0; i < text->size; i++)
        if (text->data[i] == '\n') {
            hand_on(l, text->data + from, i - from);
            from = i + 1;
        }
    if (last || (from == 0 && text->size >= MOST_LINE)) {
        hand_on(l, text->data + from, text->size - from);
        from = text->size;
    }
    memmove(text->data, text->data + from, text->size - from);
    text->size -= from;
}

/* Until all that have the pipe are gone; or the process and all that it started, should somebody else have it. */
static bool read_lines(lines *l, int fd, ob_process *process, double limit_s)
{
    const double end = ob__now_s() + limit_s;
    bool stopped = false, over = false;
    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        const int ready = poll(&p, 1, over ? 0 : LOOK_UP_MS);
        if (!stopped && ((process->stop.fn != NULL && process->stop.fn(process->stop.ctx) > 1) ||
                         (limit_s > 0 && ob__now_s() > end))) {
            stopped = true;
            ob__process_kill(process);
        }
        if (ready > 0) {
            const ssize_t got = read(fd, l->text.data + l->text.size, MOST_LINE - l->text.size);
            if (got < 0 && errno == EINTR)
                continue;
            if (got <= 0)
                break;
            l->text.size += (size_t)got;
            hand_on_all(l, false);
        } else if (over) {
            break;
        } else {
            over = ob__process_has_ended(process);
        }
    }
    hand_on_all(l, true);
    return stopped;
}

ob_status ob__process_lines(const ob_process_params *params,
                            void (*on_line)(void *ctx, const char *line, size_t length), void *ctx,
                            int *status, ob_err *err)
{
    lines l = {.on_line = on_line, .ctx = ctx};
    int ends[2];
    ob_process process;
    ob_process_params own = *params;
    if (!ob_text_reserve(&l.text, MOST_LINE) || pipe2(ends, O_CLOEXEC) != 0) {
        ob_text_fini(&l.text);
        return ob_err_set(err, OB_ERR_IO, "cannot make a pipe for %s: %s", params->words[0],
                          strerror(errno));
    }
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        own.fds[own.fd_count++] = (ob_child_fd){.child = fd, .ours = ends[1]};
    ob_status result = ob__process_start(&own, &process, err);
    close(ends[1]);
    if (result == OB_OK) {
        if (read_lines(&l, ends[0], &process, params->limit_s))
            result = OB_END;
        process.stop = (ob_stop){.fn = NULL};
        *status = ob__process_end(&process, -1);
        ob__process_close(&process);
    }
    close(ends[0]);
    ob_text_fini(&l.text);
    return result;
}
