/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads callgrind's own files, line by line: position lines name object, file and function; cost lines
 * belong to the function, or, behind a calls= line, to a call of it. Line and instruction numbers
 * (absolute, +n, -n, *) are checked and passed over, for counts are by function.
 *
 * A calls= line may say 0: the call was under way when counting began. Its cost is a call's all the same;
 * callgrind_annotate takes it for the function's own.
 */
#include "count/callgrind_names.h"
#include "count/function_costs.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VERSION = 1 };

typedef struct reader {
    ob_count_file *file;
    ob_callgrind_names names;
    ob_function_costs costs;
    uint32_t line_number;

    size_t position_count; /* numbers before the costs */
    size_t event;          /* which cost is the instructions; SIZE_MAX = no events line yet */
    int64_t part, summary, totals; /* -1 = not given */
    const char *command;           /* NULL = not given */
    bool in_body; /* a function or cost was seen, so the next header is a new part */

    const char *object, *source, *function;
    uint32_t current; /* function; OB__INDEX_NONE = none */
    const char *called_object, *called_source;
    uint32_t callee; /* OB__INDEX_NONE = none */
    bool in_call;    /* the next cost is that of a call */
} reader;

/* ---- numbers ---- */

/* The number at *at, decimal or 0x; false when there is none or it has more than 64 bits. */
static bool take_number(const char **at, const char *end, uint64_t *out)
{
    const char *c = *at;
    uint64_t base = 10;
    if (end - c > 2 && c[0] == '0' && c[1] == 'x') {
        base = 16;
        c += 2;
    }
    const char *start = c;
    for (*out = 0; c < end; c++) {
        const int digit = isdigit((unsigned char)*c) ? *c - '0'
                          : base == 16 && isxdigit((unsigned char)*c)
                              ? tolower((unsigned char)*c) - 'a' + 10
                              : -1;
        if (digit < 0)
            break;
        if (__builtin_mul_overflow(*out, base, out) ||
            __builtin_add_overflow(*out, (uint64_t)digit, out))
            return false;
    }
    *at = c;
    return c > start;
}

static void skip_blanks(const char **at, const char *end)
{
    while (*at < end && (**at == ' ' || **at == '\t'))
        (*at)++;
}

static bool skip_position(const char **at, const char *end)
{
    uint64_t ignored;
    if (*at < end && **at == '*') {
        (*at)++;
    } else {
        if (*at < end && (**at == '+' || **at == '-'))
            (*at)++;
        if (!take_number(at, end, &ignored))
            return false;
    }
    const bool ends = *at == end || **at == ' ' || **at == '\t';
    skip_blanks(at, end);
    return ends;
}

/* The instructions of a list of costs; zeros at the end may be left out. False: not numbers. */
static bool take_cost(const reader *r, const char *at, const char *end, uint64_t *cost)
{
    *cost = 0;
    skip_blanks(&at, end);
    for (size_t i = 0; at < end; i++) {
        uint64_t value;
        if (!take_number(&at, end, &value) || (at < end && *at != ' ' && *at != '\t'))
            return false;
        if (i == r->event)
            *cost = value;
        skip_blanks(&at, end);
    }
    return true;
}

static ob_status bad_line(const ob_count_line *line, const char *what, ob_err *err)
{
    return ob_err_set(err, OB_ERR_SYNTAX, "%s: \"%.*s\"", what,
                      (int)(line->size < 60 ? line->size : 60), line->text);
}

/* ---- parts ---- */

static void start_part(reader *r)
{
    r->position_count = 1;
    r->event = SIZE_MAX;
    r->part = r->summary = r->totals = -1;
    r->in_body = r->in_call = false;
    r->object = "";
    r->source = "???";
    r->function = NULL;
    r->called_object = r->called_source = NULL;
    r->current = r->callee = OB__INDEX_NONE;
}

static ob_status finish_part(reader *r, ob_err *err)
{
    ob_counts *exclusive, *inclusive;
    /* A sum of 0 is one that was not counted. */
    const int64_t total = r->summary > 0 ? r->summary : r->totals > 0 ? r->totals : -1;
    OB_TRY(ob__function_costs_tables(&r->costs, total, &exclusive, &inclusive, err));
    const ob_count_stats_params params = {.size = sizeof params,
                                          .part = r->part < 0 ? 0 : r->part,
                                          .command = r->command,
                                          .built_with_debug_symbols = true};
    ob__function_costs_clear(&r->costs);
    OB_TRY(ob__count_file_push(r->file, &params, exclusive, inclusive, err));
    start_part(r);
    return OB_OK;
}

/* ---- header ---- */

static ob_status read_events(reader *r, const ob_count_line *value, ob_err *err)
{
    const char *at = value->text, *end = at + value->size;
    for (size_t i = 0; at < end; i++) {
        const char *word = at;
        while (at < end && !isspace((unsigned char)*at))
            at++;
        if (at - word == 2 && memcmp(word, "Ir", 2) == 0) {
            r->event = i;
            return OB_OK;
        }
        while (at < end && isspace((unsigned char)*at))
            at++;
    }
    return bad_line(value, "no instruction counts (Ir) among the events", err);
}

static void read_positions(reader *r, const ob_count_line *value)
{
    size_t words = 0;
    bool in_word = false;
    for (size_t i = 0; i < value->size; i++) {
        const bool blank = isspace((unsigned char)value->text[i]) != 0;
        words += !blank && !in_word;
        in_word = !blank;
    }
    r->position_count = words;
}

static ob_status read_total(reader *r, const ob_count_line *value, int64_t *out, ob_err *err)
{
    uint64_t cost;
    if (!take_cost(r, value->text, value->text + value->size, &cost))
        return bad_line(value, "not a sum of costs", err);
    /* Collection that was switched off before the first dump leaves a sum below zero. */
    *out = cost > INT64_MAX ? -1 : (int64_t)cost;
    return OB_OK;
}

static ob_status read_version(const ob_count_line *value, ob_err *err)
{
    uint64_t version;
    const char *at = value->text;
    if (take_number(&at, value->text + value->size, &version) && version > MOST_VERSION)
        return bad_line(value, "an unknown version of callgrind's format", err);
    return OB_OK;
}

/* "key: value"; *is_header says whether it was one. Keys that say nothing about counts are passed over. */
static ob_status read_header(reader *r, const ob_count_line *line, bool *is_header, ob_err *err)
{
    size_t key = 0;
    ob_count_line value;
    while (key < line->size && isalpha((unsigned char)line->text[key]))
        key++;
    *is_header = key > 0 && key < line->size && line->text[key] == ':';
    if (!*is_header)
        return OB_OK;
    /* Either may stand behind the costs: it does not begin a part. */
    if (ob__line_starts(line, "totals:", &value))
        return read_total(r, &value, &r->totals, err);
    if (ob__line_starts(line, "summary:", &value))
        return read_total(r, &value, &r->summary, err);
    if (r->in_body)
        OB_TRY(finish_part(r, err));
    if (ob__line_starts(line, "version:", &value))
        return read_version(&value, err);
    if (ob__line_starts(line, "events:", &value))
        return read_events(r, &value, err);
    if (ob__line_starts(line, "positions:", &value)) {
        read_positions(r, &value);
    } else if (ob__line_starts(line, "part:", &value)) {
        uint64_t number;
        const char *at = value.text;
        if (take_number(&at, value.text + value.size, &number) && number <= INT64_MAX)
            r->part = (int64_t)number;
    } else if (ob__line_starts(line, "cmd:", &value)) {
        /* A name without a number: kept as it is. */
        return ob__callgrind_name(&r->names, OB_CALLGRIND_OBJECT, &value, &r->command, err);
    }
    return OB_OK;
}

/* ---- body ---- */

static ob_status enter(reader *r, ob_err *err)
{
    const ob_function_source place = {
        .file = r->source, .function = r->function, .object = r->object};
    r->in_body = true;
    return ob__function_costs_find(&r->costs, &place, &r->current, err);
}

static ob_status read_callee(reader *r, const ob_count_line *value, ob_err *err)
{
    const char *function;
    OB_TRY(ob__callgrind_name(&r->names, OB_CALLGRIND_FUNCTION, value, &function, err));
    const ob_function_source place = {
        .file = r->called_source != NULL ? r->called_source : r->source,
        .function = function,
        .object = r->called_object != NULL ? r->called_object : r->object};
    r->called_object = r->called_source = NULL;
    return ob__function_costs_find(&r->costs, &place, &r->callee, err);
}

/* "fn=(1) name" and its like. */
static ob_status read_position(reader *r, const ob_count_line *line, bool *is_position, ob_err *err)
{
    ob_count_line v;
    const char *ignored;
    *is_position = true;
    if (ob__line_starts(line, "fn=", &v)) {
        OB_TRY(ob__callgrind_name(&r->names, OB_CALLGRIND_FUNCTION, &v, &r->function, err));
        return enter(r, err);
    }
    if (ob__line_starts(line, "fi=", &v) || ob__line_starts(line, "fe=", &v)) {
        OB_TRY(ob__callgrind_name(&r->names, OB_CALLGRIND_FILE, &v, &r->source, err));
        return r->function != NULL ? enter(r, err) : OB_OK;
    }
    if (ob__line_starts(line, "fl=", &v))
        return ob__callgrind_name(&r->names, OB_CALLGRIND_FILE, &v, &r->source, err);
    if (ob__line_starts(line, "ob=", &v))
        return ob__callgrind_name(&r->names, OB_CALLGRIND_OBJECT, &v, &r->object, err);
    if (ob__line_starts(line, "cob=", &v))
        return ob__callgrind_name(&r->names, OB_CALLGRIND_OBJECT, &v, &r->called_object, err);
    if (ob__line_starts(line, "cfi=", &v) || ob__line_starts(line, "cfl=", &v))
        return ob__callgrind_name(&r->names, OB_CALLGRIND_FILE, &v, &r->called_source, err);
    if (ob__line_starts(line, "cfn=", &v))
        return read_callee(r, &v, err);
    if (ob__line_starts(line, "jfi=", &v))
        return ob__callgrind_name(&r->names, OB_CALLGRIND_FILE, &v, &ignored, err);
    if (ob__line_starts(line, "jfn=", &v))
        return ob__callgrind_name(&r->names, OB_CALLGRIND_FUNCTION, &v, &ignored, err);
    if (ob__line_starts(line, "jump=", NULL) || ob__line_starts(line, "jcnd=", NULL))
        return OB_OK;
    if (ob__line_starts(line, "calls=", NULL)) {
        r->in_call = true;
        return r->callee != OB__INDEX_NONE ? OB_OK : bad_line(line, "a call without a target", err);
    }
    *is_position = false;
    return OB_OK;
}

static ob_status read_cost(reader *r, const ob_count_line *line, ob_err *err)
{
    const char *at = line->text, *end = at + line->size;
    uint64_t cost;
    for (size_t i = 0; i < r->position_count; i++)
        if (!skip_position(&at, end))
            return bad_line(line, "not a line of callgrind's format", err);
    if (!take_cost(r, at, end, &cost))
        return bad_line(line, "not a line of costs", err);
    if (cost > INT64_MAX)
        return ob_err_set(err, OB_ERR_OVERFLOW, "a cost of more than 63 bits");
    if (r->event == SIZE_MAX)
        return bad_line(line, "costs before an events: line", err);
    if (r->current == OB__INDEX_NONE)
        return bad_line(line, "costs without a function", err);
    r->in_body = true;
    if (!r->in_call)
        return ob__function_costs_add_self(&r->costs, r->current, (int64_t)cost, err);
    r->in_call = false;
    return ob__function_costs_add_call(&r->costs, r->current, r->callee, (int64_t)cost, err);
}

static bool is_blank(const ob_count_line *line)
{
    const char *at = line->text, *end = at + line->size;
    skip_blanks(&at, end);
    return at == end;
}

static ob_status read_line(reader *r, const ob_count_line *line, ob_err *err)
{
    bool done;
    if (is_blank(line) || line->text[0] == '#')
        return OB_OK;
    OB_TRY(read_position(r, line, &done, err));
    if (done)
        return OB_OK;
    OB_TRY(read_header(r, line, &done, err));
    return done ? OB_OK : read_cost(r, line, err);
}

static ob_status read_lines(reader *r, const char *text, size_t size, ob_err *err)
{
    const char *at = text, *end = text + size;
    ob_count_line line;
    while (ob__next_line(&at, end, &line)) {
        r->line_number++;
        OB_TRY(read_line(r, &line, err));
    }
    if (r->in_body || r->event != SIZE_MAX)
        return finish_part(r, err);
    return r->file->size > 0 ? OB_OK
                             : ob_err_set(err, OB_ERR_SYNTAX,
                                          "no counts: not a file from callgrind, "
                                          "callgrind_annotate or opbench count --json");
}

ob_status ob__read_callgrind(ob_count_file *file, const char *text, size_t size, ob_err *err)
{
    reader r = {.file = file};
    ob_err why;
    ob__callgrind_names_init(&r.names);
    ob__function_costs_init(&r.costs);
    start_part(&r);
    const ob_status status = read_lines(&r, text, size, &why);
    if (status != OB_OK)
        ob_err_set_at(err, status, file->name, r.line_number, 0, NULL, "%s", why.message);
    ob__function_costs_fini(&r.costs);
    ob__callgrind_names_fini(&r.names);
    return status;
}
