/* SPDX-License-Identifier: Apache-2.0
 *
 * Values passed over or kept as text while events are read, and trees that are copied.
 */
#include "base/json_node.h"
#include "base/json_read.h"
#include "check.h"

#include <stdlib.h>

static ob_json_reader *open_text(const char *text)
{
    const ob_json_source source = {.name = "t", .data = text, .size = strlen(text)};
    ob_json_reader *reader = NULL;
    CHECK_INT(ob__json_reader_create(&source, NULL, &reader, NULL), OB_OK);
    return reader;
}

#define EVERYTHING                                                                                 \
    "[null, true, false, -12, 1.50e3, \"a\\\"b\", [], {}, [1, [2]], {\"k\": [3], \"l\": {\"m\": "  \
    "\"n\"}}]"

static void keeps_values_as_text(void)
{
    static const char *const TEXTS[] = {EVERYTHING, "7", "\"s\"", "[]", "{\"a\": 1}"};
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        ob_json_reader *reader = open_text(TEXTS[i]);
        ob_json_event event;
        ob_text text = {0};
        CHECK_INT(ob__json_reader_next(reader, &event, NULL), OB_OK);
        CHECK_INT(ob__json_reader_copy(reader, &event, &text, NULL), OB_OK);
        CHECK(ob_text_append(&text, "", 1));
        CHECK_STR(text.data, TEXTS[i]);
        CHECK_INT(ob__json_reader_next(reader, &event, NULL), OB_OK);
        CHECK_INT(event.kind, OB_JSON_EVENT_END);
        ob_text_fini(&text);
        ob__json_reader_destroy(reader);
    }
}

/* Behind the value, and no further. */
static void passes_over_values(void)
{
    ob_json_reader *reader = open_text("[" EVERYTHING ", 1, {\"a\": []}, 2, [], 3]");
    ob_json_event event;
    ob_err err;
    CHECK_INT(ob__json_reader_next(reader, &event, NULL), OB_OK);
    for (int64_t want = 1; want <= 3; want++) {
        CHECK_INT(ob__json_reader_next(reader, &event, NULL), OB_OK);
        CHECK_INT(ob__json_reader_skip(reader, &event, &err), OB_OK);
        CHECK_INT(ob__json_reader_next(reader, &event, NULL), OB_OK);
        CHECK_INT(event.kind, OB_JSON_EVENT_INT);
        CHECK_INT(event.integer, want);
        CHECK_INT(ob__json_reader_skip(reader, &event, &err), OB_OK); /* nothing to pass over */
    }
    CHECK_INT(ob__json_reader_next(reader, &event, NULL), OB_OK);
    CHECK_INT(event.kind, OB_JSON_EVENT_END_ARRAY);
    ob__json_reader_destroy(reader);
    reader = open_text("[1, ");
    CHECK_INT(ob__json_reader_next(reader, &event, NULL), OB_OK);
    CHECK_INT(ob__json_reader_skip(reader, &event, &err), OB_ERR_SYNTAX);
    ob__json_reader_destroy(reader);
    reader = open_text("[1, ");
    ob_text text = {0};
    CHECK_INT(ob__json_reader_next(reader, &event, NULL), OB_OK);
    CHECK_INT(ob__json_reader_copy(reader, &event, &text, &err), OB_ERR_SYNTAX);
    ob_text_fini(&text);
    ob__json_reader_destroy(reader);
}

static void takes_whole_numbers(void)
{
    static const struct {
        const char *text;
        bool whole;
        int64_t value;
    } ROWS[] = {{"7", true, 7},
                {"-7.0", true, -7},
                {"3e2", true, 300},
                {"7.5", false, 0},
                {"\"7\"", false, 0},
                {"null", false, 0},
                {"8999999999999999.0", true, 8999999999999999},
                {"9e15", false, 0},
                {"-9e15", false, 0},
                {"9223372036854775807", true, INT64_MAX}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        ob_json_reader *reader = open_text(ROWS[i].text);
        ob_json_event event;
        int64_t value = 0;
        CHECK_INT(ob__json_reader_next(reader, &event, NULL), OB_OK);
        CHECK_INT(ob__json_event_whole(&event, &value), ROWS[i].whole);
        CHECK_INT(value, ROWS[i].value);
        ob__json_reader_destroy(reader);
    }
}

static void names_values(void)
{
    CHECK_STR(ob__json_event_text(OB_JSON_EVENT_NULL), "null");
    CHECK_STR(ob__json_event_text(OB_JSON_EVENT_BOOL), "a boolean");
    CHECK_STR(ob__json_event_text(OB_JSON_EVENT_INT), "a number");
    CHECK_STR(ob__json_event_text(OB_JSON_EVENT_REAL), "a number");
    CHECK_STR(ob__json_event_text(OB_JSON_EVENT_STRING), "a string");
    CHECK_STR(ob__json_event_text(OB_JSON_EVENT_BEGIN_ARRAY), "a list");
    CHECK_STR(ob__json_event_text(OB_JSON_EVENT_BEGIN_OBJECT), "an object");
}

/* The copy stays when the original is changed. */
static void copies_trees(void)
{
    ob_json_doc *doc = NULL;
    ob_json copy;
    char *text = NULL;
    CHECK_INT(ob_json_parse("t", EVERYTHING, sizeof EVERYTHING - 1, NULL, &doc, NULL), OB_OK);
    ob_json *root = (ob_json *)ob_json_doc_root(doc);
    CHECK(ob__json_clone(&doc->arena, root, &copy));
    root->as.items[3].as.integer = 99;
    root->as.items[8].as.items[1].as.items[0].as.integer = 99;
    root->as.items[9].as.members[0].value.as.items[0].as.integer = 99;
    CHECK_INT(ob_json_print(&copy, &text, NULL, NULL), OB_OK);
    CHECK_STR(text, "[null, true, false, -12, 1.50e3, \"a\\\"b\", [], {}, [1, [2]], {\"k\": [3], "
                    "\"l\": {\"m\": \"n\"}}]");
    free(text);
    ob_json_doc_destroy(doc);
}

static void builds_trees(void)
{
    ob_json_doc *doc = NULL;
    ob_err err;
    char *text = NULL;
    CHECK_INT(ob_json_doc_create(&doc, NULL), OB_OK);
    CHECK_STR(ob_json_doc_name(doc), "<memory>");
    ob_json *list = ob_json_new_array(doc), *object = ob_json_new_object(doc);
    for (int64_t i = 0; i < 9; i++)
        CHECK_INT(ob_json_append(doc, list, ob_json_new_int(doc, i), NULL), OB_OK);
    CHECK_INT(ob_json_set(doc, object, "a", list, NULL), OB_OK);
    CHECK_INT(ob_json_set(doc, object, "b", ob_json_new_bool(doc, true), NULL), OB_OK);
    CHECK_INT(ob_json_set(doc, object, "c", ob_json_new_null(doc), NULL), OB_OK);
    CHECK_INT(ob_json_set(doc, object, "b", ob_json_new_string(doc, "x\x7F\n", 3), NULL), OB_OK);
    CHECK_INT(ob_json_print(object, &text, NULL, NULL), OB_OK);
    CHECK_STR(text, "{\"a\": [0, 1, 2, 3, 4, 5, 6, 7, 8], \"b\": \"x\\u007f\\n\", \"c\": null}");
    free(text);
    CHECK_INT(ob_json_append(doc, object, list, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "ob_json_append needs an array and a value");
    CHECK_INT(ob_json_append(doc, list, NULL, &err), OB_ERR_INVALID);
    CHECK_INT(ob_json_append(doc, NULL, list, &err), OB_ERR_INVALID);
    CHECK_INT(ob_json_set(doc, list, "k", list, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "ob_json_set needs an object, a key and a value");
    CHECK_INT(ob_json_set(doc, object, NULL, list, &err), OB_ERR_INVALID);
    CHECK_INT(ob_json_set(doc, object, "k", NULL, &err), OB_ERR_INVALID);
    CHECK_INT(ob_json_set(doc, NULL, "k", list, &err), OB_ERR_INVALID);
    ob_json_doc_set_root(doc, list);
    CHECK_INT(ob_json_count(ob_json_doc_root(doc)), 9);
    uint32_t line = 9, column = 9;
    CHECK_INT(ob_json_doc_trailing_commas(doc, &line, &column), 0);
    CHECK_INT(line, 0);
    CHECK_INT(column, 0);
    ob_json_doc_destroy(doc);
    ob_json_doc_destroy(NULL);
}

int main(void)
{
    RUN(keeps_values_as_text);
    RUN(passes_over_values);
    RUN(takes_whole_numbers);
    RUN(names_values);
    RUN(copies_trees);
    RUN(builds_trees);
    return ob_test_end();
}
