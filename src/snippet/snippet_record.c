/* SPDX-License-Identifier: Apache-2.0
 *
 * Records of snippets: who they are, how it went, and the figures. Those of a suite say in `metadata` which snippet of
 * the original they are.
 */
#include "snippet/snippet_record.h"

#include "base/text_append.h"
#include "snippet/snippet_process.h"
#include "snippet/suite_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* ---- names ---- */

static bool is_statement(const ob_snippet *s)
{
    return s->label_parts == 0;
}

void ob__snippet_hash(const ob_timer_args *args, char key[OB_SNIPPET_KEY_SIZE])
{
    const char *const texts[] = {ob_language_label(args->language), args->stmt,
                                 args->setup != NULL ? args->setup : "",
                                 args->global_setup != NULL ? args->global_setup : ""};
    XXH128_canonical_t parts[sizeof texts / sizeof *texts];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        XXH128_canonicalFromHash(&parts[i], XXH3_128bits(texts[i], strlen(texts[i])));
    const XXH128_hash_t all = XXH3_128bits(parts, sizeof parts);
    snprintf(key, OB_SNIPPET_KEY_SIZE, "%016" PRIx64 "%016" PRIx64, all.high64, all.low64);
}

ob_status ob__snippet_record_name(const ob_snippet *s, char **name, ob_err *err)
{
    ob_text text = {.data = NULL};
    if (!is_statement(s))
        return ob_snippet_name(s, name, err);
    *name = NULL;
    if (!ob_text_printf(&text, "%s, %" PRId64 " thread%s", ob_language_label(s->args.language),
                        s->args.num_threads, s->args.num_threads == 1 ? "" : "s") ||
        !ob_text_append(&text, "", 1)) {
        ob_text_fini(&text);
        return ob__snippet_no_memory(err);
    }
    *name = text.data;
    return OB_OK;
}

/* The original's key of a snippet; of a statement its language. */
static ob_status make_metadata(ob_json_doc *doc, const ob_snippet *s, const ob_json **out,
                               ob_err *err)
{
    const char *language = ob_language_label(s->args.language);
    ob_json *object = ob_json_new_object(doc), *labels = ob_json_new_object(doc);
    ob_json *label = ob_json_new_array(doc);
    if (object == NULL || labels == NULL || label == NULL)
        return ob__snippet_no_memory(err);
    *out = object;
    if (is_statement(s))
        return ob_json_set(doc, object, "language",
                           ob_json_new_string(doc, language, strlen(language)), err);
    for (size_t i = 0; i < s->label_parts; i++)
        OB_TRY(ob_json_append(doc, label, ob_json_new_string(doc, s->label[i], strlen(s->label[i])),
                              err));
    OB_TRY(ob_json_set(doc, labels, "runtime",
                       ob_json_new_string(doc, s->runtime, strlen(s->runtime)), err));
    OB_TRY(ob_json_set(doc, labels, "autograd",
                       ob_json_new_string(doc, s->autograd, strlen(s->autograd)), err));
    OB_TRY(ob_json_set(doc, labels, "language", ob_json_new_string(doc, language, strlen(language)),
                       err));
    OB_TRY(ob_json_set(doc, object, "label", label, err));
    OB_TRY(ob_json_set(doc, object, "autolabels", labels, err));
    return ob_json_set(doc, object, "num_threads", ob_json_new_int(doc, s->args.num_threads), err);
}

/* ---- how it went ---- */

bool ob__snippet_died(const char *message)
{
    return strncmp(message, OB_SNIPPET_DIED, strlen(OB_SNIPPET_DIED)) == 0;
}

static ob_record_status status_of(const ob_suite_result *r)
{
    switch (r->status) {
    case OB_OK:
        return OB_RECORD_OK;
    case OB_ERR_LIMIT:
        return OB_RECORD_TIMED_OUT;
    case OB_ERR_NOMEM:
        return OB_RECORD_OUT_OF_MEMORY;
    case OB_ERR_UNSUPPORTED:
        return OB_RECORD_UNSUPPORTED;
    case OB_ERR_STATE:
        return OB_RECORD_INTERRUPTED;
    case OB_ERR_CONFIG:
    case OB_ERR_INVALID:
        return OB_RECORD_INVALID;
    default:
        return r->died ? OB_RECORD_CRASHED : OB_RECORD_FAILED;
    }
}

/* ---- counts ---- */

/* Of a suite the tables of the last count alone: the first of several is the one that differs, if any does, and hundreds
 * of snippets have megabytes of them. */
static ob_status fill_counts(ob_snippet_record *to, const ob_suite_result *r, ob_err *err)
{
    ob_record_instructions *out = &to->record.result.instructions;
    const size_t last = r->stats_count - 1;
    ob_json *tables = ob_json_new_array(to->doc), *node;
    to->counts = calloc(r->stats_count, sizeof *to->counts);
    if (to->counts == NULL || tables == NULL)
        return ob__snippet_no_memory(err);
    for (size_t i = 0; i < r->stats_count; i++)
        to->counts[i] = (double)ob_count_stats_counts(r->stats[i], true);
    for (size_t i = is_statement(r->snippet) ? 0 : last; i <= last; i++) {
        OB_TRY(ob_count_stats_to_json(r->stats[i], to->doc, &node, err));
        OB_TRY(ob_json_append(to->doc, tables, node, err));
    }
    out->number = ob_count_stats_get(r->stats[last])->number_per_run;
    out->forward = to->counts[last] / (double)out->number;
    out->source = "callgrind";
    out->counts = (ob_reals){.items = to->counts, .count = r->stats_count};
    out->tables = tables;
    return OB_OK;
}

/* ---- */

void ob__snippet_record_fini(ob_snippet_record *record)
{
    free(record->name);
    free(record->counts);
    ob_json_doc_destroy(record->doc);
    *record = (ob_snippet_record){.name = NULL};
}

ob_status ob__snippet_record_make(ob_snippet_record *to, const ob_suite_result *r, const char *mode,
                                  ob_err *err)
{
    *to = (ob_snippet_record){.name = NULL};
    ob_record_init(&to->record, OB_RECORD_RESULT_LINE);
    if (r->measurement != NULL)
        OB_TRY(ob_measurement_to_record(r->measurement, &to->record, err));
    OB_TRY(ob_json_doc_create(&to->doc, err));
    OB_TRY(ob__snippet_record_name(r->snippet, &to->name, err));
    ob__snippet_hash(&r->snippet->args, to->key);
    ob_record_result *out = &to->record.result;
    out->id = to->name;
    out->key = to->key;
    out->status = status_of(r);
    out->reason = r->status == OB_OK ? NULL : r->reason;
    out->index = (int64_t)r->index;
    out->threads = r->snippet->args.num_threads;
    out->process = r->round;
    out->attempts = r->attempts > 0 ? r->attempts : OB_NO_INT;
    out->mode = mode;
    out->seconds = r->seconds;
    /* What was timed has its texts normalised. */
    if (r->measurement == NULL || !is_statement(r->snippet))
        out->task = *r->task;
    if (r->stats_count > 0 && is_statement(r->snippet))
        out->task = ob_count_stats_get(r->stats[0])->task;
    OB_TRY(make_metadata(to->doc, r->snippet, &out->metadata, err));
    return r->stats_count > 0 ? fill_counts(to, r, err) : OB_OK;
}
