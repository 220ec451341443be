/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting beside a run. A case is counted when its record comes and before the next one is measured, so no
 * time is taken while valgrind works; its record is handed on with what was found, or with the reason why
 * nothing was. The record that was measured is never lost by it.
 */
#include "run/count_hook.h"

#include "base/text_append.h"
#include "run/backend_list.h"
#include "run/case_counter.h"
#include "run/session_int.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct ob_count_hook {
    ob_context *context;
    const ob_config *config;
    const ob_run_params *outer;
    ob_backend_list list;
    ob_run_options options[OB_MOST_MEMBERS]; /* of each backend */
    ob_run_params params[OB_MOST_MEMBERS];
    ob_device_word devices[OB_MOST_MEMBERS];
    ob_case_counter *counters[OB_MOST_MEMBERS]; /* NULL = see below */
    ob_err missing;                             /* why nothing can be counted here */
    /* What the last record points to. */
    ob_text line, forward_file, backward_file;
};

/* ---- opening ---- */

static ob_status make_dir(const char *dir, ob_err *err)
{
    struct stat st;
    if (mkdir(dir, 0777) == 0 || (errno == EEXIST && stat(dir, &st) == 0 && S_ISDIR(st.st_mode)))
        return OB_OK;
    return ob_err_set(err, OB_ERR_INVALID, "--count-dir: %s is no folder and cannot become one: %s",
                      dir, strerror(errno == EEXIST ? ENOTDIR : errno));
}

/* Where the run has it too. What is wrong with it is said where the backend is opened. */
static void choose_device(ob_count_hook *h, size_t i)
{
    const ob_backend_desc *desc;
    if (ob__find_backend(h->context, h->list.names[i], &desc, NULL) == OB_OK &&
        ob__device_choose_among(desc, h->options[i].device, &h->devices[i], NULL) == OB_OK)
        ob__device_set(&h->options[i], &h->devices[i]);
}

static ob_status open_counters(ob_count_hook *h, ob_err *err)
{
    const ob_run_options *options = h->outer->options;
    if (options->count_dir != NULL)
        OB_TRY(make_dir(options->count_dir, err));
    OB_TRY(ob__backend_list_make(options, &h->list, err));
    for (size_t i = 0; i < h->list.count; i++) {
        h->options[i] = *options;
        h->options[i].backend = h->list.names[i];
        h->options[i].backend_options = h->list.options[i];
        choose_device(h, i);
        h->params[i] = *h->outer;
        h->params[i].options = &h->options[i];
        const ob_status status =
            ob__case_counter_open(h->context, h->config, &h->params[i], &h->counters[i], err);
        if (status == OB_ERR_UNSUPPORTED && err != NULL)
            h->missing = *err;
        else
            OB_TRY(status);
    }
    return OB_OK;
}

ob_status ob__count_hook_open(ob_context *context, const ob_config *config,
                              const ob_run_params *params, ob_count_hook **out, ob_err *err)
{
    *out = NULL;
    if (!ob__options_count_with(params->options, "callgrind"))
        return OB_OK;
    if (params->worker_program == NULL)
        return ob_err_set(err, OB_ERR_INVALID,
                          "--count needs worker processes; leave out --no-isolate");
    ob_count_hook *h = calloc(1, sizeof *h);
    if (h == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for counting");
    h->context = context;
    h->config = config;
    h->outer = params;
    const ob_status status = open_counters(h, err);
    if (status != OB_OK) {
        ob__count_hook_close(h);
        return status;
    }
    *out = h;
    return OB_OK;
}

void ob__count_hook_close(ob_count_hook *h)
{
    if (h == NULL)
        return;
    for (size_t i = 0; i < OB_MOST_MEMBERS; i++)
        ob__case_counter_close(h->counters[i]);
    ob__backend_list_fini(&h->list);
    ob_text_fini(&h->line);
    ob_text_fini(&h->forward_file);
    ob_text_fini(&h->backward_file);
    free(h);
}

/* ---- tables that are kept ---- */

static ob_status write_text(const char *path, const ob_count_stats *stats, ob_err *err)
{
    ob_json_doc *doc;
    ob_json *node;
    char *text = NULL;
    size_t length = 0;
    OB_TRY(ob_json_doc_create(&doc, err));
    ob_status status = ob_count_stats_to_json(stats, doc, &node, err);
    if (status == OB_OK)
        status = ob_json_print(node, &text, &length, err);
    ob_json_doc_destroy(doc);
    OB_TRY(status);
    FILE *file = fopen(path, "we");
    const bool written =
        file != NULL && fwrite(text, 1, length, file) == length && fputc('\n', file) != EOF;
    const bool closed = file == NULL || fclose(file) == 0;
    free(text);
    if (written && closed)
        return OB_OK;
    return ob_err_set(err, OB_ERR_IO, "%s cannot be written: %s", path, strerror(errno));
}

/* DIR/<key>_<backend>_<pass>.json into *path. */
static ob_status keep(const ob_count_hook *h, const ob_record_result *r, const char *pass,
                      const ob_count_stats *stats, ob_text *path, ob_err *err)
{
    path->size = 0;
    if (stats == NULL)
        return OB_OK;
    if (!ob_text_printf(path, "%s/%s_%s_%s.json", h->outer->options->count_dir, r->key, r->backend,
                        pass) ||
        !ob_text_append(path, "", 1))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the name of a file");
    return write_text(path->data, stats, err);
}

/* ---- records ---- */

static double per_iteration(const ob_count_stats *stats, int64_t number)
{
    return (double)ob_count_stats_counts(stats, false) / (double)number;
}

/* What was found, into the record. */
static ob_status fill(ob_count_hook *h, const ob_case_count *count, ob_record_result *r,
                      ob_err *err)
{
    const ob_run_options *o = h->outer->options;
    ob_record_instructions *to = &r->instructions;
    to->source = "callgrind";
    if (count->repeats == 0) {
        to->reason = count->reason;
        return OB_OK;
    }
    to->number = o->count_number;
    to->forward = per_iteration(count->forward[0], o->count_number);
    if (count->backward != NULL)
        to->backward = per_iteration(count->backward[0], o->count_number);
    if (o->count_dir == NULL)
        return OB_OK;
    OB_TRY(keep(h, r, "forward", count->forward[0], &h->forward_file, err));
    OB_TRY(keep(h, r, "backward", count->backward != NULL ? count->backward[0] : NULL,
                &h->backward_file, err));
    to->forward_file = h->forward_file.data;
    if (h->backward_file.size > 0)
        to->backward_file = h->backward_file.data;
    return OB_OK;
}

/* Without a counter: the reason. */
static ob_status count_case(const ob_count_hook *h, const ob_record_result *r, ob_case_count *out,
                            ob_err *err)
{
    *out = (ob_case_count){.status = OB_RECORD_UNSUPPORTED};
    for (size_t i = 0; i < h->list.count; i++)
        if (h->counters[i] != NULL && r->backend != NULL &&
            strcmp(h->list.names[i], r->backend) == 0)
            return ob__case_counter_count(h->counters[i], (uint64_t)r->index, out, err);
    snprintf(out->reason, sizeof out->reason, "%s", h->missing.message);
    return OB_OK;
}

static ob_status on_record(void *ctx, const ob_record *record, const char *line, size_t length,
                           ob_err *err)
{
    ob_count_hook *h = ctx;
    const ob_run_params *outer = h->outer;
    const ob_record_status_info *info = ob_record_status_get_info(record->result.status);
    ob_record counted = *record;
    ob_case_count count;
    /* A case that cannot be measured cannot be counted either. */
    if (info == NULL || !info->ran)
        return outer->on_record(outer->ctx, record, line, length, err);
    OB_TRY(count_case(h, &record->result, &count, err));
    ob_status status = fill(h, &count, &counted.result, err);
    h->line.size = 0;
    if (status == OB_OK)
        status = ob_record_print(&counted, &h->line, err);
    if (status == OB_OK)
        status = outer->on_record(outer->ctx, &counted, h->line.data, h->line.size, err);
    ob__case_count_fini(&count);
    return status;
}

static int stop(void *ctx)
{
    const ob_run_params *outer = ((const ob_count_hook *)ctx)->outer;
    return outer->stop != NULL ? outer->stop(outer->ctx) : 0;
}

static ob_status on_ready(void *ctx, const ob_json *properties, ob_err *err)
{
    const ob_run_params *outer = ((const ob_count_hook *)ctx)->outer;
    return outer->on_ready != NULL ? outer->on_ready(outer->ctx, properties, err) : OB_OK;
}

static void on_wrapped(void *ctx, const char *text, size_t length)
{
    const ob_run_params *outer = ((const ob_count_hook *)ctx)->outer;
    if (outer->on_wrapped != NULL)
        outer->on_wrapped(outer->ctx, text, length);
}

ob_run_params ob__count_hook_params(ob_count_hook *h)
{
    ob_run_params params = *h->outer;
    params.on_record = on_record;
    params.on_ready = on_ready;
    params.on_wrapped = on_wrapped;
    params.stop = stop;
    params.ctx = h;
    return params;
}
