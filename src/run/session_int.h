/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of a session: one opened backend and what its last case left for the record.
 */
#ifndef OB_RUN_SESSION_INT_H
#define OB_RUN_SESSION_INT_H

#include "measure/disturbance.h"
#include "opbench/roofline.h"
#include "opbench/run.h"
#include "run/backend_ops.h"
#include "run/case_maker.h"
#include "run/cold.h"
#include "run/counted.h"
#include "run/device_match.h"
#include "run/identity.h"
#include "run/pass_statistics.h"
#include "run/peak.h"
#include "run/pinned_threads.h"
#include "run/result_check.h"
#include "run/setup.h"
#include "run/warnings.h"

struct ob_session {
    ob_context *context;
    ob_run_options options;
    const ob_backend_desc *desc;
    ob_backend *backend;
    ob_device device;
    ob_device_word device_word;
    void *backend_options; /* the backend's own struct */
    char *option_words;    /* what its strings point into */
    ob_json_doc *properties;
    ob_json_doc *kernels;         /* with --profile: of the last case */
    ob_backend_ops *ops;          /* the backend's own operators; NULL until a case needs one */
    ob_json_doc *case_properties; /* what the backend says about the last case */
    ob_json_doc *late_properties; /* of libraries that a case opened; NULL until then */
    ob_noise_sampler *noise;      /* NULL where there is none */
    ob_roofline *roofline;        /* NULL = none was measured, or wanted */
    uint32_t fp_mode;             /* at the start */
    ob_peak peak;
    ob_pins pins;             /* of its threads */
    ob_cold cold;             /* what caches are emptied with, and looked at */
    double clock_overhead_ns; /* of the host's clock; 0 = not known */
    uint64_t max_memory_bytes;
    /* What the last record points to. */
    ob_setup setup;
    ob_exec_result samples;
    ob_pass_statistics forward, backward;
    double *raw_times_s;
    ob_identity identity;
    ob_err failure;
    char fp_difference[128];
    char impossible[160]; /* why the time of the last case cannot be; "" = it can */
    ob_warnings warnings;
    double phases[OB_CASE_PHASE_COUNT][2]; /* with --profile: start, duration in ns; 0 = no start */
    const ob_marks *listener;              /* told of phases and intervals too; NULL = nobody */
    struct ob_sample_log *log;             /* NULL = nobody waits for unfinished cases */
    ob_check_result checked;
    ob_turns *turns; /* NULL = no other backend runs in between */
    /* Cases that have parts: */
    ob_made_case *made;      /* the last case; NULL = it is an operator's */
    ob_text parts;           /* lines of its parts */
    ob_part_state *progress; /* where it says how far it is */
    ob_part_state unseen;    /* that of a session whose progress nobody looks at */
    int (*stop)(void *ctx);  /* not 0: end the case after the present part; NULL = never */
    void *stop_ctx;
    const ob_lost_part *lost; /* parts of the next case to leave out; borrowed */
    size_t lost_count;
    ob_perf perf; /* open if has_perf */
    bool has_perf;
    ob_disturbance disturbance;
    pid_t disturbance_of; /* the thread that it is of; 0 = it is not open */
    char counters_reason[256];
};

/* What the backend makes of a config; OB_ERR_UNSUPPORTED when users bring nothing to it. */
ob_status ob__session_expand(ob_session *session, const char *config, ob_schema_fn fn, void *ctx,
                             ob_err *err);
/* Fills the options of its backend. */
ob_status ob__session_take_options(ob_session *session, ob_err *err);
/* As ob_session_open; turns NULL = it runs alone. */
ob_status ob__session_open(ob_context *context, const ob_run_options *options, ob_turns *turns,
                           ob_session **out, ob_err *err);

/* A case of the session's backend, with inputs of that seed. */
ob_status ob__session_setup(ob_session *s, const ob_case *c, uint64_t seed, const ob_marks *marks,
                            ob_setup *out, ob_err *err);

/* With --check: before and behind the measurement. A difference is a failure. */
ob_status ob__session_check_before(ob_session *s, ob_record *record, ob_err *err);
ob_status ob__session_check_after(ob_session *s, const ob_case *c, ob_record *record, ob_err *err);
/* The same for a list of calls, of which some have a reference and some have none. */
ob_status ob__session_check_made_after(ob_session *s, ob_record *record, ob_err *err);
/* The results differ from the reference's. */
bool ob__session_is_wrong(const ob_session *s);

/* How the core empties caches for the session's case, with the session as ctx; NULL = the backend does it, or it cannot be done. */
typedef ob_status (*ob_session_flush_fn)(void *session, const char **how, ob_err *err);
ob_session_flush_fn ob__session_flush(ob_session *s);
/* With a cold cache: whether a flush reaches the memory, into the record. */
ob_status ob__session_look_at_cold(ob_session *s, ob_record_result *r, ob_err *err);

/* From samples and setup to the record's passes, statistics and rates. */
ob_status ob__fill_pass_statistics(ob_session *session, ob_record *record, ob_err *err);

/* With --profile: the operators inside the case, from backends that tell, into the record. */
ob_status ob__session_ask_kernels(ob_session *s, ob_record_result *r, ob_err *err);

#endif
