/* SPDX-License-Identifier: Apache-2.0
 *
 * Starting and ending a worker process.
 */
#ifndef OB_RUN_SPAWN_H
#define OB_RUN_SPAWN_H

#include "opbench/config.h"
#include "opbench/run.h"
#include "run/wire.h"

#include <sys/types.h>

/* What is the same for all workers of a run. */
typedef struct ob_worker_seed {
    char **words;       /* its command line, ended by NULL; the first is what is started */
    char *word_text;    /* what they point into */
    char **environment; /* its own list; NULL = this process's */
    int config_fd;      /* the config's text */
    int state_fd;
    int output_fd; /* their standard output and error */
    int ring_fd;   /* of those that take turns; -1 = they do not. Borrowed, as is the next */
    int check_fd;  /* results to compare with; -1 = none */
    ob_state_page *page;
    bool has_samples; /* see ob_state_page; the worker cannot change this one */
} ob_worker_seed;

/* How a worker takes part in a run of several, or under which program it runs. */
typedef struct ob_worker_place {
    int ring_fd, check_fd; /* from ob__memory_file; -1 = none */
    unsigned member;
    const char *reference; /* the backend that the results of all are compared with */
    unsigned counts;       /* above 0: it counts so often instead of measuring */
    const char *const
        *before; /* words before its own, such as valgrind's; NULL = none. Ended by NULL,
                                * as is the next */
    const char *const *variables; /* "NAME=VALUE" for its environment; NULL = none */
} ob_worker_place;

/* place NULL = it runs alone. */
ob_status ob__worker_seed_make(const char *program, const ob_config *config,
                               const ob_run_options *options, const ob_worker_place *place,
                               ob_worker_seed *out, ob_err *err);
/* A file in memory that no descriptor of a child can overwrite. */
ob_status ob__memory_file(const char *name, int *out, ob_err *err);
void ob__worker_seed_fini(ob_worker_seed *seed);

typedef struct ob_worker_process {
    pid_t pid;          /* 0 = none */
    int socket;         /* -1 = none */
    int death;          /* readable once it is dead; -1 = the system has no such thing */
    uint64_t oom_kills; /* of the whole machine, when it was started */
} ob_worker_process;

/* The child dies with this process, is the kernel's first choice when memory is out, leads a process
 * group of its own, and has no descriptors but its own. */
ob_status ob__worker_start(const ob_worker_seed *seed, ob_worker_process *out, ob_err *err);
/* Waits so long for it to end by itself (0 = not at all), then kills it and what it started; *status
 * is what waitpid gave. True if it ended by itself. */
bool ob__worker_end(ob_worker_process *process, int patience_ms, int *status);
/* Kills it and what it started; its socket can still be read. */
void ob__worker_kill(const ob_worker_process *process);
/* Resident memory, 0 when it cannot be read. */
uint64_t ob__worker_resident_bytes(const ob_worker_process *process);
/* How often the kernel killed a process for lack of memory; 0 when it does not say. */
uint64_t ob__oom_kills(void);

#endif
