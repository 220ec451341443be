/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads what callgrind_annotate --threshold=100 --show-percs=no prints, for counts that are kept only in
 * this form: the line with PROGRAM TOTALS, then the table below "Ir  file:function".
 *
 * A row that holds the whole total is a frame around the counted region, unless no other row has
 * anything: the text does not say which of the two it is.
 */
#include "count/counts_file.h"
#include "count/counts_int.h"

#include <ctype.h>
#include <string.h>

/* Digits and commas at *at; false when there are none or too many. */
static bool take_count(const char **at, const char *end, int64_t *out)
{
    const char *c = *at;
    for (*out = 0; c < end && (isdigit((unsigned char)*c) || *c == ','); c++)
        if (*c != ',' &&
            (__builtin_mul_overflow(*out, 10, out) || __builtin_add_overflow(*out, *c - '0', out)))
            return false;
    const bool any = c > *at;
    *at = c;
    return any;
}

static bool skip_blanks(const char **at, const char *end)
{
    const char *start = *at;
    while (*at < end && isspace((unsigned char)**at))
        (*at)++;
    return *at > start;
}

static bool is_total(const ob_count_line *line, int64_t *total)
{
    static const char WORDS[] = "PROGRAM TOTALS";
    const char *at = line->text, *end = at + line->size;
    return take_count(&at, end, total) && skip_blanks(&at, end) &&
           (size_t)(end - at) >= strlen(WORDS) && memcmp(at, WORDS, strlen(WORDS)) == 0;
}

static bool opens_table(const ob_count_line *line)
{
    ob_count_line rest;
    return ob__line_starts(line, "Ir", &rest) && rest.text > line->text + 2 &&
           ob__line_starts(&rest, "file:function", NULL);
}

/* A count and a name with a colon that is neither its first nor its last character. */
static bool is_row(const ob_count_line *line, int64_t *count, ob_count_line *name)
{
    const char *at = line->text, *end = at + line->size;
    skip_blanks(&at, end);
    if (!take_count(&at, end, count) || !skip_blanks(&at, end))
        return false;
    *name = (ob_count_line){.text = at, .size = (size_t)(end - at)};
    return name->size >= 3 && memchr(at + 1, ':', name->size - 2) != NULL;
}

/* Which rows count: those with the whole total only if nothing else has any. */
typedef struct table {
    ob_counts *all, *partial;
} table;

static bool keep_row(table *t, int64_t count, int64_t total, const ob_count_line *name)
{
    return ob__counts_push(t->all, count, name->text, name->size) &&
           (count == total || ob__counts_push(t->partial, count, name->text, name->size));
}

static ob_status read_table(const char *text, size_t size, table *t, bool *found, ob_err *err)
{
    const char *at = text, *end = text + size;
    ob_count_line line, name;
    int64_t total = 0, count;
    bool has_total = false;
    *found = false;
    while (ob__next_line(&at, end, &line)) {
        if (!has_total)
            has_total = is_total(&line, &total);
        else if (!*found)
            *found = opens_table(&line);
        else if (is_row(&line, &count, &name)) {
            if (!keep_row(t, count, total, &name))
                return ob__counts_no_memory(err);
        } else if (line.size == 0 || line.text[0] != '-')
            break;
    }
    return OB_OK;
}

ob_status ob__read_annotate(ob_count_file *file, const char *text, size_t size, ob_err *err)
{
    table t = {.all = ob__counts_new(false), .partial = ob__counts_new(false)};
    bool found = false;
    ob_status status = t.all == NULL || t.partial == NULL ? ob__counts_no_memory(err)
                                                          : read_table(text, size, &t, &found, err);
    if (status == OB_OK && !found)
        status = ob_err_set_at(err, OB_ERR_SYNTAX, file->name, 0, 0, NULL,
                               "Failed to parse %s: no table of callgrind_annotate "
                               "--show-percs=no in it",
                               file->name);
    if (status != OB_OK) {
        ob_counts_destroy(t.all);
        ob_counts_destroy(t.partial);
        return status;
    }
    const bool use_all = t.partial->size == 0;
    ob_counts_destroy(use_all ? t.partial : t.all);
    ob_counts *counts = use_all ? t.all : t.partial;
    ob__counts_sort(counts);
    return ob__count_file_push(file,
                               &(ob_count_stats_params){.size = sizeof(ob_count_stats_params),
                                                        .built_with_debug_symbols = true},
                               counts, NULL, err);
}
