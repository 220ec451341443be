/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading files of records: PARAM's own, torn, damaged and hostile ones.
 */
#include "check.h"
#include "opbench/record.h"
#include "opbench/rng.h"
#include "temp_file.h"

static ob_record_reader *open_text(const char *text, const ob_record_reader_params *params)
{
    ob_record_reader *reader = NULL;
    CHECK_INT(ob_record_reader_open_memory("r.json", text, strlen(text), params, &reader, NULL),
              OB_OK);
    return reader;
}

/* In the form that PARAM writes; header shortened. */
static const char PARAM_FILE[] =
    "{\"run_options\": {\"device\": \"cpu\", \"pass_type\": \"ExecutionPass.FORWARD\", \"warmup\": "
    "1, "
    "\"iteration\": 2, \"op_exec_mode\": \"OpExecutionMode.DISCRETE\", \"cuda_l2_cache\": true, "
    "\"time_unit\": \"millisecond\", \"out_stream\": \"<_io.TextIOWrapper name='x' mode='w'>\", "
    "\"resume_op_run_id\": null, \"pt2-model\": false, \"cmd_args\": {\"config\": \"c.json\", "
    "\"warmup\": 1}}, \"sys_info\": {\"hostname\": \"h\", \"pid\": 12, \"python_version\": "
    "\"3.11\", "
    "\"cuda_available\": false, \"pytorch_build_config\": \"a\\nb\"}, \"start_time\": "
    "\"2024-05-01T12:00:00\"}\n"
    "{\"op_name\": \"torch.add\", \"id\": \"0|0|0\", \"metric\": {\"forward\": {\"warmup.time\": "
    "[0.5], \"warmup.gpu.memory\": [0], \"measure.time\": [0.25, 0.125], \"measure.gpu.memory\": "
    "[0, "
    "0]}}, \"config\": {\"build\": [], \"input\": {\"args\": [{\"type\": \"int\", \"value\": "
    "1}]}}}\n"
    "{\"ncu_file\": \"n.log\", \"ncu_cmd_str\": \"ncu x\", \"config\": [{\"build\": null, "
    "\"input\": "
    "[{}]}], \"start_run_id\": \"0|0|0\", \"end_run_id\": \"0|0|3\"}\n"
    "{\"finish_time\": 12.5}\n"
    "{\"trace_file\": \"t.json\"}\n";

static void param_files(void)
{
    ob_record_reader *reader = open_text(PARAM_FILE, NULL);
    const ob_record *r = NULL;
    CHECK_INT(ob_record_reader_next(reader, &r, NULL), OB_OK);
    CHECK_INT(r->kind, OB_RECORD_HEADER_LINE);
    CHECK_STR(r->header.options.device, "cpu");
    CHECK_INT(r->header.options.iteration, 2);
    CHECK_INT(r->header.options.cuda_l2_cache, 1);
    CHECK_INT(r->header.options.pt2_model, 0);
    CHECK(r->header.options.resume_op_run_id == NULL);
    CHECK_STR(r->header.system.hostname, "h");
    CHECK_INT(r->header.pid, 12);
    CHECK_STR(ob_json_string(ob_json_get(r->header.options.cmd_args, "config"), NULL), "c.json");
    CHECK_STR(r->header.start_time, "2024-05-01T12:00:00");
    CHECK(r->header.config_hash == NULL);

    CHECK_INT(ob_record_reader_next(reader, &r, NULL), OB_OK);
    CHECK_INT(r->kind, OB_RECORD_RESULT_LINE);
    CHECK_INT(ob_record_reader_line(reader), 2);
    CHECK_STR(r->result.op_name, "torch.add");
    CHECK_STR(r->result.id, "0|0|0");
    CHECK_INT(r->result.status, OB_RECORD_NO_STATUS);
    CHECK_INT(r->result.forward.measure_time_ms.count, 2);
    CHECK_REAL(r->result.forward.measure_time_ms.items[1], 0.125);
    CHECK_INT(r->result.forward.time_ms.count, 2); /* the file has samples alone */
    CHECK_REAL(r->result.forward.time_ms.max, r->result.forward.measure_time_ms.items[0] > 0.125
                                                  ? r->result.forward.measure_time_ms.items[0]
                                                  : 0.125);
    CHECK_STR(r->result.forward.interval_over, "samples");
    CHECK_INT(r->result.backward.time_ms.count, 0);
    CHECK_REAL(r->result.forward.warmup_memory_mib.items[0], 0);
    CHECK(r->result.backward.measure_time_ms.items == NULL);
    CHECK_INT(ob_json_get_kind(r->result.build), OB_JSON_ARRAY);
    CHECK_INT(ob_json_count(ob_json_get(r->result.input, "args")), 1);
    CHECK_INT(r->result.threads, OB_NO_INT);
    CHECK(isnan(r->result.seconds));

    CHECK_INT(ob_record_reader_next(reader, &r, NULL), OB_OK);
    CHECK_INT(r->kind, OB_RECORD_BATCH_LINE);
    CHECK_INT(ob_json_count(r->batch.config), 1);
    CHECK_STR(r->batch.end_run_id, "0|0|3");
    CHECK(r->result.op_name == NULL); /* nothing is left of the line before */

    CHECK_INT(ob_record_reader_next(reader, &r, NULL), OB_OK);
    CHECK_INT(r->kind, OB_RECORD_FINISH_LINE);
    CHECK_STR(r->finish.finish_time, "12.5"); /* one of its drivers writes CPU seconds */
    CHECK_INT(ob_record_reader_next(reader, &r, NULL), OB_OK);
    CHECK_INT(r->kind, OB_RECORD_TRACE_LINE);
    CHECK_INT(ob_record_reader_next(reader, &r, NULL), OB_END);
    CHECK_INT(ob_record_reader_next(reader, &r, NULL), OB_END);
    uint64_t cut_at = 0;
    CHECK(!ob_record_reader_is_torn(reader, &cut_at));
    CHECK_INT(cut_at, sizeof PARAM_FILE - 1);
    ob_record_reader_close(reader);
}

static void a_plain_measurement(void)
{
    ob_record_reader *reader = open_text(
        "{\"number_per_run\": 7, \"raw_times\": [5e-06, 1, null], \"task_spec\": {\"stmt\": "
        "\"x\", \"label\": null, \"num_threads\": 1}, \"metadata\": {\"a\": 1}}\n",
        NULL);
    const ob_record *r = NULL;
    CHECK_INT(ob_record_reader_next(reader, &r, NULL), OB_OK);
    CHECK_INT(r->kind, OB_RECORD_RESULT_LINE);
    CHECK_INT(r->result.number_per_run, 7);
    CHECK_INT(r->result.raw_times_s.count, 3);
    CHECK_REAL(r->result.raw_times_s.items[0], 5e-06);
    CHECK(isnan(r->result.raw_times_s.items[2]));
    CHECK_STR(r->result.task.stmt, "x");
    CHECK(r->result.task.label == NULL);
    CHECK_INT(ob_json_int(ob_json_get(r->result.metadata, "a"), 0), 1);
    ob_record_reader_close(reader);
}

static void torn_last_lines(void)
{
    static const char *const WHOLE = "{\"op_name\": \"a\", \"id\": \"1\"}\n";
    static const struct {
        const char *tail;
        int records, whole_records; /* with and without a last line that lacks its newline */
        bool torn;
    } CASES[] = {
        {"", 1, 1, false},
        {"{\"op_name\": \"b\"}\n", 2, 2, false},
        {"{\"op_name\": \"b\"}", 2, 1, true}, /* complete but for the newline */
        {"{\"op_name\": \"b", 1, 1, true},
        {"{", 1, 1, true},
        {"   ", 1, 1, true},
        {"\n\n", 1, 1, false},
        {"garbage", 1, 1, true},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        for (int whole = 0; whole < 2; whole++) {
            char text[256];
            snprintf(text, sizeof text, "%s%s", WHOLE, CASES[i].tail);
            const ob_record_reader_params params = {.size = sizeof params,
                                                    .whole_lines_only = whole != 0};
            ob_record_reader *reader = open_text(text, &params);
            const ob_record *r = NULL;
            int records = 0;
            while (ob_record_reader_next(reader, &r, NULL) == OB_OK)
                records++;
            uint64_t cut_at = 0;
            CHECK_INT(records, whole ? CASES[i].whole_records : CASES[i].records);
            CHECK_INT(ob_record_reader_is_torn(reader, &cut_at), CASES[i].torn);
            CHECK_INT(cut_at, CASES[i].torn ? strlen(WHOLE) : strlen(text));
            ob_record_reader_close(reader);
        }
    }
}

static void damaged_lines_are_told_and_passed(void)
{
    static const struct {
        const char *line, *message;
        ob_status status;
    } CASES[] = {
        {"garbage", "", OB_ERR_SYNTAX},
        {"[1, 2]", "a record must be an object, not a list", OB_ERR_SYNTAX},
        {"{\"op_name\": \"b\"} x", "", OB_ERR_SYNTAX},
        {"{\"op_name\": \"b\"", "", OB_ERR_SYNTAX},
        {"{\"op_name\": [1]}", "op_name must be a string, not a list", OB_ERR_SYNTAX},
        {"{\"op_name\": true}", "op_name must be a string, not a boolean", OB_ERR_SYNTAX},
        {"{\"raw_times\": 5}", "raw_times must be a list of numbers, not a number", OB_ERR_SYNTAX},
        {"{\"raw_times\": [\"5\"]}", "raw_times must be a list of numbers, not a string",
         OB_ERR_SYNTAX},
        {"{\"raw_times\": [[5]]}", "raw_times must be a list of numbers, not a list",
         OB_ERR_SYNTAX},
        {"{\"raw_times\": [NaN]}", "", OB_ERR_SYNTAX},
        {"{\"threads\": 1.5}", "threads must be a whole number, not a number", OB_ERR_SYNTAX},
        {"{\"threads\": 99999999999999999999}", "threads must be a whole number", OB_ERR_SYNTAX},
        {"{\"process_peak\": -1}", "process_peak must be a whole number that is not negative",
         OB_ERR_SYNTAX},
        {"{\"seconds\": \"x\"}", "seconds must be a number, not a string", OB_ERR_SYNTAX},
        {"{\"sys_info\": {\"boost\": 1}}", "sys_info/boost must be true or false, not a number",
         OB_ERR_SYNTAX},
        {"{\"warnings\": [1]}", "warnings must be a list of strings, not a number", OB_ERR_SYNTAX},
        {"{\"warnings\": \"x\"}", "warnings must be a list of strings, not a string",
         OB_ERR_SYNTAX},
        {"{\"status\": \"splendid\"}", "status \"splendid\" is not known", OB_ERR_SYNTAX},
        {"{\"status\": 1}", "status must be a string", OB_ERR_SYNTAX},
        {"{\"metadata\": {\"a\": 1, \"a\": 2}}", "appears twice", OB_ERR_SYNTAX},
        {"{\"x\": \"\xFF\"}", "", OB_ERR_SYNTAX},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char text[256];
        ob_err err = {.message = ""};
        const ob_record *r = NULL;
        snprintf(text, sizeof text, "{\"op_name\": \"a\"}\n\n%s\n{\"op_name\": \"c\"}\n",
                 CASES[i].line);
        ob_record_reader *reader = open_text(text, NULL);
        CHECK_INT(ob_record_reader_next(reader, &r, &err), OB_OK);
        CHECK_INT(ob_record_reader_next(reader, &r, &err), CASES[i].status);
        CHECK(r == NULL);
        CHECK_STR(err.file, "r.json");
        CHECK_INT(err.line, 3);
        CHECK(err.column > 0);
        CHECK_HAS(err.message, CASES[i].message);
        CHECK_INT(ob_record_reader_next(reader, &r, &err), OB_OK);
        CHECK_STR(r->result.op_name, "c");
        CHECK_INT(ob_record_reader_next(reader, &r, &err), OB_END);
        ob_record_reader_close(reader);
    }
}

static void what_is_not_known_is_passed_over(void)
{
    ob_record_reader *reader = open_text(
        "{\"new\": {\"op_name\": \"wrong\", \"deep\": [[{\"x\": [1]}]]}, \"metric/forward\": "
        "{\"measure.time\": [9]}, \"metric\": {\"sideways\": [1], \"forward\": {\"measure.time\": "
        "[3.0], \"more\": {}}}, \"\": 1, \"op_name\": \"right\", \"threads\": 2.0, \"task_spec\": "
        "null, \"seconds\": null, \"config\": null}\r\n{\"nothing\": \"of ours\"}\n",
        NULL);
    const ob_record *r = NULL;
    CHECK_INT(ob_record_reader_next(reader, &r, NULL), OB_OK);
    CHECK_STR(r->result.op_name, "right");
    CHECK_INT(r->result.forward.measure_time_ms.count, 1);
    CHECK_REAL(r->result.forward.measure_time_ms.items[0], 3);
    CHECK_INT(r->result.threads, 2);
    CHECK_INT(ob_record_reader_next(reader, &r, NULL), OB_OK);
    CHECK_INT(r->kind, OB_RECORD_OTHER_LINE);
    ob_record_reader_close(reader);
}

static void limits(void)
{
    const ob_record_reader_params params = {.size = sizeof params, .max_line_bytes = 40};
    ob_record_reader *reader =
        open_text("{\"op_name\": \"a\"}\n{\"op_name\": \"0123456789012345678901234567890\"}\n"
                  "{\"op_name\": \"c\"}\n{\"op_name\": \"0123456789012345678901234567890123456789",
                  &params);
    const ob_record *r = NULL;
    ob_err err;
    CHECK_INT(ob_record_reader_next(reader, &r, &err), OB_OK);
    CHECK_INT(ob_record_reader_next(reader, &r, &err), OB_ERR_LIMIT);
    CHECK_INT(err.line, 2);
    CHECK_HAS(err.message, "skipped a line longer than 40 bytes");
    CHECK_INT(ob_record_reader_next(reader, &r, &err), OB_OK);
    CHECK_STR(r->result.op_name, "c");
    CHECK_INT(ob_record_reader_next(reader, &r, &err), OB_END);
    uint64_t cut_at = 0;
    CHECK(ob_record_reader_is_torn(reader, &cut_at));
    CHECK_INT(cut_at, 17 + 47 + 17);
    ob_record_reader_close(reader);

    /* Nested without end; a line longer than many pieces. */
    enum { DEEP = 100000, LONG = 3 << 20 };
    char *deep = malloc(DEEP + 64);
    memcpy(deep, "{\"metadata\": ", 13);
    memset(deep + 13, '[', DEEP);
    strcpy(deep + 13 + DEEP, "\n{\"op_name\": \"after\"}\n");
    reader = open_text(deep, NULL);
    CHECK_INT(ob_record_reader_next(reader, &r, &err), OB_ERR_LIMIT);
    CHECK_HAS(err.message, "nested deeper than");
    CHECK_INT(ob_record_reader_next(reader, &r, &err), OB_OK);
    CHECK_STR(r->result.op_name, "after");
    ob_record_reader_close(reader);
    free(deep);

    char *text = malloc(LONG + 64);
    strcpy(text, "{\"raw_times\": [0");
    size_t at = strlen(text), samples = 1;
    for (; at < LONG; at += 2, samples++)
        memcpy(text + at, ",1", 2);
    strcpy(text + at, "]}\n{\"op_name\": \"after\"}\n");
    reader = open_text(text, NULL);
    CHECK_INT(ob_record_reader_next(reader, &r, &err), OB_OK);
    CHECK_INT(r->result.raw_times_s.count, samples);
    CHECK_INT(ob_record_reader_next(reader, &r, &err), OB_OK);
    CHECK_STR(r->result.op_name, "after");
    ob_record_reader_close(reader);
    /* The same line with a limit that lies within it: found again behind it. */
    const ob_record_reader_params small = {.size = sizeof small, .max_line_bytes = 1 << 20};
    reader = open_text(text, &small);
    CHECK_INT(ob_record_reader_next(reader, &r, &err), OB_ERR_LIMIT);
    CHECK_INT(ob_record_reader_next(reader, &r, &err), OB_OK);
    CHECK_STR(r->result.op_name, "after");
    CHECK_INT(ob_record_reader_next(reader, &r, &err), OB_END);
    CHECK(!ob_record_reader_is_torn(reader, &cut_at));
    CHECK_INT(cut_at, strlen(text));
    ob_record_reader_close(reader);
    /* And behind a short line, with a torn one at its end: the place is counted right. */
    char *both = malloc(LONG + 128);
    snprintf(both, LONG + 128, "{}\n%s{\"torn", text);
    reader = open_text(both, &small);
    CHECK_INT(ob_record_reader_next(reader, &r, &err), OB_OK);
    CHECK_INT(ob_record_reader_next(reader, &r, &err), OB_ERR_LIMIT);
    CHECK_INT(ob_record_reader_next(reader, &r, &err), OB_OK);
    CHECK_INT(ob_record_reader_next(reader, &r, &err), OB_END);
    CHECK(ob_record_reader_is_torn(reader, &cut_at));
    CHECK_INT(cut_at, strlen(text) + 3);
    ob_record_reader_close(reader);
    free(both);
    free(text);
}

static void files(void)
{
    const temp_dir dir = temp_dir_make();
    char path[128];
    ob_record_reader *reader = NULL;
    const ob_record *r = NULL;
    ob_err err;
    CHECK_INT(ob_record_reader_open(temp_path(&dir, "none", path), NULL, &reader, &err), OB_ERR_IO);
    CHECK_HAS(err.message, "cannot be opened: No such file");
    CHECK(reader == NULL);
    CHECK_INT(ob_record_reader_open(dir.path, NULL, &reader, &err), OB_OK);
    CHECK_INT(ob_record_reader_next(reader, &r, &err), OB_ERR_IO);
    CHECK_HAS(err.message, "cannot be read: Is a directory");
    ob_record_reader_close(reader);
    write_file(temp_path(&dir, "some", path), PARAM_FILE);
    CHECK_INT(ob_record_reader_open(path, NULL, &reader, &err), OB_OK);
    CHECK_INT(ob_record_reader_next(reader, &r, &err), OB_OK);
    CHECK_INT(r->kind, OB_RECORD_HEADER_LINE);
    ob_record_reader_close(reader);
    ob_record_reader_close(NULL);
    write_file(path, "");
    CHECK_INT(ob_record_reader_open(path, NULL, &reader, &err), OB_OK);
    CHECK_INT(ob_record_reader_next(reader, &r, &err), OB_END);
    CHECK(!ob_record_reader_is_torn(reader, NULL));
    ob_record_reader_close(reader);
    temp_dir_remove(&dir);
}

/* Changed, dropped, doubled and cut bytes: whatever still is a record is written and read again. */
static void changed_bytes(void)
{
    enum { ROUNDS = 4000, SIZE = sizeof PARAM_FILE };
    static const char LIKELY[] = "{}[],:\"\\\n 0123456789.eE+-tfn\0\xFF\xC3";
    ob_rng rng;
    ob_text text = {0}, again = {0};
    size_t records = 0, errors = 0;
    ob_rng_init(&rng, 7, 0);
    for (int round = 0; round < ROUNDS; round++) {
        char bytes[SIZE];
        size_t size = SIZE - 1;
        memcpy(bytes, PARAM_FILE, SIZE);
        for (int64_t i = ob_rng_int(&rng, 1, 4); i > 0; i--) {
            const size_t at = (size_t)ob_rng_int(&rng, 0, (int64_t)size - 2);
            const int64_t what = ob_rng_int(&rng, 0, 9);
            if (what == 0)
                size = at + 1;
            else if (what == 1)
                memmove(bytes + at, bytes + at + 1, --size - at);
            else
                bytes[at] = LIKELY[ob_rng_int(&rng, 0, (int64_t)sizeof LIKELY - 2)];
            if (size < 3)
                break;
        }
        ob_record_reader *reader = NULL;
        CHECK_INT(ob_record_reader_open_memory("m", bytes, size, NULL, &reader, NULL), OB_OK);
        for (;;) {
            const ob_record *r = NULL, *back = NULL;
            ob_record_reader *second = NULL;
            ob_err err;
            const ob_status status = ob_record_reader_next(reader, &r, &err);
            if (status == OB_END)
                break;
            errors += status != OB_OK;
            if (status != OB_OK || r->kind == OB_RECORD_OTHER_LINE)
                continue;
            records++;
            text.size = again.size = 0;
            CHECK_INT(ob_record_print(r, &text, NULL), OB_OK);
            CHECK_INT(ob_record_reader_open_memory("m2", text.data, text.size, NULL, &second, NULL),
                      OB_OK);
            CHECK_INT(ob_record_reader_next(second, &back, NULL), OB_OK);
            if (back != NULL)
                CHECK_INT(ob_record_print(back, &again, NULL), OB_OK);
            CHECK_INT(again.size, text.size);
            CHECK(again.size == text.size && memcmp(again.data, text.data, text.size) == 0);
            ob_record_reader_close(second);
        }
        ob_record_reader_close(reader);
    }
    CHECK(records > ROUNDS && errors > ROUNDS / 2); /* both ways were taken */
    ob_text_fini(&text);
    ob_text_fini(&again);
}

int main(void)
{
    RUN(param_files);
    RUN(a_plain_measurement);
    RUN(torn_last_lines);
    RUN(damaged_lines_are_told_and_passed);
    RUN(what_is_not_known_is_passed_over);
    RUN(limits);
    RUN(files);
    RUN(changed_bytes);
    return ob_test_end();
}
