/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of counts: which format it is, the parts, and reading the bytes. A file is read whole, for the largest
 * that callgrind writes (libtorch with instruction positions) have some ten megabytes.
 */
#include "count/counts_file.h"

#include "base/read_file.h"
#include "base/text_append.h"
#include "count/counts_int.h"
#include "opbench/vec.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_BYTES = 1 << 30 };

/* ---- lines ---- */

bool ob__next_line(const char **at, const char *end, ob_count_line *line)
{
    if (*at >= end)
        return false;
    const char *newline = memchr(*at, '\n', (size_t)(end - *at));
    const char *stop = newline == NULL ? end : newline;
    *line = (ob_count_line){.text = *at, .size = (size_t)(stop - *at)};
    if (line->size > 0 && line->text[line->size - 1] == '\r')
        line->size--;
    *at = newline == NULL ? end : newline + 1;
    return true;
}

bool ob__line_starts(const ob_count_line *line, const char *prefix, ob_count_line *rest)
{
    size_t at = strlen(prefix);
    if (line->size < at || memcmp(line->text, prefix, at) != 0)
        return false;
    while (at < line->size && isspace((unsigned char)line->text[at]))
        at++;
    if (rest != NULL)
        *rest = (ob_count_line){.text = line->text + at, .size = line->size - at};
    return true;
}

/* ---- parts ---- */

ob_status ob__count_file_push(ob_count_file *file, const ob_count_stats_params *params,
                              ob_counts *exclusive, ob_counts *inclusive, ob_err *err)
{
    ob_status status =
        OB_RESERVE(file->parts, file->capacity, file->size + 1) ? OB_OK : ob__counts_no_memory(err);
    if (status == OB_OK) {
        ob_count_stats_params whole = *params;
        whole.stmt_exclusive = exclusive;
        whole.stmt_inclusive = inclusive;
        status = ob_count_stats_create(&whole, &file->parts[file->size], err);
        file->size += status == OB_OK;
    }
    ob_counts_destroy(exclusive);
    ob_counts_destroy(inclusive);
    return status;
}

void ob_count_file_destroy(ob_count_file *file)
{
    if (file == NULL)
        return;
    for (size_t i = 0; i < file->size; i++)
        ob_count_stats_destroy(file->parts[i]);
    free((void *)file->parts);
    free(file);
}

ob_count_format ob_count_file_format(const ob_count_file *file)
{
    return file->format;
}

size_t ob_count_file_size(const ob_count_file *file)
{
    return file->size;
}

const ob_count_stats *ob_count_file_part(const ob_count_file *file, size_t index)
{
    return index < file->size ? file->parts[index] : NULL;
}

/* ---- reading ---- */

static bool holds(const char *text, size_t size, const char *part)
{
    return memmem(text, size, part, strlen(part)) != NULL;
}

static ob_count_format find_format(const char *text, size_t size)
{
    size_t at = 0;
    while (at < size && isspace((unsigned char)text[at]))
        at++;
    if (at < size && text[at] == '{')
        return OB_COUNT_JSON;
    /* Names in callgrind's own files could be anything, so its heads are looked for first. */
    static const char *const HEADS[] = {"# callgrind",
                                        "version:", "creator:", "positions:", "events:"};
    const ob_count_line head = {.text = text + at, .size = size - at};
    for (size_t i = 0; i < sizeof HEADS / sizeof HEADS[0]; i++)
        if (ob__line_starts(&head, HEADS[i], NULL))
            return OB_COUNT_CALLGRIND;
    return holds(text, size, "PROGRAM TOTALS") || holds(text, size, "file:function")
               ? OB_COUNT_ANNOTATE
               : OB_COUNT_CALLGRIND;
}

ob_status ob_count_file_parse(const char *name, const void *data, size_t size, ob_count_file **out,
                              ob_err *err)
{
    typedef ob_status (*read_fn)(ob_count_file *, const char *, size_t, ob_err *);
    static const read_fn READERS[] = {
        [OB_COUNT_CALLGRIND] = ob__read_callgrind,
        [OB_COUNT_ANNOTATE] = ob__read_annotate,
        [OB_COUNT_JSON] = ob__read_count_json,
    };
    *out = NULL;
    ob_count_file *file = calloc(1, sizeof *file);
    if (file == NULL)
        return ob__counts_no_memory(err);
    file->name = name;
    file->format = find_format(data, size);
    const ob_status status = READERS[file->format](file, data, size, err);
    file->name = NULL; /* it is the caller's */
    if (status != OB_OK) {
        ob_count_file_destroy(file);
        return status;
    }
    *out = file;
    return OB_OK;
}

ob_status ob_count_file_read(const char *path, ob_count_file **out, ob_err *err)
{
    ob_text text = {0};
    *out = NULL;
    ob_status status = ob__read_file(path, MOST_BYTES, &text, err);
    if (status == OB_OK)
        status = ob_count_file_parse(ob__file_name(path), text.data, text.size, out, err);
    ob_text_fini(&text);
    return status;
}
