/* SPDX-License-Identifier: Apache-2.0
 *
 * Generate a config, run it, get the results. Two operators on several sizes; records come by callback
 * and are kept in an array; the slowest is shown at the end. No file is written.
 *
 *     config_run_results [BACKEND [PROGRAM]]
 *
 * BACKEND is native if not given. With PROGRAM (the path of opbench) cases run in a worker process, so
 * that one that crashes or hangs is a record like any other; without it they run here.
 */
#include <opbench/builder.h>
#include <opbench/run.h>

#include <inttypes.h>
#include <stdio.h>

static const int64_t SIZES[] = {64, 256, 1024};
enum { SIZE_COUNT = sizeof SIZES / sizeof *SIZES, MOST_RESULTS = 2 * SIZE_COUNT };

/* What the program keeps of a record: a record lives only during the callback. */
typedef struct result {
    char name[64];
    ob_record_status status;
    double median_us, gflops_per_s;
} result;

typedef struct results {
    result items[MOST_RESULTS];
    size_t count;
} results;

static ob_status generate(ob_context *context, ob_config **out, ob_err *err)
{
    ob_builder *b;
    OB_TRY(ob_builder_create(&b, err));
    ob_builder_op(b, "torch.add", NULL);
    for (size_t i = 0; i < SIZE_COUNT; i++) {
        const ob_tensor_arg square = {.dtype = OB_DTYPE_F32, OB_SHAPE(SIZES[i], SIZES[i])};
        ob_builder_input(b);
        ob_builder_tensor(b, &square);
        ob_builder_tensor(b, &square);
        ob_builder_name(b, "alpha");
        ob_builder_int(b, 2);
    }
    ob_builder_op(b, "torch.nn.Linear", NULL);
    ob_builder_build(b);
    ob_builder_int(b, 128);
    ob_builder_int(b, 64);
    ob_builder_name(b, "bias");
    ob_builder_bool(b, true);
    for (size_t i = 0; i < SIZE_COUNT; i++) {
        ob_builder_input(b);
        ob_builder_tensor(b, &(ob_tensor_arg){.dtype = OB_DTYPE_F32, OB_SHAPE(SIZES[i], 128)});
    }
    const ob_status status = ob_builder_open_config(b, context, NULL, out, err);
    ob_builder_destroy(b);
    return status;
}

static ob_status keep(void *ctx, const ob_record *record, const char *line, size_t length,
                      ob_err *err)
{
    results *all = ctx;
    const ob_record_result *r = &record->result;
    (void)line; /* the record as a JSON line, for a program that keeps files */
    (void)length;
    if (all->count == MOST_RESULTS)
        return ob_err_set(err, OB_ERR_LIMIT, "more than %d results", MOST_RESULTS);
    result *one = &all->items[all->count++];
    snprintf(one->name, sizeof one->name, "%s %s", r->op_name, r->id);
    one->status = r->status;
    one->median_us = r->forward.time_ms.median * 1e3;
    one->gflops_per_s = r->forward.gflops_per_s;
    return OB_OK;
}

static void show(const results *all, const ob_run_summary *summary)
{
    const result *slowest = NULL;
    for (size_t i = 0; i < all->count; i++) {
        const result *r = &all->items[i];
        const ob_record_status_info *status = ob_record_status_get_info(r->status);
        printf("%-22s %-8s", r->name, status->word);
        if (status->ran) {
            printf(" %9.3f us %9.3f GFLOP/s", r->median_us, r->gflops_per_s);
            slowest = slowest == NULL || r->median_us > slowest->median_us ? r : slowest;
        }
        printf("\n");
    }
    printf("%zu results, %" PRIu64 " ok, %" PRIu64 " workers\n", all->count,
           summary->cases[OB_RECORD_OK], summary->workers);
    if (slowest != NULL)
        printf("slowest: %s\n", slowest->name);
}

int main(int argc, char **argv)
{
    ob_context *context = NULL;
    ob_config *config = NULL;
    results all = {.count = 0};
    ob_run_options options;
    ob_run_summary summary = {.size = sizeof summary};
    ob_err err;

    ob_run_options_init(&options);
    options.backend = argc > 1 ? argv[1] : NULL;
    options.warmup = 2;
    options.iteration = 20;
    const ob_run_params params = {.size = sizeof params,
                                  .options = &options,
                                  .worker_program = argc > 2 ? argv[2] : NULL,
                                  .count = OB_ALL_CASES,
                                  .on_record = keep,
                                  .ctx = &all};

    ob_status status = ob_context_create(NULL, &context, &err);
    if (status == OB_OK)
        status = ob_plugin_discover(context, NULL, &err);
    if (status == OB_OK)
        status = generate(context, &config, &err);
    if (status == OB_OK)
        status = ob_run(context, config, &params, &summary, &err);
    ob_config_destroy(config);
    ob_context_destroy(context);
    if (status != OB_OK) {
        char line[1400];
        fprintf(stderr, "%s: %s\n", argv[0], ob_err_format(&err, "error", line, sizeof line));
        return 1;
    }
    show(&all, &summary);
    return 0;
}
