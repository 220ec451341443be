/* SPDX-License-Identifier: Apache-2.0
 *
 * A scan over the top of a line's object. Strings are passed over from quote to quote, values by their brackets; what stands in them
 * nobody asks for.
 */
#include "job/line_scan.h"

#include <string.h>

enum { MOST_DEPTH = 64 };

typedef struct cursor {
    const char *at, *end;
} cursor;

static void skip_blanks(cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\r'))
        c->at++;
}

/* From the opening quote to behind the closing one. */
static bool skip_string(cursor *c)
{
    for (const char *at = c->at + 1;;) {
        const char *quote = memchr(at, '"', (size_t)(c->end - at));
        if (quote == NULL)
            return false;
        size_t backslashes = 0;
        while (quote - backslashes > at && quote[-1 - (ptrdiff_t)backslashes] == '\\')
            backslashes++;
        at = quote + 1;
        if (backslashes % 2 == 0) {
            c->at = at;
            return true;
        }
    }
}

/* An array or an object, from its bracket on. */
static bool skip_nested(cursor *c)
{
    char closing[MOST_DEPTH];
    size_t depth = 0;
    while (c->at < c->end) {
        const char ch = *c->at;
        if (ch == '"') {
            if (!skip_string(c))
                return false;
            continue;
        }
        c->at++;
        if (ch == '{' || ch == '[') {
            if (depth == MOST_DEPTH)
                return false;
            closing[depth++] = ch == '{' ? '}' : ']';
        } else if (ch == '}' || ch == ']') {
            if (ch != closing[depth - 1])
                return false;
            if (--depth == 0)
                return true;
        }
    }
    return false;
}

static bool is_of_word(char ch)
{
    return (ch >= '0' && ch <= '9') || (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') ||
           ch == '-' || ch == '+' || ch == '.';
}

static bool skip_value(cursor *c)
{
    if (c->at == c->end)
        return false;
    if (*c->at == '"')
        return skip_string(c);
    if (*c->at == '{' || *c->at == '[')
        return skip_nested(c);
    const char *from = c->at;
    while (c->at < c->end && is_of_word(*c->at))
        c->at++;
    return c->at > from;
}

/* ---- what is asked for ---- */

static const char *const NAMES[OB_SCAN_FIELDS] = {
    [OB_SCAN_KEY] = "key",         [OB_SCAN_ID] = "id",
    [OB_SCAN_BACKEND] = "backend", [OB_SCAN_SIDE] = "side",
    [OB_SCAN_PROCESS] = "process", [OB_SCAN_THREADS_ASKED] = "threads_asked",
    [OB_SCAN_THREADS] = "threads", [OB_SCAN_INDEX] = "index",
    [OB_SCAN_STATUS] = "status",   [OB_SCAN_PART_OF] = "part_of",
};

/* A line with it is of the kind, as the rows of fields have it (OB_FIELD_MARK). */
static const struct {
    const char *name;
    ob_scan_kind kind;
} MARKS[] = {{"op_name", OB_SCAN_RESULT},
             {"raw_times", OB_SCAN_RESULT},
             {"start_time", OB_SCAN_HEADER},
             {"finish_time", OB_SCAN_FINISH}};

static bool is_name(const ob_scan_value *key, const char *name)
{
    const size_t length = strlen(name);
    return key->size == length + 2 && memcmp(key->data + 1, name, length) == 0;
}

static void take(ob_line_scan *out, const ob_scan_value *key, const ob_scan_value *value)
{
    for (size_t i = 0; i < sizeof MARKS / sizeof *MARKS; i++)
        if (is_name(key, MARKS[i].name))
            out->kind = MARKS[i].kind;
    if (value->size == 4 && memcmp(value->data, "null", 4) == 0)
        return;
    for (size_t i = 0; i < OB_SCAN_FIELDS; i++)
        if (is_name(key, NAMES[i]))
            out->fields[i] = *value;
}

static bool scan_member(cursor *c, ob_line_scan *out)
{
    ob_scan_value key = {.data = c->at};
    if (c->at == c->end || *c->at != '"' || !skip_string(c))
        return false;
    key.size = (size_t)(c->at - key.data);
    skip_blanks(c);
    if (c->at == c->end || *c->at++ != ':')
        return false;
    skip_blanks(c);
    ob_scan_value value = {.data = c->at};
    if (!skip_value(c))
        return false;
    value.size = (size_t)(c->at - value.data);
    take(out, &key, &value);
    skip_blanks(c);
    return true;
}

bool ob__line_scan(const char *line, size_t length, ob_line_scan *out)
{
    cursor c = {.at = line, .end = line + length};
    *out = (ob_line_scan){.kind = OB_SCAN_OTHER};
    skip_blanks(&c);
    if (c.at == c.end || *c.at++ != '{')
        return false;
    do {
        skip_blanks(&c);
        if (!scan_member(&c, out))
            return false;
    } while (c.at < c.end && *c.at++ == ',');
    if (c.at[-1] != '}')
        return false;
    skip_blanks(&c);
    return c.at == c.end;
}

uint64_t ob__scan_number(const ob_scan_value *value, uint64_t otherwise)
{
    uint64_t number = 0;
    for (size_t i = 0; i < value->size; i++) {
        const unsigned digit = (unsigned)(value->data[i] - '0');
        if (digit > 9 || number > (UINT64_MAX - digit) / 10)
            return otherwise;
        number = number * 10 + digit;
    }
    return value->size > 0 ? number : otherwise;
}
