/* SPDX-License-Identifier: Apache-2.0
 *
 * Results for other tools, to the byte.
 */
#include "check.h"
#include "opbench/export.h"

static char printed[8192];

static const char *write_as(ob_export_form form, const char *lines)
{
    ob_record_reader *reader;
    const ob_record *record;
    ob_export *export_;
    ob_text text = {0};
    ob_err err;
    CHECK_INT(ob_export_create(form, &export_, &err), OB_OK);
    CHECK_INT(ob_record_reader_open_memory("lines", lines, strlen(lines), NULL, &reader, NULL),
              OB_OK);
    while (ob_record_reader_next(reader, &record, &err) == OB_OK)
        CHECK_INT(ob_export_add(export_, record, &err), OB_OK);
    ob_record_reader_close(reader);
    CHECK_INT(ob_export_print(export_, &text, &err), OB_OK);
    snprintf(printed, sizeof printed, "%.*s", (int)text.size, text.data);
    ob_text_fini(&text);
    ob_export_destroy(export_);
    return printed;
}

#define HEADER                                                                                     \
    "{\"run_options\": {\"device\": \"cpu\"}, \"start_time\": \"t\", \"sys_info\": "               \
    "{\"hostname\": "                                                                              \
    "\"h\", \"cpus_online\": 4}}\n"
#define OK                                                                                         \
    "{\"op_name\": \"m\\\"m\", \"id\": \"0\", \"call\": \"mm(2)\", \"backend\": \"a\", "           \
    "\"threads\": 2, \"status\": \"ok\", \"metric\": {\"forward\": {\"measure.time\": [1.0, "      \
    "3.0]}}, \"config\": {\"input\": {\"args\": [{\"type\": \"tensor\", \"dtype\": \"float\", "    \
    "\"shape\": [2, 3]}, {\"type\": \"genericlist\", \"value\": [{\"type\": \"tensor\", "          \
    "\"dtype\": \"long\", \"shape\": []}]}]}}, \"statistics\": {\"forward\": {\"count\": 2, "      \
    "\"mean\": 2.0, \"median\": 2.0, \"gflops_per_s\": 1.5}}}\n"
#define FAILED                                                                                     \
    "{\"op_name\": \"mm\", \"id\": \"1\", \"backend\": \"a\", \"status\": \"failed\", "            \
    "\"reason\": \"no \\\"x\\\"\"}\n"
static void google_benchmark(void)
{
    write_as(OB_EXPORT_GOOGLE_BENCHMARK, HEADER OK FAILED);
    CHECK_HAS(printed,
              "{\n  \"context\": {\"date\": \"t\", \"host_name\": \"h\", \"executable\": "
              "\"opbench\", \"num_cpus\": 4, \"mhz_per_cpu\": 0, \"cpu_scaling_enabled\": false, "
              "\"caches\": [], \"load_avg\": [], \"library_build_type\": \"release\"},\n"
              "  \"benchmarks\": [\n    {\"name\": \"mm(2)/forward/a/threads:2\", "
              "\"family_index\": 0, \"per_family_instance_index\": 0, \"run_name\": "
              "\"mm(2)/forward/a/threads:2\", \"threads\": 2, \"run_type\": \"iteration\", "
              "\"repetitions\": 2, \"repetition_index\": 0, \"iterations\": 1, \"real_time\": "
              "1000000.0, \"cpu_time\": 1000000.0, \"time_unit\": \"ns\"},\n    {\"name\"");
    CHECK_HAS(printed, "\"repetition_index\": 1, \"iterations\": 1, \"real_time\": 3000000.0, "
                       "\"cpu_time\": 3000000.0, \"time_unit\": \"ns\"},\n");
    CHECK_HAS(printed,
              "    {\"name\": \"mm(2)/forward/a/threads:2_median\", \"family_index\": 0, "
              "\"per_family_instance_index\": 0, \"run_name\": \"mm(2)/forward/a/threads:2\", "
              "\"threads\": 2, \"run_type\": \"aggregate\", \"repetitions\": 2, "
              "\"aggregate_name\": \"median\", \"aggregate_unit\": \"time\", \"iterations\": 2, "
              "\"real_time\": 2000000.0, \"cpu_time\": 2000000.0, \"time_unit\": \"ns\"},\n");
    CHECK_HAS(printed, "\"aggregate_name\": \"mean\"");
    CHECK(strstr(printed, "stddev") == NULL); /* the record does not say it */
    CHECK_HAS(printed,
              "    {\"name\": \"mm|1/forward/a\", \"family_index\": 1, "
              "\"per_family_instance_index\": 0, \"run_name\": \"mm|1/forward/a\", "
              "\"threads\": 1, \"run_type\": \"iteration\", \"repetitions\": 1, "
              "\"repetition_index\": 0, \"error_occurred\": true, \"error_message\": "
              "\"no \\\"x\\\"\", \"iterations\": 0, \"real_time\": 0.0, \"cpu_time\": 0.0, "
              "\"time_unit\": \"ns\"}\n  ]\n}\n");
    CHECK_STR(write_as(OB_EXPORT_GOOGLE_BENCHMARK, ""),
              "{\n  \"context\": {},\n  \"benchmarks\": [\n  ]\n}\n");
}

#define LABELS                                                                                     \
    "{operator=\"m\\\"m\",id=\"0\",backend=\"a\",pass=\"forward\",threads=\"2\",shapes=\"2x3 "     \
    "scalar\",dtypes=\"float long\",host=\"h\"} "

static void openmetrics(void)
{
    /* A result that is there twice stands once. */
    CHECK_STR(write_as(OB_EXPORT_OPENMETRICS, HEADER OK OK FAILED),
              "# TYPE opbench_median_seconds gauge\n"
              "# UNIT opbench_median_seconds seconds\n"
              "# HELP opbench_median_seconds Median time of one iteration.\n"
              "opbench_median_seconds" LABELS "0.002\n"
              "# TYPE opbench_samples gauge\n"
              "# HELP opbench_samples Measured samples.\n"
              "opbench_samples" LABELS "2.0\n"
              "# TYPE opbench_flops gauge\n"
              "# HELP opbench_flops Floating-point operations per second at the median.\n"
              "opbench_flops" LABELS "1500000000.0\n"
              "# TYPE opbench_ok gauge\n"
              "# HELP opbench_ok 1: the case was measured; 0: it failed or was skipped.\n"
              "opbench_ok" LABELS "1.0\n"
              "opbench_ok{operator=\"mm\",id=\"1\",backend=\"a\",pass=\"forward\",host=\"h\"} 0.0\n"
              "# EOF\n");
    CHECK_STR(write_as(OB_EXPORT_OPENMETRICS, ""), "# EOF\n");
}

static void words(void)
{
    ob_export_form form = OB_EXPORT_FORM_COUNT;
    CHECK(ob_export_form_from_word("openmetrics", &form));
    CHECK_INT(form, OB_EXPORT_OPENMETRICS);
    CHECK(!ob_export_form_from_word("csv", &form));
}

int main(void)
{
    RUN(google_benchmark);
    RUN(openmetrics);
    RUN(words);
    return ob_test_end();
}
