/* SPDX-License-Identifier: Apache-2.0
 *
 * The only way to another process, built for one that means harm. Between this process and the one that is started
 * stands a guard: a small process that becomes the parent of whatever its child leaves behind, also of what left the
 * group (setsid), and ends all of it when the child is over, when it is asked to, or when this process is gone, killed
 * or not. Nothing here waits without a limit, and nothing waits for what the child sends.
 */
#ifndef OB_PROCESS_PROCESS_H
#define OB_PROCESS_PROCESS_H

#include "opbench/status.h"
#include "opbench/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Where the child finds its end of the socket; its further descriptors come behind it. */
enum { OB_CHILD_SOCKET = 3, OB_CHILD_FIRST = 4, OB_MOST_CHILD_FDS = 8 };

/* A descriptor of the child, and which of ours it is. */
typedef struct ob_child_fd {
    int child, ours;
} ob_child_fd;

/* Whether to give up waiting. fn may be NULL; it is called from the thread that waits. */
typedef struct ob_stop {
    int (*fn)(void *ctx); /* not 0 = give up */
    void *ctx;
} ob_stop;

typedef struct ob_process_params {
    const char *const *words; /* the program's path and its arguments, ended by NULL; no shell */
    /* Instead of words: called in a copy of this process, which ends with what it returns. It has all descriptors of
     * this process, and is for trials that may die. */
    int (*fn)(void *ctx, int socket);
    void *ctx;
    const char *const
        *variables;  /* "NAME=VALUE", added to the environment; ended by NULL, or NULL */
    const char *dir; /* where it runs; NULL = here */
    /* Exactly these, and /dev/null where one of the standard three is not among them. */
    ob_child_fd fds[OB_MOST_CHILD_FDS];
    size_t fd_count;
    bool talk;      /* with a socket */
    bool capture;   /* standard output and error go to a file in memory, see ob__process_output */
    double limit_s; /* of ob__process_lines; 0 = none */
    bool first_to_die; /* the kernel's first choice when memory is out */
    ob_stop stop;
} ob_process_params;

typedef struct ob_process {
    pid_t guard; /* 0 = none; the rest is then as it was at its end */
    pid_t pid;   /* what was started; not to be signalled, for it may be over */
    int control; /* readable once it is over and all that it started is gone; -1 = none */
    int socket;  /* -1 = none */
    int output;  /* -1 = none */
    bool ended;
    int status; /* as waitpid gives it, once it ended */
    ob_stop stop;
} ob_process;

#define OB_NO_PROCESS ((ob_process){.control = -1, .socket = -1, .output = -1})

/* The monotonic clock. */
double ob__now_s(void);
bool ob__is_stopped(const ob_stop *stop);
/* OB_ERR_STATE, "interrupted". */
ob_status ob__interrupted(ob_err *err);

/* OB_ERR_IO: it could not be started, and why. *out is then OB_NO_PROCESS. */
ob_status ob__process_start(const ob_process_params *params, ob_process *out, ob_err *err);
/* Whether it is over by now. */
bool ob__process_has_ended(ob_process *process);
/* Waits until it is; false if it was not within patience_s (below 0: as long as it takes), or stopped. */
bool ob__process_wait(ob_process *process, double patience_s);
/* Asks for the end of it and of all that it started; its socket can still be read. */
void ob__process_kill(const ob_process *process);
/* Closes the socket, waits as above, kills what is left. Gives what waitpid gave. */
int ob__process_end(ob_process *process, double patience_s);
/* Kills what is left and closes all. OB_NO_PROCESS is allowed. */
void ob__process_close(ob_process *process);

/* ---- what it printed (capture.c) ---- */

/* Which part of very much is kept. */
typedef enum ob_kept { OB_KEPT_END, OB_KEPT_BEGIN } ob_kept;

/* A file in memory to append to; -1 = none can be had. */
int ob__capture_open(void);
/* It lies in memory that nobody else limits: what is too much is given back. The file keeps its length. */
void ob__capture_bound(int fd, ob_kept kept);
/* Appends the last 64 KiB of it. False: memory is out. */
bool ob__process_output(const ob_process *process, ob_text *text);

/* Runs it to its end and hands on each line that is not blank; one without an end is cut at 64 KiB. params has no
 * capture and no descriptors. OB_ERR_IO: it could not be started. OB_END: stop gave more than 1, or the limit
 * was over, and it was ended. */
ob_status ob__process_lines(const ob_process_params *params,
                            void (*on_line)(void *ctx, const char *line, size_t length), void *ctx,
                            int *status, ob_err *err);

/* ---- memory (process_memory.c) ---- */

/* Resident memory of the process alone, 0 when it cannot be read. */
uint64_t ob__process_resident_bytes(const ob_process *process);
/* Of it and of all that it started, with their files in memory, if that is above the limit; else 0. */
uint64_t ob__process_above_limit(const ob_process *process, uint64_t limit);
/* How often the kernel killed a process for lack of memory; 0 when it does not say. */
uint64_t ob__oom_kills(void);

#endif
