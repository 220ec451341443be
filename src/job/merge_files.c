/* SPDX-License-Identifier: Apache-2.0
 *
 * Joining files of records. Each is read once, line by line, and only looked at for what names a result; where its lines lie is
 * sorted; then the lines are copied.
 */
#include "job/merge_files.h"

#include "base/vec.h"
#include "job/job_int.h"
#include "job/line_scan.h"
#include "result/line.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

enum { READ_BYTES = 1 << 20, MOST_WAYS = 4096, MOST_OPEN = 128 };
static const size_t MOST_LINE = (size_t)1 << 30;
/* Of results without a number: behind all others, together with those of the same name. */
static const uint64_t NO_ORDER = (uint64_t)1 << 63;

typedef struct input {
    const char *path;
    uint64_t shard, of; /* of its last header; 0 = none */
    bool has_results;
} input;

typedef struct merger {
    ob_merge_params params;
    ob_merge_report report;
    input *inputs;
    ob_merge_way *ways;
    size_t way_count, way_capacity, last_way;
    ob_line_parser *first_parser, *parser; /* the first keeps the first header */
    ob_record first, other;
    bool has_first;
    uint64_t of; /* shards, as the headers say; 0 = they differ, or none has any */
    bool said_other_machine;
    ob_merge_plan plan;
    ob_entry_sort *sort;
    char *folder, *written; /* of the output, and the file that becomes it */
    int out;
    ob_text buffer; /* what is to be written */
    struct {
        int descriptor; /* -1 = none */
        uint32_t file;
    } open[MOST_OPEN];
    uint64_t statuses[OB_RECORD_STATUS_COUNT];
} merger;

/* A file while it is read. */
typedef struct reading {
    merger *m;
    uint32_t file;
    uint64_t line;         /* from 1 */
    uint64_t run;          /* when it began, as a number that grows */
    ob_result_entry entry; /* with the lines that belong to it so far */
    bool has_entry;
    uint64_t parts_at; /* lines of parts, whose case has not come yet */
    bool has_parts;
} reading;

static ob_status out_of_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for joining files");
}

static void notice(const merger *m, const char *format, ...) OB_PRINTF(2, 3);
static void notice(const merger *m, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (m->params.notice != NULL)
        m->params.notice(m->params.ctx, text);
}

/* ---- headers ---- */

static bool same(const char *a, const char *b)
{
    return strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
}

static ob_status check_settings(const merger *m, const char *path, ob_err *err)
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
                              "%s was measured with --%s: %s, %s with: %s; results of both in one "
                              "file would be taken for the same, --mix joins them nevertheless",
                              m->inputs[0].path, row->name, old, path, new);
    }
    return OB_OK;
}

static ob_status check_other(merger *m, const char *path, ob_err *err)
{
    const ob_record_header *a = &m->first.header, *b = &m->other.header;
    if (!m->params.mix && !same(a->config_hash, b->config_hash))
        return ob_err_set(err, OB_ERR_CONFIG,
                          "%s has cases of another config than %s; --mix joins them nevertheless",
                          path, m->inputs[0].path);
    if (!m->params.mix)
        OB_TRY(check_settings(m, path, err));
    if (!m->said_other_machine && (strcmp(a->system.cpu_model, b->system.cpu_model) != 0 ||
                                   !same(a->opbench_version, b->opbench_version))) {
        m->said_other_machine = true;
        notice(m,
               "%s comes from another machine or version than %s (%s, opbench %s): their times "
               "are not alike",
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

static void take_shard(input *in, const char *text)
{
    ob_shard shard = {.number = 0, .of = 0};
    if (text != NULL && ob_shard_parse(text, &shard, NULL) != OB_OK)
        shard.of = 0;
    in->shard = shard.of > 0 ? shard.number : 0;
    in->of = shard.of;
}

static ob_status take_header(reading *r, const char *line, size_t length, ob_err *err)
{
    merger *m = r->m;
    input *in = &m->inputs[r->file];
    ob_record *to = m->has_first ? &m->other : &m->first;
    ob_record_init(to, OB_RECORD_HEADER_LINE);
    const ob_status status =
        ob__line_parse(m->has_first ? m->parser : m->first_parser, in->path, line, length, to, err);
    if (status == OB_ERR_NOMEM)
        return status;
    if (status != OB_OK || to->kind != OB_RECORD_HEADER_LINE)
        return ob_err_set(err, OB_ERR_SYNTAX,
                          "%s:%" PRIu64
                          ": the header cannot be read; mend it, or leave the file out",
                          in->path, r->line);
    take_shard(in, to->header.shard);
    r->run = number_of_time(to->header.start_time);
    if (m->has_first) {
        if (in->of != m->of)
            m->of = 0;
        return check_other(m, in->path, err);
    }
    m->has_first = true;
    m->of = in->of;
    return OB_OK;
}

/* ---- results ---- */

static ob_status add_way(merger *m, const char *name, size_t length, const ob_line_scan *scan,
                         ob_err *err)
{
    const ob_scan_value *backend = &scan->fields[OB_SCAN_BACKEND],
                        *asked = &scan->fields[OB_SCAN_THREADS_ASKED];
    const size_t quoted = backend->size >= 2 ? backend->size - 2 : 0;
    if (m->way_count == MOST_WAYS)
        return ob_err_set(err, OB_ERR_LIMIT,
                          "the files have results of more than %d backends, sides and numbers of "
                          "threads; join fewer files",
                          MOST_WAYS);
    if (!OB_RESERVE(m->ways, m->way_capacity, m->way_count + 1))
        return out_of_memory(err);
    ob_merge_way *way = &m->ways[m->way_count];
    *way = (ob_merge_way){
        .name = strndup(name, length),
        .backend = strndup(quoted > 0 ? backend->data + 1 : "", quoted),
        .threads = ob__scan_number(asked->size > 0 ? asked : &scan->fields[OB_SCAN_THREADS], 0),
        .part = (uint32_t)m->way_count};
    if (way->name == NULL || way->backend == NULL) {
        free(way->name);
        free(way->backend);
        return out_of_memory(err);
    }
    for (size_t i = m->way_count; i-- > 0;)
        if (m->ways[i].threads == way->threads)
            way->part = m->ways[i].part;
    m->last_way = m->way_count++;
    return OB_OK;
}

/* Sets m->last_way. */
static ob_status find_way(merger *m, const ob_line_scan *scan, ob_err *err)
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
    merger *m = r->m;
    OB_TRY(end_entry(r, err));
    if (scan->fields[OB_SCAN_PART_OF].size > 0) {
        r->parts_at = r->has_parts ? r->parts_at : offset;
        r->has_parts = true;
        return OB_OK;
    }
    const uint64_t from = r->has_parts ? r->parts_at : offset;
    r->has_parts = false;
    if (offset + length - from > MOST_LINE)
        return ob_err_set(err, OB_ERR_LIMIT, "%s:%" PRIu64 ": a result is longer than a gigabyte",
                          m->inputs[r->file].path, r->line);
    OB_TRY(find_way(m, scan, err));
    const ob_record_status status = status_of(&scan->fields[OB_SCAN_STATUS]);
    const uint64_t order = ob__scan_number(&scan->fields[OB_SCAN_INDEX], NO_ORDER);
    r->entry = (ob_result_entry){.part = m->ways[m->last_way].part,
                                 .way = (uint32_t)m->last_way,
                                 .order = order < NO_ORDER ? order : NO_ORDER,
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
    notice(r->m, "%s:%" PRIu64 ": the line was cut off, and is left out",
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
                              "%s:1: this is not a line of records; name files that opbench wrote",
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
        if (r->has_entry && r->entry.length + length <= MOST_LINE)
            r->entry.length += (uint32_t)length;
        return OB_OK;
    }
    OB_TRY(end_entry(r, err));
    r->has_parts = false;
    return scan.kind == OB_SCAN_HEADER ? take_header(r, line, length - 1, err) : OB_OK;
}

static ob_status cannot(const char *path, const char *what, ob_err *err)
{
    return ob_err_set(err, OB_ERR_IO, "%s cannot be %s: %s", path, what, strerror(errno));
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
        if (buffer->size > MOST_LINE)
            return ob_err_set(err, OB_ERR_LIMIT,
                              "%s:%" PRIu64 ": the line is longer than a gigabyte", path,
                              r->line + 1);
        if (!ob_text_reserve(buffer, READ_BYTES))
            return out_of_memory(err);
        const ssize_t got = read(descriptor, buffer->data + buffer->size, READ_BYTES);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return cannot(path, "read", err);
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

static int open_input(const char *path, ob_err *err)
{
    struct stat info;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0 || fstat(descriptor, &info) != 0) {
        cannot(path, "opened", err);
    } else if (!S_ISREG(info.st_mode)) {
        ob_err_set(err, OB_ERR_INVALID, "%s is not a file of records; name one, or their folder",
                   path);
    } else {
        return descriptor;
    }
    if (descriptor >= 0)
        close(descriptor);
    return -1;
}

static ob_status read_input(merger *m, uint32_t file, ob_err *err)
{
    reading r = {.m = m, .file = file};
    ob_text buffer = {0};
    const int descriptor = open_input(m->inputs[file].path, err);
    if (descriptor < 0)
        return OB_ERR_IO;
    const ob_status status = read_lines(&r, descriptor, &buffer, err);
    ob_text_fini(&buffer);
    close(descriptor);
    return status;
}

/* ---- writing ---- */

static ob_status flush(merger *m, ob_err *err)
{
    for (size_t at = 0; at < m->buffer.size;) {
        const ssize_t done = write(m->out, m->buffer.data + at, m->buffer.size - at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return cannot(m->params.output, "written", err);
        at += (size_t)done;
    }
    m->buffer.size = 0;
    return OB_OK;
}

static ob_status open_again(merger *m, uint32_t file, int *descriptor, ob_err *err)
{
    const size_t slot = file % MOST_OPEN;
    if (m->open[slot].descriptor >= 0 && m->open[slot].file != file) {
        close(m->open[slot].descriptor);
        m->open[slot].descriptor = -1;
    }
    if (m->open[slot].descriptor < 0)
        m->open[slot].descriptor = open_input(m->inputs[file].path, err);
    m->open[slot].file = file;
    *descriptor = m->open[slot].descriptor;
    return *descriptor >= 0 ? OB_OK : OB_ERR_IO;
}

static ob_status copy_entry(merger *m, const ob_result_entry *entry, ob_err *err)
{
    int descriptor;
    if (m->buffer.size > 4 * READ_BYTES)
        OB_TRY(flush(m, err));
    OB_TRY(open_again(m, entry->file, &descriptor, err));
    if (!ob_text_reserve(&m->buffer, entry->length))
        return out_of_memory(err);
    for (size_t got = 0; got < entry->length;) {
        const ssize_t n = pread(descriptor, m->buffer.data + m->buffer.size, entry->length - got,
                                (off_t)(entry->offset + got));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return cannot(m->inputs[entry->file].path, "read", err);
        if (n == 0)
            return ob_err_set(err, OB_ERR_STATE, "%s became shorter while it was read",
                              m->inputs[entry->file].path);
        m->buffer.size += (size_t)n;
        got += (size_t)n;
    }
    return OB_OK;
}

static bool same_result(const ob_result_entry *a, const ob_result_entry *b)
{
    return a->part == b->part && a->order == b->order && a->way == b->way && a->name == b->name;
}

static ob_status copy_results(merger *m, ob_err *err)
{
    ob_result_entry before = {0}, entry;
    bool has_before = false;
    ob_status status;
    while ((status = ob__entry_sort_next(m->sort, &entry, err)) == OB_OK) {
        const bool is_double = has_before && same_result(&before, &entry);
        m->report.doubled += is_double;
        if (!is_double) {
            m->statuses[entry.status]++;
            /* One that was stopped in the middle is to be run again. */
            if (entry.order < NO_ORDER &&
                ob_record_status_get_info((ob_record_status)entry.status)->settled)
                ob__merge_plan_came(&m->plan, &m->ways[entry.way], entry.order);
        }
        before = entry;
        has_before = true;
        if (is_double && !m->params.keep_all)
            continue;
        OB_TRY(copy_entry(m, &entry, err));
        m->report.results++;
    }
    return status == OB_END ? OB_OK : status;
}

static ob_status write_header(merger *m, ob_err *err)
{
    ob_record header = m->first;
    uint64_t cases = 0;
    for (size_t i = 0; i < m->plan.count; i++)
        cases += m->plan.ranges[i].count;
    header.header.shard = NULL;
    header.header.divided = NULL;
    header.header.cases = m->plan.count > 0 ? (int64_t)cases : header.header.cases;
    header.header.merged = (int64_t)m->report.files;
    header.header.options.out_stream = m->params.output;
    return ob_record_print(&header, &m->buffer, err);
}

static ob_status write_finish(merger *m, ob_err *err)
{
    ob_record record;
    char now[32];
    ob_record_init(&record, OB_RECORD_FINISH_LINE);
    record.finish.finish_time = ob_record_format_time((int64_t)time(NULL), now);
    record.finish.end = m->report.missing > 0 ? "interrupted" : "finished";
    memcpy(record.finish.cases, m->statuses, sizeof record.finish.cases);
    OB_TRY(ob_record_print(&record, &m->buffer, err));
    return flush(m, err);
}

/* ---- what is missing ---- */

static const char *file_of_shard(const merger *m, uint64_t shard)
{
    for (size_t i = m->params.input_count; i-- > 0;)
        if (m->inputs[i].shard == shard)
            return m->inputs[i].path;
    return NULL;
}

static void find_missing(merger *m)
{
    for (size_t i = 0; i < m->way_count; i++)
        ob__merge_plan_end(&m->plan, &m->ways[i]);
    if (m->way_count == 0)
        ob__merge_plan_end(&m->plan, NULL);
    m->report.missing = m->plan.missing_total;
}

static ob_status tell_missing(merger *m, ob_err *err)
{
    const uint64_t rows = m->plan.of > 0 ? m->plan.of : 1;
    for (uint64_t i = 0; m->params.gap != NULL && i < rows; i++) {
        if (m->plan.missing[i] == 0)
            continue;
        ob_merge_gap gap = {.shard = m->plan.of > 0 ? i + 1 : 0,
                            .of = m->plan.of,
                            .results = m->plan.missing[i],
                            .first_index = m->plan.first_missing[i]};
        gap.file = file_of_shard(m, gap.shard);
        m->buffer.size = 0;
        if (!ob__merge_append_command(&m->buffer, &m->first.header, &gap) ||
            !ob_text_append(&m->buffer, "", 1))
            return out_of_memory(err);
        gap.command = m->buffer.data;
        m->params.gap(m->params.ctx, &gap);
    }
    return OB_OK;
}

/* ---- all ---- */

/* The output is none of the inputs, and nothing is replaced unasked. */
static ob_status check_output(const merger *m, ob_err *err)
{
    struct stat out, in;
    if (stat(m->params.output, &out) != 0)
        return OB_OK;
    for (size_t i = 0; i < m->params.input_count; i++)
        if (stat(m->inputs[i].path, &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
            return ob_err_set(
                err, OB_ERR_INVALID,
                "%s is one of the files that are joined; give the result another name",
                m->params.output);
    if (m->params.replace || out.st_size == 0)
        return OB_OK;
    return ob_err_set(err, OB_ERR_INVALID,
                      "%s is there already; --force replaces it, or give another --output",
                      m->params.output);
}

static ob_status open_output(merger *m, ob_err *err)
{
    const char *slash = strrchr(m->params.output, '/');
    m->folder = slash == NULL ? strdup(".")
                : slash == m->params.output
                    ? strdup("/")
                    : strndup(m->params.output, (size_t)(slash - m->params.output));
    if (m->folder == NULL || asprintf(&m->written, "%s.XXXXXX", m->params.output) < 0) {
        m->written = NULL;
        return out_of_memory(err);
    }
    m->out = mkostemp(m->written, O_CLOEXEC);
    if (m->out >= 0)
        return OB_OK;
    const ob_status status = cannot(m->params.output, "made", err);
    free(m->written);
    m->written = NULL;
    return status;
}

/* Private until now; from now on as any file. */
static ob_status put_in_place(merger *m, ob_err *err)
{
    const mode_t mask = umask(0);
    umask(mask);
    if (fchmod(m->out, 0666 & ~mask) != 0 || fsync(m->out) != 0 || close(m->out) != 0) {
        m->out = -1;
        return cannot(m->params.output, "written", err);
    }
    m->out = -1;
    if (rename(m->written, m->params.output) != 0)
        return cannot(m->params.output, "written", err);
    free(m->written);
    m->written = NULL;
    return OB_OK;
}

static ob_status merge(merger *m, ob_err *err)
{
    m->inputs = calloc(m->params.input_count, sizeof *m->inputs);
    if (m->inputs == NULL)
        return out_of_memory(err);
    for (size_t i = 0; i < m->params.input_count; i++)
        m->inputs[i].path = m->params.inputs[i];
    OB_TRY(check_output(m, err));
    OB_TRY(ob__line_parser_create(&m->first_parser, err));
    OB_TRY(ob__line_parser_create(&m->parser, err));
    OB_TRY(open_output(m, err));
    OB_TRY(ob__entry_sort_create(m->folder, m->params.most_in_memory, &m->sort, err));
    for (size_t i = 0; i < m->params.input_count; i++)
        OB_TRY(read_input(m, (uint32_t)i, err));
    if (!m->has_first)
        return ob_err_set(err, OB_ERR_INVALID,
                          "%s%s no header, so what was run is not known; name files that "
                          "opbench wrote",
                          m->inputs[0].path,
                          m->params.input_count > 1 ? " and the others have" : " has");
    OB_TRY(ob__entry_sort_end(m->sort, err));
    OB_TRY(ob__merge_plan_read(&m->plan, m->params.mix ? NULL : m->first.header.divided,
                               m->params.mix ? 0 : m->first.header.cases, m->of, err));
    OB_TRY(write_header(m, err));
    OB_TRY(copy_results(m, err));
    find_missing(m);
    OB_TRY(write_finish(m, err));
    OB_TRY(put_in_place(m, err));
    return tell_missing(m, err);
}

static void fini(merger *m)
{
    if (m->out >= 0)
        close(m->out);
    if (m->written != NULL)
        unlink(m->written);
    for (size_t i = 0; i < MOST_OPEN; i++)
        if (m->open[i].descriptor >= 0)
            close(m->open[i].descriptor);
    for (size_t i = 0; i < m->way_count; i++) {
        free(m->ways[i].name);
        free(m->ways[i].backend);
    }
    free(m->ways);
    free(m->inputs);
    free(m->folder);
    free(m->written);
    ob__merge_plan_fini(&m->plan);
    ob__entry_sort_destroy(m->sort);
    ob__line_parser_destroy(m->first_parser);
    ob__line_parser_destroy(m->parser);
    ob_text_fini(&m->buffer);
}

ob_status ob_merge_files(const ob_merge_params *params, ob_merge_report *report, ob_err *err)
{
    merger *m = calloc(1, sizeof *m);
    if (m == NULL)
        return out_of_memory(err);
    m->out = -1;
    for (size_t i = 0; i < MOST_OPEN; i++)
        m->open[i].descriptor = -1;
    m->report.size = sizeof m->report;
    ob_status status = OB__TAKE(ob_merge_params, &m->params, params, err);
    if (status == OB_OK && (m->params.input_count == 0 || m->params.output == NULL))
        status = ob_err_set(err, OB_ERR_INVALID, "joining takes files and a name for the result");
    if (status == OB_OK)
        status = merge(m, err);
    if (status == OB_OK)
        status = OB__GIVE(ob_merge_report, report, &m->report, err);
    fini(m);
    free(m);
    return status;
}
