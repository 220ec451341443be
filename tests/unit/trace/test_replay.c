/* SPDX-License-Identifier: Apache-2.0
 *
 * Replaying a step through a session, on a backend whose clock is exact and which writes down in which order it is asked.
 */
#include "../run/run_test.h"

#include "opbench/replay.h"
#include "result/line.h"
#include "run/session_int.h"

#include <math.h>

#define STEP OB_SOURCE_DIR "/tests/cli/traces/step.json"

/* ---- a backend ---- */

struct ob_backend {
    char order[256]; /* c: the clock is read, r: run, s: sync */
    uint64_t now_ns;
    const char *fails; /* operator that fails; NULL = none */
    uint64_t calls;
};
static ob_backend fake = {.order = ""};

struct ob_prepared {
    const char *name;
};

static void note(char what)
{
    const size_t used = strlen(fake.order);
    if (used + 1 < sizeof fake.order)
        fake.order[used] = what;
}

static ob_status open_fake(const ob_backend_settings *settings, ob_backend **out, ob_err *err)
{
    (void)settings, (void)err;
    *out = &fake;
    return OB_OK;
}

static void close_fake(ob_backend *backend)
{
    (void)backend;
}

static ob_status supports(ob_backend *backend, const ob_graph *graph, ob_pass pass, ob_reason *why)
{
    (void)backend, (void)graph, (void)pass, (void)why;
    return OB_OK;
}

static ob_status prepare(ob_backend *backend, const ob_prepare_args *args, ob_prepared **out,
                         ob_err *err)
{
    (void)backend, (void)err;
    *out = malloc(sizeof **out);
    (*out)->name = args->graph->nodes[0].op->schema->name;
    return OB_OK;
}

static void release(ob_prepared *prepared)
{
    free(prepared);
}

/* A call takes 100 ns of the device, which works behind the host's back. */
static ob_status run(ob_prepared *prepared, ob_phase phase, uint64_t iterations, ob_err *err)
{
    (void)phase, (void)iterations;
    note('r');
    fake.calls++;
    return fake.fails != NULL && strcmp(prepared->name, fake.fails) == 0
               ? ob_err_set(err, OB_ERR_BACKEND, "no kernel")
               : OB_OK;
}

static ob_status sync(ob_backend *backend, ob_err *err)
{
    (void)backend, (void)err;
    note('s');
    fake.now_ns += 100;
    return OB_OK;
}

static uint64_t clock_ns(ob_backend *backend)
{
    (void)backend;
    note('c');
    return fake.now_ns;
}

static const ob_backend_desc DESC = {.name = "fake",
                                     .help = "for tests",
                                     .device_types = "cpu",
                                     .asynchronous = true,
                                     .open = open_fake,
                                     .close = close_fake,
                                     .supports = supports,
                                     .prepare = prepare,
                                     .release = release,
                                     .run = run,
                                     .sync = sync,
                                     .clock_ns = clock_ns};

/* ---- a session on a step ---- */

typedef struct rig {
    ob_context *context;
    ob_config *config;
    ob_cases *cases;
    ob_session *session;
    ob_line_parser *parser;
    ob_record step, part;
} rig;

static void rig_init(rig *r, const ob_replay_options *more, int64_t warmup, int64_t iterations)
{
    static const ob_backend_desc *const BACKENDS[] = {&DESC, NULL};
    static const ob_plugin PLUGIN = {.magic = OB_PLUGIN_MAGIC,
                                     .abi = OB_PLUGIN_ABI,
                                     .size = sizeof PLUGIN,
                                     .name = "fake",
                                     .version = "1",
                                     .backends = BACKENDS,
                                     .backend_size = sizeof DESC};
    static const char *const PATHS[] = {STEP};
    static const ob_trace_selection FIRST = {.size = sizeof FIRST};
    ob_replay_options options = {.size = sizeof options};
    ob_run_options how;
    ob_err err;
    if (more != NULL)
        options = *more;
    options.selection = &FIRST;
    memset(r, 0, sizeof *r);
    fake = (ob_backend){.order = ""};
    r->context = run_context();
    CHECK_INT(ob__registry_add_builtin(r->context, &PLUGIN, &err), OB_OK);
    CHECK_INT(ob_replay_open_config(r->context, PATHS, 1, &options, &r->config, &err), OB_OK);
    CHECK_INT(ob_config_case_count(r->config), 1);
    ob_run_options_init(&how);
    how.backend = "fake";
    how.warmup = warmup;
    how.iteration = iterations;
    how.maker = ob_replay_maker();
    CHECK_INT(ob_session_open(r->context, &how, &r->session, &err), OB_OK);
    CHECK_INT(ob__line_parser_create(&r->parser, &err), OB_OK);
}

static void rig_run(rig *r)
{
    const ob_case *c;
    ob_err err;
    CHECK_INT(ob_cases_open(r->config, NULL, &r->cases, &err), OB_OK);
    CHECK_INT(ob_cases_next(r->cases, &c, &err), OB_OK);
    CHECK_INT(ob_session_run(r->session, c, &r->step, &err), OB_OK);
}

/* The record of a part; NULL = there are not so many. */
static const ob_record_result *part_at(rig *r, size_t number)
{
    const ob_text *lines = &r->session->parts;
    const char *at = lines->data, *end = at + lines->size;
    for (size_t i = 0; at != NULL && at < end; i++) {
        const size_t length = strcspn(at, "\n");
        if (i == number) {
            ob_err err;
            CHECK_INT(ob__line_parse(r->parser, "part", at, length, &r->part, &err), OB_OK);
            return &r->part.result;
        }
        at += length + 1;
    }
    return NULL;
}

static void rig_fini(rig *r)
{
    ob__line_parser_destroy(r->parser);
    ob_session_close(r->session);
    ob_cases_close(r->cases);
    ob_config_destroy(r->config);
    ob_context_destroy(r->context);
}

/* ---- */

/* Each call: the device is waited for, then the clock, the call, the device, the clock. The step's sample is their sum,
 * an operator's that of its calls. */
static void test_times(void)
{
    rig r;
    rig_init(&r, NULL, 1, 2);
    rig_run(&r);
    const ob_record_result *step = &r.step.result;
    CHECK_STR(fake.order, "scrscscrscscrscscrscscrscscrscscrscscrscscrsc");
    CHECK_INT(step->status, OB_RECORD_OK);
    CHECK_INT(step->forward.warmup_time_ms.count, 1);
    CHECK_INT(step->forward.measure_time_ms.count, 2);
    CHECK_REAL(step->forward.measure_time_ms.items[1], 3e-4);
    CHECK_REAL(step->raw_times_s.items[0], 3e-7);
    CHECK_STR(step->replay.trace, STEP);
    CHECK_STR(step->replay.step, "ProfilerStep#0");
    CHECK_INT(step->replay.calls, 3);
    CHECK_INT(step->replay.computing, 3);
    CHECK_INT(step->replay.ran, 3);
    CHECK_INT(step->replay.operators, 2);
    CHECK_INT(step->replay.operators_ran, 2);

    const ob_record_result *part = part_at(&r, 0);
    CHECK_STR(part->op_name, "aten::relu");
    CHECK_STR(part->part_of, step->key);
    CHECK_INT(part->part, 0);
    CHECK_INT(part->index, 0);
    CHECK_INT(part->count, 2);
    CHECK_INT(part->number_per_run, 2);
    CHECK_INT(part->status, OB_RECORD_OK);
    CHECK(part->key == NULL && part->reason == NULL && part->replay.what == NULL);
    CHECK_INT(part->forward.measure_time_ms.count, 2);
    CHECK_REAL(part->forward.measure_time_ms.items[0], 1e-4);
    CHECK_REAL(part->raw_times_s.items[1], 2e-7);
    part = part_at(&r, 1);
    CHECK_STR(part->op_name, "aten::addmm");
    CHECK_REAL(part->raw_times_s.items[1], 1e-7);
    CHECK(part_at(&r, 2) == NULL);
    rig_fini(&r);
}

/* What fails is left out, the pass is made again, and the record says that the step is not whole. */
static void test_failure(void)
{
    rig r;
    rig_init(&r, NULL, 0, 1);
    fake.fails = "aten::relu";
    rig_run(&r);
    const ob_record_result *step = &r.step.result;
    CHECK_INT(fake.calls, 4);
    CHECK_INT(step->status, OB_RECORD_MISTRUSTED);
    CHECK_HAS(step->reason, "2 of 3 computing calls did not run");
    CHECK_REAL(step->forward.measure_time_ms.items[0], 1e-4);
    CHECK_INT(step->replay.ran, 1);
    const ob_record_result *part = part_at(&r, 1);
    CHECK_STR(part->op_name, "aten::relu");
    CHECK_INT(part->status, OB_RECORD_FAILED);
    CHECK_STR(part->reason, "no kernel");
    CHECK_STR(part->replay.what, "failed");
    CHECK_INT(part->count, 2);
    CHECK_INT(part->forward.measure_time_ms.count, 0);
    rig_fini(&r);
}

static int stop_at(void *calls)
{
    return fake.calls >= *(const uint64_t *)calls;
}

/* It ends after the present call, with what there is by then. */
static void test_interrupt(void)
{
    uint64_t calls = 2;
    rig r;
    rig_init(&r, NULL, 1, 5);
    r.session->stop = stop_at;
    r.session->stop_ctx = &calls;
    rig_run(&r);
    CHECK_INT(fake.calls, 2);
    CHECK_INT(r.step.result.status, OB_RECORD_INTERRUPTED);
    CHECK_STR(
        r.step.result.reason,
        "it was interrupted after 2 of the 3 calls of pass 1; operator times are from these calls");
    CHECK_INT(r.step.result.replay.ran, 2);
    CHECK_INT(part_at(&r, 0)->count, 1);
    CHECK_REAL(part_at(&r, 1)->raw_times_s.items[0], 1e-7);
    rig_fini(&r);

    calls = 13; /* in the fourth measured pass */
    rig_init(&r, NULL, 1, 5);
    r.session->stop = stop_at;
    r.session->stop_ctx = &calls;
    rig_run(&r);
    CHECK_INT(r.step.result.forward.measure_time_ms.count, 3);
    CHECK_INT(part_at(&r, 0)->forward.measure_time_ms.count, 3);
    CHECK_INT(r.step.result.replay.ran, 3);
    CHECK_STR(r.step.result.reason, "it was interrupted after 1 of the 3 calls of pass 5");
    rig_fini(&r);
}

/* A call that took a process down is left out by its node, with the reason of the loss. */
static void test_lost(void)
{
    const ob_lost_part lost = {
        .part = 5, .why = {.status = OB_RECORD_CRASHED, .reason = "it died", .signal = "SIGSEGV"}};
    rig r;
    rig_init(&r, NULL, 0, 1);
    r.session->lost = &lost;
    r.session->lost_count = 1;
    rig_run(&r);
    CHECK_INT(r.step.result.replay.ran, 2);
    const ob_record_result *part = part_at(&r, 2);
    CHECK_STR(part->op_name, "aten::relu");
    CHECK_INT(part->status, OB_RECORD_CRASHED);
    CHECK_STR(part->reason, "it died");
    CHECK_STR(part->signal, "SIGSEGV");
    CHECK_STR(part->replay.what, "crashed");
    CHECK_INT(part->count, 1);
    rig_fini(&r);
}

/* What is to be skipped is part of the case: another list is another case. */
static void test_skip(void)
{
    static const char *const NAMES[] = {"aten::relu"}, *const REASONS[] = {"it is slow"};
    const ob_replay_options options = {.size = sizeof options,
                                       .skip_names = NAMES,
                                       .skip_reasons = REASONS,
                                       .skip_count = 1,
                                       .skip_strict_count = 1};
    char key[40];
    rig r;
    rig_init(&r, &options, 0, 1);
    rig_run(&r);
    snprintf(key, sizeof key, "%s", r.step.result.key);
    CHECK_INT(part_at(&r, 1)->status, OB_RECORD_SKIPPED);
    CHECK_STR(part_at(&r, 1)->reason, "it is slow");
    CHECK_HAS(r.step.result.repro, " replay " STEP " --trace-step 0 --skip aten::relu -w 0 -i 1");
    rig_fini(&r);
    rig_init(&r, NULL, 0, 1);
    rig_run(&r);
    CHECK(strcmp(key, r.step.result.key) != 0);
    rig_fini(&r);
}

int main(void)
{
    RUN(test_times);
    RUN(test_failure);
    RUN(test_interrupt);
    RUN(test_lost);
    RUN(test_skip);
    return ob_test_end();
}
