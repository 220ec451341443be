/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening the output. A file of records may be the result of hours, so it is never replaced without
 * being asked for, and a resumed run must measure as the file says: results of two kinds under one
 * heading would be compared as if they were one.
 */
#include "run_output.h"

#include <string.h>

static const ob_option ROWS[] = {OB_RUN_OPTION_ROWS(0), {.name = NULL}};

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

static ob_status check_header(const ob_run_output_params *params, const ob_record_header *header,
                              ob_err *err)
{
    const ob_json *args = header->options.cmd_args;
    ob_run_options now = params->line->run, then;
    if (ob_json_get_kind(args) != OB_JSON_OBJECT)
        return OB_OK; /* another program's file says it in another way */
    ob_run_options_init(&then);
    for (const ob_option *row = ROWS; row->name != NULL; row++) {
        char key[64];
        ob__run_line_key(row->name, key, sizeof key);
        read_field(row, ob_json_get(args, key), (char *)&then + row->offset);
    }
    normalise(&now);
    normalise(&then);
    for (const ob_option *row = ROWS; row->name != NULL; row++) {
        char old[192], new[192];
        value_text(row, (const char *)&then + row->offset, old, sizeof old);
        value_text(row, (const char *)&now + row->offset, new, sizeof new);
        if (!is_free(row) && strcmp(old, new) != 0)
            return ob_err_set(err, OB_ERR_CONFIG,
                              "%s was measured with --%s: %s, this run has: %s; --resume needs the "
                              "same options, or give another --output",
                              params->line->output, row->name, old, new);
    }
    return OB_OK;
}

/* ---- a resumed run ---- */

static ob_status take_old(const ob_run_output_params *params, const ob_record *record, ob_err *err)
{
    if (record->kind == OB_RECORD_HEADER_LINE)
        return check_header(params, &record->header, err);
    if (record->kind != OB_RECORD_RESULT_LINE ||
        !ob_record_status_get_info(record->result.status)->settled)
        return OB_OK; /* it is run again */
    return params->on_old(params->ctx, record, err);
}

static ob_status read_old(const ob_run_output_params *params, const ob_result_file *file,
                          ob_err *err)
{
    const ob_record_reader_params whole = {.whole_lines_only = true};
    const ob_record *record;
    ob_record_reader *reader;
    OB_TRY(ob_record_reader_open_locked(file, &whole, &reader, err));
    ob_status status;
    while ((status = ob_record_reader_next(reader, &record, err)) == OB_OK &&
           (status = take_old(params, record, err)) == OB_OK)
        ;
    ob_record_reader_close(reader);
    return status == OB_END ? OB_OK : status;
}

/* What is read, and then cut, is locked: another run may have been writing until now. */
static ob_status resume(const ob_run_output_params *params, ob_result_file *file, ob_done **done,
                        ob_err *err)
{
    const ob_run_line *o = params->line;
    ob_done_file info;
    OB_TRY(ob_done_create(done, err));
    OB_TRY(ob_done_read_locked(*done, file, &info, err));
    if (info.config_hash[0] != '\0' && strcmp(info.config_hash, params->config_hash) != 0)
        return ob_err_set(
            err, OB_ERR_CONFIG,
            "%s was made from another config than %s is now%s%s; use the same one, or "
            "another --output",
            o->output, params->config_name,
            params->chosen_by != NULL ? ", or with another choice of " : "",
            params->chosen_by != NULL ? params->chosen_by : "");
    OB_TRY(read_old(params, file, err));
    return ob_result_file_cut(file, &info, err);
}

ob_status ob__run_output_open(const ob_run_output_params *params, ob_result_file **file,
                              ob_done **done, ob_err *err)
{
    const ob_run_line *o = params->line;
    ob_cli_waiting waiting = {.cli = params->cli};
    const ob_result_file_params to = {.path = o->output,
                                      .prefix = o->prefix,
                                      .go_on = "--resume",
                                      .mode = o->append   ? OB_RESULT_APPEND
                                              : o->resume ? OB_RESULT_RESUME
                                              : o->force  ? OB_RESULT_CREATE
                                                          : OB_RESULT_NEW,
                                      .wait = o->wait ? ob__cli_wait_for_file : NULL,
                                      .wait_ctx = &waiting};
    *file = NULL;
    *done = NULL;
    if (o->resume && o->output == NULL)
        return ob_err_set(err, OB_ERR_INVALID,
                          "--resume needs --output FILE: the file to go on from");
    OB_TRY(ob_result_file_open(&to, file, err));
    return o->resume ? resume(params, *file, done, err) : OB_OK;
}
