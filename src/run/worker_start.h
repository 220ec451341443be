/* SPDX-License-Identifier: Apache-2.0
 *
 * What a worker process is started with.
 */
#ifndef OB_RUN_WORKER_START_H
#define OB_RUN_WORKER_START_H

#include "opbench/config.h"
#include "opbench/run.h"
#include "process/process.h"
#include "process/shared_memory.h"
#include "run/command_line.h"
#include "run/worker_state.h"

/* What is the same for all workers of a run. */
typedef struct ob_worker_seed {
    ob_command_words words;
    char **list;            /* its command line, ended by NULL; the first is what is started */
    const char **variables; /* "NAME=VALUE", ended by NULL; what they point to is borrowed */
    size_t variable_count;
    char *pad;     /* one more of them, which makes the environment larger; NULL = none */
    int config_fd; /* the config's text; -1 = none */
    int ring_fd;   /* of those that take turns; -1 = they do not. Borrowed */
    ob_shared_memory memory;
    ob_state_page *page; /* in it */
    bool has_samples;    /* see ob_state_page; the worker cannot change this one */
} ob_worker_seed;

/* How a worker takes part in a run of several, or under which program it runs. */
typedef struct ob_worker_start_params {
    int ring_fd; /* -1 = none */
    unsigned member;
    unsigned counts; /* above 0: it counts so often instead of measuring */
    const char *const
        *before; /* words before its own, such as valgrind's; NULL = none. Ended by NULL,
                                * as is the next */
    const char *const *variables; /* "NAME=VALUE" for its environment; NULL = none */
    double limit_s;               /* until its backend is open; 0 = none */
    const char *const *plugins;   /* files that it loads before all others; NULL = none */
} ob_worker_start_params;

/* place NULL = it runs alone. */
ob_status ob__worker_seed_make(const char *program, const ob_config *config,
                               const ob_run_options *options, const ob_worker_start_params *place,
                               ob_worker_seed *out, ob_err *err);
void ob__worker_seed_fini(ob_worker_seed *seed);
/* The environment of workers started from here on is so much larger; without memory it stays as it is. */
void ob__worker_seed_set_pad(ob_worker_seed *seed, size_t letters);

/* The kernel's first choice when memory is out. */
ob_status ob__worker_start(const ob_worker_seed *seed, ob_process *out, ob_err *err);

#endif
