/* SPDX-License-Identifier: Apache-2.0
 *
 * Records as lines: exact texts, and every row there and back.
 */
#include "base/text_append.h"
#include "check.h"
#include "opbench/record.h"

#include <math.h>
#include <stdlib.h>

/* The record's line, NUL-terminated, in a buffer that lives until the next call. */
static const char *line_of(const ob_record *record)
{
    static ob_text text;
    text.size = 0;
    ob_err err = {.message = ""};
    CHECK_INT(ob_record_print(record, &text, &err), OB_OK);
    CHECK_STR(err.message, "");
    CHECK(ob_text_append(&text, "", 1));
    return text.data;
}

static ob_json_doc *parse(const char *text)
{
    ob_json_doc *doc = NULL;
    CHECK_INT(ob_json_parse("test", text, strlen(text), NULL, &doc, NULL), OB_OK);
    return doc;
}

static void what_param_would_write(void)
{
    const double warmup[] = {0.123456}, measure[] = {0.1, 0.0625}, memory[] = {0, 0};
    ob_json_doc *build = parse("{\"args\": [{\"type\": \"int\", \"value\": 3}], \"kwargs\": {}}");
    ob_json_doc *input = parse("{\"args\": [{\"type\": \"float\", \"value\": 0.10}]}");
    ob_record r;
    ob_record_init(&r, OB_RECORD_RESULT_LINE);
    r.result.op_name = "torch.add";
    r.result.id = "0|0|0";
    CHECK_STR(line_of(&r), "{\"op_name\": \"torch.add\", \"id\": \"0|0|0\", \"metric\": {}, "
                           "\"config\": {\"build\": null, \"input\": null}}\n");
    r.result.build = ob_json_doc_root(build);
    r.result.input = ob_json_doc_root(input);
    r.result.forward.warmup_time_ms = (ob_reals){warmup, 1};
    r.result.forward.warmup_memory_mib = ob_reals_empty();
    r.result.forward.measure_time_ms = (ob_reals){measure, 2};
    r.result.forward.measure_memory_mib = (ob_reals){memory, 2};
    CHECK_STR(line_of(&r),
              "{\"op_name\": \"torch.add\", \"id\": \"0|0|0\", \"metric\": {\"forward\": "
              "{\"warmup.time\": [0.123456], \"warmup.gpu.memory\": [], \"measure.time\": [0.1, "
              "0.0625], \"measure.gpu.memory\": [0.0, 0.0]}}, \"config\": {\"build\": {\"args\": "
              "[{\"type\": \"int\", \"value\": 3}], \"kwargs\": {}}, \"input\": {\"args\": "
              "[{\"type\": \"float\", \"value\": 0.10}]}}}\n");
    r.result.backward.measure_time_ms = (ob_reals){warmup, 1};
    CHECK_HAS(line_of(&r), "0.0]}, \"backward\": {\"measure.time\": [0.123456]}}, \"config\"");
    ob_json_doc_destroy(build);
    ob_json_doc_destroy(input);
}

static void our_fields(void)
{
    const double raw[] = {1e-05, 2.5e-05}, times[] = {1.0};
    ob_record r;
    ob_record_init(&r, OB_RECORD_RESULT_LINE);
    r.result.key = "00ff";
    r.result.status = OB_RECORD_TIMED_OUT;
    r.result.reason = "took \"long\"\n";
    r.result.number_per_run = 10;
    r.result.raw_times_s = (ob_reals){raw, 2};
    r.result.task = (ob_task_spec){.stmt = "x", .label = "l", .num_threads = 1};
    CHECK_STR(
        line_of(&r),
        "{\"op_name\": null, \"id\": null, \"metric\": {}, \"config\": {\"build\": null, "
        "\"input\": null}, \"key\": \"00ff\", \"status\": \"timed_out\", \"reason\": \"took "
        "\\\"long\\\"\\n\", \"number_per_run\": 10, \"raw_times\": [1e-05, 2.5e-05], "
        "\"task_spec\": {\"stmt\": \"x\", \"setup\": null, \"global_setup\": null, \"label\": "
        "\"l\", \"sub_label\": null, \"description\": null, \"env\": null, \"num_threads\": "
        "1}}\n");
    /* Statistics of one sample: what is not known is not there. */
    double scratch[1];
    ob_record_init(&r, OB_RECORD_RESULT_LINE);
    CHECK_INT(ob_stats_compute(times, 1, scratch, &r.result.forward.time_ms, NULL), OB_OK);
    CHECK_INT(ob_interval_from_samples(times, 1, 0, &r.result.forward.interval_ms, NULL), OB_OK);
    r.result.forward.gflops_per_s = 2;
    r.result.threads = 1;
    CHECK_HAS(line_of(&r),
              "\"statistics\": {\"forward\": {\"count\": 1, \"mean\": 1.0, \"median\": 1.0, "
              "\"min\": 1.0, \"max\": 1.0, \"p25\": 1.0, \"p75\": 1.0, \"iqr\": 0.0, \"p90\": 1.0, "
              "\"p99\": 1.0, \"interval\": {\"independent\": 1}, "
              "\"gflops_per_s\": 2.0}}, \"threads\": 1}\n");
}

static void other_lines(void)
{
    ob_record r;
    ob_record_init(&r, OB_RECORD_FINISH_LINE);
    r.finish.finish_time = "2024-05-01T12:00:00";
    CHECK_STR(line_of(&r), "{\"finish_time\": \"2024-05-01T12:00:00\"}\n");
    r.finish.cases[OB_RECORD_OK] = 7;
    r.finish.cases[OB_RECORD_CRASHED] = 1;
    r.finish.seconds = 0.5;
    CHECK_STR(line_of(&r), "{\"finish_time\": \"2024-05-01T12:00:00\", \"seconds\": 0.5, "
                           "\"results\": {\"ok\": 7, \"crashed\": 1}}\n");
    ob_record_init(&r, OB_RECORD_TRACE_LINE);
    r.trace_file = "t.json";
    CHECK_STR(line_of(&r), "{\"trace_file\": \"t.json\"}\n");
    ob_record_init(&r, OB_RECORD_BATCH_LINE);
    r.batch.ncu_file = "a.log";
    r.batch.start_run_id = "0|0|0";
    CHECK_STR(line_of(&r), "{\"ncu_file\": \"a.log\", \"start_run_id\": \"0|0|0\"}\n");
    ob_record_init(&r, OB_RECORD_HEADER_LINE);
    r.header.start_time = "2024-05-01T12:00:00";
    CHECK_STR(line_of(&r), "{\"start_time\": \"2024-05-01T12:00:00\"}\n");
    r.header.options.device = "cpu";
    r.header.options.run_ncu = 0;
    r.header.system.boost = 1;
    strcpy(r.header.system.cpu_model, "X");
    const char *line = line_of(&r);
    /* Every key of PARAM's options is there, as null if need be, in its order. */
    CHECK_HAS(line,
              "{\"run_options\": {\"device\": \"cpu\", \"pass_type\": null, \"warmup\": null, "
              "\"iteration\": null, \"op_exec_mode\": null, \"cuda_l2_cache\": null, "
              "\"time_unit\": null, \"out_file_prefix\": null, \"out_stream\": null, "
              "\"run_ncu\": false, \"ncu_bin\": null, \"ncu_args\": null, \"ncu_warmup\": "
              "null, \"ncu_iteration\": null, \"run_nsys\": null, \"nsys_bin\": null, "
              "\"nsys_args\": null, \"nsys_warmup\": null, \"nsys_iteration\": null, "
              "\"run_batch_size\": null, \"batch_cuda_device\": null, \"batch_cmd\": null, "
              "\"resume_op_run_id\": null, \"stop_op_run_id\": null, \"pt2-model\": null, "
              "\"cuda-graph\": null, \"cmd_args\": null}, \"sys_info\": {\"cpu_model\": "
              "\"X\", \"boost\": true}, \"start_time\"");
}

static void numbers_that_are_none(void)
{
    const double times[] = {1.5, NAN, INFINITY}, memory[] = {-INFINITY};
    const char *const warnings[] = {"careful"};
    ob_record r;
    ob_record_init(&r, OB_RECORD_RESULT_LINE);
    r.result.forward.measure_time_ms = (ob_reals){times, 3};
    r.result.forward.measure_memory_mib = (ob_reals){memory, 1};
    r.result.seconds = INFINITY;
    r.result.noise_foreign = NAN; /* not known: absent, no note */
    const char *line = line_of(&r);
    CHECK_HAS(line, "\"measure.time\": [1.5, null, null], \"measure.gpu.memory\": [null]}");
    CHECK_HAS(line,
              "\"seconds\": null, \"warnings\": [\"metric/forward/measure.time: 2 numbers are "
              "not finite and written as null\", \"metric/forward/measure.gpu.memory: 1 number "
              "is not finite and written as null\", \"seconds: 1 number is not finite and "
              "written as null\"]}\n");
    r.result.warnings = (ob_strings){warnings, 1};
    CHECK_HAS(line_of(&r), "\"warnings\": [\"careful\", \"metric/forward/measure.time: 2 numbers");
}

static void texts_that_are_no_utf8(void)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *want;
    } CASES[] = {
        {"plain \xC3\xA9", 8, "\"plain \xC3\xA9\""},
        {"a\xFF\xFE"
         "b",
         4,
         "\"a\xEF\xBF\xBD\xEF\xBF\xBD"
         "b\""},
        {"\xC3", 1, "\"\xEF\xBF\xBD\""},                                 /* cut */
        {"\xC0\x80", 2, "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},                 /* overlong */
        {"\xED\xA0\x80", 3, "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""}, /* surrogate */
        {"\xF0\x9F\x98\x80", 4, "\"\xF0\x9F\x98\x80\""},
        {"\xF4\x90\x80\x80", 4, "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
        /* The first and last code points of each length, and around the surrogates. */
        {"\xC2\x80\xDF\xBF", 4, "\"\\u0080\xDF\xBF\""}, /* a control, too */
        {"\xE0\xA0\x80\xED\x9F\xBF", 6, "\"\xE0\xA0\x80\xED\x9F\xBF\""},
        {"\xEE\x80\x80\xEF\xBF\xBF", 6, "\"\xEE\x80\x80\xEF\xBF\xBF\""},
        {"\xF0\x90\x80\x80\xF4\x8F\xBF\xBF", 8, "\"\xF0\x90\x80\x80\xF4\x8F\xBF\xBF\""},
        {"\xE0\x9F\xBF", 3, "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
        {"x\0y\x1b[0m", 7, "\"x\\u0000y\\u001b[0m\""},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        ob_record r;
        char want[128];
        ob_record_init(&r, OB_RECORD_RESULT_LINE);
        r.result.output = (ob_bytes){.data = CASES[i].bytes, .size = CASES[i].size};
        snprintf(want, sizeof want, "\"output\": %s}\n", CASES[i].want);
        CHECK_HAS(line_of(&r), want);
    }
}

static void what_cannot_be_written(void)
{
    ob_record r;
    ob_text text = {0};
    ob_err err;
    ob_json_doc *doc = NULL;
    ob_record_init(&r, OB_RECORD_OTHER_LINE);
    CHECK(ob_text_append_str(&text, "kept"));
    CHECK_INT(ob_record_print(&r, &text, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "kind 6 cannot be written");
    ob_record_init(&r, OB_RECORD_RESULT_LINE);
    r.result.status = (ob_record_status)99;
    CHECK_INT(ob_record_print(&r, &text, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "status: there is no status with the number 99");
    CHECK_INT(ob_json_doc_create(&doc, NULL), OB_OK);
    ob_record_init(&r, OB_RECORD_RESULT_LINE);
    r.result.metadata = ob_json_new_real(doc, NAN);
    CHECK_INT(ob_record_print(&r, &text, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "metadata: the JSON holds a number that is not finite");
    ob_json *deep = ob_json_new_null(doc);
    for (int i = 0; i < 100000; i++) {
        ob_json *outer = ob_json_new_array(doc);
        CHECK_INT(ob_json_append(doc, outer, deep, NULL), OB_OK);
        deep = outer;
    }
    r.result.metadata = deep;
    CHECK_INT(ob_record_print(&r, &text, &err), OB_ERR_INVALID);
    CHECK_INT(text.size, 4); /* nothing was added */
    ob_text_fini(&text);
    ob_json_doc_destroy(doc);
}

/* Gives every row of the kind a value of its own. */
static void fill_rows(ob_record *r, const ob_json *json)
{
    static const double REALS[] = {0.1,  1e-300, 12345.678901234567,
                                   -0.0, 5e-324, 1.7976931348623157e308};
    static const char *const STRINGS[] = {"one", "", "tw\xC3\xB6 | \"3\""};
    size_t count;
    const ob_field *fields = ob_record_fields(&count);
    for (size_t i = 0; i < count; i++) {
        void *member = (char *)r + fields[i].offset;
        if (fields[i].kind != r->kind)
            continue;
        switch (fields[i].type) {
        case OB_FIELD_STR:
            /* A command is read only if it is one. */
            *(const char **)member =
                strcmp(fields[i].path, "repro") == 0 ? "opbench run -c 'a b'" : fields[i].help;
            break;
        case OB_FIELD_CHARS:
            snprintf(member, fields[i].size, "%s", fields[i].path);
            break;
        case OB_FIELD_BYTES:
            *(ob_bytes *)member = (ob_bytes){.data = "a\0b\n", .size = 4};
            break;
        case OB_FIELD_INT:
            *(int64_t *)member = i % 2 ? INT64_MAX - (int64_t)i : (int64_t)i - 100;
            break;
        case OB_FIELD_COUNT:
            *(uint64_t *)member = i + 1;
            break;
        case OB_FIELD_REAL:
            *(double *)member = 1.0 / (double)(i + 3);
            break;
        case OB_FIELD_FLAG:
            *(int8_t *)member = i % 2;
            break;
        case OB_FIELD_STATUS:
            *(ob_record_status *)member = OB_RECORD_OUT_OF_MEMORY;
            break;
        case OB_FIELD_REALS:
            *(ob_reals *)member = (ob_reals){REALS, i % 7};
            break;
        case OB_FIELD_STRINGS:
            *(ob_strings *)member = (ob_strings){STRINGS, 3};
            break;
        case OB_FIELD_JSON:
            *(const ob_json **)member = json;
            break;
        case OB_FIELD_OBJECT:
            break;
        }
    }
}

static void every_row_there_and_back(void)
{
    ob_json_doc *doc =
        parse("[{\"a/b\": 1e400, \"c\": [true, null, {}, []]}, \"\\u0000\", -7, 1.50]");
    for (int kind = 0; kind < OB_RECORD_KIND_COUNT; kind++) {
        ob_record r;
        ob_record_reader *reader = NULL;
        const ob_record *back = NULL;
        ob_err err = {.message = ""};
        size_t count;
        const ob_field *fields = ob_record_fields(&count);
        ob_record_init(&r, (ob_record_kind)kind);
        fill_rows(&r, ob_json_doc_root(doc));
        char *first = strdup(line_of(&r));
        CHECK_INT(ob_record_reader_open_memory("t", first, strlen(first), NULL, &reader, NULL),
                  OB_OK);
        CHECK_INT(ob_record_reader_next(reader, &back, &err), OB_OK);
        CHECK_STR(err.message, "");
        if (back == NULL)
            break;
        CHECK_STR(ob_record_kind_word(back->kind), ob_record_kind_word((ob_record_kind)kind));
        CHECK_STR(line_of(back), first);
        for (size_t i = 0; i < count; i++) {
            if (fields[i].kind != r.kind)
                continue;
            if (!ob_record_has(back, &fields[i]))
                OB_TEST_FAIL("%s is lost", fields[i].path);
            const void *was = ob_record_member(&r, &fields[i]);
            const void *is = ob_record_member(back, &fields[i]);
            if (fields[i].type == OB_FIELD_REAL || fields[i].type == OB_FIELD_INT ||
                fields[i].type == OB_FIELD_COUNT || fields[i].type == OB_FIELD_FLAG)
                CHECK(memcmp(was, is, fields[i].size) == 0);
            if (fields[i].type == OB_FIELD_REALS) {
                const ob_reals *a = was, *b = is;
                CHECK_INT(b->count, a->count);
                CHECK(memcmp(a->items, b->items, a->count * sizeof *a->items) == 0);
            }
        }
        CHECK_INT(ob_record_reader_next(reader, &back, &err), OB_END);
        ob_record_reader_close(reader);
        free(first);
    }
    ob_json_doc_destroy(doc);
}

/* The rules of fields.def. */
static void rows_keep_the_rules(void)
{
    size_t count;
    const ob_field *fields = ob_record_fields(&count);
    bool warnings_seen = false;
    for (size_t i = 0; i < count; i++) {
        const ob_field *f = &fields[i];
        CHECK(f->help[0] != '\0' && strlen(f->path) < 100);
        CHECK(ob_record_find_field(f->kind, f->path) == f); /* no path twice in a kind */
        for (size_t j = 0; j < i; j++)
            if (strcmp(f->path, fields[j].path) == 0)
                CHECK_INT(f->type, fields[j].type);
        /* Numbers that may need a note come before the notes. */
        if (f->kind == OB_RECORD_RESULT_LINE && strcmp(f->path, "warnings") == 0)
            warnings_seen = true;
        if (warnings_seen && f->kind == OB_RECORD_RESULT_LINE)
            CHECK(f->type != OB_FIELD_REAL && f->type != OB_FIELD_REALS);
    }
    CHECK(warnings_seen);
    CHECK(count < 512);
    CHECK(ob_record_find_field(OB_RECORD_RESULT_LINE, "nothing") == NULL);
    CHECK(ob_record_find_field(OB_RECORD_FINISH_LINE, "op_name") == NULL);
}

static void values_by_path(void)
{
    ob_record r;
    ob_record_init(&r, OB_RECORD_RESULT_LINE);
    CHECK(isnan(ob_record_number(&r, "statistics/forward/median")));
    CHECK(ob_record_word(&r, "reason") == NULL && ob_record_word(&r, "status") == NULL);
    r.result.forward.time_ms.median = 1.5;
    r.result.forward.time_ms.count = 7;
    r.result.threads = -2;
    r.result.status = OB_RECORD_TIMED_OUT;
    r.result.reason = "late";
    CHECK_REAL(ob_record_number(&r, "statistics/forward/median"), 1.5);
    CHECK_REAL(ob_record_number(&r, "statistics/forward/count"), 7);
    CHECK_REAL(ob_record_number(&r, "threads"), -2);
    CHECK_STR(ob_record_word(&r, "status"), "timed_out");
    CHECK_STR(ob_record_word(&r, "reason"), "late");
    /* No such field, one of another kind of line, and one that is no number, or no text. */
    CHECK(isnan(ob_record_number(&r, "nowhere")) && ob_record_word(&r, "nowhere") == NULL);
    CHECK(ob_record_word(&r, "finish_time") == NULL);
    CHECK(isnan(ob_record_number(&r, "reason")) && isnan(ob_record_number(&r, "raw_times")));
    CHECK(ob_record_word(&r, "threads") == NULL && ob_record_word(&r, "raw_times") == NULL);
    ob_record_init(&r, OB_RECORD_HEADER_LINE);
    r.header.cuda_available = 1;
    r.header.opbench_version = "1.2";
    snprintf(r.header.system.hostname, sizeof r.header.system.hostname, "here");
    CHECK_REAL(ob_record_number(&r, "sys_info/cuda_available"), 1);
    CHECK_STR(ob_record_word(&r, "sys_info/opbench_version"), "1.2");
    CHECK_STR(ob_record_word(&r, "sys_info/hostname"), "here");
}

static void words(void)
{
    ob_record_status status = OB_RECORD_NO_STATUS;
    for (int i = OB_RECORD_NO_STATUS + 1; i < OB_RECORD_STATUS_COUNT; i++) {
        const ob_record_status_info *info = ob_record_status_get_info((ob_record_status)i);
        CHECK(ob_record_status_from_word(info->word, &status));
        CHECK_INT(status, i);
        CHECK(!(info->ran && info->failed));
    }
    CHECK(!ob_record_status_from_word("", &status));
    CHECK(!ob_record_status_from_word("okay", &status));
    CHECK(ob_record_status_get_info(OB_RECORD_OK)->ran);
    CHECK(ob_record_status_get_info(OB_RECORD_CRASHED)->failed);
    CHECK(!ob_record_status_get_info(OB_RECORD_SKIPPED)->failed);
    CHECK(!ob_record_status_get_info(OB_RECORD_INTERRUPTED)->settled);
    CHECK(ob_record_status_get_info((ob_record_status)-1) == NULL);
    CHECK_STR(ob_record_kind_word(OB_RECORD_HEADER_LINE), "header");
    CHECK_STR(ob_record_kind_word(OB_RECORD_OTHER_LINE), "other");
    CHECK_STR(ob_unit_text(OB_UNIT_GFLOPS), "GFLOP/s");
    char text[32];
    setenv("TZ", "UTC", 1);
    CHECK_STR(ob_record_format_time(1714564800, text), "2024-05-01T12:00:00");
}

int main(void)
{
    RUN(what_param_would_write);
    RUN(our_fields);
    RUN(other_lines);
    RUN(numbers_that_are_none);
    RUN(texts_that_are_no_utf8);
    RUN(what_cannot_be_written);
    RUN(every_row_there_and_back);
    RUN(rows_keep_the_rules);
    RUN(values_by_path);
    RUN(words);
    return ob_test_end();
}
