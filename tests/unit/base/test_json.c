/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON reading, building and writing. Each text is read from memory and through a stream that gives one
 * byte, three bytes or everything at a time: results and errors must be the same.
 */
#include "check.h"

#include "base/json_node.h"
#include "base/json_read.h"
#include "base/number.h"

#include <stdlib.h>
#include <unistd.h>

typedef struct dribble {
    const char *text;
    size_t size, at, step;
} dribble;

static ob_status fill(void *ctx, char *buffer, size_t size, size_t *got, ob_err *err)
{
    (void)err;
    dribble *d = ctx;
    size_t count = d->size - d->at;
    count = count < d->step ? count : d->step;
    count = count < size ? count : size;
    memcpy(buffer, d->text + d->at, count);
    d->at += count;
    *got = count;
    return OB_OK;
}

/* All events as one text: "kind@line:column(text)". */
static void trace(const ob_json_source *source, const ob_json_limits *limits, ob_text *out)
{
    ob_json_reader *reader;
    ob_err err;
    out->size = 0;
    CHECK_INT(ob__json_reader_create(source, limits, &reader, &err), OB_OK);
    for (;;) {
        ob_json_event event;
        const ob_status status = ob__json_reader_next(reader, &event, &err);
        if (status != OB_OK) {
            ob_text_printf(out, "error %d@%u:%u %s", status, err.line, err.column, err.message);
            break;
        }
        ob_text_printf(out, "%d@%u:%u", event.kind, event.line, event.column);
        if (event.kind == OB_JSON_EVENT_INT)
            ob_text_printf(out, "(%" PRId64 ")", event.integer);
        else if (event.kind <= OB_JSON_EVENT_KEY)
            ob_text_printf(out, "(%.*s)", (int)event.length, event.text);
        ob_text_append(out, " ", 1);
        if (event.kind == OB_JSON_EVENT_END)
            break;
    }
    ob_text_append(out, "", 1);
    ob__json_reader_destroy(reader);
}

/* Reads text in four ways; the trace of the first is left in *out. */
static void trace_all_ways(const char *text, size_t size, const ob_json_limits *limits,
                           ob_text *out)
{
    static const size_t STEPS[] = {1, 3, 1 << 20};
    const ob_json_source memory = {.name = "t", .data = text, .size = size};
    trace(&memory, limits, out);
    for (size_t i = 0; i < 3; i++) {
        dribble d = {.text = text, .size = size, .step = STEPS[i]};
        const ob_json_source stream = {.name = "t", .fill = fill, .ctx = &d};
        ob_text other = {0};
        trace(&stream, limits, &other);
        CHECK_STR(other.data, out->data);
        ob_text_fini(&other);
    }
}

static void events_carry_their_places(void)
{
    ob_text out = {0};
    const char text[] = "{\n \"a\": [1, -2.5e3,\n\ttrue], \"b\\n\": null}\n";
    trace_all_ways(text, strlen(text), NULL, &out);
    CHECK_STR(out.data, "8@1:1 5@2:2(a) 6@2:7 2@2:8(1) 3@2:11(-2.5e3) 1@3:2() 7@3:6 "
                        "5@3:9(b\n) 0@3:16() 9@3:20 10@4:1 ");
    ob_text_fini(&out);
}

static void columns_count_characters(void)
{
    ob_text out = {0};
    const char text[] = "[\"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\", 1]";
    trace_all_ways(text, strlen(text), NULL, &out);
    CHECK_HAS(out.data, "2@1:9(1)");
    const char marked[] = "\xEF\xBB\xBF[1]";
    trace_all_ways(marked, strlen(marked), NULL, &out);
    CHECK_STR(out.data, "6@1:1 2@1:2(1) 7@1:3 10@1:4 ");
    ob_text_fini(&out);
}

static void escapes_are_decoded(void)
{
    ob_text out = {0};
    const char text[] = "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\u20AC\\ud83d\\ude00\"]";
    trace_all_ways(text, strlen(text), NULL, &out);
    CHECK_HAS(out.data, "(\"\\/\b\f\n\r\t\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80)");
    ob_text_fini(&out);
}

typedef struct bad {
    const char *text;
    const char *place; /* line:column */
    const char *says;
} bad;

static void bad_texts_are_refused(void)
{
    static const bad TEXTS[] = {
        {"", "1:1", "the text is empty"},
        {"  \n ", "2:2", "the text is empty"},
        {"{", "1:2", "ends inside the object that begins in line 1"},
        {"{\"a\": [1,\n2", "2:2", "ends inside the array that begins in line 1"},
        {"[1 2]", "1:4", "expected ',' or ']', found a number"},
        {"{\"a\" 1}", "1:6", "expected ':' after the key, found a number"},
        {"{\"a\": 1 \"b\": 2}", "1:9", "expected ',' or '}', found a string"},
        {"{a: 1}", "1:2", "'a' has no quotes; keys are in double quotes"},
        {"{1: 2}", "1:2", "expected a key in double quotes or '}', found a number"},
        {"[,1]", "1:2", "expected a value or ']', found ','"},
        {"[1,,2]", "1:4", "expected a value after the comma, found ','"},
        {"{,}", "1:2", "expected a key"},
        {"{\"a\":}", "1:6", "expected a value, found '}'"},
        {"[1]]", "1:4", "expected nothing more after the end"},
        {"[1}", "1:3", "expected ',' or ']', found '}'"},
        {"NaN", "1:1", "'NaN' is not JSON; write a number"},
        {"[True]", "1:2", "'True' is not JSON; write true"},
        {"[None]", "1:2", "'None' is not JSON; write null"},
        {"[Infinity]", "1:2", "'Infinity' is not JSON"},
        {"[-Infinity]", "1:2", "-Infinity is not JSON"},
        {"[01]", "1:2", "'01' is not a JSON number"},
        {"[1.]", "1:2", "is not a JSON number"},
        {"[.5]", "1:2", "write 0 before the point"},
        {"[1e]", "1:2", "is not a JSON number"},
        {"[-]", "1:2", "is not a JSON number"},
        {"[+1]", "1:2", "without the plus sign"},
        {"[1a]", "1:2", "is not a JSON number"},
        {"[truex]", "1:2", "'truex' is not JSON"},
        {"[\"abc", "1:2", "this string is not closed"},
        {"[\"abc\\", "1:2", "this string is not closed"},
        {"[\"a\nb\"]", "1:4", "control character 0x0A in a string"},
        {"[\"\\x\"]", "1:3", "bad escape '\\x'"},
        {"[\"\\u12g4\"]", "1:3", "bad \\u escape"},
        {"[\"\\ud800\"]", "1:3", "bad \\u escape"},
        {"[\"\\ude00\"]", "1:3", "bad \\u escape"},
        {"[\"a\xFF\"]", "1:4", "byte 0xFF in a string is not valid UTF-8"},
        {"[\"\xC0\x80\"]", "1:3", "byte 0xC0"},
        {"[\"\xED\xA0\x80\"]", "1:3", "byte 0xED"},
        {"[\"\xF4\x90\x80\x80\"]", "1:3", "byte 0xF4"},
        {"[\"\xE2\x82\"]", "1:3", "byte 0xE2"},
        {"{'a': 1}", "1:2", "strings are in double quotes"},
        {"// x\n1", "1:1", "JSON has no comments"},
        {"[1, # x\n2]", "1:5", "JSON has no comments"},
        {"\x1F\x8B\x08", "1:1", "this is gzip data"},
        {"\x7F"
         "ELF",
         "1:1", "unexpected byte 0x7F"},
        {"{\"a\\u0000b\": 1}", "1:2", "a key holds the character \\u0000"},
    };
    ob_text out = {0};
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        char place[32];
        trace_all_ways(TEXTS[i].text, strlen(TEXTS[i].text), NULL, &out);
        snprintf(place, sizeof place, "@%s ", TEXTS[i].place);
        CHECK_HAS(out.data, "error ");
        CHECK_HAS(strstr(out.data, "error ") ? strstr(out.data, "error ") : "", place);
        CHECK_HAS(out.data, TEXTS[i].says);
    }
    ob_text_fini(&out);
}

static void limits_are_kept(void)
{
    ob_text out = {0};
    const ob_json_limits limits = {.size = sizeof limits, .max_depth = 3, .max_string_bytes = 8};
    trace_all_ways("[[[1]]]", 7, &limits, &out);
    CHECK(strstr(out.data, "error") == NULL);
    trace_all_ways("[[[[1]]]]", 9, &limits, &out);
    CHECK_HAS(out.data, "@1:4 nested deeper than 3 levels");
    trace_all_ways("[\"12345678\"]", 12, &limits, &out);
    CHECK(strstr(out.data, "error") == NULL);
    trace_all_ways("[\"1234567890123\"]", 17, &limits, &out);
    CHECK_HAS(out.data, "longer than 8 bytes");
    char *many = malloc(5000);
    memset(many, '1', 5000);
    trace_all_ways(many, 5000, NULL, &out);
    CHECK_HAS(out.data, "longer than 1024 characters");
    free(many);
    ob_text_fini(&out);
}

static void deep_nesting_does_not_recurse(void)
{
    const size_t depth = 100000;
    char *text = malloc(depth);
    ob_json_doc *doc;
    ob_err err;
    memset(text, '[', depth);
    CHECK_INT(ob_json_parse("deep", text, depth, NULL, &doc, &err), OB_ERR_LIMIT);
    CHECK_INT(err.column, 257);
    free(text);
}

static void memory_has_a_limit(void)
{
    ob_json_doc *doc;
    ob_err err;
    const ob_json_limits limits = {.size = sizeof limits, .max_memory_bytes = 100000};
    ob_text text = {0};
    ob_text_append_str(&text, "[0");
    for (int i = 0; i < 100000; i++)
        ob_text_append_str(&text, ",1");
    ob_text_append_str(&text, "]");
    CHECK_INT(ob_json_parse("wide", text.data, text.size, &limits, &doc, &err), OB_ERR_LIMIT);
    CHECK_HAS(err.message, "more memory than the limit");
    CHECK_INT(ob_json_parse("wide", text.data, text.size, NULL, &doc, &err), OB_OK);
    CHECK_INT(ob_json_count(ob_json_doc_root(doc)), 100001);
    ob_json_doc_destroy(doc);
    ob_text_fini(&text);
}

static void duplicate_keys_are_refused(void)
{
    ob_json_doc *doc;
    ob_err err;
    const char text[] = "{\"x\": [{\"a\": 1,\n\"b\": 2, \"a\": 3}]}";
    CHECK_INT(ob_json_parse("f.json", text, strlen(text), NULL, &doc, &err), OB_ERR_SYNTAX);
    char shown[512];
    CHECK_STR(ob_err_format(&err, "error", shown, sizeof shown),
              "f.json:2:9: error: .x[0]: the key \"a\" appears twice in this object, first in line "
              "1; rename or remove one");
    ob_text many = {0};
    ob_text_append_str(&many, "{");
    for (int i = 0; i < 1000; i++)
        ob_text_printf(&many, "\"k%d\": %d,\n", i, i);
    ob_text_append_str(&many, "\"k500\": 0}");
    CHECK_INT(ob_json_parse("f.json", many.data, many.size, NULL, &doc, &err), OB_ERR_SYNTAX);
    CHECK_INT(err.line, 1001);
    CHECK_HAS(err.message, "first in line 501");
    ob_text_fini(&many);
}

static void trailing_commas_are_read_over(void)
{
    ob_json_doc *doc;
    ob_err err;
    uint32_t line, column;
    const char text[] = "{\"a\": [1, 2,\n ],\n}";
    CHECK_INT(ob_json_parse("f", text, strlen(text), NULL, &doc, &err), OB_OK);
    CHECK_INT(ob_json_doc_trailing_commas(doc, &line, &column), 2);
    CHECK_INT(line, 1);
    CHECK_INT(column, 12);
    CHECK_INT(ob_json_count(ob_json_get(ob_json_doc_root(doc), "a")), 2);
    ob_json_doc_destroy(doc);
}

static void numbers_keep_their_kind_and_text(void)
{
    ob_json_doc *doc;
    ob_err err;
    char *printed;
    const char text[] =
        "[9223372036854775807, -9223372036854775808, 9223372036854775808, 1e3, 1.0, -0, 1e999]";
    CHECK_INT(ob_json_parse("f", text, strlen(text), NULL, &doc, &err), OB_OK);
    const ob_json *root = ob_json_doc_root(doc);
    CHECK_INT(ob_json_get_kind(ob_json_item(root, 0)), OB_JSON_INT);
    CHECK(ob_json_int(ob_json_item(root, 0), 0) == INT64_MAX);
    CHECK(ob_json_int(ob_json_item(root, 1), 0) == INT64_MIN);
    CHECK_INT(ob_json_get_kind(ob_json_item(root, 2)), OB_JSON_REAL);
    CHECK_REAL(ob_json_real(ob_json_item(root, 3), 0), 1000.0);
    CHECK(isinf(ob_json_real(ob_json_item(root, 6), 0)));
    CHECK_INT(ob_json_print(root, &printed, NULL, &err), OB_OK);
    CHECK_STR(printed,
              "[9223372036854775807, -9223372036854775808, 9223372036854775808, 1e3, 1.0, 0, "
              "1e999]");
    free(printed);
    ob_json_doc_destroy(doc);
}

static void doubles_print_like_python(void)
{
    static const struct {
        double value;
        const char *text;
    } CASES[] = {{0.0, "0.0"},
                 {-0.0, "-0.0"},
                 {1.0, "1.0"},
                 {0.1, "0.1"},
                 {1.0 / 3, "0.3333333333333333"},
                 {1e15, "1000000000000000.0"},
                 {1e16, "1e+16"},
                 {123456.789, "123456.789"},
                 {1e-4, "0.0001"},
                 {1e-5, "1e-05"},
                 {1.5e300, "1.5e+300"},
                 {5e-324, "5e-324"},
                 {1.7976931348623157e308, "1.7976931348623157e+308"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {100.0, "100.0"}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char text[32];
        ob__format_double(CASES[i].value, text);
        CHECK_STR(text, CASES[i].text);
        CHECK_REAL(ob__parse_double(text, strlen(text)), CASES[i].value);
    }
}

static void paths_are_found_by_place(void)
{
    ob_json_doc *doc;
    ob_err err;
    char path[128];
    const char text[] = "{\"torch.add\": {\"config\": [{\"x\": 1},\n {\"a b\": [7, 8]}]}}";
    CHECK_INT(ob_json_parse("f", text, strlen(text), NULL, &doc, &err), OB_OK);
    ob__json_path_at(ob_json_doc_root(doc), 2, 14, path, sizeof path);
    CHECK_STR(path, ".\"torch.add\".config[1].\"a b\"[1]");
    ob__json_path_at(ob_json_doc_root(doc), 1, 1, path, sizeof path);
    CHECK_STR(path, ".");
    ob__json_path_at(ob_json_doc_root(doc), 9, 9, path, sizeof path);
    CHECK_STR(path, "");
    ob_json_doc_destroy(doc);
}

static void trees_can_be_built(void)
{
    ob_json_doc *doc;
    ob_err err;
    char *printed;
    CHECK_INT(ob_json_doc_create(&doc, &err), OB_OK);
    ob_json *list = ob_json_new_array(doc), *object = ob_json_new_object(doc);
    for (int i = 0; i < 5; i++)
        CHECK_INT(ob_json_append(doc, list, ob_json_new_int(doc, i), &err), OB_OK);
    CHECK_INT(ob_json_set(doc, object, "list", list, &err), OB_OK);
    CHECK_INT(ob_json_set(doc, object, "q\"", ob_json_new_string(doc, "\x01\x7F\\", 3), &err),
              OB_OK);
    CHECK_INT(ob_json_set(doc, object, "r", ob_json_new_real(doc, 2.5), &err), OB_OK);
    CHECK_INT(ob_json_set(doc, object, "r", ob_json_new_bool(doc, false), &err), OB_OK);
    CHECK_INT(ob_json_append(doc, object, list, &err), OB_ERR_INVALID);
    CHECK_INT(ob_json_print(object, &printed, NULL, &err), OB_OK);
    CHECK_STR(printed,
              "{\"list\": [0, 1, 2, 3, 4], \"q\\\"\": \"\\u0001\\u007f\\\\\", \"r\": false}");
    free(printed);
    ob_json_doc_destroy(doc);
}

static void accessors_take_anything(void)
{
    CHECK_INT(ob_json_get_kind(NULL), OB_JSON_NULL);
    CHECK_INT(ob_json_int(NULL, 7), 7);
    CHECK(ob_json_string(NULL, NULL) == NULL);
    CHECK(ob_json_get(NULL, "a") == NULL);
    CHECK(ob_json_item(NULL, 0) == NULL);
    CHECK_INT(ob_json_count(NULL), 0);
}

static void files_are_read_in_pieces(void)
{
    char path[] = "/tmp/opbench_json_XXXXXX";
    const int descriptor = mkstemp(path);
    ob_text text = {0};
    ob_json_doc *doc;
    ob_err err;
    ob_text_append_str(&text, "[\"");
    for (int i = 0; i < 200000; i++)
        ob_text_append_str(&text, i % 7 ? "x" : "\\u00e4");
    ob_text_append_str(&text, "\"]");
    CHECK(write(descriptor, text.data, text.size) == (ssize_t)text.size);
    close(descriptor);
    CHECK_INT(ob_json_parse_file(path, NULL, &doc, &err), OB_OK);
    size_t length = 0;
    ob_json_string(ob_json_item(ob_json_doc_root(doc), 0), &length);
    CHECK_INT(length, 200000 + 28572);
    ob_json_doc_destroy(doc);
    unlink(path);
    CHECK_INT(ob_json_parse_file(path, NULL, &doc, &err), OB_ERR_IO);
    CHECK_HAS(err.message, "cannot be opened: No such file");
    CHECK_INT(ob_json_parse_file("/tmp", NULL, &doc, &err), OB_ERR_IO);
    CHECK_HAS(err.message, "cannot be read: Is a directory");
    ob_text_fini(&text);
}

/* Each kind of value asks for the room that it takes: the memory behind it belongs to others. */
static void room_is_asked_for(void)
{
    static const char TEXT[] =
        "{\"a\": [1, -0.5, 1e-07, null, true, \"b\\n\", \"\\u0001\"], \"\": {}}";
    ob_json_doc *doc;
    ob_err err;
    CHECK_INT(ob_json_parse("t", TEXT, sizeof TEXT - 1, NULL, &doc, &err), OB_OK);
    const ob_json *list = ob_json_get(ob_json_doc_root(doc), "a");
    for (size_t i = 0; i < ob_json_count(list); i++)
        for (size_t room = 1; room < 16; room++) {
            char *want = NULL;
            size_t length;
            ob_text text = {.data = malloc(room), .capacity = room};
            CHECK_INT(ob_json_print(ob_json_item(list, i), &want, &length, &err), OB_OK);
            CHECK(ob__json_write(&text, ob_json_item(list, i)));
            CHECK(text.size == length && memcmp(text.data, want, length) == 0);
            ob_text_fini(&text);
            free(want);
        }
    for (size_t room = 1; room < 64; room++) {
        ob_text text = {.data = malloc(room), .capacity = room};
        CHECK(ob__json_write(&text, ob_json_doc_root(doc)));
        CHECK(text.size == sizeof TEXT - 1 && memcmp(text.data, TEXT, text.size) == 0);
        ob_text_fini(&text);
    }
    ob_json_doc_destroy(doc);
}

/* Whatever stands before and behind it, and however long the runs between are. */
static void special_bytes_are_escaped_anywhere(void)
{
    static const struct {
        char byte;
        const char *escape;
    } ROWS[] = {{'"', "\\\""}, {'\\', "\\\\"}, {'\n', "\\n"}, {0x1f, "\\u001f"}, {0x7f, "\\u007f"}};
    for (size_t row = 0; row < sizeof ROWS / sizeof *ROWS; row++)
        for (size_t at = 0; at < 20; at++) {
            char bytes[] = "abcdefghijklmnopqrst", want[64];
            ob_text text = {0};
            snprintf(want, sizeof want, "\"%.*s%s%s\"", (int)at, bytes, ROWS[row].escape,
                     bytes + at + 1);
            bytes[at] = ROWS[row].byte;
            CHECK(ob__json_write_any(&text, bytes, 20) && ob_text_append(&text, "", 1));
            CHECK_STR(text.data, want);
            ob_text_fini(&text);
        }
}

int main(void)
{
    RUN(events_carry_their_places);
    RUN(room_is_asked_for);
    RUN(special_bytes_are_escaped_anywhere);
    RUN(columns_count_characters);
    RUN(escapes_are_decoded);
    RUN(bad_texts_are_refused);
    RUN(limits_are_kept);
    RUN(deep_nesting_does_not_recurse);
    RUN(memory_has_a_limit);
    RUN(duplicate_keys_are_refused);
    RUN(trailing_commas_are_read_over);
    RUN(numbers_keep_their_kind_and_text);
    RUN(doubles_print_like_python);
    RUN(paths_are_found_by_place);
    RUN(trees_can_be_built);
    RUN(accessors_take_anything);
    RUN(files_are_read_in_pieces);
    return ob_test_end();
}
