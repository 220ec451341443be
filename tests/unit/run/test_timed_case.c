/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of operators under the Timer: as a task in a program, and as the way a session measures. On the
 * null backend every time is exact.
 */
#include "gen/gen.h"
#define TEST_PARTS &ob__gen_builtin
#include "config_testing.h"

#include "opbench/builder.h"
#include "opbench/run.h"

static ob_config *one_case(const char *op, const char *word)
{
    ob_builder *b;
    ob_config *config = NULL;
    ob_err err;
    CHECK_INT(ob_builder_create(&b, &err), OB_OK);
    ob_builder_op(b, op, NULL);
    ob_builder_input(b);
    ob_builder_word(b, word);
    CHECK_INT(ob_builder_open_config(b, test_context(), NULL, &config, &err), OB_OK);
    ob_builder_destroy(b);
    return config;
}

static ob_run_options null_options(const char *backend_options)
{
    ob_run_options options;
    ob_run_options_init(&options);
    options.backend = "null";
    options.backend_options = backend_options;
    return options;
}

/* Runs `look` with the only case of torch.relu(f32[4]). */
static void with_case(const ob_run_options *options,
                      void (*look)(ob_session *session, const ob_case *c))
{
    ob_config *config = one_case("torch.relu", "f32[4]");
    ob_cases *cases;
    ob_session *session;
    const ob_case *c;
    ob_err err;
    CHECK_INT(ob_cases_open(config, NULL, &cases, &err), OB_OK);
    CHECK_INT(ob_cases_next(cases, &c, &err), OB_OK);
    const ob_status status = ob_session_open(test_context(), options, &session, &err);
    CHECK_INT(status, OB_OK);
    if (status == OB_OK)
        look(session, c);
    ob_session_close(session);
    ob_cases_close(cases);
    ob_config_destroy(config);
}

static void look_at_task(ob_session *session, const ob_case *c)
{
    ob_timer timer = {.size = sizeof timer, .spec = {.stmt = "relu", .num_threads = 2}};
    ob_measurements *list;
    ob_err err;
    CHECK_INT(ob_measurements_create(&list, &err), OB_OK);
    CHECK_INT(ob_session_prepare_task(session, c, &timer.task, &err), OB_OK);
    const ob_clock clock = ob_session_clock(session);
    timer.clock = &clock;
    CHECK_INT(ob_timer_blocked_autorange(&timer, 0.2, list, &err), OB_OK);
    const ob_measurement *m = ob_measurements_at(list, 0);
    /* 1 us: a thousand of them are above 0.2 ms, and no clock costs anything. */
    CHECK_INT(m->number_per_run, 1000);
    CHECK_INT(m->count, 200);
    CHECK_REAL(m->raw_times[0], 1e-3);
    CHECK_INT(m->task.num_threads, 2);
    ob_measurements_destroy(list);
}

static void as_a_task(void)
{
    /* With a queue the time passes in sync. */
    const ob_run_options direct = null_options("forward_ns=1000,queue=off");
    const ob_run_options queued = null_options("forward_ns=1000,queue=on");
    with_case(&direct, look_at_task);
    with_case(&queued, look_at_task);
}

static void look_at_record(ob_session *session, const ob_case *c)
{
    ob_record record;
    ob_err err;
    CHECK_INT(ob_session_run(session, c, &record, &err), OB_OK);
    const ob_record_result *r = &record.result;
    CHECK_INT(r->status, OB_RECORD_OK);
    CHECK_STR(r->mode, "blocked");
    CHECK_STR(r->stop_rule, "min_time");
    CHECK_STR(r->stop_verdict, "done");
    CHECK_STR(r->task.stmt, "torch.relu(f32[4])");
    CHECK_STR(r->task.label, "L");
    CHECK_STR(r->task.sub_label, "torch.relu(f32[4])");
    CHECK(r->task.description == NULL);
    CHECK_STR(r->task.env, "E");
    CHECK_INT(r->number_per_run, 100);
    CHECK_INT(r->raw_times_s.count, 500);
    CHECK_REAL(r->raw_times_s.items[49], 7e-5);
    CHECK_REAL(r->forward.time_ms.median, 700 / 1e6);
    CHECK_STR(r->repro, "opbench time -c '<builder>' --case 'torch.relu|0|0|0' --backend=null "
                        "--backend-options=forward_ns=700 --method=blocked --min-run-time=0.035 "
                        "--label=L --env=E");
}

static void look_at_timeit(ob_session *session, const ob_case *c)
{
    ob_record record;
    ob_err err;
    CHECK_INT(ob_session_run(session, c, &record, &err), OB_OK);
    CHECK_INT(record.result.status, OB_RECORD_OK);
    CHECK_STR(record.result.stop_rule, "count");
    CHECK_INT(record.result.number_per_run, 300);
    CHECK_INT(record.result.raw_times_s.count, 1);
    CHECK_REAL(record.result.raw_times_s.items[0], 300 * 700 / 1e9);
    CHECK_STR(record.result.repro,
              "opbench time --backend=null --backend-options=forward_ns=700 --method=timeit "
              "--number=300 --op torch.relu 'f32[4]'");
}

static void look_at_adaptive(ob_session *session, const ob_case *c)
{
    ob_record record;
    ob_err err;
    CHECK_INT(ob_session_run(session, c, &record, &err), OB_OK);
    CHECK_STR(record.result.stop_rule, "precision");
    /* Never below a threshold of 0. */
    CHECK_STR(record.result.stop_verdict, "gave up");
    CHECK_INT(record.result.number_per_run, 100);
    CHECK_INT(record.result.raw_times_s.count, 15);
}

static void look_at_unknown(ob_session *session, const ob_case *c)
{
    ob_record record;
    ob_err err;
    CHECK_INT(ob_session_run(session, c, &record, &err), OB_OK);
    CHECK_INT(record.result.status, OB_RECORD_INVALID);
    CHECK_STR(record.result.reason,
              "there is no method \"quick\"; give blocked, adaptive or timeit");
}

/* Each iteration pays for the cold cache, and is a sample. */
static void look_at_cold(ob_session *session, const ob_case *c)
{
    ob_record record;
    ob_err err;
    CHECK_INT(ob_session_run(session, c, &record, &err), OB_OK);
    CHECK_INT(record.result.status, OB_RECORD_OK);
    CHECK_INT(record.result.number_per_run, 1);
    CHECK(record.result.raw_times_s.count >= 3);
    CHECK_REAL(record.result.raw_times_s.items[0], 1200 / 1e9);
    CHECK_STR(record.result.cache_state, "cold");
}

static void look_at_cold_sum(ob_session *session, const ob_case *c)
{
    ob_record record;
    ob_err err;
    CHECK_INT(ob_session_run(session, c, &record, &err), OB_OK);
    CHECK_INT(record.result.number_per_run, 4);
    CHECK_INT(record.result.raw_times_s.count, 1);
    CHECK_REAL(record.result.raw_times_s.items[0], 4 * 1200 / 1e9);
}

static void as_records(void)
{
    ob_run_options options = null_options("forward_ns=700");
    options.config_name = "<builder>";
    options.timer.method = "blocked";
    options.timer.min_run_time_s = 0.035;
    options.timer.label = "L";
    options.timer.env = "E";
    with_case(&options, look_at_record);
    options = null_options("forward_ns=700");
    options.by_words = true;
    options.timer.method = "timeit";
    options.timer.number = 300;
    with_case(&options, look_at_timeit);
    options.timer.method = "adaptive";
    options.timer.threshold = 0;
    options.timer.max_run_time_s = 0.001;
    with_case(&options, look_at_adaptive);
    options.timer.method = "quick";
    with_case(&options, look_at_unknown);
    options = null_options("forward_ns=700,cold_ns=500");
    options.cache = "cold";
    options.timer.method = "blocked";
    options.timer.min_run_time_s = 0;
    with_case(&options, look_at_cold);
    options.timer.method = "timeit";
    options.timer.number = 4;
    with_case(&options, look_at_cold_sum);
}

static void contradictions(void)
{
    ob_run_options options = null_options(NULL);
    ob_err err;
    options.timer.method = "blocked";
    CHECK_INT(ob_run_options_check(&options, &err), OB_OK);
    options.backward = true;
    CHECK_INT(ob_run_options_check(&options, &err), OB_OK);
    options.exec_mode = "continuous";
    CHECK_INT(ob_run_options_check(&options, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "the Timer chooses its own blocks;");
    options.exec_mode = "discrete";
    options.cache = "cold";
    CHECK_INT(ob_run_options_check(&options, &err), OB_OK);
    options.timer.method = "adaptive";
    CHECK_INT(ob_run_options_check(&options, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "the adaptive Timer uses blocks, in which the cache is hot; leave out "
                           "--adaptive or --cache cold");
}

int main(void)
{
    ob_err err;
    if (ob_plugin_load(test_context(), OB_BUILT_PLUGIN_DIR "/null.so", &err) != OB_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    RUN(as_a_task);
    RUN(as_records);
    RUN(contradictions);
    ob_context_destroy(test_context());
    return ob_test_end();
}
