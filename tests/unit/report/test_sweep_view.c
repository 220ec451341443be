/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of a sweep: a record as CSV and JSON, and the head of the columns.
 */
#include "check.h"

#include "config/iterators.h"
#include "gen/gen.h"
#include "opbench/sweep.h"
#include "plugin/registry.h"
#include "sweep/sweep_iterator.h"

#include <stdlib.h>

#define LINEAR                                                                                     \
    "{\"model\": \"torch.nn.Linear\", \"model_init_params\": [\"width\", \"out\"],"                \
    " \"input_params\": [[\"batch\", \"width\"]],"                                                 \
    " \"input_scales\": {\"batch\": [1, 8], \"width\": [16, 32, 64], \"out\": [4]},"               \
    " \"job_configs\": [{\"precision\": [\"fp32\", \"bf16\"], \"runtime\": \"native\"},"           \
    " [\"fp16\", \"pt\"], [\"fp32\", \"native\"]]}"

static ob_context *sweep_context(void)
{
    ob_context *context = NULL;
    CHECK_INT(ob__context_create_empty(NULL, &context, NULL), OB_OK);
    CHECK_INT(ob__registry_add_builtin(context, &ob__config_builtin, NULL), OB_OK);
    CHECK_INT(ob__registry_add_builtin(context, &ob__gen_builtin, NULL), OB_OK);
    CHECK_INT(ob__registry_add_builtin(context, &ob__sweep_builtin, NULL), OB_OK);
    return context;
}

static void prints_rows(void)
{
    ob_context *context = sweep_context();
    ob_sweep *sweep = NULL;
    ob_record record;
    ob_text text = {0};
    ob_err err;
    CHECK_INT(ob_sweep_open_memory(context, "s.json", LINEAR, strlen(LINEAR), &sweep, &err), OB_OK);
    const double samples_ms[] = {0.001, 0.003};
    ob_record_init(&record, OB_RECORD_RESULT_LINE);
    record.result.op_name = "torch.nn.Linear";
    record.result.id = "0|0|4_1";
    record.result.backend = "native";
    record.result.status = OB_RECORD_OK;
    record.result.forward.measure_time_ms = (ob_reals){.items = samples_ms, .count = 2};
    record.result.forward.time_ms =
        (ob_stats){.median = 0.002, .mean = 0.002, .iqr = 0.001, .min = 0.001, .p99 = 0.00298};
    record.result.forward.gflops_per_s = 1.5;
    record.result.forward.allocator_peak_bytes = 4096;
    record.result.forward.attainable_ms = 0.0015;
    record.result.forward.of_attainable = 0.75;
    record.result.forward.bound_by = "memory";
    record.result.side = "threads=2";
    record.result.best_forward = 1;
    CHECK_INT(ob_sweep_print_csv(sweep, &record, &text, &err), OB_OK);
    record.result.status = OB_RECORD_FAILED;
    record.result.reason = "no \"half\", here";
    record.result.forward.measure_time_ms.count = 0;
    CHECK_INT(ob_sweep_print_csv(sweep, &record, &text, &err), OB_OK);
    CHECK_INT(ob_sweep_print_json(sweep, &record, &text, &err), OB_OK);
    CHECK_INT(ob_sweep_print_csv_head(sweep, &text, &err), OB_OK);
    char *out = strndup(text.data, text.size);
    CHECK_STR(
        out,
        "8,32,4,bf16,native,operator,torch.nn.Linear,ok,,forward,2,2000.0,2000.0,1000.0,"
        "1000.0,2980.0,1.5,,4096,1500.0,0.75,memory,threads=2,best,"
        "torch.nn.Linear|0|0|4_1\n"
        "8,32,4,bf16,native,operator,torch.nn.Linear,failed,\"no \"\"half\"\", here\","
        "forward,0,,,,,,,,,,,,threads=2,,torch.nn.Linear|0|0|4_1\n"
        "{\"batch\": 8, \"width\": 32, \"out\": 4, \"precision\": \"bf16\", \"backend\": "
        "\"native\", \"kind\": \"operator\", \"name\": \"torch.nn.Linear\", \"status\": "
        "\"failed\", \"reason\": \"no \\\"half\\\", here\", \"pass\": \"forward\", "
        "\"samples\": 0, \"median_ns\": null, \"mean_ns\": null, \"iqr_ns\": null, "
        "\"min_ns\": null, \"p99_ns\": null, \"gflop_per_second\": null, "
        "\"gb_per_second\": null, \"peak_memory_bytes\": null, \"attainable_ns\": null, "
        "\"of_attainable\": null, \"bound_by\": null, \"side\": \"threads=2\", \"best\": null, "
        "\"call\": \"torch.nn.Linear|0|0|4_1\"}\n"
        "batch,width,out,precision,backend,kind,name,status,reason,pass,samples,median_ns,"
        "mean_ns,iqr_ns,min_ns,p99_ns,gflop_per_second,gb_per_second,peak_memory_bytes,"
        "attainable_ns,of_attainable,bound_by,side,best,call\n");
    free(out);
    ob_text_fini(&text);
    ob_sweep_destroy(sweep);
    ob_context_destroy(context);
}

int main(void)
{
    RUN(prints_rows);
    return ob_test_end();
}
