/* SPDX-License-Identifier: Apache-2.0
 *
 * A line into a record, by the reader's events: numbers of a list go straight into an array, so that ten
 * million samples take 80 MB and not a tree of nodes. Which row a value belongs to is looked up by its
 * path. A path may stand in several kinds of lines (always with one type); which kind the line is shows
 * only at its end, so each of these rows gets the value.
 */
#include "result/line.h"

#include "base/json_node.h"
#include "base/number.h"
#include "opbench/vec.h"
#include "result/own_command.h"
#include "result/path_index.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DOCS = 16 };

struct ob_line_parser {
    ob_path_index index;
    ob_arena arena; /* texts and lists of the line */
    ob_json_doc *docs[MAX_DOCS];
    size_t doc_count;
    ob_text path;    /* of the value under way */
    ob_text rewrite; /* JSON of a value that is kept as a tree */
    double *reals;
    size_t real_capacity;
    const char **strings;
    size_t string_capacity;
    /* Of the line under way. */
    ob_json_reader *reader;
    const char *name;
    ob_record *record;
    ob_err *err;
    uint32_t marks; /* one bit per kind */
};

ob_status ob__line_parser_create(ob_line_parser **out, ob_err *err)
{
    ob_line_parser *parser = calloc(1, sizeof *parser);
    *out = parser;
    if (parser == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the reader of records");
    ob__arena_init(&parser->arena, 0);
    ob__path_index_init(&parser->index);
    return OB_OK;
}

static void drop_line(ob_line_parser *parser)
{
    ob__arena_fini(&parser->arena);
    for (size_t i = 0; i < parser->doc_count; i++)
        ob_json_doc_destroy(parser->docs[i]);
    parser->doc_count = 0;
}

void ob__line_parser_destroy(ob_line_parser *parser)
{
    if (parser == NULL)
        return;
    drop_line(parser);
    ob_text_fini(&parser->path);
    ob_text_fini(&parser->rewrite);
    free(parser->reals);
    free(parser->strings);
    free(parser);
}

static ob_status out_of_memory(ob_line_parser *p)
{
    return ob_err_set(p->err, OB_ERR_NOMEM, "%s: out of memory for a record", p->name);
}

static ob_status wrong_type(ob_line_parser *p, const ob_json_event *event, const char *wanted)
{
    return ob_err_set_at(p->err, OB_ERR_SYNTAX, p->name, event->line, event->column, NULL,
                         "%.*s must be %s, not %s; is this a file of results?", (int)p->path.size,
                         p->path.data, wanted, ob__json_event_text(event->kind));
}

static ob_status next(ob_line_parser *p, ob_json_event *event)
{
    return ob__json_reader_next(p->reader, event, p->err);
}

/* Stores size bytes in the member of every row with this path. */
static void store(ob_line_parser *p, const ob_field *field, const void *value, size_t size)
{
    for (; field != NULL; field = ob__path_index_next(&p->index, field)) {
        memcpy((char *)p->record + field->offset, value, size);
        if (field->flags & OB_FIELD_MARK)
            p->marks |= 1u << field->kind;
    }
}

static ob_status read_json(ob_line_parser *p, const ob_field *field, const ob_json_event *begin)
{
    p->rewrite.size = 0;
    OB_TRY(ob__json_reader_copy(p->reader, begin, &p->rewrite, p->err));
    if (p->doc_count == MAX_DOCS)
        return ob_err_set_at(p->err, OB_ERR_SYNTAX, p->name, begin->line, begin->column, NULL,
                             "%.*s appears in the record more than once", (int)p->path.size,
                             p->path.data);
    ob_json_doc *doc = NULL;
    OB_TRY(ob_json_parse(p->name, p->rewrite.data, p->rewrite.size, NULL, &doc, p->err));
    p->docs[p->doc_count++] = doc;
    const ob_json *root = ob_json_doc_root(doc);
    store(p, field, &root, sizeof root);
    return OB_OK;
}

static ob_status read_reals(ob_line_parser *p, const ob_field *field, const ob_json_event *begin)
{
    static const char WANTED[] = "a list of numbers";
    size_t count = 0;
    if (begin->kind != OB_JSON_EVENT_BEGIN_ARRAY)
        return wrong_type(p, begin, WANTED);
    for (;; count++) {
        ob_json_event event;
        OB_TRY(next(p, &event));
        if (event.kind == OB_JSON_EVENT_END_ARRAY)
            break;
        if (!OB_RESERVE(p->reals, p->real_capacity, count + 1))
            return out_of_memory(p);
        if (event.kind == OB_JSON_EVENT_INT)
            p->reals[count] = (double)event.integer;
        else if (event.kind == OB_JSON_EVENT_REAL)
            p->reals[count] = ob__parse_double(event.text, event.length);
        else if (event.kind == OB_JSON_EVENT_NULL)
            p->reals[count] = NAN;
        else
            return wrong_type(p, &event, WANTED);
    }
    ob_reals list = ob_reals_empty();
    if (count > 0) {
        double *items = ob__arena_alloc_array(&p->arena, count, sizeof *items);
        if (items == NULL)
            return out_of_memory(p);
        memcpy(items, p->reals, count * sizeof *items);
        list = (ob_reals){.items = items, .count = count};
    }
    store(p, field, &list, sizeof list);
    return OB_OK;
}

static ob_status read_strings(ob_line_parser *p, const ob_field *field, const ob_json_event *begin)
{
    static const char WANTED[] = "a list of strings";
    size_t count = 0;
    if (begin->kind != OB_JSON_EVENT_BEGIN_ARRAY)
        return wrong_type(p, begin, WANTED);
    for (;; count++) {
        ob_json_event event;
        OB_TRY(next(p, &event));
        if (event.kind == OB_JSON_EVENT_END_ARRAY)
            break;
        if (event.kind != OB_JSON_EVENT_STRING)
            return wrong_type(p, &event, WANTED);
        if (!OB_RESERVE(p->strings, p->string_capacity, count + 1))
            return out_of_memory(p);
        p->strings[count] = ob__arena_strdup(&p->arena, event.text, event.length);
        if (p->strings[count] == NULL)
            return out_of_memory(p);
    }
    const char **items = ob__arena_alloc_array(&p->arena, count + 1, sizeof *items);
    if (items == NULL)
        return out_of_memory(p);
    if (count > 0)
        memcpy(items, p->strings, count * sizeof *items);
    const ob_strings list = {.items = items, .count = count};
    store(p, field, &list, sizeof list);
    return OB_OK;
}

static ob_status read_text(ob_line_parser *p, const ob_field *field, const ob_json_event *event)
{
    char digits[24];
    const char *text = event->text;
    size_t length = event->length;
    /* Some of PARAM's drivers write times as numbers. */
    if (event->kind == OB_JSON_EVENT_INT) {
        length = ob__format_i64(event->integer, digits);
        text = digits;
    } else if (event->kind != OB_JSON_EVENT_STRING && event->kind != OB_JSON_EVENT_REAL) {
        return wrong_type(p, event, "a string");
    }
    const char *copy = ob__arena_strdup(&p->arena, text, length);
    if (copy == NULL)
        return out_of_memory(p);
    if (field->type == OB_FIELD_BYTES) {
        const ob_bytes bytes = {.data = copy, .size = length};
        store(p, field, &bytes, sizeof bytes);
    } else if (field->type == OB_FIELD_CHARS) {
        char *in_place = (char *)p->record + field->offset;
        const size_t fits = strlen(copy) < field->size ? strlen(copy) : field->size - 1;
        memcpy(in_place, copy, fits);
        in_place[fits] = '\0';
    } else {
        store(p, field, &copy, sizeof copy);
    }
    return OB_OK;
}

static ob_status read_scalar(ob_line_parser *p, const ob_field *field, const ob_json_event *event)
{
    int64_t whole;
    if (field->type == OB_FIELD_INT) {
        if (!ob__json_event_whole(event, &whole))
            return wrong_type(p, event, "a whole number");
        store(p, field, &whole, sizeof whole);
    } else if (field->type == OB_FIELD_COUNT) {
        if (!ob__json_event_whole(event, &whole) || whole < 0)
            return wrong_type(p, event, "a whole number that is not negative");
        const uint64_t count = (uint64_t)whole;
        store(p, field, &count, sizeof count);
    } else if (field->type == OB_FIELD_REAL) {
        if (event->kind != OB_JSON_EVENT_INT && event->kind != OB_JSON_EVENT_REAL)
            return wrong_type(p, event, "a number");
        const double real = event->kind == OB_JSON_EVENT_INT
                                ? (double)event->integer
                                : ob__parse_double(event->text, event->length);
        store(p, field, &real, sizeof real);
    } else if (field->type == OB_FIELD_FLAG) {
        if (event->kind != OB_JSON_EVENT_BOOL)
            return wrong_type(p, event, "true or false");
        const int8_t flag = event->boolean;
        store(p, field, &flag, sizeof flag);
    } else {
        ob_record_status status;
        char word[32] = "";
        if (event->kind != OB_JSON_EVENT_STRING)
            return wrong_type(p, event, "a string");
        if (event->length < sizeof word)
            memcpy(word, event->text, event->length);
        if (!ob_record_status_from_word(word, &status))
            return ob_err_set_at(
                p->err, OB_ERR_SYNTAX, p->name, event->line, event->column, NULL,
                "status \"%.*s\" is not known; a newer opbench may have written it",
                (int)(event->length < 40 ? event->length : 40), event->text);
        store(p, field, &status, sizeof status);
    }
    return OB_OK;
}

static ob_status read_field(ob_line_parser *p, const ob_field *field, const ob_json_event *event)
{
    if (event->kind == OB_JSON_EVENT_NULL) {
        /* Absent, which it already is; but the key marks its kind. */
        for (; field != NULL; field = ob__path_index_next(&p->index, field))
            if (field->flags & OB_FIELD_MARK)
                p->marks |= 1u << field->kind;
        return OB_OK;
    }
    switch (field->type) {
    case OB_FIELD_JSON:
        return read_json(p, field, event);
    case OB_FIELD_REALS:
        return read_reals(p, field, event);
    case OB_FIELD_STRINGS:
        return read_strings(p, field, event);
    case OB_FIELD_STR:
    case OB_FIELD_CHARS:
    case OB_FIELD_BYTES:
        return read_text(p, field, event);
    default:
        return read_scalar(p, field, event);
    }
}

/* The members of an object whose path is p->path; rows are not nested deeper than a few levels, so
 * neither is this. */
static ob_status read_object(ob_line_parser *p)
{
    const size_t base = p->path.size;
    for (;;) {
        ob_json_event event;
        OB_TRY(next(p, &event));
        if (event.kind == OB_JSON_EVENT_END_OBJECT)
            return OB_OK;
        /* A "/" inside a key could be taken for two keys. */
        const bool plain = memchr(event.text, '/', event.length) == NULL && event.length > 0;
        p->path.size = base;
        if (plain && !((base == 0 || ob_text_append(&p->path, "/", 1)) &&
                       ob_text_append(&p->path, event.text, event.length)))
            return out_of_memory(p);
        OB_TRY(next(p, &event));
        const ob_path_entry *found =
            plain ? ob__path_index_find(&p->index, p->path.data, p->path.size) : NULL;
        if (found != NULL && found->is_group && event.kind == OB_JSON_EVENT_BEGIN_OBJECT)
            OB_TRY(read_object(p));
        else if (found != NULL && found->field != NULL)
            OB_TRY(read_field(p, found->field, &event));
        else
            OB_TRY(ob__json_reader_skip(p->reader, &event, p->err));
        p->path.size = base;
    }
}

static ob_record_kind kind_of(uint32_t marks)
{
    for (int kind = 0; kind < OB_RECORD_KIND_COUNT; kind++)
        if (marks >> kind & 1)
            return (ob_record_kind)kind;
    return OB_RECORD_OTHER_LINE;
}

/* People copy it into a shell. */
static ob_status rebuild_repro(ob_line_parser *p)
{
    const char **repro = &p->record->result.repro;
    if (*repro == NULL)
        return OB_OK;
    p->rewrite.size = 0;
    if (!ob__own_command_append(&p->rewrite, *repro)) {
        *repro = NULL;
        return OB_OK;
    }
    *repro = ob__arena_strdup(&p->arena, p->rewrite.data, p->rewrite.size);
    return *repro != NULL ? OB_OK : out_of_memory(p);
}

ob_status ob__line_parse(ob_line_parser *parser, const char *name, const char *line, size_t length,
                         ob_record *record, ob_err *err)
{
    const ob_json_source source = {.name = name, .data = line, .size = length};
    ob_json_event event;
    drop_line(parser);
    ob_record_init(record, OB_RECORD_OTHER_LINE);
    parser->name = name;
    parser->record = record;
    parser->err = err;
    parser->marks = 0;
    parser->path.size = 0;
    /* A string is never longer than its line. */
    const ob_json_limits limits = {.size = sizeof limits,
                                   .max_string_bytes = length < 64 ? 64 : length};
    OB_TRY(ob__json_reader_create(&source, &limits, &parser->reader, err));
    ob_status status = next(parser, &event);
    if (status == OB_OK && event.kind != OB_JSON_EVENT_BEGIN_OBJECT)
        status = ob_err_set_at(err, OB_ERR_SYNTAX, name, event.line, event.column, NULL,
                               "a record must be an object, not %s; is this a file of results?",
                               ob__json_event_text(event.kind));
    if (status == OB_OK)
        status = read_object(parser);
    if (status == OB_OK)
        status = next(parser, &event); /* nothing may follow */
    ob__json_reader_destroy(parser->reader);
    parser->reader = NULL;
    record->kind = kind_of(parser->marks);
    if (status == OB_OK)
        status = rebuild_repro(parser);
    return status != OB_OK ? status : ob__line_fill_figures(&parser->arena, record, err);
}
