/* SPDX-License-Identifier: Apache-2.0
 *
 * Adding to a file must not make two broken things of one: a line that a killed process left torn would
 * swallow the first new record, and records at the end of a file of another kind spoil it. Only the first
 * line and the last one are looked at, so it costs the same for a file of any length.
 */
#include "result/append_check.h"

#include "base/text_append.h"
#include "result/line.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 64 << 10 };
/* What a reader of records takes for a line. */
static const uint64_t MOST_LINE = (uint64_t)1 << 30;

typedef struct finder {
    int descriptor;
    const char *path;
    uint64_t size;
    bool any_lines, resumed;
    ob_text line;
    ob_line_parser *parser;
    ob_err *err;
} finder;

/* Bytes at a place; 0 = the end, or no more can be read. */
static size_t read_at(const finder *f, uint64_t at, char *to, size_t most)
{
    ssize_t got;
    do
        got = pread(f->descriptor, to, most, (off_t)at);
    while (got < 0 && errno == EINTR);
    return got > 0 ? (size_t)got : 0;
}

/* The line that begins at a place, without its newline. */
static ob_status read_line(finder *f, uint64_t at, bool *ended)
{
    char piece[PIECE];
    size_t got;
    *ended = false;
    f->line.size = 0;
    while (!*ended && f->line.size < MOST_LINE && (got = read_at(f, at, piece, sizeof piece)) > 0) {
        const char *newline = memchr(piece, '\n', got);
        *ended = newline != NULL;
        if (!ob_text_append(&f->line, piece, *ended ? (size_t)(newline - piece) : got))
            return ob_err_set_at(f->err, OB_ERR_NOMEM, f->path, 0, 0, NULL,
                                 "out of memory for one of its lines");
        at += got;
    }
    return OB_OK;
}

/* *kind is set if it is an object. */
static bool is_object(finder *f, ob_record_kind *kind)
{
    ob_record record;
    if (f->line.size == 0 ||
        ob__line_parse(f->parser, f->path, f->line.data, f->line.size, &record, NULL) != OB_OK)
        return false;
    *kind = record.kind;
    return true;
}

static bool is_blank(const finder *f)
{
    for (size_t i = 0; i < f->line.size; i++)
        if (f->line.data[i] != ' ' && f->line.data[i] != '\t' && f->line.data[i] != '\r')
            return false;
    return true;
}

/* The place behind the last newline. */
static uint64_t last_line(const finder *f)
{
    char piece[PIECE];
    for (uint64_t end = f->size; end > 0;) {
        const size_t length = end < sizeof piece ? (size_t)end : sizeof piece;
        const size_t got = read_at(f, end - length, piece, length);
        const char *newline = got == length ? memrchr(piece, '\n', length) : NULL;
        if (newline != NULL)
            return end - length + (uint64_t)(newline - piece) + 1;
        end -= length;
    }
    return 0;
}

/* A run that was killed while it wrote its first line left the beginning of a header. */
static bool is_torn_header(const finder *f)
{
    static const char HEADER[] = "{\"run_options\": {";
    const size_t length = f->line.size < sizeof HEADER - 1 ? f->line.size : sizeof HEADER - 1;
    return memcmp(f->line.data, HEADER, length) == 0;
}

static ob_status check_first(finder *f)
{
    bool ended = true;
    uint64_t at = 0;
    ob_record_kind kind = OB_RECORD_OTHER_LINE;
    do {
        OB_TRY(read_line(f, at, &ended));
        at += f->line.size + 1;
    } while (ended && at < f->size && is_blank(f));
    if (is_blank(f) || (is_object(f, &kind) && (f->any_lines || kind != OB_RECORD_OTHER_LINE)) ||
        (f->resumed && !ended && is_torn_header(f)))
        return OB_OK;
    return ob_err_set_at(f->err, OB_ERR_INVALID, f->path, 0, 0, NULL,
                         "does not begin with a record, so %s; give another file, or remove this "
                         "one",
                         f->resumed ? "a run cannot continue from it"
                                    : "nothing can be added to it");
}

static ob_status find(finder *f, ob_append_point *out)
{
    bool ended;
    ob_record_kind kind;
    OB_TRY(check_first(f));
    const uint64_t at = last_line(f);
    if (at == f->size)
        return OB_OK;
    OB_TRY(read_line(f, at, &ended));
    if (is_object(f, &kind))
        out->needs_newline = true;
    else
        out->cut_at = at;
    return OB_OK;
}

static ob_status look(finder *f, ob_append_point *out)
{
    char first;
    *out = (ob_append_point){.cut_at = f->size};
    if (f->size == 0 || read_at(f, 0, &first, 1) == 0)
        return OB_OK;
    OB_TRY(ob__line_parser_create(&f->parser, f->err));
    const ob_status status = f->resumed ? check_first(f) : find(f, out);
    ob__line_parser_destroy(f->parser);
    ob_text_fini(&f->line);
    return status;
}

ob_status ob__append_check_find(int descriptor, const char *path, uint64_t size, bool any_lines,
                                ob_append_point *out, ob_err *err)
{
    finder f = {
        .descriptor = descriptor, .path = path, .size = size, .any_lines = any_lines, .err = err};
    return look(&f, out);
}

ob_status ob__append_check_check_resumed(int descriptor, const char *path, uint64_t size,
                                         ob_err *err)
{
    ob_append_point none;
    finder f = {.descriptor = descriptor, .path = path, .size = size, .resumed = true, .err = err};
    return look(&f, &none);
}
