/* SPDX-License-Identifier: Apache-2.0
 *
 * Child processes: a compiler that is waited for, or a snippet that is talked to. Standard output and error of
 * both go to a file in memory, from which messages are made.
 */
#ifndef OB_SNIPPET_CHILD_H
#define OB_SNIPPET_CHILD_H

#include "base/guard.h"
#include "opbench/status.h"
#include "opbench/text.h"

#include <stdbool.h>
#include <sys/types.h>

/* Where the child finds its end of the socket. */
enum { OB_CHILD_SOCKET = 3 };

/* Whether to give up waiting. fn may be NULL; it is called from the thread that waits. */
typedef struct ob_stop {
    int (*fn)(void *ctx); /* not 0 = give up */
    void *ctx;
} ob_stop;

typedef struct ob_child {
    pid_t pid;  /* 0 = none */
    int socket; /* -1 = none */
    int output; /* -1 = none */
    ob_guard guard;
    ob_stop stop;
} ob_child;

typedef struct ob_child_params {
    const char *const *words; /* the program's path and its arguments, ended by NULL; no shell */
    const char *const
        *variables;  /* "NAME=VALUE", added to the environment; ended by NULL, or NULL */
    const char *dir; /* where it runs; NULL = here */
    bool talk;       /* with a socket */
    ob_stop stop;
} ob_child_params;

/* The monotonic clock. */
double ob__now_s(void);
bool ob__is_stopped(const ob_stop *stop);
/* OB_ERR_STATE, "interrupted". */
ob_status ob__interrupted(ob_err *err);

/* The child leads a process group of its own, which dies with this process, killed or not. */
ob_status ob__child_start(const ob_child_params *params, ob_child *out, ob_err *err);
/* Sends a request, which ends with a newline. */
ob_status ob__child_send(const ob_child *child, const char *data, size_t size, ob_err *err);
/* Receives up to `size` bytes; *got 0 = the child closed its end. OB_ERR_LIMIT: not within timeout_s
 * (0 = no limit). OB_ERR_STATE: stopped. */
ob_status ob__child_receive(const ob_child *child, void *data, size_t size, double timeout_s,
                            size_t *got, ob_err *err);
/* Closes the socket and waits; kills it and what it started if it does not end within patience_s (below 0:
 * waits as long as it takes), or when it is stopped. Gives what waitpid gave. */
int ob__child_end(ob_child *child, double patience_s);
/* What it printed; appended, cut to the last 64 KiB. Call before ob__child_close. */
bool ob__child_output(const ob_child *child, ob_text *text);
/* Kills what is left and closes all. */
void ob__child_close(ob_child *child);

#endif
