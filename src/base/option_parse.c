/* SPDX-License-Identifier: Apache-2.0
 *
 * Parsing of a command line by option rows, in the manner of getopt_long: --name VALUE,
 * --name=VALUE, -c VALUE, -cVALUE, bundled flags (-ab), "--" ends options, "-" is a word like any
 * other. Not getopt itself, because that prints and keeps its state in globals.
 */
#include "base/option_field.h"

#include "base/nearest.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct parser {
    const ob_option *rows;
    char *const *argv;
    int argc;
    int next; /* of argv */
    char *target;
    ob_err *err;
    ob_option_seen_fn seen; /* what is called instead of filling target; NULL = target is filled */
    void *ctx;
} parser;

/* How the user wrote the option, for messages: "--config" or "-c". */
typedef struct spelling {
    char text[72];
} spelling;

static spelling spell_long(const char *name, size_t length)
{
    spelling s;
    snprintf(s.text, sizeof s.text, "--%.*s", length < 64 ? (int)length : 64, name);
    return s;
}

static spelling spell_letter(char letter)
{
    return (spelling){.text = {'-', letter}};
}

static size_t skip_digits(const char *text, size_t at)
{
    while (ob__is_digit(text[at]))
        at++;
    return at;
}

static const char *skip_plus(const char *text)
{
    return text[0] == '+' && text[1] != '-' ? text + 1 : text;
}

/* [-]digits */
static bool is_int(const char *text)
{
    const size_t start = text[0] == '-';
    const size_t end = skip_digits(text, start);
    return end > start && text[end] == '\0';
}

/* [-]digits[.digits][e[+-]digits]; the digits before or behind the point may be missing. */
static bool is_number(const char *text)
{
    const size_t start = text[0] == '-';
    size_t at = skip_digits(text, start);
    size_t digits = at - start;
    if (text[at] == '.') {
        const size_t end = skip_digits(text, at + 1);
        digits += end - at - 1;
        at = end;
    }
    if (digits > 0 && (text[at] == 'e' || text[at] == 'E')) {
        at += text[at + 1] == '+' || text[at + 1] == '-' ? 2 : 1;
        const size_t end = skip_digits(text, at);
        digits = end - at;
        at = end;
    }
    return digits > 0 && text[at] == '\0';
}

/* A part of something, which people say in per cent too. */
static bool is_share(const ob_option *row)
{
    return row->value != NULL && strcmp(row->value, "FRACTION") == 0;
}

static bool has_range(const ob_option *row)
{
    return row->min != 0 || row->max != 0;
}

static bool in_range(const ob_option *row, double number)
{
    if (!has_range(row))
        return true;
    return row->open ? number > row->min && number < row->max
                     : number >= row->min && number <= row->max;
}

/* "from 0 to 15", "above 0 and below 1"; beyond 64 bits there is no upper end to speak of. */
static void print_range(const ob_option *row, char *out, size_t size)
{
    if (row->type == OB_OPTION_INT && row->max >= (double)INT64_MAX)
        snprintf(out, size, "of %.15g or more", row->min);
    else
        snprintf(out, size, row->open ? "above %.15g and below %.15g" : "from %.15g to %.15g",
                 row->min, row->max);
}

static ob_status bad_value(const ob_option *row, const char *name, const char *value,
                           const char *wanted, ob_err *err)
{
    char range[64];
    print_range(row, range, sizeof range);
    if (has_range(row))
        return ob_err_set(err, OB_ERR_INVALID, "%s: '%.64s' is not %s; give one %s%s%s%s", name,
                          value, wanted, range, row->unit != NULL ? " (in " : "",
                          row->unit != NULL ? row->unit : "", row->unit != NULL ? ")" : "");
    return ob_err_set(err, OB_ERR_INVALID, "%s: '%.64s' is not %s", name, value, wanted);
}

static ob_status out_of_range(const ob_option *row, const char *name, const char *value,
                              ob_err *err)
{
    char range[64];
    print_range(row, range, sizeof range);
    return ob_err_set(err, OB_ERR_INVALID, "%s: %.64s is out of range; give a number %s%s", name,
                      value, range, is_share(row) ? ", or a percentage such as 5%" : "");
}

static ob_status store_int(const ob_option *row, const char *name, const char *value, void *field,
                           ob_err *err)
{
    int64_t number;
    const char *digits = skip_plus(value);
    if (!is_int(digits))
        return bad_value(row, name, value, "a whole number", err);
    if (!ob__parse_i64(digits, strlen(digits), &number))
        return ob_err_set(err, OB_ERR_INVALID,
                          "%s: %.64s does not fit 64 bits; give a smaller number", name, value);
    if (!in_range(row, (double)number))
        return out_of_range(row, name, value, err);
    memcpy(field, &number, sizeof number);
    return OB_OK;
}

static ob_status store_double(const ob_option *row, const char *name, const char *value,
                              void *field, ob_err *err)
{
    char digits[64];
    const char *text = skip_plus(value);
    const size_t length = strlen(text);
    const bool in_per_cent = is_share(row) && length > 1 && text[length - 1] == '%';
    const size_t kept = in_per_cent ? length - 1 : length;
    if (kept >= sizeof digits)
        return bad_value(row, name, value, "a number", err);
    memcpy(digits, text, kept);
    digits[kept] = '\0';
    if (!is_number(digits))
        return bad_value(row, name, value, "a number", err);
    const double number = ob__parse_double(digits, kept) / (in_per_cent ? 100 : 1);
    if (!isfinite(number))
        return ob_err_set(err, OB_ERR_INVALID, "%s: %.64s is too large for a double", name, value);
    if (!in_range(row, number))
        return out_of_range(row, name, value, err);
    memcpy(field, &number, sizeof number);
    return OB_OK;
}

static ob_status store_choice(const ob_option *row, const char *name, const char *value,
                              void *field, ob_err *err)
{
    const size_t length = strlen(value);
    for (const char *at = row->choices; at != NULL && *at != '\0';) {
        const size_t word = strcspn(at, "|");
        if (length > 0 && word == length && memcmp(at, value, word) == 0) {
            memcpy(field, &value, sizeof value);
            return OB_OK;
        }
        at += word + (at[word] == '|');
    }
    return ob_err_set(err, OB_ERR_INVALID, "%s: '%.64s' is not a choice; give one of %s", name,
                      value, row->choices ? row->choices : "none");
}

static ob_status store_item(const char *name, const char *value, void *field, ob_err *err)
{
    ob_option_list *list = field;
    size_t count = 0;
    while (list->items[count] != NULL)
        count++;
    if (count == OB_OPTION_MAX_VALUES)
        return ob_err_set(err, OB_ERR_INVALID, "%s: it can be given %d times at most", name,
                          OB_OPTION_MAX_VALUES);
    list->items[count] = value;
    return OB_OK;
}

ob_status ob__option_store(const ob_option *row, const char *name, const char *value, void *field,
                           ob_err *err)
{
    switch (row->type) {
    case OB_OPTION_STRING:
        memcpy(field, &value, sizeof value);
        return OB_OK;
    case OB_OPTION_INT:
        return store_int(row, name, value, field, err);
    case OB_OPTION_DOUBLE:
        return store_double(row, name, value, field, err);
    case OB_OPTION_CHOICE:
        return store_choice(row, name, value, field, err);
    case OB_OPTION_LIST:
        return store_item(name, value, field, err);
    case OB_OPTION_FLAG: /* has no value */
    case OB_OPTION_ROWS:
        break;
    }
    return ob_err_set(err, OB_ERR_STATE, "%s: its row has no valid type", name);
}

static void store_flag(parser *p, const ob_option *row)
{
    const bool yes = true;
    if (p->seen != NULL)
        p->seen(p->ctx, row, NULL);
    else
        memcpy(p->target + row->offset, &yes, sizeof yes);
}

/* The value is the rest of the word if there is one, else the next word. */
static ob_status take_value(parser *p, const ob_option *row, const char *name, const char *rest)
{
    if (rest == NULL) {
        if (p->next >= p->argc) {
            const ob_placeholder value = ob__option_placeholder(row);
            return ob_err_set(p->err, OB_ERR_INVALID, "%s needs a value: %s %s", name, name,
                              value.text);
        }
        rest = p->argv[p->next++];
    }
    if (p->seen != NULL) {
        p->seen(p->ctx, row, rest);
        return OB_OK;
    }
    return ob__option_store(row, name, rest, p->target + row->offset, p->err);
}

/* "num-threads" for "threads": the only row that ends with the whole word; NULL = none does, or several do. */
static const char *longer_name(const parser *p, const char *word, size_t length)
{
    const char *found = NULL;
    for (const ob_option *row = p->rows; row->name != NULL; row++) {
        const size_t size = strlen(row->name);
        if (row->help == NULL || length == 0 || size < length + 2 ||
            row->name[size - length - 1] != '-' ||
            strncmp(row->name + size - length, word, length) != 0)
            continue;
        if (found != NULL)
            return NULL;
        found = row->name;
    }
    return found;
}

static ob_status unknown_name(parser *p, const char *word, size_t length)
{
    const spelling name = spell_long(word, length);
    ob_nearest nearest;
    ob__nearest_start(&nearest, word, length);
    for (const ob_option *row = p->rows; row->name != NULL; row++)
        if (row->help != NULL)
            ob__nearest_offer(&nearest, row->name);
    const char *meant = nearest.best != NULL ? nearest.best : longer_name(p, word, length);
    if (meant != NULL)
        return ob_err_set(p->err, OB_ERR_INVALID, "unknown option %s; did you mean --%s?",
                          name.text, meant);
    return ob_err_set(p->err, OB_ERR_INVALID, "unknown option %s; see --help", name.text);
}

static ob_status parse_long(parser *p, const char *word)
{
    const size_t length = strcspn(word, "=");
    const char *value = word[length] == '=' ? word + length + 1 : NULL;
    for (const ob_option *row = p->rows; row->name != NULL; row++) {
        if (strncmp(row->name, word, length) != 0 || row->name[length] != '\0')
            continue;
        const spelling name = spell_long(word, length);
        if (row->refused != NULL)
            return ob_err_set(p->err, OB_ERR_INVALID, "%s: %s", name.text, row->refused);
        if (row->type != OB_OPTION_FLAG)
            return take_value(p, row, name.text, value);
        if (value != NULL)
            return ob_err_set(p->err, OB_ERR_INVALID,
                              "%s takes no value; write it without '=%.64s'", name.text, value);
        store_flag(p, row);
        return OB_OK;
    }
    return unknown_name(p, word, length);
}

/* Letters behind one dash: flags, the last one may take a value. */
static ob_status parse_letters(parser *p, const char *letters)
{
    for (const char *at = letters; *at != '\0'; at++) {
        const ob_option *row = p->rows;
        while (row->name != NULL && row->letter != *at)
            row++;
        if (row->name == NULL && *at > ' ' && *at <= '~')
            return ob_err_set(p->err, OB_ERR_INVALID, "unknown option -%c in '-%.64s'; see --help",
                              *at, letters);
        if (row->name == NULL)
            return ob_err_set(p->err, OB_ERR_INVALID, "'-%.64s' is not an option; see --help",
                              letters);
        const spelling name = spell_letter(*at);
        if (row->refused != NULL)
            return ob_err_set(p->err, OB_ERR_INVALID, "%s: %s", name.text, row->refused);
        if (row->type != OB_OPTION_FLAG)
            return take_value(p, row, name.text, at[1] != '\0' ? at + 1 : NULL);
        store_flag(p, row);
    }
    return OB_OK;
}

static ob_status parse(parser *p, const char **positionals, size_t *positional_count)
{
    bool options = true;
    while (p->next < p->argc) {
        const char *word = p->argv[p->next++];
        if (options && word[0] == '-' && word[1] != '\0' && !is_number(word)) { /* -2 is a value */
            if (strcmp(word, "--") == 0)
                options = false;
            else if (word[1] == '-')
                OB_TRY(parse_long(p, word + 2));
            else
                OB_TRY(parse_letters(p, word + 1));
        } else if (p->seen != NULL) {
            p->seen(p->ctx, NULL, word);
        } else {
            positionals[(*positional_count)++] = word;
        }
    }
    return OB_OK;
}

ob_status ob_options_parse(const ob_option *rows, int argc, char *const *argv, void *target,
                           const char **positionals, size_t *positional_count, ob_err *err)
{
    parser p = {.rows = rows, .argv = argv, .argc = argc, .next = 1, .target = target, .err = err};
    *positional_count = 0;
    return parse(&p, positionals, positional_count);
}

ob_status ob_options_walk(const ob_option *rows, int argc, char *const *argv,
                          ob_option_seen_fn seen, void *ctx, ob_err *err)
{
    parser p = {
        .rows = rows, .argv = argv, .argc = argc, .next = 1, .err = err, .seen = seen, .ctx = ctx};
    return seen != NULL ? parse(&p, NULL, NULL) : OB_OK;
}
