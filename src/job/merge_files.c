/* SPDX-License-Identifier: Apache-2.0
 *
 * Joining files of records. Each is read once (merge_read.c); where its lines lie is sorted; then the lines are copied.
 */
#include "job/merge_files.h"

#include "job/job_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

ob_status ob__merge_no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for joining files");
}

ob_status ob__merge_cannot(const char *path, const char *what, ob_err *err)
{
    return ob_err_set(err, OB_ERR_IO, "%s cannot be %s: %s", path, what, strerror(errno));
}

int ob__merge_open_input(const char *path, ob_err *err)
{
    struct stat info;
    /* A pipe that nobody writes to is refused below, not waited for. */
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0 || fstat(descriptor, &info) != 0) {
        ob__merge_cannot(path, "opened", err);
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

/* ---- writing ---- */

static ob_status flush(ob_merger *m, ob_err *err)
{
    for (size_t at = 0; at < m->buffer.size;) {
        const ssize_t done = write(m->out, m->buffer.data + at, m->buffer.size - at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return ob__merge_cannot(m->params.output, "written", err);
        at += (size_t)done;
    }
    m->buffer.size = 0;
    return OB_OK;
}

static ob_status open_again(ob_merger *m, uint32_t file, int *descriptor, ob_err *err)
{
    const size_t slot = file % OB_MERGE_MOST_OPEN;
    if (m->open[slot].descriptor >= 0 && m->open[slot].file != file) {
        close(m->open[slot].descriptor);
        m->open[slot].descriptor = -1;
    }
    if (m->open[slot].descriptor < 0)
        m->open[slot].descriptor = ob__merge_open_input(m->inputs[file].path, err);
    m->open[slot].file = file;
    *descriptor = m->open[slot].descriptor;
    return *descriptor >= 0 ? OB_OK : OB_ERR_IO;
}

/* At least `least` bytes, and as many as there are up to `most`. */
static ob_status read_at(ob_merger *m, const ob_result_entry *entry, char *to, size_t least,
                         size_t most, size_t *got, ob_err *err)
{
    int descriptor;
    OB_TRY(open_again(m, entry->file, &descriptor, err));
    for (*got = 0; *got < least;) {
        const ssize_t n = pread(descriptor, to + *got, most - *got, (off_t)(entry->offset + *got));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return ob__merge_cannot(m->inputs[entry->file].path, "read", err);
        if (n == 0)
            return ob_err_set(err, OB_ERR_STATE, "%s became shorter while it was read",
                              m->inputs[entry->file].path);
        *got += (size_t)n;
    }
    return OB_OK;
}

static size_t most_ahead(const ob_merger *m)
{
    const size_t share = OB_MERGE_AHEAD_BYTES / m->params.input_count;
    return share > OB_MERGE_MOST_AHEAD    ? OB_MERGE_MOST_AHEAD
           : share < OB_MERGE_LEAST_AHEAD ? OB_MERGE_LEAST_AHEAD
                                          : share;
}

/* Of a thousand files that take turns each would be opened for every line of it. Where little of what was read ahead was of use, less
 * is read the next time. */
static ob_status read_ahead(ob_merger *m, const ob_result_entry *entry, ob_err *err)
{
    ob_merge_input *in = &m->inputs[entry->file];
    const size_t most = most_ahead(m);
    if (in->ahead == NULL) {
        in->ahead = malloc(most);
        in->ahead_wanted = most;
    } else if (in->served < in->ahead_size / 2) {
        in->ahead_wanted /= in->ahead_wanted > OB_MERGE_LEAST_AHEAD ? 2 : 1;
    } else {
        in->ahead_wanted = 2 * in->ahead_wanted < most ? 2 * in->ahead_wanted : most;
    }
    if (in->ahead == NULL)
        return ob__merge_no_memory(err);
    const size_t wanted = in->ahead_wanted > entry->length ? in->ahead_wanted : entry->length;
    in->ahead_at = entry->offset;
    in->ahead_size = in->served = 0;
    return read_at(m, entry, in->ahead, entry->length, wanted, &in->ahead_size, err);
}

/* The lines in memory. NULL: what is wrong was said. */
static const char *find_ahead(ob_merger *m, const ob_result_entry *entry, ob_err *err)
{
    ob_merge_input *in = &m->inputs[entry->file];
    const bool is_there = in->ahead != NULL && entry->offset >= in->ahead_at &&
                          entry->offset - in->ahead_at + entry->length <= in->ahead_size;
    if (!is_there && read_ahead(m, entry, err) != OB_OK)
        return NULL;
    in->served += entry->length;
    return in->ahead + (entry->offset - in->ahead_at);
}

static ob_status copy_entry(ob_merger *m, const ob_result_entry *entry, ob_err *err)
{
    size_t got;
    if (m->buffer.size > 4 * OB_MERGE_READ_BYTES)
        OB_TRY(flush(m, err));
    if (!ob_text_reserve(&m->buffer, entry->length))
        return ob__merge_no_memory(err);
    char *to = m->buffer.data + m->buffer.size;
    m->buffer.size += entry->length;
    if (entry->length > most_ahead(m))
        return read_at(m, entry, to, entry->length, entry->length, &got, err);
    const char *from = find_ahead(m, entry, err);
    if (from == NULL)
        return err != NULL ? err->code : OB_ERR_IO;
    memcpy(to, from, entry->length);
    return OB_OK;
}

static bool same_result(const ob_result_entry *a, const ob_result_entry *b)
{
    return a->part == b->part && a->order == b->order && a->way == b->way && a->name == b->name;
}

static ob_status copy_results(ob_merger *m, ob_err *err)
{
    ob_result_entry before = {0}, entry;
    bool has_before = false;
    ob_status status;
    while ((status = ob__entry_sort_next(m->sort, &entry, err)) == OB_OK) {
        const bool is_double = has_before && same_result(&before, &entry);
        m->report.duplicates += is_double;
        if (!is_double) {
            m->statuses[entry.status]++;
            /* One that was stopped in the middle is to be run again. */
            if (entry.order < OB_MERGE_NO_ORDER &&
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

static ob_status write_header(ob_merger *m, ob_err *err)
{
    ob_record header = m->first;
    uint64_t cases = 0;
    for (size_t i = 0; i < m->plan.count; i++)
        cases += m->plan.ranges[i].count;
    header.header.shard = NULL;
    header.header.divided = NULL;
    header.header.shard_by = header.header.shard_hash = header.header.shard_cases = NULL;
    header.header.repeat = NULL;
    header.header.cases = m->plan.count > 0 ? (int64_t)cases : header.header.cases;
    header.header.merged = (int64_t)m->report.files;
    header.header.options.out_stream = m->params.output;
    return ob_record_print(&header, &m->buffer, err);
}

static ob_status write_finish(ob_merger *m, ob_err *err)
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

static void find_missing(ob_merger *m)
{
    ob__merge_plan_end(&m->plan, m->ways, m->way_count);
    m->report.missing = m->plan.missing_total;
    m->report.is_proven = m->plan.count > 0;
}

/* ---- all ---- */

/* The output is none of the inputs, and nothing is replaced unasked. */
static ob_status check_output(const ob_merger *m, ob_err *err)
{
    struct stat out, in;
    if (stat(m->params.output, &out) != 0)
        return OB_OK;
    for (size_t i = 0; i < m->params.input_count; i++)
        if (stat(m->inputs[i].path, &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
            return ob_err_set(err, OB_ERR_INVALID,
                              "%s is one of the files to join; give the result another name",
                              m->params.output);
    if (m->params.replace || out.st_size == 0)
        return OB_OK;
    return ob_err_set(err, OB_ERR_INVALID,
                      "%s already exists; --force replaces it, or give another --output",
                      m->params.output);
}

static ob_status open_output(ob_merger *m, ob_err *err)
{
    const char *slash = strrchr(m->params.output, '/');
    m->folder = slash == NULL ? strdup(".")
                : slash == m->params.output
                    ? strdup("/")
                    : strndup(m->params.output, (size_t)(slash - m->params.output));
    if (m->folder == NULL || asprintf(&m->written, "%s.XXXXXX", m->params.output) < 0) {
        m->written = NULL;
        return ob__merge_no_memory(err);
    }
    m->out = mkostemp(m->written, O_CLOEXEC);
    if (m->out >= 0)
        return OB_OK;
    const ob_status status = ob__merge_cannot(m->params.output, "made", err);
    free(m->written);
    m->written = NULL;
    return status;
}

/* Private until now; from now on as any file. */
static ob_status put_in_place(ob_merger *m, ob_err *err)
{
    const mode_t mask = umask(0);
    umask(mask);
    const bool is_written = fchmod(m->out, 0666 & ~mask) == 0 && fsync(m->out) == 0;
    const bool is_closed = close(m->out) == 0;
    m->out = -1;
    if (!is_written || !is_closed)
        return ob__merge_cannot(m->params.output, "written", err);
    if (rename(m->written, m->params.output) != 0)
        return ob__merge_cannot(m->params.output, "written", err);
    free(m->written);
    m->written = NULL;
    return OB_OK;
}

static ob_status merge(ob_merger *m, ob_err *err)
{
    m->inputs = calloc(m->params.input_count, sizeof *m->inputs);
    if (m->inputs == NULL)
        return ob__merge_no_memory(err);
    for (size_t i = 0; i < m->params.input_count; i++)
        m->inputs[i].path = m->params.inputs[i];
    OB_TRY(check_output(m, err));
    OB_TRY(ob__line_parser_create(&m->first_parser, err));
    OB_TRY(ob__line_parser_create(&m->parser, err));
    OB_TRY(open_output(m, err));
    OB_TRY(ob__entry_sort_create(m->folder, m->params.most_in_memory, &m->sort, err));
    for (size_t i = 0; i < m->params.input_count; i++)
        OB_TRY(ob__merge_read(m, (uint32_t)i, err));
    if (!m->has_first)
        return ob_err_set(
            err, OB_ERR_INVALID,
            "%s%s no header, so it is not known what was run; name files that opbench wrote",
            m->inputs[0].path, m->params.input_count > 1 ? " and the others have" : " has");
    OB_TRY(ob__entry_sort_end(m->sort, err));
    OB_TRY(ob__merge_plan_read(&m->plan, m->params.mix ? NULL : m->first.header.divided,
                               m->params.mix ? 0 : m->first.header.cases, m->of, err));
    m->plan.owners = m->plan.of > 0 && m->owners.has != NULL ? &m->owners : NULL;
    OB_TRY(write_header(m, err));
    OB_TRY(copy_results(m, err));
    find_missing(m);
    OB_TRY(write_finish(m, err));
    OB_TRY(put_in_place(m, err));
    return ob__merge_tell_missing(m, err);
}

static void fini(ob_merger *m)
{
    if (m->out >= 0)
        close(m->out);
    if (m->written != NULL)
        unlink(m->written);
    for (size_t i = 0; i < OB_MERGE_MOST_OPEN; i++)
        if (m->open[i].descriptor >= 0)
            close(m->open[i].descriptor);
    for (size_t i = 0; i < m->way_count; i++) {
        free(m->ways[i].name);
        free(m->ways[i].backend);
    }
    free(m->ways);
    for (size_t i = 0; m->inputs != NULL && i < m->params.input_count; i++)
        free(m->inputs[i].ahead);
    free(m->inputs);
    free(m->folder);
    free(m->written);
    ob__merge_plan_fini(&m->plan);
    free(m->owners.list);
    free(m->owners.has);
    ob__entry_sort_destroy(m->sort);
    ob__line_parser_destroy(m->first_parser);
    ob__line_parser_destroy(m->parser);
    ob_text_fini(&m->buffer);
}

ob_status ob_merge_files(const ob_merge_params *params, ob_merge_report *report, ob_err *err)
{
    ob_merger *m = calloc(1, sizeof *m);
    if (m == NULL)
        return ob__merge_no_memory(err);
    m->out = -1;
    for (size_t i = 0; i < OB_MERGE_MOST_OPEN; i++)
        m->open[i].descriptor = -1;
    m->report.size = sizeof m->report;
    ob_status status = OB__TAKE(ob_merge_params, &m->params, params, err);
    if (status == OB_OK && (m->params.input_count == 0 || m->params.output == NULL))
        status = ob_err_set(err, OB_ERR_INVALID, "joining needs files and a name for the result");
    if (status == OB_OK)
        status = merge(m, err);
    if (status == OB_OK)
        status = OB__GIVE(ob_merge_report, report, &m->report, err);
    fini(m);
    free(m);
    return status;
}
