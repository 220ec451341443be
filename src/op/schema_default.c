/* SPDX-License-Identifier: Apache-2.0
 *
 * Default values in a schema: numbers, strings, True/False/None, lists, and the few bare names that
 * ATen uses (Mean, contiguous_format, strided, long). The text of a default is kept beside its
 * value, so nothing here has to print back.
 */
#include "base/number.h"
#include "op/schema_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    ob_value value;
} NAMES[] = {
    {"True", {.kind = OB_VALUE_BOOL, .as = {.boolean = true}}},
    {"False", {.kind = OB_VALUE_BOOL, .as = {.boolean = false}}},
    {"None", {.kind = OB_VALUE_NONE, .as = {.integer = 0}}},
    /* The reductions of the loss functions; their "None" is written 0. */
    {"Mean", {.kind = OB_VALUE_INT, .as = {.integer = 1}}},
    {"Sum", {.kind = OB_VALUE_INT, .as = {.integer = 2}}},
    {"inf", {.kind = OB_VALUE_DOUBLE, .as = {.real = INFINITY}}},
    {"nan", {.kind = OB_VALUE_DOUBLE, .as = {.real = NAN}}},
    {"strided", {.kind = OB_VALUE_LAYOUT, .as = {.layout = OB_LAYOUT_STRIDED}}},
    {"sparse_coo", {.kind = OB_VALUE_LAYOUT, .as = {.layout = OB_LAYOUT_SPARSE_COO}}},
    {"contiguous_format",
     {.kind = OB_VALUE_MEMORY_FORMAT, .as = {.memory_format = OB_MEMORY_FORMAT_CONTIGUOUS}}},
    {"preserve_format",
     {.kind = OB_VALUE_MEMORY_FORMAT, .as = {.memory_format = OB_MEMORY_FORMAT_PRESERVE}}},
    {"channels_last",
     {.kind = OB_VALUE_MEMORY_FORMAT, .as = {.memory_format = OB_MEMORY_FORMAT_CHANNELS_LAST}}},
    {"channels_last_3d",
     {.kind = OB_VALUE_MEMORY_FORMAT, .as = {.memory_format = OB_MEMORY_FORMAT_CHANNELS_LAST_3D}}},
};

static bool is_word(char c)
{
    return ob__is_word_start(c) || ob__is_digit(c);
}

static void skip_space(const char **at, const char *end)
{
    while (*at < end && (**at == ' ' || **at == '\t' || **at == '\n' || **at == '\r'))
        ++*at;
}

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && ob__is_digit(*at))
        at++;
    return at;
}

/* Length of the number at `at` (digits, fraction, exponent; no sign); *real when it is no integer.
 * 0 when there is none. */
static size_t number_length(const char *at, const char *end, bool *real)
{
    const char *whole = skip_digits(at, end);
    const char *p = whole;
    size_t digits = (size_t)(whole - at);
    *real = false;
    if (p < end && *p == '.') {
        const char *fraction = skip_digits(p + 1, end);
        digits += (size_t)(fraction - p - 1);
        p = fraction;
        *real = true;
    }
    if (digits == 0)
        return 0;
    if (p < end && (*p == 'e' || *p == 'E')) {
        const char *exponent = p + 1;
        if (exponent < end && (*exponent == '+' || *exponent == '-'))
            exponent++;
        const char *stop = skip_digits(exponent, end);
        if (stop > exponent) {
            p = stop;
            *real = true;
        }
    }
    return (size_t)(p - at);
}

/* The text starts with the sign, if any. */
static bool parse_number(const char **at, const char *end, ob_value *out, const char **problem)
{
    const char *start = *at;
    const size_t sign = *start == '-';
    bool real;
    const size_t length = number_length(start + sign, end, &real);
    if (length == 0) {
        *problem = "expected a number";
        return false;
    }
    const char *stop = start + sign + length;
    if (stop < end && *stop == 'j') {
        const double imag = ob__parse_double(start, sign + length);
        *out = (ob_value){.kind = OB_VALUE_COMPLEX, .as = {.complex = {.imag = imag}}};
        stop++;
    } else if (real) {
        *out = ob_value_double(ob__parse_double(start, sign + length));
    } else {
        int64_t integer;
        if (!ob__parse_i64(start, sign + length, &integer)) {
            *problem = "the number does not fit in 64 bits";
            return false;
        }
        *out = ob_value_int(integer);
    }
    if (stop < end && is_word(*stop)) {
        *at = stop;
        *problem = "expected the end of the number";
        return false;
    }
    *at = stop;
    return true;
}

static bool parse_word(const char **at, const char *end, ob_value *out, bool *known,
                       const char **problem)
{
    const char *start = *at;
    const bool minus = *start == '-';
    const char *word = start + minus;
    const char *stop = word;
    while (stop < end && (is_word(*stop) || *stop == '.'))
        stop++;
    const size_t length = (size_t)(stop - word);
    *known = true;
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        if (strncmp(NAMES[i].name, word, length) == 0 && NAMES[i].name[length] == '\0') {
            *out = NAMES[i].value;
            if (minus && out->kind != OB_VALUE_DOUBLE)
                break;
            if (minus)
                out->as.real = -out->as.real;
            *at = stop;
            return true;
        }
    }
    if (minus) {
        *problem = "expected a number, 'inf' or 'nan' after '-'";
        return false;
    }
    *at = stop;
    const ob_dtype dtype = ob_dtype_from_name(word, length);
    *known = dtype != OB_DTYPE_INVALID;
    *out = *known ? (ob_value){.kind = OB_VALUE_DTYPE, .as = {.dtype = dtype}} : ob_value_none();
    return true;
}

static int hex_digit(char c)
{
    return ob__is_digit(c)          ? c - '0'
           : (c >= 'a' && c <= 'f') ? c - 'a' + 10
           : (c >= 'A' && c <= 'F') ? c - 'A' + 10
                                    : 99;
}

/* One or more digits of an escape, up to max; *at moves behind them. */
static int escape_digits(const char **at, const char *end, int base, int max)
{
    int value = 0;
    for (int i = 0; i < max && *at < end && hex_digit(**at) < base; i++)
        value = value * base + hex_digit(*(*at)++);
    return value & 0xff;
}

/* *at stands behind the backslash. */
static char unescape(const char **at, const char *end)
{
    static const char CODES[] = "a\ab\bf\fn\nr\rt\tv\v";
    const char c = **at;
    if (c >= '0' && c <= '7')
        return (char)escape_digits(at, end, 8, 3);
    ++*at;
    if (c == 'x')
        return (char)escape_digits(at, end, 16, 2);
    for (size_t i = 0; CODES[i] != '\0'; i += 2)
        if (CODES[i] == c)
            return CODES[i + 1];
    return c;
}

static bool parse_string(const char **at, const char *end, ob_value *out, const char **problem)
{
    const char quote = **at;
    const char *p = *at + 1;
    char *text = malloc((size_t)(end - p) + 1);
    if (text == NULL)
        return false;
    size_t length = 0;
    while (p < end && *p != quote) {
        if (*p != '\\') {
            text[length++] = *p++;
        } else if (++p < end) {
            text[length++] = unescape(&p, end);
        }
    }
    bool ok = p < end;
    if (ok) {
        *at = p + 1;
        ok = ob_value_init_str(out, text, length, NULL) == OB_OK;
    } else {
        *problem = "this string is not closed";
    }
    free(text);
    return ok;
}

/* *at stands on the '['. The items are gathered on the stack: the bound on their number is small. */
static bool parse_list(const char **at, const char *end, int depth, ob_value *out, bool *known,
                       const char **problem)
{
    ob_value items[OB__TYPE_MAX_LIST_SIZE];
    size_t count = 0;
    bool ok = true;
    ++*at;
    skip_space(at, end);
    while (ok && (*at >= end || **at != ']')) {
        if (count == OB__TYPE_MAX_LIST_SIZE) {
            *problem = "the list is too long";
            ok = false;
            break;
        }
        bool item_known;
        ok = ob__default_parse(at, end, depth + 1, &items[count], &item_known, problem);
        if (!ok)
            break;
        *known = *known && item_known;
        count++;
        skip_space(at, end);
        if (*at < end && **at == ',') {
            ++*at;
        } else if (*at >= end || **at != ']') {
            *problem = "expected ',' or ']' in the list";
            ok = false;
        }
    }
    if (ok) {
        ++*at;
        ok = ob_value_init_list(out, OB_VALUE_LIST, count, NULL) == OB_OK;
    }
    for (size_t i = 0; i < count; i++) {
        if (ok)
            out->as.list.items[i] = items[i];
        else
            ob_value_fini(&items[i]);
    }
    return ok;
}

bool ob__default_parse(const char **at, const char *end, int depth, ob_value *out, bool *known,
                       const char **problem)
{
    *out = ob_value_none();
    *known = true;
    *problem = NULL;
    skip_space(at, end);
    if (*at >= end) {
        *problem = "expected a value";
        return false;
    }
    const char c = **at;
    if (c == '"' || c == '\'')
        return parse_string(at, end, out, problem);
    if (c == '[') {
        if (depth >= OB__DEFAULT_MAX_DEPTH) {
            *problem = "lists are nested too deeply";
            return false;
        }
        return parse_list(at, end, depth, out, known, problem);
    }
    const char next = *at + 1 < end ? (*at)[1] : '\0';
    if (ob__is_digit(c) || c == '.' || (c == '-' && (ob__is_digit(next) || next == '.')))
        return parse_number(at, end, out, problem);
    if ((is_word(c) && !ob__is_digit(c)) || (c == '-' && is_word(next)))
        return parse_word(at, end, out, known, problem);
    *problem = "expected a value";
    return false;
}
