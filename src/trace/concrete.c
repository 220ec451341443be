/* SPDX-License-Identifier: Apache-2.0
 *
 * The plain values of a profiler trace, which are texts: True, 0., 1e-05, [1, 2], [True, False], inf. What is not
 * one of these from its first to its last character is a string and stays as it is.
 */
#include "trace/concrete.h"

#include "base/number.h"
#include "opbench/vec.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NESTING = 8 };

typedef struct scanner {
    ob_trace *trace;
    const char *at, *end;
    bool out_of_memory;
} scanner;

static bool is_digit(const scanner *s)
{
    return s->at < s->end && isdigit((unsigned char)*s->at);
}

static bool skip(scanner *s, const char *word)
{
    const size_t length = strlen(word);
    if ((size_t)(s->end - s->at) < length || memcmp(s->at, word, length) != 0)
        return false;
    s->at += length;
    return true;
}

static bool skip_digits(scanner *s)
{
    const char *first = s->at;
    while (is_digit(s))
        s->at++;
    return s->at > first;
}

/* -12, 0., -0.5, 1e-05: digits, then perhaps a point with or without digits, then perhaps an exponent. */
static bool read_number(scanner *s, ob_trace_value *out)
{
    const char *first = s->at;
    skip(s, "-");
    if (!skip_digits(s))
        return false;
    const char *whole_end = s->at;
    const bool point = skip(s, ".");
    const char *digits_end = point && !skip_digits(s) ? whole_end : s->at;
    if (skip(s, "e")) {
        if (digits_end == whole_end && point)
            return false; /* "1.e5" is nobody's way to write it */
        if (!skip(s, "-"))
            skip(s, "+");
        if (!skip_digits(s))
            return false;
        digits_end = s->at;
    }
    const size_t length = (size_t)(digits_end - first);
    *out = (ob_trace_value){.kind = OB_TRACE_INT};
    if (s->at == whole_end && ob__parse_i64(first, length, &out->as.integer))
        return true;
    *out =
        (ob_trace_value){.kind = OB_TRACE_DOUBLE, .as = {.real = ob__parse_double(first, length)}};
    return true;
}

static bool read_word(scanner *s, ob_trace_value *out)
{
    static const struct {
        const char *text;
        ob_trace_value_kind kind;
        bool truth;
    } WORDS[] = {{"None", OB_TRACE_NONE, false},  {"True", OB_TRACE_BOOL, true},
                 {"False", OB_TRACE_BOOL, false}, {"-inf", OB_TRACE_DOUBLE, false},
                 {"inf", OB_TRACE_DOUBLE, false}, {"nan", OB_TRACE_DOUBLE, false}};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        if (!skip(s, WORDS[i].text))
            continue;
        *out = (ob_trace_value){.kind = WORDS[i].kind, .as = {.integer = WORDS[i].truth}};
        if (WORDS[i].kind == OB_TRACE_DOUBLE)
            ob__named_real(WORDS[i].text, &out->as.real);
        return true;
    }
    return false;
}

static bool read_value(scanner *s, int nesting, ob_trace_value *out);

static bool read_list(scanner *s, int nesting, ob_trace_value *out)
{
    ob_trace_value *items = NULL;
    size_t count = 0, capacity = 0;
    bool ok = nesting < MAX_NESTING, closed = ok && skip(s, "]");
    while (ok && !closed) {
        ok = OB_RESERVE(items, capacity, count + 1);
        s->out_of_memory |= !ok;
        ok = ok && read_value(s, nesting + 1, &items[count]);
        count += ok;
        closed = ok && skip(s, "]");
        ok = ok && (closed || skip(s, ", ") || skip(s, ","));
    }
    *out = (ob_trace_value){.kind = OB_TRACE_LIST, .count = (uint32_t)count};
    if (ok) {
        const ob_trace_value none = {0};
        out->as.items = ob__trace_values(s->trace, items != NULL ? items : &none, count);
        s->out_of_memory |= out->as.items == NULL;
    }
    free(items);
    return ok && !s->out_of_memory;
}

static bool read_value(scanner *s, int nesting, ob_trace_value *out)
{
    if (skip(s, "["))
        return read_list(s, nesting, out);
    return read_word(s, out) || read_number(s, out);
}

bool ob__trace_concrete(ob_trace *trace, const char *text, ob_trace_value *out)
{
    const size_t length = strlen(text);
    scanner s = {.trace = trace, .at = text, .end = text + length};
    if (read_value(&s, 0, out) && s.at == s.end)
        return true;
    if (s.out_of_memory)
        return false;
    *out = (ob_trace_value){.kind = OB_TRACE_STR, .count = (uint32_t)length};
    out->as.text = ob__trace_text(trace, text, length);
    return out->as.text != NULL;
}
