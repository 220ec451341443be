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
    const char *program;
    char **words;    /* its command line, ended by NULL */
    char *word_text; /* what they point into */
    int config_fd;   /* the config's text */
    int state_fd;
    int output_fd; /* their standard output and error */
    ob_state_page *page;
} ob_worker_seed;

ob_status ob__worker_seed_make(const char *program, const ob_config *config,
                               const ob_run_options *options, ob_worker_seed *out, ob_err *err);
void ob__worker_seed_fini(ob_worker_seed *seed);

typedef struct ob_worker_process {
    pid_t pid;  /* 0 = none */
    int socket; /* -1 = none */
} ob_worker_process;

/* The child dies with this process, is the kernel's first choice when memory is out, and has no
 * descriptors but its own. */
ob_status ob__worker_start(const ob_worker_seed *seed, ob_worker_process *out, ob_err *err);
/* Kills it if it still runs; *status is what waitpid gave. */
void ob__worker_end(ob_worker_process *process, bool kill_it, int *status);
/* Resident memory, 0 when it cannot be read. */
uint64_t ob__worker_resident_bytes(const ob_worker_process *process);

#endif
