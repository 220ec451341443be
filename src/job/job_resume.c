/* SPDX-License-Identifier: Apache-2.0
 *
 * What a resumed job takes from its file. It must measure as the file says: results of two kinds under one
 * heading would be compared as if they were one.
 */
#include "job/job_int.h"

#include <stdio.h>
#include <string.h>

static const ob_option ROWS[] = {OB_RUN_OPTION_ROWS(0), OB_TIMER_OPTION_ROWS(0), {.name = NULL}};

/* Rows that do not change what a number means. */
static const char *const FREE[] = {"case-timeout", "max-memory", "profile", "count-dir",
                                   "count-timeout"};

static bool is_free(const ob_option *row)
{
    for (size_t i = 0; i < sizeof FREE / sizeof *FREE; i++)
        if (strcmp(row->name, FREE[i]) == 0)
            return true;
    return false;
}

/* ---- options of a header ---- */

static void read_field(const ob_option *row, const ob_json *value, void *field)
{
    switch (row->type) {
    case OB_OPTION_FLAG:
        *(bool *)field = ob_json_bool(value, *(const bool *)field);
        return;
    case OB_OPTION_INT:
        *(int64_t *)field = ob_json_int(value, *(const int64_t *)field);
        return;
    case OB_OPTION_DOUBLE:
        *(double *)field = ob_json_real(value, *(const double *)field);
        return;
    case OB_OPTION_STRING:
    case OB_OPTION_CHOICE:
        if (ob_json_get_kind(value) == OB_JSON_STRING)
            *(const char **)field = ob_json_string(value, NULL);
        return;
    }
}

/* Words that mean the same become the same. */
static void normalise(ob_run_options *o)
{
    if (o->backend == NULL)
        o->backend = OB_REFERENCE_BACKEND;
    if (o->device == NULL)
        o->device = "cpu";
    if (o->l2_cache != NULL)
        o->cache = strcmp(o->l2_cache, "off") == 0 ? "cold" : "hot";
    if (o->cache == NULL)
        o->cache = "hot";
    o->l2_cache = NULL;
    o->warmup = o->warmup > 0 ? o->warmup : 0;
    o->iteration = o->iteration > 0 ? o->iteration : 0;
}

/* A value as a user would write it. */
static void value_text(const ob_option *row, const void *field, char *out, size_t size)
{
    const char *text;
    switch (row->type) {
    case OB_OPTION_FLAG:
        snprintf(out, size, "%s", *(const bool *)field ? "given" : "not given");
        return;
    case OB_OPTION_INT:
        snprintf(out, size, "%lld", (long long)*(const int64_t *)field);
        return;
    case OB_OPTION_DOUBLE:
        snprintf(out, size, "%.15g", *(const double *)field);
        return;
    case OB_OPTION_STRING:
    case OB_OPTION_CHOICE:
        text = *(const char *const *)field;
        snprintf(out, size, "%.160s", text != NULL ? text : "not given");
        return;
    }
}

/* Whether the file has the option as one of these rows: another command may say it in another way, such as a list of
 * numbers of threads. */
static bool is_alike(const ob_option *row, const ob_json *value)
{
    const ob_json_kind kind = ob_json_get_kind(value);
    switch (row->type) {
    case OB_OPTION_FLAG:
        return kind == OB_JSON_BOOL;
    case OB_OPTION_INT:
        return kind == OB_JSON_INT;
    case OB_OPTION_DOUBLE:
        return kind == OB_JSON_INT || kind == OB_JSON_REAL;
    case OB_OPTION_STRING:
    case OB_OPTION_CHOICE:
        return kind == OB_JSON_STRING || kind == OB_JSON_NULL;
    }
    return false;
}

static ob_status check_header(const ob_job *job, const ob_record_header *header, ob_err *err)
{
    const ob_json *args = header->options.cmd_args;
    char key[64];
    if (ob_json_get_kind(args) != OB_JSON_OBJECT || job->source.options == NULL)
        return OB_OK; /* another program's file says it in another way */
    ob_run_options now = *job->source.options, then;
    ob_run_options_init(&then);
    for (const ob_option *row = ROWS; row->name != NULL; row++) {
        ob_job_option_key(row->name, key, sizeof key);
        read_field(row, ob_json_get(args, key), (char *)&then + row->offset);
    }
    normalise(&now);
    normalise(&then);
    for (const ob_option *row = ROWS; row->name != NULL; row++) {
        char old[192], new[192];
        ob_job_option_key(row->name, key, sizeof key);
        if (is_free(row) || !is_alike(row, ob_json_get(args, key)))
            continue;
        value_text(row, (const char *)&then + row->offset, old, sizeof old);
        value_text(row, (const char *)&now + row->offset, new, sizeof new);
        if (strcmp(old, new) != 0)
            return ob_err_set(err, OB_ERR_CONFIG,
                              "%s was measured with --%s: %s, this run has: %s; --resume needs the "
                              "same options, or give another --output",
                              job->params.output, row->name, old, new);
    }
    return OB_OK;
}

/* ---- */

static ob_status take_old(ob_job *job, const ob_record *record, ob_err *err)
{
    if (record->kind == OB_RECORD_HEADER_LINE)
        return check_header(job, &record->header, err);
    const ob_record_status_info *info = ob_record_status_get_info(record->result.status);
    if (record->kind != OB_RECORD_RESULT_LINE || !info->settled)
        return OB_OK; /* it is run again */
    job->summary.failed_before += info->failed;
    if (job->params.on_record == NULL)
        return OB_OK;
    job->line.size = 0;
    OB_TRY(ob_record_print(record, &job->line, err));
    return ob__job_show(
        job,
        &(ob_job_event){
            .record = record, .line = job->line.data, .length = job->line.size, .is_old = true},
        err);
}

static ob_status read_results(ob_job *job, ob_err *err)
{
    const ob_record_reader_params whole = {.whole_lines_only = true};
    const ob_record *record;
    ob_record_reader *reader;
    OB_TRY(ob_record_reader_open_locked(job->file, &whole, &reader, err));
    ob_status status;
    while ((status = ob_record_reader_next(reader, &record, err)) == OB_OK &&
           (status = take_old(job, record, err)) == OB_OK)
        ;
    ob_record_reader_close(reader);
    return status == OB_END ? OB_OK : status;
}

static ob_status check_hash(const ob_job *job, const char *hash, ob_err *err)
{
    const char *chosen_by = job->source.chosen_by, *own = job->source.hash;
    if (own == NULL || hash[0] == '\0' || strcmp(hash, own) == 0)
        return OB_OK;
    if (strlen(hash) != strlen(own))
        return ob_err_set(err, OB_ERR_CONFIG,
                          "%s was written by another version of opbench, which tells configs apart "
                          "in another way; go on with that version, or give another --output",
                          job->params.output);
    return ob_err_set(err, OB_ERR_CONFIG,
                      "%s was made from another config than %s is now%s%s; use the same one, or "
                      "another --output",
                      job->params.output, job->source.name,
                      chosen_by != NULL ? ", or with another choice of " : "",
                      chosen_by != NULL ? chosen_by : "");
}

/* What is read, and then cut, is locked: another run may have been writing until now. */
ob_status ob__job_read_old(ob_job *job, ob_err *err)
{
    ob_done_file info;
    OB_TRY(ob_done_create(&job->done, err));
    OB_TRY(ob_done_read_locked(job->done, job->file, &info, err));
    OB_TRY(check_hash(job, info.config_hash, err));
    OB_TRY(read_results(job, err));
    return ob_result_file_cut(job->file, &info, err);
}
