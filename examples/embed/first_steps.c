/* SPDX-License-Identifier: Apache-2.0
 *
 * All that opbench/opbench.h has, once each: a config is measured to a file of records, the file is read,
 * two loops are timed and compared, and sizes are drawn at random.
 *
 *     first_steps [BACKEND]        native if not given; writes first_steps.json here
 */
#include <opbench/opbench.h>

#include <inttypes.h>
#include <stdio.h>

#define RESULTS "first_steps.json"

static const char CONFIG[] =
    "{\"torch.mm\": {\"config\": [{\"input\": [{\"args\": ["
    "  {\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [64, 32]},"
    "  {\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [32, 16]}]}]}],"
    " \"input_data_generator\": \"PyTorch:DefaultDataGenerator\"}}";
static const char SPEC[] = "{\"parameters\": [{\"name\": \"n\", \"minval\": 16, \"maxval\": 1024,"
                           "                   \"distribution\": \"loguniform\"}],"
                           " \"tensors\": [{\"name\": \"x\", \"size\": [\"n\"]}]}";

/* ---- cases of a config become records in a file ---- */

static ob_status measure(ob_context *context, const ob_config *config, const char *backend,
                         ob_err *err)
{
    ob_run_options options;
    ob_run_options_init(&options);
    options.backend = backend;
    options.iteration = 20;
    const ob_job_part part = {.config = config, .options = &options};
    const ob_job_configs configs = {
        .size = sizeof configs, .parts = &part, .part_size = sizeof part, .part_count = 1};
    const ob_job_params params = {.size = sizeof params, .output = RESULTS, .mode = OB_JOB_REPLACE};
    ob_job *job;
    OB_TRY(ob_job_open_configs(context, &configs, &params, &job, err));
    const ob_status status = ob_job_run(job, err);
    if (status == OB_OK)
        printf("exit code %d\n", ob_job_summary_exit_code(ob_job_get_summary(job)));
    const ob_status closed = ob_job_close(job, status == OB_OK ? err : NULL);
    return status == OB_OK ? closed : status;
}

static ob_status run_config(const char *backend, ob_err *err)
{
    ob_context *context = NULL;
    ob_config *config = NULL;
    ob_status status = ob_context_create(NULL, &context, err);
    if (status == OB_OK)
        status = ob_plugin_discover(context, NULL, err);
    if (status == OB_OK)
        status =
            ob_config_open_memory(context, "mm", CONFIG, sizeof CONFIG - 1, NULL, &config, err);
    if (status == OB_OK)
        status = measure(context, config, backend, err);
    ob_config_destroy(config);
    ob_context_destroy(context);
    return status;
}

static ob_status read_results(ob_err *err)
{
    ob_record_reader *reader;
    const ob_record *record;
    ob_status status;
    OB_TRY(ob_record_reader_open(RESULTS, NULL, &reader, err));
    while ((status = ob_record_reader_next(reader, &record, err)) == OB_OK)
        if (ob_record_word(record, "op_name") != NULL) /* a result: no header, no finish */
            printf("%s on %s: %s, %.3f us\n", ob_record_word(record, "op_name"),
                   ob_record_word(record, "backend"), ob_record_word(record, "status"),
                   ob_record_number(record, "statistics/forward/median") * 1e3);
    ob_record_reader_close(reader);
    return status == OB_END ? OB_OK : status;
}

/* ---- code of one's own ---- */

static volatile uint32_t sink;

static ob_status add(void *ctx, uint64_t n, ob_err *err)
{
    const uint32_t *step = ctx;
    (void)err;
    for (uint64_t i = 0; i < n; i++)
        sink = sink + *step;
    return OB_OK;
}

static ob_status divide(void *ctx, uint64_t n, ob_err *err)
{
    const uint32_t *step = ctx;
    (void)err;
    for (uint64_t i = 0; i < n; i++)
        sink = sink / *step + 1;
    return OB_OK;
}

static ob_status print_comparison(const ob_measurements *list, ob_err *err)
{
    ob_compare *compare;
    ob_text text = {0};
    OB_TRY(ob_compare_create(list, &compare, err));
    const ob_status status = ob_compare_print(compare, NULL, &text, err);
    if (status == OB_OK)
        printf("%.*s\n", (int)text.size, text.data);
    ob_text_fini(&text);
    ob_compare_destroy(compare);
    return status;
}

static ob_status time_loops(ob_err *err)
{
    static const struct {
        const char *name;
        ob_status (*run)(void *ctx, uint64_t n, ob_err *err);
    } LOOPS[] = {{"add", add}, {"divide", divide}};
    uint32_t step = 3;
    ob_measurements *list;
    OB_TRY(ob_measurements_create(&list, err));
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && i < sizeof LOOPS / sizeof *LOOPS; i++) {
        const ob_timer timer = {
            .size = sizeof timer,
            .task = {.run = LOOPS[i].run, .ctx = &step},
            .spec = {.stmt = LOOPS[i].name, .label = "loops", .description = "C"}};
        status = ob_timer_blocked_autorange(&timer, 0.01, list, err);
    }
    if (status == OB_OK)
        status = print_comparison(list, err);
    ob_measurements_destroy(list);
    return status;
}

/* ---- sizes at random ---- */

static ob_status draw_sizes(ob_err *err)
{
    ob_fuzzer *fuzzer;
    const ob_fuzz_draw *draw;
    ob_status status;
    OB_TRY(ob_fuzzer_open_memory("sizes", SPEC, sizeof SPEC - 1, NULL, &fuzzer, err));
    for (uint64_t i = 0; i < 3 && (status = ob_fuzzer_draw(fuzzer, i, &draw, err)) == OB_OK; i++)
        printf("draw %" PRIu64 ": n = %" PRId64 "\n", i, ob_fuzz_draw_int(draw, "n", 0));
    ob_fuzzer_destroy(fuzzer);
    return status;
}

int main(int argc, char **argv)
{
    ob_err err;
    ob_status status = run_config(argc > 1 ? argv[1] : NULL, &err);
    if (status == OB_OK)
        status = read_results(&err);
    if (status == OB_OK)
        status = time_loops(&err);
    if (status == OB_OK)
        status = draw_sizes(&err);
    if (status == OB_OK)
        return 0;
    char line[1400];
    fprintf(stderr, "%s: %s\n", argv[0], ob_err_format(&err, "error", line, sizeof line));
    return 1;
}
