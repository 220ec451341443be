/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading measurements: the forms in which they may stand in a file, what is passed over, and what is said,
 * with its place, about those that are wrong.
 */
#include "check.h"
#include "opbench/measurement.h"
#include "opbench/record.h"

#include <stdlib.h>

#define ONE "{\"number_per_run\": 2, \"raw_times\": [2, 4.5], \"task_spec\": {\"stmt\": \"x\"}}"

static ob_measurement_reader *open_text(const char *text)
{
    ob_measurement_reader *reader = NULL;
    CHECK_INT(ob_measurement_reader_open_memory("m.json", text, strlen(text), &reader, NULL),
              OB_OK);
    return reader;
}

static void forms(void)
{
    static const char *const TEXTS[] = {
        ONE "\n" ONE,
        "[" ONE "," ONE "]",
        "\n [" ONE "]\n[ ]\n[\n" ONE "]",
        ONE ONE,
        "{\"start_time\": \"x\", \"sys_info\": {\"a\": [1, {}]}}\n" ONE "\n" ONE
        "\n{\"finish_time\": \"y\"}\n",
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        ob_measurement_reader *reader = open_text(TEXTS[i]);
        const ob_measurement *m = NULL;
        for (size_t k = 0; k < 2; k++) {
            CHECK_INT(ob_measurement_reader_next(reader, &m, NULL), OB_OK);
            CHECK_INT(m->number_per_run, 2);
            CHECK_INT(m->count, 2);
            CHECK_REAL(m->raw_times[1], 4.5);
            CHECK_STR(m->task.stmt, "x");
            CHECK_INT(m->task.num_threads, 1);
            CHECK(m->task.label == NULL);
        }
        CHECK_INT(ob_measurement_reader_next(reader, &m, NULL), OB_END);
        CHECK(!ob_measurement_reader_is_torn(reader));
        CHECK_INT(ob_measurement_reader_skipped(reader), 0);
        ob_measurement_reader_close(reader);
    }
}

static void refused(void)
{
    static const struct refused_row {
        const char *text;
        uint32_t line, column;
        const char *path, *message;
    } ROWS[] = {
        {"{\"number_per_run\": 1,\n \"raw_times\": []}", 2, 15, ".raw_times",
         "there are no samples"},
        {"{\"number_per_run\": 1, \"raw_times\": [1,\n-2]}", 2, 1, ".raw_times",
         "the sample is negative"},
        {"[{\"number_per_run\": 1, \"raw_times\": [NaN]}]", 1, 38, "", "'NaN' is not JSON"},
        {"{\"number_per_run\": 1, \"raw_times\": [null]}", 1, 37, ".raw_times",
         "not finite; a time must be 0 or more seconds: measure again"},
        {"{\"number_per_run\": 1, \"raw_times\": [1e999]}", 1, 37, ".raw_times", "too large"},
        {"{\"number_per_run\": 1, \"raw_times\": [\"1\"]}", 1, 37, ".raw_times",
         "this must be a time, not a string"},
        {"{\"number_per_run\": 1, \"raw_times\": 3}", 1, 36, ".raw_times", "must be a list"},
        {"{\"number_per_run\": 0, \"raw_times\": [1]}", 1, 20, ".number_per_run",
         "it is 0 and must be at least 1"},
        {"{\"number_per_run\": 1.5, \"raw_times\": [1]}", 1, 20, ".number_per_run",
         "a whole number"},
        {"{\"raw_times\": [1]}", 1, 1, "", "the object has no number_per_run"},
        {"[{\"task_spec\": {}, \"number_per_run\": 1}]", 1, 2, "", "the object has no raw_times"},
        {"[{}]", 1, 2, "", "the object has no number_per_run"},
        {"[[]]", 1, 2, "", "this must be a measurement, which is an object, not a list"},
        {"3", 1, 1, "", "this must be a record, a measurement, or a list of measurements"},
        {"{\"number_per_run\": 1, \"number_per_run\": 1}", 1, 41, "",
         "number_per_run appears twice"},
        {"{\"task_spec\": {\"label\": 3}}", 1, 25, ".task_spec.label", "a string or null"},
        {"{\"task_spec\": {\"env\": \"a\\u0000b\"}}", 1, 23, ".task_spec.env", "\\u0000"},
        {"{\"task_spec\": {\"num_threads\": 0}}", 1, 31, ".task_spec.num_threads", "at least 1"},
        {"{\"task_spec\": \"x\"}", 1, 15, ".task_spec", "must be an object"},
        {"", 1, 1, "", "the text is empty"},
        {"[" ONE, 1, 0, "", "the text ends inside the array"},
        {ONE "\n{\"raw_times\": x}\n", 2, 15, "", "'x' is not JSON"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        ob_measurement_reader *reader = open_text(ROWS[i].text);
        const ob_measurement *m = NULL;
        ob_err err = {.message = ""};
        ob_status status;
        while ((status = ob_measurement_reader_next(reader, &m, &err)) == OB_OK)
            continue;
        ob_test_name = ROWS[i].text;
        CHECK_INT(status, OB_ERR_SYNTAX);
        CHECK_STR(err.file, "m.json");
        CHECK_INT(err.line, ROWS[i].line);
        if (ROWS[i].column > 0)
            CHECK_INT(err.column, ROWS[i].column);
        CHECK_STR(err.path, ROWS[i].path);
        CHECK_HAS(err.message, ROWS[i].message);
        CHECK(m == NULL);
        ob_measurement_reader_close(reader);
    }
}

static void passed_over(void)
{
    ob_measurement_reader *reader = open_text(
        "{\"op_name\": \"a\", \"status\": \"failed\", \"reason\": \"r\"}\n"
        "{\"op_name\": \"a\", \"metric\": {}}\n"
        "{\"status\": \"crashed\", \"number_per_run\": 1, \"raw_times\": [1], \"task_spec\": {}}\n"
        "{\"op_name\": \"a\", \"status\": \"ok\", \"number_per_run\": 1, \"raw_times\": [1], "
        "\"task_spec\": {\"label\": \"a\", \"num_threads\": null}, \"threads\": 3, \"backend\": "
        "\"native\", \"metadata\": {\"k\": [1, \"two\"]}}\n" ONE
        "\n{\"number_per_run\": 1, \"raw_ti");
    const ob_measurement *m = NULL;
    uint32_t line = 0, column = 0;
    CHECK_INT(ob_measurement_reader_next(reader, &m, NULL), OB_OK);
    CHECK_INT(ob_measurement_reader_skipped(reader), 3);
    CHECK_STR(m->task.stmt, "a");
    CHECK_STR(m->task.sub_label, "a");
    CHECK_STR(m->task.description, "native");
    CHECK_INT(m->task.num_threads, 3);
    CHECK_STR(ob_json_string(ob_json_item(ob_json_get(m->metadata, "k"), 1), NULL), "two");
    ob_measurement_reader_place(reader, &line, &column);
    CHECK_INT(line, 4);
    CHECK_INT(column, 1);
    CHECK_INT(ob_measurement_reader_next(reader, &m, NULL), OB_OK);
    CHECK(m->task.sub_label == NULL);
    CHECK(m->metadata == NULL);
    CHECK_INT(ob_measurement_reader_next(reader, &m, NULL), OB_END);
    CHECK(ob_measurement_reader_is_torn(reader));
    CHECK_INT(ob_measurement_reader_next(reader, &m, NULL), OB_END);
    ob_measurement_reader_close(reader);
}

/* A text that is not UTF-8 is shown with U+FFFD, not refused; so is half a surrogate pair, which is how
 * Python writes such bytes. */
static void bad_utf8(void)
{
    ob_measurement_reader *reader =
        open_text("{\"number_per_run\": 1, \"raw_times\": [1], \"task_spec\": {\"label\": "
                  "\"a\xFF\\n\xC3\", \"env\": \"\\udcff\\ud83d\\ude00\"}}");
    const ob_measurement *m = NULL;
    CHECK_INT(ob_measurement_reader_next(reader, &m, NULL), OB_OK);
    CHECK_STR(m->task.label, "a\xEF\xBF\xBD\n\xEF\xBF\xBD");
    CHECK_STR(m->task.env, "\xEF\xBF\xBD\xF0\x9F\x98\x80");
    ob_measurement_reader_close(reader);
}

#define TENSOR(size) "{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [" size "]}"

/* Lines as PARAM writes them: samples in ms per iteration, no task. */
static void param_lines(void)
{
    ob_measurement_reader *reader = open_text(
        "{\"op_name\": \"torch.add\", \"id\": \"0|0|0\", \"metric\": {\"forward\": "
        "{\"warmup.time\": [9], \"measure.time\": [2, 4]}, \"backward\": {\"measure.time\": "
        "[8]}}, \"device\": \"cpu\", \"config\": {\"build\": null, \"input\": {\"args\": "
        "[" TENSOR("64") ", " TENSOR(
            "64") "], \"kwargs\": {}}}}\n"
                  "{\"op_name\": \"torch.add\", \"id\": \"0|0|0\", \"metric\": {\"forward\": "
                  "{\"measure.time\": [1]}}}");
    const ob_measurement *m = NULL;
    CHECK_INT(ob_measurement_reader_next(reader, &m, NULL), OB_OK);
    CHECK_STR(m->task.label, "torch.add");
    CHECK_STR(m->task.stmt, "torch.add(f32[64], f32[64])");
    CHECK_STR(m->task.sub_label, "torch.add(f32[64], f32[64])");
    CHECK(m->task.description == NULL);
    CHECK_INT(m->number_per_run, 1);
    CHECK_INT(m->task.num_threads, 1);
    CHECK_INT(m->count, 2);
    CHECK_REAL(m->raw_times[1], 4e-3);
    CHECK_INT(ob_measurement_reader_next(reader, &m, NULL), OB_OK);
    CHECK_STR(m->task.description, "backward");
    CHECK_STR(m->task.stmt, "torch.add(f32[64], f32[64])");
    CHECK_INT(m->count, 1);
    CHECK_REAL(m->raw_times[0], 8e-3);
    CHECK_INT(ob_measurement_reader_next(reader, &m, NULL), OB_OK);
    CHECK_STR(m->task.stmt, "torch.add");
    CHECK(m->task.description == NULL);
    CHECK_INT(ob_measurement_reader_next(reader, &m, NULL), OB_END);
    CHECK_INT(ob_measurement_reader_skipped(reader), 0);
    ob_measurement_reader_close(reader);
}

/* Results of `run`: where and how is the description, the backward pass a measurement of its own. */
static void run_results(void)
{
    ob_measurement_reader *reader = open_text(
        "{\"op_name\": \"f\", \"status\": \"interrupted\", \"metric\": {\"forward\": "
        "{\"measure.time\": [2]}, \"backward\": {\"measure.time\": [3, 5]}}, "
        "\"number_per_run\": 10, \"raw_times\": [0.02], \"backend\": \"torch\", \"device\": "
        "\"cuda:0\", \"mode\": \"continuous\", \"cache\": {\"state\": \"cold\", \"how\": \"x\"}, "
        "\"threads\": 2}\n"
        "{\"op_name\": \"f\", \"status\": \"interrupted\", \"metric\": {}}\n"
        "{\"op_name\": \"f\", \"status\": \"ok\", \"metric\": {\"backward\": {\"measure.time\": "
        "[7]}}, \"task_spec\": {\"stmt\": \"g\", \"description\": \"mine\"}, \"backend\": \"b\"}\n"
        "{\"op_name\": \"f\", \"metric\": {\"forward\": {\"measure.time\": [-1]}}}\n");
    const ob_measurement *m = NULL;
    ob_err err;
    CHECK_INT(ob_measurement_reader_next(reader, &m, NULL), OB_OK);
    CHECK_STR(m->task.description, "torch, cuda:0, cold cache, continuous");
    CHECK_INT(m->number_per_run, 10);
    CHECK_INT(m->count, 1);
    CHECK_REAL(m->raw_times[0], 0.02);
    CHECK_INT(m->task.num_threads, 2);
    CHECK_INT(ob_measurement_reader_next(reader, &m, NULL), OB_OK);
    CHECK_STR(m->task.description, "torch, cuda:0, cold cache, continuous, backward");
    CHECK_INT(m->number_per_run, 10);
    CHECK_REAL(m->raw_times[1], 0.05);
    CHECK_INT(ob_measurement_reader_next(reader, &m, NULL), OB_OK);
    CHECK_INT(ob_measurement_reader_skipped(reader), 1);
    CHECK_STR(m->task.description, "mine, backward");
    CHECK_STR(m->task.stmt, "g");
    CHECK(m->task.sub_label == NULL);
    CHECK_REAL(m->raw_times[0], 7e-3);
    CHECK_INT(ob_measurement_reader_next(reader, &m, &err), OB_ERR_SYNTAX);
    CHECK_STR(err.path, ".metric.forward.\"measure.time\"");
    CHECK_INT(err.line, 4);
    ob_measurement_reader_close(reader);
}

/* A measurement written as a record is read back as it was. */
static void as_record(void)
{
    const double samples[] = {3e-6, 1e-6, 2e-6};
    const ob_measurement m = {
        .number_per_run = 1000,
        .raw_times = samples,
        .count = 3,
        .task = {.stmt = "x", .setup = "pass", .label = "", .env = "e", .num_threads = 4}};
    ob_record record;
    ob_text text = {.data = NULL};
    ob_record_init(&record, OB_RECORD_RESULT_LINE);
    CHECK_INT(ob_measurement_to_record(&m, &record, NULL), OB_OK);
    CHECK_REAL(record.result.forward.time_ms.median, 2e-6 / 1000 * 1e3);
    CHECK_INT(record.result.status, OB_RECORD_OK);
    record.result.op_name = "op";
    CHECK_INT(ob_record_print(&record, &text, NULL), OB_OK);
    ob_measurement_reader *reader = NULL;
    const ob_measurement *again = NULL;
    CHECK_INT(ob_measurement_reader_open_memory("r", text.data, text.size, &reader, NULL), OB_OK);
    CHECK_INT(ob_measurement_reader_next(reader, &again, NULL), OB_OK);
    CHECK_INT(again->number_per_run, 1000);
    CHECK_INT(again->count, 3);
    CHECK(memcmp(again->raw_times, samples, sizeof samples) == 0);
    CHECK(ob_task_spec_equal(&again->task, &m.task));
    ob_measurement_reader_close(reader);
    ob_text_fini(&text);
    const ob_measurement none = {.number_per_run = 1};
    CHECK_INT(ob_measurement_to_record(&none, &record, NULL), OB_ERR_INVALID);
}

static void files(void)
{
    ob_measurement_reader *reader = NULL;
    ob_err err;
    CHECK_INT(ob_measurement_reader_open("/nonexistent/m.json", &reader, &err), OB_ERR_IO);
    CHECK(reader == NULL);
    CHECK_STR(err.file, "/nonexistent/m.json");
    CHECK_HAS(err.message, "cannot be opened");
    ob_measurement_reader_close(NULL);
}

int main(void)
{
    RUN(forms);
    RUN(refused);
    RUN(passed_over);
    RUN(bad_utf8);
    RUN(param_lines);
    RUN(run_results);
    RUN(as_record);
    RUN(files);
    return ob_test_end();
}
