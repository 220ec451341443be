/* SPDX-License-Identifier: Apache-2.0
 *
 * The files that are joined, each read once, line by line, and only looked at for what names a result.
 */
#include "job/merge_files.h"

#include "job/job_int.h"
#include "job/line_scan.h"
#include "opbench/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { MOST_WAYS = 4096 };

/* A file while it is read. */
typedef struct reading {
    ob_merger *m;
    uint32_t file;
    uint64_t line;         /* from 1 */
    uint64_t run;          /* when it began, as a number that grows */
    ob_result_entry entry; /* with the lines that belong to it so far */
    bool has_entry;
    uint64_t parts_at; /* lines of parts, whose case has not come yet */
    bool has_parts;
} reading;

/* ---- headers ---- */

static bool same(const char *a, const char *b)
{
    return strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
}

static ob_status check_settings(const ob_merger *m, const char *path, ob_err *err)
{
    const ob_json *then = m->first.header.options.cmd_args, *now = m->other.header.options.cmd_args;
    char old[192], new[192];
    if (ob_json_get_kind(then) != OB_JSON_OBJECT || ob_json_get_kind(now) != OB_JSON_OBJECT)
        return OB_OK;
    const ob_option *const rows[] = {ob_run_option_rows(), ob_timer_option_rows()};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const ob_option *row = ob__job_compare_arguments(rows[i], then, now, old, new, sizeof old);
        if (row != NULL)
            return ob_err_set(err, OB_ERR_CONFIG,
                              "%s was measured with --%s: %s, %s with: %s; in one file their "
                              "results would look the same, but --mix joins them anyway",
                              m->inputs[0].path, row->name, old, path, new);
    }
    return OB_OK;
}

static ob_status check_other(ob_merger *m, const char *path, ob_err *err)
{
    const ob_record_header *a = &m->first.header, *b = &m->other.header;
    if (!m->params.mix && !same(a->config_hash, b->config_hash))
        return ob_err_set(err, OB_ERR_CONFIG,
                          "%s has cases of a different config than %s; --mix joins them anyway",
                          path, m->inputs[0].path);
    if (!m->params.mix)
        OB_TRY(check_settings(m, path, err));
    if (!m->said_other_machine && (strcmp(a->system.cpu_model, b->system.cpu_model) != 0 ||
                                   !same(a->opbench_version, b->opbench_version))) {
        m->said_other_machine = true;
        ob__merge_notice(m,
                         "%s comes from a different machine or version than %s (%s, opbench %s): "
                         "their times are not comparable",
                         path, m->inputs[0].path, b->system.cpu_model,
                         b->opbench_version != NULL ? b->opbench_version : "?");
    }
    return OB_OK;
}

/* "2026-11-17T20:58:44": its digits. */
static uint64_t number_of_time(const char *text)
{
    uint64_t number = 0;
    for (size_t digits = 0; text != NULL && *text != '\0' && digits < 14; text++)
        if (*text >= '0' && *text <= '9') {
            number = number * 10 + (uint64_t)(*text - '0');
            digits++;
        }
    return number;
}

static ob_status take_header(reading *r, const char *line, size_t length, ob_err *err)
{
    ob_merger *m = r->m;
    ob_merge_input *in = &m->inputs[r->file];
    ob_record *to = m->has_first ? &m->other : &m->first;
    ob_record_init(to, OB_RECORD_HEADER_LINE);
    const ob_status status =
        ob__line_parse(m->has_first ? m->parser : m->first_parser, in->path, line, length, to, err);
    if (status == OB_ERR_NOMEM)
        return status;
    if (status != OB_OK || to->kind != OB_RECORD_HEADER_LINE)
        return ob_err_set(err, OB_ERR_SYNTAX,
                          "%s:%" PRIu64
                          ": the header cannot be read; fix it, or leave the file out",
                          in->path, r->line);
    const bool is_first = !m->has_first;
    m->has_first = true;
    r->run = number_of_time(to->header.start_time);
    OB_TRY(ob__merge_take_shard(m, in, &to->header, is_first, err));
    return is_first ? OB_OK : check_other(m, in->path, err);
}

/* ---- results ---- */

static ob_status add_way(ob_merger *m, const char *name, size_t length, const ob_line_scan *scan,
                         ob_err *err)
{
    const ob_scan_value *backend = &scan->fields[OB_SCAN_BACKEND],
                        *asked = &scan->fields[OB_SCAN_THREADS_ASKED];
    const size_t quoted = backend->size >= 2 ? backend->size - 2 : 0;
    if (m->way_count == MOST_WAYS)
        return ob_err_set(err, OB_ERR_LIMIT,
                          "the files have results of more than %d combinations of backend, side "
                          "and thread count; join fewer files",
                          MOST_WAYS);
    if (!OB_RESERVE(m->ways, m->way_capacity, m->way_count + 1))
        return ob__merge_no_memory(err);
    ob_merge_way *way = &m->ways[m->way_count];
    *way = (ob_merge_way){
        .name = strndup(name, length),
        .backend = strndup(quoted > 0 ? backend->data + 1 : "", quoted),
        .threads = ob__scan_number(asked->size > 0 ? asked : &scan->fields[OB_SCAN_THREADS], 0),
        .part = (uint32_t)m->way_count};
    if (way->name == NULL || way->backend == NULL) {
        free(way->name);
        free(way->backend);
        return ob__merge_no_memory(err);
    }
    for (size_t i = m->way_count; i-- > 0;)
        if (m->ways[i].threads == way->threads)
            way->part = m->ways[i].part;
    m->last_way = m->way_count++;
    return OB_OK;
}

/* Sets m->last_way. */
static ob_status find_way(ob_merger *m, const ob_line_scan *scan, ob_err *err)
{
    const ob_scan_value *asked = &scan->fields[OB_SCAN_THREADS_ASKED];
    const ob_scan_value *of[] = {&scan->fields[OB_SCAN_BACKEND], &scan->fields[OB_SCAN_SIDE],
                                 asked->size > 0 ? asked : &scan->fields[OB_SCAN_THREADS],
                                 &scan->fields[OB_SCAN_PROCESS]};
    char name[1024];
    size_t used = 0;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        if (of[i]->size > sizeof name / 5)
            return ob_err_set(err, OB_ERR_LIMIT,
                              "the name of a backend or side is longer than 200 characters");
        if (of[i]->size > 0)
            memcpy(name + used, of[i]->data, of[i]->size);
        used += of[i]->size;
        name[used++] = ' ';
    }
    name[used] = '\0';
    if (m->last_way < m->way_count && strcmp(m->ways[m->last_way].name, name) == 0)
        return OB_OK;
    for (m->last_way = 0; m->last_way < m->way_count; m->last_way++)
        if (strcmp(m->ways[m->last_way].name, name) == 0)
            return OB_OK;
    return add_way(m, name, used, scan, err);
}

static ob_record_status status_of(const ob_scan_value *value)
{
    char word[32];
    ob_record_status status = OB_RECORD_NO_STATUS;
    if (value->size < 2 || value->size - 2 >= sizeof word)
        return status;
    memcpy(word, value->data + 1, value->size - 2);
    word[value->size - 2] = '\0';
    ob_record_status_from_word(word, &status);
    return status;
}

/* The newest that is ok, or else the newest that need not be run again. */
static uint64_t rank_of(ob_record_status status, uint64_t run)
{
    const ob_record_status_info *info = ob_record_status_get_info(status);
    const uint64_t level = !info->settled ? 0 : info->failed ? 1 : 2;
    return level << 62 | (run & (((uint64_t)1 << 62) - 1));
}

static uint64_t hash_name(const ob_line_scan *scan)
{
    const ob_scan_value *key = &scan->fields[OB_SCAN_KEY], *id = &scan->fields[OB_SCAN_ID];
    return XXH3_64bits_withSeed(id->data != NULL ? id->data : "", id->size,
                                XXH3_64bits(key->data != NULL ? key->data : "", key->size));
}

static ob_status end_entry(reading *r, ob_err *err)
{
    if (!r->has_entry)
        return OB_OK;
    r->has_entry = false;
    return ob__entry_sort_add(r->m->sort, &r->entry, err);
}

static ob_status take_result(reading *r, const ob_line_scan *scan, uint64_t offset, size_t length,
                             ob_err *err)
{
    ob_merger *m = r->m;
    OB_TRY(end_entry(r, err));
    if (scan->fields[OB_SCAN_PART_OF].size > 0) {
        r->parts_at = r->has_parts ? r->parts_at : offset;
        r->has_parts = true;
        return OB_OK;
    }
    const uint64_t from = r->has_parts ? r->parts_at : offset;
    r->has_parts = false;
    if (offset + length - from > OB_MERGE_MOST_LINE)
        return ob_err_set(err, OB_ERR_LIMIT, "%s:%" PRIu64 ": a result is longer than a gigabyte",
                          m->inputs[r->file].path, r->line);
    OB_TRY(find_way(m, scan, err));
    const ob_record_status status = status_of(&scan->fields[OB_SCAN_STATUS]);
    const uint64_t order = ob__scan_number(&scan->fields[OB_SCAN_INDEX], OB_MERGE_NO_ORDER);
    r->entry = (ob_result_entry){.part = m->ways[m->last_way].part,
                                 .way = (uint32_t)m->last_way,
                                 .order = order < OB_MERGE_NO_ORDER ? order : OB_MERGE_NO_ORDER,
                                 .name = hash_name(scan),
                                 .rank = rank_of(status, r->run),
                                 .offset = from,
                                 .length = (uint32_t)(offset + length - from),
                                 .file = r->file,
                                 .status = (uint32_t)status};
    r->has_entry = true;
    m->report.files += !m->inputs[r->file].has_results;
    m->inputs[r->file].has_results = true;
    return OB_OK;
}

/* ---- reading ---- */

static void tell_damaged(reading *r)
{
    r->m->report.damaged++;
    ob__merge_notice(r->m, "%s:%" PRIu64 ": left out a line that was cut off",
                     r->m->inputs[r->file].path, r->line);
}

/* With its newline. */
static ob_status take_line(reading *r, const char *line, size_t length, uint64_t offset,
                           ob_err *err)
{
    ob_line_scan scan;
    r->line++;
    if (length == 1)
        return OB_OK;
    if (!ob__line_scan(line, length - 1, &scan)) {
        if (r->line == 1)
            return ob_err_set(err, OB_ERR_SYNTAX,
                              "%s:1: this line is not a record; name files that opbench wrote",
                              r->m->inputs[r->file].path);
        OB_TRY(end_entry(r, err));
        r->has_parts = false;
        tell_damaged(r);
        return OB_OK;
    }
    if (scan.kind == OB_SCAN_RESULT)
        return take_result(r, &scan, offset, length, err);
    if (scan.kind == OB_SCAN_OTHER) {
        /* What a profiler said of the case before. */
        if (r->has_entry && r->entry.length + length <= OB_MERGE_MOST_LINE)
            r->entry.length += (uint32_t)length;
        return OB_OK;
    }
    OB_TRY(end_entry(r, err));
    r->has_parts = false;
    return scan.kind == OB_SCAN_HEADER ? take_header(r, line, length - 1, err) : OB_OK;
}

/* Whole lines of a buffer that begins at an offset of the file; *left stays. */
static ob_status take_lines(reading *r, const ob_text *buffer, uint64_t offset, size_t *left,
                            ob_err *err)
{
    const char *at = buffer->data, *end = at + buffer->size;
    for (const char *newline; (newline = memchr(at, '\n', (size_t)(end - at))) != NULL;
         at = newline + 1)
        OB_TRY(take_line(r, at, (size_t)(newline + 1 - at), offset + (uint64_t)(at - buffer->data),
                         err));
    *left = (size_t)(end - at);
    return OB_OK;
}

static ob_status read_lines(reading *r, int descriptor, ob_text *buffer, ob_err *err)
{
    const char *path = r->m->inputs[r->file].path;
    uint64_t offset = 0; /* of the buffer in the file */
    for (;;) {
        size_t left;
        if (buffer->size > OB_MERGE_MOST_LINE)
            return ob_err_set(err, OB_ERR_LIMIT,
                              "%s:%" PRIu64 ": the line is longer than a gigabyte", path,
                              r->line + 1);
        if (!ob_text_reserve(buffer, OB_MERGE_READ_BYTES))
            return ob__merge_no_memory(err);
        const ssize_t got = read(descriptor, buffer->data + buffer->size, OB_MERGE_READ_BYTES);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return ob__merge_cannot(path, "read", err);
        if (got == 0)
            break;
        buffer->size += (size_t)got;
        OB_TRY(take_lines(r, buffer, offset, &left, err));
        offset += buffer->size - left;
        memmove(buffer->data, buffer->data + buffer->size - left, left);
        buffer->size = left;
    }
    if (buffer->size > 0) {
        r->line++;
        tell_damaged(r);
    }
    return end_entry(r, err);
}

ob_status ob__merge_read(ob_merger *m, uint32_t file, ob_err *err)
{
    reading r = {.m = m, .file = file};
    ob_text buffer = {0};
    const int descriptor = ob__merge_open_input(m->inputs[file].path, err);
    if (descriptor < 0)
        return OB_ERR_IO;
    const ob_status status = read_lines(&r, descriptor, &buffer, err);
    ob_text_fini(&buffer);
    close(descriptor);
    return status;
}
