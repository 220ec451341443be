/* SPDX-License-Identifier: Apache-2.0
 *
 * What a record says of a case before, and whether or not, it ran: names, settings, how to run it
 * alone. The session fills it for cases that ran, the supervisor for those that took the worker down.
 */
#ifndef OB_RUN_IDENTITY_H
#define OB_RUN_IDENTITY_H

#include "opbench/run.h"

/* Owns the texts that the record points to. Zero is empty. */
typedef struct ob_identity {
    const ob_manifests *manifests; /* what chooses the backends' libraries; NULL = not known */
    ob_text repro, stmt, place;
    ob_text repro_begin, repro_end; /* around the case: the same for all; empty = not made yet */
    char start_time[32];
} ob_identity;

/* Begins a result record. The options are the same in all calls. */
ob_status ob__identity_fill(ob_identity *identity, const ob_run_options *options,
                            const char *backend, const ob_case *c, ob_record *record, ob_err *err);
void ob__identity_fini(ob_identity *identity);

/* --backend, or who computes if it is not given. */
const char *ob__backend_name(const ob_run_options *options);
/* Either spelling of a cold cache. */
bool ob__options_cold(const ob_run_options *options);
/* Whether --count asks for this source. */
bool ob__options_count_with(const ob_run_options *options, const char *source);
/* Takes --count and what belongs to it out. */
void ob__options_no_count(ob_run_options *options);
/* What a case may take: --max-memory, or three quarters of what the machine (or the control group) has. */
uint64_t ob__memory_limit(const ob_run_options *options, const ob_system *system);
/* The options that differ from the defaults, as words "--name=value", each ended by a NUL. */
bool ob__run_options_words(const ob_run_options *options, ob_text *words);

#endif
