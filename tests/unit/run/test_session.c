/* SPDX-License-Identifier: Apache-2.0
 *
 * What an embedder does: build a config, run it on a backend, look at the records; in a loop and by
 * callback, with no file. On the null backend every time is exact.
 */
#include "gen/gen.h"
#define TEST_PARTS &ob__gen_builtin
#include "config_testing.h"

#include "opbench/builder.h"
#include "opbench/run.h"
#include "run/record_fit.h"

/* torch.relu on 1, 2 and 4 elements. */
static ob_config *three_cases(void)
{
    ob_builder *b;
    ob_config *config = NULL;
    ob_err err;
    CHECK_INT(ob_builder_create(&b, &err), OB_OK);
    ob_builder_op(b, "torch.relu", NULL);
    for (int64_t size = 1; size <= 4; size *= 2) {
        ob_builder_input(b);
        ob_builder_tensor(
            b, &(ob_tensor_arg){.dtype = OB_DTYPE_F32, OB_SHAPE(size), .requires_grad = true});
    }
    const ob_status status = ob_builder_open_config(b, test_context(), NULL, &config, &err);
    if (status != OB_OK)
        fprintf(stderr, "%s\n", err.message);
    CHECK_INT(status, OB_OK);
    ob_builder_destroy(b);
    return config;
}

static ob_run_options null_options(const char *backend_options)
{
    ob_run_options options;
    ob_run_options_init(&options);
    options.backend = "null";
    options.backend_options = backend_options;
    options.iteration = 5;
    return options;
}

static void in_a_loop(void)
{
    const ob_run_options options = null_options("forward_ns=700,queue=off");
    ob_config *config = three_cases();
    ob_cases *cases;
    ob_session *session;
    const ob_case *c;
    ob_record record;
    ob_err err;
    CHECK_INT(ob_cases_open(config, NULL, &cases, &err), OB_OK);
    CHECK_INT(ob_session_open(test_context(), &options, &session, &err), OB_OK);
    int64_t count = 0;
    while (ob_cases_next(cases, &c, &err) == OB_OK) {
        CHECK_INT(ob_session_run(session, c, &record, &err), OB_OK);
        const ob_record_result *r = &record.result;
        CHECK_INT(r->status, OB_RECORD_OK);
        CHECK_STR(r->op_name, "torch.relu");
        CHECK_STR(r->id, ob_case_id(c));
        CHECK_INT(r->index, count++);
        CHECK_INT(r->forward.measure_time_ms.count, 5);
        CHECK_REAL(r->forward.time_ms.median, 700 / 1e6);
        CHECK_INT(r->warnings.count, 0);
    }
    CHECK_INT(count, 3);
    ob_session_close(session);
    ob_cases_close(cases);
    ob_config_destroy(config);
}

typedef struct seen {
    int count, ready, stop_at;
    double median_ms[4];
    ob_record_status status[4];
} seen;

static ob_status note_record(void *ctx, const ob_record *record, const char *line, size_t length,
                             ob_err *err)
{
    seen *s = ctx;
    (void)err;
    CHECK(length > 0 && line[length - 1] == '\n');
    if (s->count < 4) {
        s->median_ms[s->count] = record->result.forward.time_ms.median;
        s->status[s->count] = record->result.status;
    }
    s->count++;
    return OB_OK;
}

static ob_status note_ready(void *ctx, const ob_json *properties, ob_err *err)
{
    (void)err;
    ((seen *)ctx)->ready++;
    CHECK_STR(ob_json_string(ob_json_get(properties, "library"), NULL), "none (virtual time)");
    return OB_OK;
}

static int stop_in_time(void *ctx)
{
    const seen *s = ctx;
    return s->stop_at > 0 && s->count >= s->stop_at;
}

static void by_callback(void)
{
    const ob_run_options options = null_options("forward_ns=300");
    ob_config *config = three_cases();
    seen s = {.count = 0};
    ob_run_params params = {.size = sizeof params,
                            .options = &options,
                            .count = OB_ALL_CASES,
                            .on_record = note_record,
                            .on_ready = note_ready,
                            .stop = stop_in_time,
                            .ctx = &s};
    ob_run_summary summary = {.size = sizeof summary};
    ob_err err;
    CHECK_INT(ob_run(test_context(), config, &params, &summary, &err), OB_OK);
    CHECK_INT(s.count, 3);
    CHECK_INT(s.ready, 1);
    CHECK_REAL(s.median_ms[2], 300 / 1e6);
    CHECK_INT(summary.cases[OB_RECORD_OK], 3);
    CHECK_INT(summary.workers, 0);
    CHECK(!summary.interrupted);

    s = (seen){.stop_at = 2};
    CHECK_INT(ob_run(test_context(), config, &params, &summary, &err), OB_OK);
    CHECK_INT(s.count, 2);
    CHECK(summary.interrupted);

    s = (seen){.count = 0};
    params.first = 1;
    params.count = 1;
    CHECK_INT(ob_run(test_context(), config, &params, &summary, &err), OB_OK);
    CHECK_INT(s.count, 1);
    ob_config_destroy(config);
}

/* A case that fails is a record, and the next one runs. */
static void failures(void)
{
    const ob_run_options options = null_options("fault=error,fault_at=2");
    ob_run_options unknown = null_options(NULL);
    ob_config *config = three_cases();
    seen s = {.count = 0};
    ob_run_params params = {.size = sizeof params,
                            .options = &options,
                            .count = OB_ALL_CASES,
                            .on_record = note_record,
                            .ctx = &s};
    ob_run_summary summary = {.size = sizeof summary};
    ob_err err;
    CHECK_INT(ob_run(test_context(), config, &params, &summary, &err), OB_OK);
    CHECK_INT(s.count, 3);
    CHECK_INT(s.status[0], OB_RECORD_FAILED);
    CHECK_INT(summary.cases[OB_RECORD_FAILED], 3);
    unknown.backend = "nowhere";
    params.options = &unknown;
    CHECK_INT(ob_run(test_context(), config, &params, &summary, &err), OB_ERR_NOT_FOUND);
    CHECK_STR(err.message, "there is no backend \"nowhere\"; `opbench list backends` lists them, "
                           "and OPBENCH_PLUGIN_PATH=FOLDER adds the plug-ins of a folder");
    ob_config_destroy(config);
}

static void run_first(const ob_run_options *options, void (*look)(const ob_record_result *r))
{
    ob_config *config = three_cases();
    ob_cases *cases;
    ob_session *session;
    const ob_case *c;
    ob_record record;
    ob_err err;
    CHECK_INT(ob_cases_open(config, NULL, &cases, &err), OB_OK);
    CHECK_INT(ob_cases_next(cases, &c, &err), OB_OK);
    CHECK_INT(ob_session_open(test_context(), options, &session, &err), OB_OK);
    CHECK_INT(ob_session_run(session, c, &record, &err), OB_OK);
    CHECK_INT(record.result.status, OB_RECORD_OK);
    look(&record.result);
    ob_session_close(session);
    ob_cases_close(cases);
    ob_config_destroy(config);
}

static void look_at_blocks(const ob_record_result *r)
{
    CHECK_INT(r->number_per_run, 1000);
    CHECK_INT(r->forward.measure_time_ms.count, 20);
    CHECK_STR(r->stop_rule, "min_time");
    CHECK_STR(r->stop_verdict, "done");
}

/* The time of a block counts as a whole: 20 blocks of 1000 iterations of 1 us are 20 ms. */
static void min_time_counts_blocks(void)
{
    ob_run_options options = null_options("forward_ns=1000");
    options.exec_mode = "continuous";
    options.iteration = 1;
    options.min_time_s = 0.02;
    run_first(&options, look_at_blocks);
}

static void look_at_most_samples(const ob_record_result *r)
{
    CHECK_INT(r->forward.measure_time_ms.count, OB_MOST_SAMPLES);
    CHECK_STR(r->stop_verdict, "gave up");
    CHECK_INT(r->warnings.count, 1);
    CHECK(strstr(r->warnings.items[0], "--exec-mode continuous") != NULL);
}

/* Neither time nor a number of samples makes a record that does not fit. */
static void samples_have_a_limit(void)
{
    ob_run_options options = null_options("forward_ns=1");
    options.iteration = 1;
    options.min_time_s = 1;
    run_first(&options, look_at_most_samples);
    options.min_time_s = 1e-6;
    options.min_samples = OB_MOST_SAMPLES + 1;
    run_first(&options, look_at_most_samples);
}

static void look_at_backward(const ob_record_result *r)
{
    CHECK_INT(r->backward.measure_time_ms.count, 5);
    CHECK_REAL(r->backward.time_ms.median, 900 / 1e6);
    CHECK_INT(r->warnings.count, 0);
}

static void backward(void)
{
    ob_run_options options = null_options("backward_ns=900");
    options.backward = true;
    run_first(&options, look_at_backward);
}

int main(void)
{
    ob_err err;
    if (ob_plugin_load(test_context(), OB_BUILT_PLUGIN_DIR "/null.so", &err) != OB_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    RUN(in_a_loop);
    RUN(by_callback);
    RUN(failures);
    RUN(min_time_counts_blocks);
    RUN(samples_have_a_limit);
    RUN(backward);
    ob_context_destroy(test_context());
    return ob_test_end();
}
