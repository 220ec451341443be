/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting beside a run. A case is counted when its record comes and before the next one is measured, so no
 * time is taken while valgrind works; its record is handed on with what was found, or with the reason why
 * nothing was. The record that was measured is never lost by it.
 */
#include "run/count_hook.h"

#include "base/text_append.h"
#include "run/case_counter.h"
#include "run/session_int.h"
#include "run/sides.h"

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
    ob_run_sides sides;
    ob_run_params params[OB_MOST_MEMBERS];      /* of each side */
    ob_case_counter *counters[OB_MOST_MEMBERS]; /* NULL = see below, or the case's maker counts */
    ob_cases *cases;                            /* for the maker; NULL = there is none */
    ob_err missing;                             /* why nothing can be counted here */
    /* What the last record points to. */
    ob_text line, forward_file, backward_file;
    ob_json_doc *doc;
};

/* ---- opening ---- */

static ob_status make_dir(const char *dir, ob_err *err)
{
    struct stat st;
    if (mkdir(dir, 0777) == 0 || (errno == EEXIST && stat(dir, &st) == 0 && S_ISDIR(st.st_mode)))
        return OB_OK;
    return ob_err_set(err, OB_ERR_INVALID, "--count-dir: cannot make the folder %s: %s", dir,
                      strerror(errno == EEXIST ? ENOTDIR : errno));
}

static bool maker_counts(const ob_run_options *options)
{
    return options->maker != NULL && options->maker->count != NULL;
}

static ob_status open_counter(ob_count_hook *h, size_t i, ob_err *err)
{
    ob_run_side *side = &h->sides.items[i];
    ob_run_params *params = &h->params[i];
    side->options.pin = h->outer->options->pin; /* it takes no turns */
    *params = *h->outer;
    params->options = &side->options;
    params->sides = NULL;
    params->side_count = 0;
    if (side->given.program != NULL)
        params->worker_program = side->given.program;
    if (maker_counts(&side->options))
        return OB_OK;
    const ob_status status = ob__case_counter_open(
        h->context, h->config, params, h->sides.named ? &side->given : NULL, &h->counters[i], err);
    if (status == OB_ERR_UNSUPPORTED && err != NULL) {
        h->missing = *err;
        return OB_OK;
    }
    return status;
}

static ob_status open_counters(ob_count_hook *h, ob_err *err)
{
    const ob_run_options *options = h->outer->options;
    if (options->count_dir != NULL)
        OB_TRY(make_dir(options->count_dir, err));
    OB_TRY(ob__sides_make(h->context, h->outer, &h->sides, err));
    if (maker_counts(options))
        OB_TRY(ob_cases_open(h->config, NULL, &h->cases, err));
    for (size_t i = 0; i < h->sides.count; i++)
        OB_TRY(open_counter(h, i, err));
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
    ob__sides_fini(&h->sides);
    ob_cases_close(h->cases);
    ob_json_doc_destroy(h->doc);
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

/* Of code without what Python's dictionaries look up, which depends on addresses. */
static double per_iteration(const ob_count_hook *h, const ob_count_stats *stats)
{
    const ob_run_options *o = h->outer->options;
    return (double)ob_count_stats_counts(stats, maker_counts(o)) / (double)o->count_number;
}

/* Sides are compared function by function. */
static ob_status add_tables(ob_count_hook *h, const ob_case_count *count, const ob_json **out,
                            ob_err *err)
{
    const ob_count_stats *const all[] = {count->forward[0],
                                         count->backward != NULL ? count->backward[0] : NULL};
    ob_json_doc_destroy(h->doc);
    h->doc = NULL;
    OB_TRY(ob_json_doc_create(&h->doc, err));
    ob_json *list = ob_json_new_array(h->doc), *node;
    if (list == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for counts");
    for (size_t i = 0; i < sizeof all / sizeof *all && all[i] != NULL; i++) {
        OB_TRY(ob_count_stats_to_json(all[i], h->doc, &node, err));
        OB_TRY(ob_json_append(h->doc, list, node, err));
    }
    *out = list;
    return OB_OK;
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
    to->forward = per_iteration(h, count->forward[0]);
    if (count->backward != NULL)
        to->backward = per_iteration(h, count->backward[0]);
    if (h->sides.named)
        OB_TRY(add_tables(h, count, &to->tables, err));
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

static ob_status count_by_maker(const ob_count_hook *h, const ob_run_side *side, uint64_t index,
                                ob_case_count *out, ob_err *err)
{
    const ob_case *c;
    OB_TRY(ob_cases_seek(h->cases, index, err));
    OB_TRY(ob_cases_next(h->cases, &c, err));
    return side->options.maker->count(&side->options, &side->given, c, out, err);
}

/* Without a counter: the reason. */
static ob_status count_case(const ob_count_hook *h, const ob_record_result *r, ob_case_count *out,
                            ob_err *err)
{
    const char *name = h->sides.named ? r->side : r->backend;
    *out = (ob_case_count){.status = OB_RECORD_UNSUPPORTED};
    for (size_t i = 0; name != NULL && i < h->sides.count; i++) {
        if (strcmp(h->sides.items[i].given.name, name) != 0)
            continue;
        if (h->cases != NULL)
            return count_by_maker(h, &h->sides.items[i], (uint64_t)r->index, out, err);
        if (h->counters[i] != NULL)
            return ob__case_counter_count(h->counters[i], (uint64_t)r->index, out, err);
    }
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
