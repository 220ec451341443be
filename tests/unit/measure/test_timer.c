/* SPDX-License-Identifier: Apache-2.0
 *
 * The Timer over tasks whose times are made up: the traces of the original (tests/golden/torch), what
 * is inside the clock's readings, threads set and restored, failures.
 */
#include "check.h"
#include "opbench/json.h"
#include "opbench/timer.h"

#include <stdlib.h>

/* ---- goldens ---- */

enum { MOST_RUNS = 64, HEAD = 8 };

/* The models of autorange.json, and what was asked of them. */
typedef struct model {
    const ob_json *json;
    const char *kind;
    double overhead, per_op;
    uint64_t calls, counted;
    struct {
        uint64_t n, times;
    } runs[MOST_RUNS];
    size_t run_count;
    uint64_t told;
} model;

static double member(const ob_json *object, const char *key, double otherwise)
{
    return ob_json_real(ob_json_get(object, key), otherwise);
}

static double cycle(const ob_json *list, uint64_t index)
{
    return ob_json_real(ob_json_item(list, index % ob_json_count(list)), 0);
}

static void note(model *m, uint64_t n)
{
    if (m->run_count > 0 && m->runs[m->run_count - 1].n == n) {
        m->runs[m->run_count - 1].times++;
    } else if (m->run_count < MOST_RUNS) {
        m->runs[m->run_count].n = n;
        m->runs[m->run_count++].times = 1;
    }
}

static ob_status model_block(void *ctx, uint64_t n, double *seconds, ob_err *err)
{
    model *m = ctx;
    const uint64_t k = m->calls++;
    (void)err;
    note(m, n);
    *seconds = m->overhead + m->per_op * (double)n;
    if (strcmp(m->kind, "constant") == 0)
        *seconds = member(m->json, "value", 0);
    if (strcmp(m->kind, "seq_overhead") == 0) {
        const ob_json *list = ob_json_get(m->json, "overheads");
        *seconds = n == 0 ? cycle(list, k) : cycle(list, 0) + m->per_op * (double)n;
    }
    if (n == 0)
        return OB_OK;
    const uint64_t j = m->counted++;
    if (strcmp(m->kind, "first_slow") == 0 && j == 0)
        *seconds += member(m->json, "penalty", 0);
    if (strcmp(m->kind, "cycle") == 0)
        *seconds *= cycle(ob_json_get(m->json, "factors"), j);
    if (strcmp(m->kind, "decay") == 0)
        *seconds *= 1 + member(m->json, "amp", 0) * ldexp(1, -(int)j);
    return OB_OK;
}

static ob_status count_progress(void *ctx, uint64_t number, double seconds, ob_err *err)
{
    model *m = ctx;
    (void)err;
    CHECK(number > 0 && seconds > 0);
    m->told++;
    return OB_OK;
}

static ob_status measure(const ob_json *row, const ob_timer *timer, ob_measurements *list)
{
    const char *method = ob_json_string(ob_json_get(row, "method"), NULL);
    const ob_json *args = ob_json_get(row, "args");
    if (strcmp(method, "timeit") == 0)
        return ob_timer_timeit(timer, (uint64_t)ob_json_int(ob_json_get(args, "number"), 0), list,
                               NULL);
    if (strcmp(method, "blocked_autorange") == 0)
        return ob_timer_blocked_autorange(
            timer, member(args, "min_run_time", OB_TIMER_MIN_RUN_TIME_S), list, NULL);
    ob_adaptive_params params = OB_ADAPTIVE_DEFAULTS;
    params.threshold = member(args, "threshold", params.threshold);
    params.min_run_time_s = member(args, "min_run_time", params.min_run_time_s);
    params.max_run_time_s = member(args, "max_run_time", params.max_run_time_s);
    return ob_timer_adaptive_autorange(timer, &params, list, NULL);
}

/* The original's calls, with our untimed one before them. */
static void check_calls(const model *m, const ob_json *want, bool autorange, bool ours)
{
    const size_t extra = autorange && !ours ? 1 : 0;
    CHECK_INT(m->run_count, ob_json_count(want) + extra);
    if (extra) {
        CHECK_INT(m->runs[0].n, 1);
        CHECK_INT(m->runs[0].times, 1);
    }
    for (size_t i = extra; i < m->run_count; i++) {
        const ob_json *pair = ob_json_item(want, i - extra);
        CHECK_INT(m->runs[i].n, ob_json_int(ob_json_item(pair, 0), -1));
        CHECK_INT(m->runs[i].times, ob_json_int(ob_json_item(pair, 1), -1));
    }
}

static void check_golden(const ob_json *row)
{
    const ob_json *changed = ob_json_get(row, "changed");
    const ob_json *want = changed != NULL ? changed : ob_json_get(row, "expect");
    const ob_json *json = ob_json_get(row, "model");
    model m = {.json = json,
               .kind = ob_json_string(ob_json_get(json, "kind"), NULL),
               .overhead = member(json, "overhead", 0),
               .per_op = member(json, "per_op", 0)};
    const ob_timer timer = {.size = sizeof timer,
                            .task = {.time_block = model_block, .ctx = &m},
                            .progress = count_progress,
                            .progress_ctx = &m};
    ob_measurements *list;
    ob_measurement_stats stats;
    ob_test_name = ob_json_string(ob_json_get(row, "name"), NULL);
    CHECK_INT(ob_measurements_create(&list, NULL), OB_OK);
    CHECK_INT(measure(row, &timer, list), OB_OK);
    const ob_measurement *got = ob_measurements_at(list, 0);
    const ob_json *head = ob_json_get(want, "raw_times_head");
    double total = 0;
    CHECK_INT(got->number_per_run, ob_json_int(ob_json_get(want, "number_per_run"), 0));
    CHECK_INT(got->count, ob_json_int(ob_json_get(want, "n_times"), 0));
    for (size_t i = 0; i < ob_json_count(head); i++)
        CHECK_REAL(got->raw_times[i], ob_json_real(ob_json_item(head, i), 0));
    for (size_t i = 0; i < got->count; i++)
        total += got->raw_times[i];
    CHECK_REAL(total, member(want, "total_time", 0));
    CHECK_INT(ob_measurement_compute(got, &stats, NULL), OB_OK);
    CHECK_NEAR(stats.median, member(want, "median", 0), 1e-12 * stats.median);
    CHECK_NEAR(stats.iqr, member(want, "iqr", 0), 1e-12 * stats.median);
    CHECK_INT(m.told, ob_json_int(ob_json_get(want, "callback_count"), -1));
    check_calls(&m, ob_json_get(want, "calls_rle"),
                ob_json_get_kind(ob_json_get(want, "estimate_calls")) == OB_JSON_ARRAY,
                changed != NULL);
    ob_measurements_destroy(list);
}

static void goldens(void)
{
    ob_json_doc *doc;
    ob_err err;
    if (ob_json_parse_file(OB_SOURCE_DIR "/tests/golden/torch/autorange.json", NULL, &doc, &err) !=
        OB_OK) {
        OB_TEST_FAIL("%s", err.message);
        return;
    }
    const ob_json *cases = ob_json_get(ob_json_doc_root(doc), "cases");
    CHECK_INT(ob_json_count(cases), 42);
    for (size_t i = 0; i < ob_json_count(cases); i++)
        check_golden(ob_json_item(cases, i));
    ob_json_doc_destroy(doc);
}

/* ---- what is inside ---- */

/* Notes its calls as letters; time passes in run alone, or in sync if it is asynchronous. */
typedef struct body {
    ob_fake_clock fake;
    uint64_t setup_ns, run_ns, pending_ns;
    bool asynchronous;
    char calls[256];
    size_t call_count;
    int64_t threads;
    ob_status fail_run;
    uint64_t runs;
} body;

static void call(body *b, char letter)
{
    if (b->call_count + 1 < sizeof b->calls)
        b->calls[b->call_count++] = letter;
}

static ob_status body_setup(void *ctx, ob_err *err)
{
    body *b = ctx;
    (void)err;
    call(b, 's');
    b->fake.now_ns += b->setup_ns;
    return OB_OK;
}

static ob_status body_run(void *ctx, uint64_t n, ob_err *err)
{
    body *b = ctx;
    call(b, n == 0 ? '0' : n == 1 ? '1' : n == 2 ? '2' : 'n');
    if (b->fail_run != OB_OK && n > 2)
        return ob_err_set(err, b->fail_run, "the body broke");
    *(b->asynchronous ? &b->pending_ns : &b->fake.now_ns) += n * b->run_ns;
    b->runs += n;
    return OB_OK;
}

static ob_status body_sync(void *ctx, ob_err *err)
{
    body *b = ctx;
    (void)err;
    call(b, 'y');
    b->fake.now_ns += b->pending_ns;
    b->pending_ns = 0;
    return OB_OK;
}

static ob_status body_threads(void *ctx, int64_t threads, int64_t *before, ob_err *err)
{
    body *b = ctx;
    (void)err;
    call(b, 't');
    *before = b->threads;
    b->threads = threads;
    return OB_OK;
}

static ob_measurements *new_list(void)
{
    ob_measurements *list = NULL;
    CHECK_INT(ob_measurements_create(&list, NULL), OB_OK);
    return list;
}

static void timed_region(void)
{
    body b = {.setup_ns = 7777, .run_ns = 1000, .asynchronous = true, .threads = 5};
    const ob_clock clock = ob_clock_fake(&b.fake);
    const ob_timer timer = {.size = sizeof timer,
                            .task = {.run = body_run,
                                     .setup = body_setup,
                                     .sync = body_sync,
                                     .set_threads = body_threads,
                                     .ctx = &b},
                            .spec = {.stmt = "f()", .label = "l", .num_threads = 2},
                            .clock = &clock};
    ob_measurements *list = new_list();
    CHECK_INT(ob_timer_timeit(&timer, 1, list, NULL), OB_OK);
    /* Threads; a block of 2 that does not count; the block; threads back. */
    CHECK_STR(b.calls, "tsy2ysy1yt");
    CHECK_INT(b.threads, 5);
    const ob_measurement *got = ob_measurements_at(list, 0);
    CHECK_INT(got->count, 1);
    CHECK_REAL(got->raw_times[0], 1e-6);
    CHECK_INT(got->number_per_run, 1);
    CHECK_STR(got->task.stmt, "f()");
    CHECK_STR(got->task.label, "l");
    CHECK_INT(got->task.num_threads, 2);
    ob_measurements_destroy(list);
}

/* The untimed iteration before the estimate reads no clock. */
static void untimed_call(void)
{
    body b = {.run_ns = 1000000000};
    const ob_clock clock = ob_clock_fake(&b.fake);
    const ob_timer timer = {
        .size = sizeof timer, .task = {.run = body_run, .ctx = &b}, .clock = &clock};
    ob_measurements *list = new_list();
    b.fake.step_ns = 1;
    CHECK_INT(ob_timer_blocked_autorange(&timer, 0.2, list, NULL), OB_OK);
    CHECK_STR(b.calls, "10000011");
    /* Seven blocks have two readings each. */
    CHECK_INT(b.fake.now_ns, 3 * UINT64_C(1000000000) + 14);
    CHECK_REAL(ob_measurements_at(list, 0)->raw_times[0], 1.000000001);
    CHECK_INT(ob_measurements_at(list, 0)->task.num_threads, 1);
    ob_measurements_destroy(list);
}

/* Times never count as less than a nanosecond, so a body that takes none still ends. */
static void no_time_at_all(void)
{
    body b = {.run_ns = 0};
    const ob_clock clock = ob_clock_fake(&b.fake);
    const ob_timer timer = {
        .size = sizeof timer, .task = {.run = body_run, .ctx = &b}, .clock = &clock};
    ob_measurements *list = new_list();
    CHECK_INT(ob_timer_blocked_autorange(&timer, 4.5e-9, list, NULL), OB_OK);
    CHECK_INT(ob_measurements_at(list, 0)->number_per_run, 1000000000);
    CHECK_INT(ob_measurements_at(list, 0)->count, 5);
    ob_measurements_destroy(list);
}

/* ---- failures ---- */

static ob_status stop_at_three(void *ctx, uint64_t number, double seconds, ob_err *err)
{
    int *told = ctx;
    (void)number;
    (void)seconds;
    return ++*told < 3 ? OB_OK : ob_err_set(err, OB_END, "enough");
}

static ob_status not_finite(void *ctx, uint64_t n, double *seconds, ob_err *err)
{
    (void)ctx;
    (void)n;
    (void)err;
    *seconds = NAN;
    return OB_OK;
}

static void failures(void)
{
    body b = {.run_ns = 1000, .threads = 5, .fail_run = OB_ERR_BACKEND};
    const ob_clock clock = ob_clock_fake(&b.fake);
    int told = 0;
    ob_timer timer = {.size = sizeof timer,
                      .task = {.run = body_run, .set_threads = body_threads, .ctx = &b},
                      .clock = &clock};
    ob_measurements *list = new_list();
    ob_err err;
    CHECK_INT(ob_timer_blocked_autorange(&timer, 0.2, list, &err), OB_ERR_BACKEND);
    CHECK_STR(err.message, "the body broke");
    CHECK_INT(b.threads, 5);
    b.fail_run = OB_OK;
    timer.progress = stop_at_three;
    timer.progress_ctx = &told;
    CHECK_INT(ob_timer_blocked_autorange(&timer, 0.2, list, &err), OB_END);
    CHECK_STR(err.message, "enough");
    CHECK_INT(told, 3);
    timer.progress = NULL;
    CHECK_INT(ob_timer_timeit(&timer, 0, list, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "timeit needs a number of 1 or more");
    CHECK_INT(ob_timer_blocked_autorange(&timer, NAN, list, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "is not a number");
    timer.spec.num_threads = -1;
    CHECK_INT(ob_timer_timeit(&timer, 1, list, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "-1 threads are not possible; give 1 or more");
    timer = (ob_timer){.size = sizeof(ob_timer), .task = {.time_block = not_finite}};
    CHECK_INT(ob_timer_timeit(&timer, 1, list, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "times must be finite");
    timer.task.time_block = NULL;
    CHECK_INT(ob_timer_timeit(&timer, 1, list, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "a timer's task needs run or time_block");
    CHECK_INT(ob_measurements_count(list), 0);
    ob_measurements_destroy(list);
}

/* ---- threads of libraries ---- */

/* Stands in for OpenMP's and OpenBLAS's functions, which are found by name. */
static int omp_threads = 6, blas_threads = 7;
int omp_get_max_threads(void);
void omp_set_num_threads(int threads);
int openblas_get_num_threads(void);
void openblas_set_num_threads(int threads);

int omp_get_max_threads(void)
{
    return omp_threads;
}

void omp_set_num_threads(int threads)
{
    omp_threads = threads;
}

int openblas_get_num_threads(void)
{
    return blas_threads;
}

/* As OpenBLAS does when it is built on OpenMP. */
void openblas_set_num_threads(int threads)
{
    blas_threads = threads;
    omp_threads = threads;
}

static void library_threads(void)
{
    ob_threads before;
    ob_err err;
    CHECK_INT(ob_threads_set(0, &before, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "0 threads are not possible; give 1 or more");
    CHECK_INT(ob_threads_set(3, &before, NULL), OB_OK);
    CHECK_INT(omp_threads, 3);
    CHECK_INT(blas_threads, 3);
    ob_threads_restore(&before);
    CHECK_INT(omp_threads, 6);
    CHECK_INT(blas_threads, 7);
}

int main(void)
{
    RUN(goldens);
    RUN(timed_region);
    RUN(untimed_call);
    RUN(no_time_at_all);
    RUN(failures);
    RUN(library_threads);
    return ob_test_end();
}
