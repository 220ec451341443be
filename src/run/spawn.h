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
    bool has_samples; /* see ob_state_page; the worker cannot change this one */
} ob_worker_seed;

ob_status ob__worker_seed_make(const char *program, const ob_config *config,
                               const ob_run_options *options, ob_worker_seed *out, ob_err *err);
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
