/* SPDX-License-Identifier: Apache-2.0
 *
 * What a resumed job takes from its file. It must measure as the file says: results of two kinds under one
 * heading would be compared as if they were one.
 */
#include "job/job_int.h"

#include <stdio.h>
#include <string.h>

/* ---- options of a header ---- */

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
    if (o->library_caps == NULL || strcmp(o->library_caps, "quiet") == 0)
        o->library_caps = "on";
    o->warmup = o->warmup > 0 ? o->warmup : 0;
    o->iteration = o->iteration > 0 ? o->iteration : 0;
}

const ob_option *ob__job_compare_arguments(const ob_option *rows, const ob_json *then,
                                           const ob_json *now, char *old, char *new, size_t size)
{
    ob_run_options a, b;
    ob_run_options_init(&a);
    b = a;
    ob_options_from_json(rows, then, &a);
    ob_options_from_json(rows, now, &b);
    normalise(&a);
    normalise(&b);
    const ob_option *row = ob_options_find_difference(rows, &a, &b);
    if (row != NULL) {
        ob_option_format_value(row, &a, old, size);
        ob_option_format_value(row, &b, new, size);
    }
    return row;
}

/* What another command says in another way, such as a list of numbers of threads, is not compared. */
static ob_status compare(const ob_job *job, const char *path, const ob_option *rows,
                         const ob_json *args, ob_err *err)
{
    ob_run_options now = *job->source.options;
    char old[192], new[192];
    normalise(&now);
    ob_run_options then = now;
    ob_options_from_json(rows, args, &then);
    normalise(&then);
    const ob_option *row = ob_options_find_difference(rows, &now, &then);
    if (row == NULL)
        return OB_OK;
    ob_option_format_value(row, &then, old, sizeof old);
    ob_option_format_value(row, &now, new, sizeof new);
    return ob_err_set(err, OB_ERR_CONFIG,
                      "%s was measured with --%s: %s, but this run has: %s; give the same options "
                      "for --resume, or another --output",
                      path, row->name, old, new);
}

/* Of the same division, the same part. */
static ob_status check_shard(const ob_job *job, const char *path, const ob_record_header *header,
                             ob_err *err)
{
    const ob_shard_division *division = job->source.division;
    const char *then = header->shard != NULL ? header->shard : "1/1",
               *now = ob_job_shard(job) != NULL ? job->shard_text : "1/1";
    if (strcmp(then, now) != 0)
        return ob_err_set(err, OB_ERR_CONFIG,
                          "%s has shard %s, but this run is shard %s; each needs its own file, and "
                          "`opbench merge` joins them",
                          path, then, now);
    if ((header->shard_by != NULL) != (division != NULL))
        return ob_err_set(err, OB_ERR_CONFIG,
                          "%s has a shard by %s, but this run has one by %s; use the same "
                          "--shard-by, or another --output",
                          path, header->shard_by != NULL ? "cost" : "order",
                          division != NULL ? "cost" : "order");
    if (division == NULL ||
        (header->shard_hash != NULL && strcmp(header->shard_hash, division->hash) == 0))
        return OB_OK;
    return ob_err_set(err, OB_ERR_CONFIG,
                      "%s was divided by different costs than this run; use the same "
                      "--shard-costs, or another --output",
                      path);
}

static ob_status check_header(const ob_job *job, const char *path, const ob_record_header *header,
                              ob_err *err)
{
    const ob_json *args = header->options.cmd_args;
    OB_TRY(check_shard(job, path, header, err));
    if (ob_json_get_kind(args) != OB_JSON_OBJECT || job->source.options == NULL)
        return OB_OK; /* another program's file says it in another way */
    OB_TRY(compare(job, path, ob_run_option_rows(), args, err));
    /* Of counts --number is another one, and in the hash. */
    return job->source.options->count_repeats > 0
               ? OB_OK
               : compare(job, path, ob_timer_option_rows(), args, err);
}

/* ---- */

static ob_status take_old(ob_job *job, const char *path, const ob_record *record, ob_err *err)
{
    if (record->kind == OB_RECORD_HEADER_LINE)
        return check_header(job, path, &record->header, err);
    const ob_record_status_info *info = ob_record_status_get_info(record->result.status);
    if (record->kind != OB_RECORD_RESULT_LINE || !info->settled)
        return OB_OK; /* it is run again */
    job->summary.failed_before += info->failed && record->result.part_of == NULL;
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

static const ob_record_reader_params WHOLE = {.size = sizeof(ob_record_reader_params),
                                              .whole_lines_only = true};

/* Closes the reader. */
static ob_status read_results(ob_job *job, const char *path, ob_record_reader *reader, ob_err *err)
{
    const ob_record *record;
    ob_status status;
    while ((status = ob_record_reader_next(reader, &record, err)) == OB_OK &&
           (status = take_old(job, path, record, err)) == OB_OK)
        ;
    ob_record_reader_close(reader);
    return status == OB_END ? OB_OK : status;
}

static ob_status check_hash(const ob_job *job, const char *path, const char *hash, ob_err *err)
{
    const char *chosen_by = job->source.chosen_by, *own = job->source.hash;
    if (own == NULL || hash[0] == '\0' || strcmp(hash, own) == 0)
        return OB_OK;
    if (strlen(hash) != strlen(own))
        return ob_err_set(err, OB_ERR_CONFIG,
                          "%s was written by a version of opbench that identifies configs "
                          "differently; continue with that version, or give another --output",
                          path);
    return ob_err_set(err, OB_ERR_CONFIG,
                      "%s was made from a different config than %s is now%s%s; use the same one, "
                      "or another --output",
                      path, job->source.name != NULL ? job->source.name : "the command line",
                      chosen_by != NULL ? ", or with a different choice of " : "",
                      chosen_by != NULL ? chosen_by : "");
}

/* What is read, and then cut, is locked: another run may have been writing until now. */
ob_status ob__job_read_old(ob_job *job, ob_err *err)
{
    ob_done_file info = {.size = sizeof info};
    ob_record_reader *reader;
    OB_TRY(ob_done_create(&job->done, err));
    OB_TRY(ob_done_read_locked(job->done, job->file, &info, err));
    OB_TRY(check_hash(job, job->params.output, info.config_hash, err));
    OB_TRY(ob_record_reader_open_locked(job->file, &WHOLE, &reader, err));
    OB_TRY(read_results(job, job->params.output, reader, err));
    return ob_result_file_cut(job->file, &info, err);
}

ob_status ob__job_read_earlier(ob_job *job, ob_err *err)
{
    OB_TRY(ob_done_create(&job->done, err));
    for (size_t i = 0; i < job->params.earlier_count; i++) {
        const char *path = job->params.earlier[i];
        ob_done_file info = {.size = sizeof info};
        ob_record_reader *reader;
        OB_TRY(ob_done_read_file(job->done, path, &info, err));
        OB_TRY(check_hash(job, path, info.config_hash, err));
        OB_TRY(ob_record_reader_open(path, &WHOLE, &reader, err));
        OB_TRY(read_results(job, path, reader, err));
    }
    return OB_OK;
}
