/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of a run: what handing on records, leasing ranges and spreading a case over processes
 * share.
 */
#ifndef OB_RUN_SUPERVISOR_H
#define OB_RUN_SUPERVISOR_H

#include "result/line.h"
#include "run/identity.h"
#include "run/merge.h"
#include "run/pass_statistics.h"
#include "run/worker_client.h"

enum { OB_MOST_FAILED_STARTS = 3 };

typedef struct ob_supervisor {
    ob_context *context;
    const ob_config *config;
    const ob_run_params *params;
    const ob_worker_start_params *place; /* of workers that run alone; NULL = nothing special */
    ob_run_summary *summary;
    ob_worker_client client;
    ob_cases *cases; /* to name what a dead worker was on, and to look for what is done */
    ob_line_parser *parser;
    ob_line_parser *part_parser; /* NULL until a case has parts */
    ob_record record;            /* what the parser read last */
    ob_text line;
    ob_identity identity;
    ob_unfinished unfinished;
    bool told_ready;
    double start_seconds; /* of starting workers, since the last record */
    const char *side;     /* name of the side that it is of; NULL = none, or it has none */
    ob_session *session;  /* of cases that are run in this process */
} ob_supervisor;

static inline ob_case_range ob__range_at(const ob_run_params *params, size_t i)
{
    ob_case_range range = params->ranges[i];
    range.step = range.step > 0 ? range.step : 1;
    return range;
}

/* Opens the cases; params, context, config and summary are set. */
ob_status ob__supervisor_open(ob_supervisor *s, ob_err *err);
void ob__supervisor_close(ob_supervisor *s);
/* What one worker after the other needs; the last one is ended, at once or with time to end by itself. */
ob_status ob__supervisor_open_workers(ob_supervisor *s, ob_err *err);
void ob__supervisor_close_workers(ob_supervisor *s, bool at_once);
/* With as many workers as it takes. OB_END = stop. */
ob_status ob__supervisor_run_range(ob_supervisor *s, const ob_case_range *cases, ob_err *err);

/* Starts a worker and waits until its backend is open. OB_END: the user wants to end. */
ob_status ob__supervisor_start(ob_supervisor *s, ob_err *err);
/* A record of s->record, printed as `line`: counts it and gives it to the caller's hook, its parts before it. */
ob_status ob__supervisor_hand_on(ob_supervisor *s, const char *line, size_t length, ob_err *err);
/* Reads a worker's line into s->record. False: it is no result of this case. */
bool ob__supervisor_read(ob_supervisor *s, const ob_wire_message *message, uint64_t index);
/* A case that took its worker down. */
typedef struct ob_lost_case {
    uint64_t index;
    ob_merge *merge; /* what its processes gave before; NULL = it has one process */
} ob_lost_case;
/* Its failed record, with the samples that it got, as text in s->line. */
ob_status ob__supervisor_print_loss(ob_supervisor *s, const ob_lost_case *lost, const ob_loss *why,
                                    ob_err *err);
/* Its failed record, handed on. */
ob_status ob__supervisor_write_loss(ob_supervisor *s, const ob_lost_case *lost, const ob_loss *why,
                                    ob_err *err);

/* Whether the case has a result on this backend already. */
bool ob__supervisor_is_done(const ob_supervisor *s, const ob_case *c);

/* processes.c: "process 2 of 5: " in front of a reason, which is cut if need be. */
typedef struct ob_process_turn {
    uint64_t index; /* of the case */
    int64_t process, processes;
} ob_process_turn;
void ob__say_process(const ob_process_turn *turn, const char *reason, char *out, size_t size);
/* Each case in --processes fresh workers. OB_END = stop. */
ob_status ob__run_in_processes(ob_supervisor *s, const ob_case_range *cases, ob_err *err);

/* side_by_side.c: a run of several sides. */
ob_status ob__run_side_by_side(ob_supervisor *s, ob_err *err);

#endif
