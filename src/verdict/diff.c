/* SPDX-License-Identifier: Apache-2.0
 *
 * Collecting: records come one by one, and of each some numbers a process are kept.
 */
#include "base/sized.h"
#include "opbench/vec.h"
#include "result/run_conditions.h"
#include "verdict/diff_int.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ob_status ob__diff_no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the comparison");
}

ob_status ob__diff_keep(ob_diff *diff, const char *text, const char **out, ob_err *err)
{
    *out = text != NULL ? ob__arena_strdup(&diff->arena, text, strlen(text)) : NULL;
    return *out != NULL || text == NULL ? OB_OK : ob__diff_no_memory(err);
}

ob_status ob__diff_note(ob_diff *diff, ob_err *err, const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (!OB_RESERVE(diff->notes, diff->note_room, diff->note_count + 1))
        return ob__diff_no_memory(err);
    OB_TRY(ob__diff_keep(diff, line, &diff->notes[diff->note_count], err));
    diff->note_count++;
    return OB_OK;
}

/* ---- making and ending ---- */

ob_status ob_diff_create(const ob_diff_params *params, ob_diff **out, ob_err *err)
{
    ob_diff_params p;
    *out = NULL;
    OB_TRY(OB__TAKE_OPTIONAL(ob_diff_params, &p, params, err));
    ob_diff *diff = calloc(1, sizeof *diff);
    if (diff == NULL)
        return ob__diff_no_memory(err);
    ob__arena_init(&diff->arena, 0);
    diff->tolerate = p.tolerate;
    diff->most_processes = p.most_processes;
    diff->clock_ns = p.clock_resolution_ns;
    diff->verdict = (ob_verdict_params){.size = sizeof diff->verdict,
                                        .floor = p.floor,
                                        .threshold = p.threshold,
                                        .error_rate = p.error_rate};
    *out = diff;
    return OB_OK;
}

static void destroy_side(ob_diff_side_data *side)
{
    for (size_t i = 0; i < side->count; i++)
        for (size_t p = 0; p < OB_PASS_COUNT; p++) {
            free(side->cases[i].passes[p].units);
            ob_counts_destroy(side->cases[i].passes[p].functions);
        }
    for (size_t i = 0; i < side->count; i++)
        free(side->cases[i].together.units);
    free(side->cases);
    free(side->facts);
    ob__index_fini(&side->index);
    free(side);
}

void ob_diff_destroy(ob_diff *diff)
{
    if (diff == NULL)
        return;
    for (size_t i = 0; i < diff->side_count; i++)
        destroy_side(diff->sides[i]);
    free(diff->rows);
    free(diff->allowed);
    free(diff->notes);
    ob__arena_fini(&diff->arena);
    free(diff);
}

static ob_diff_side_data *find_side(const ob_diff *diff, const char *name)
{
    for (size_t i = 0; i < diff->side_count; i++)
        if (strcmp(diff->sides[i]->name, name) == 0)
            return diff->sides[i];
    return NULL;
}

static ob_status make_side(ob_diff *diff, const char *name, ob_err *err)
{
    if (find_side(diff, name) != NULL)
        return ob_err_set(err, OB_ERR_DUPLICATE,
                          "there are two sides called %s; each needs its own name", name);
    if (diff->side_count == OB_MAX_SIDES)
        return ob_err_set(err, OB_ERR_LIMIT, "more than %d sides cannot be compared", OB_MAX_SIDES);
    ob_diff_side_data *side = calloc(1, sizeof *side);
    if (side == NULL)
        return ob__diff_no_memory(err);
    diff->sides[diff->side_count++] = side;
    return ob__diff_keep(diff, name, &side->name, err);
}

ob_status ob_diff_add_side(ob_diff *diff, const char *name, ob_err *err)
{
    if (diff->sides_by_record)
        return ob_err_set(err, OB_ERR_STATE,
                          "sides cannot be added after records that name their own");
    return make_side(diff, name, err);
}

ob_status ob_diff_set_removed(ob_diff *diff, const char *name, ob_err *err)
{
    ob_diff_side_data *side = find_side(diff, name);
    if (side == NULL)
        return ob_err_set(err, OB_ERR_NOT_FOUND, "there is no side called %s", name);
    side->is_removed = true;
    return OB_OK;
}

const char *ob_diff_side(const ob_diff *diff, size_t index)
{
    return index < diff->side_count ? diff->sides[index]->name : NULL;
}

const char *ob_diff_note(const ob_diff *diff, size_t index)
{
    return index < diff->note_count ? diff->notes[index] : NULL;
}

/* ---- headers ---- */

/* The sides of one file share its header. */
static ob_status take_header(ob_diff *diff, const ob_record_header *h, ob_err *err)
{
    /* Who has a budget looked while it measured. */
    const ob_json *arguments = h->options.cmd_args;
    const int64_t most = ob_json_int(ob_json_get(arguments, "processes"), 0);
    if (ob_json_real(ob_json_get(arguments, "budget"), 0) > 0 && most > 0)
        diff->most_processes = (uint64_t)most;
    if (h->clock.resolution_ns > 0)
        diff->clock_ns = h->clock.resolution_ns;
    if (diff->sides_by_record || diff->side_count == 0)
        return OB_OK;
    ob_diff_side_data *side = diff->sides[diff->side_count - 1];
    if (side->version != NULL)
        return OB_OK;
    OB_TRY(ob__diff_keep(diff, h->system.cpu_model, &side->cpu_model, err));
    OB_TRY(ob__diff_keep(diff, h->system.kernel, &side->kernel, err));
    OB_TRY(ob__diff_take_libraries(diff, side, "", h->backends, err));
    return ob__diff_keep(diff, h->opbench_version != NULL ? h->opbench_version : "", &side->version,
                         err);
}

/* ---- results ---- */

bool ob__diff_case_name(const ob_diff_case *c, bool with_backend, bool with_threads, ob_text *text)
{
    text->size = 0;
    if (c->part_of != NULL && !ob_text_printf(text, "%s %d ", c->part_of, c->in_float32))
        return false;
    return (c->key != NULL ? ob_text_append_str(text, c->key)
                           : ob_text_printf(text, "%s|%s", c->op_name, c->id)) &&
           (!with_backend || ob_text_printf(text, "\n%s", c->backend != NULL ? c->backend : "")) &&
           (!with_threads || ob_text_printf(text, "\n%lld", (long long)c->threads));
}

static bool is_in_float32(const ob_record_result *r)
{
    return r->replay.what != NULL && strcmp(r->replay.what, "in_float32") == 0;
}

static bool is_other(const char *a, const char *b)
{
    return strcmp(a != NULL ? a : "", b != NULL ? b : "") != 0;
}

/* Which backends and numbers of threads a side has decides what its cases are called. */
static void watch_variety(ob_diff_side_data *side, const ob_diff_case *c)
{
    if (side->count == 1) {
        side->backend = c->backend;
        side->threads = c->threads;
    }
    side->several_backends = side->several_backends || is_other(side->backend, c->backend);
    side->several_threads = side->several_threads || side->threads != c->threads;
}

/* A file may have several sides itself: those of one name are compared. */
static const char *backend_of(const ob_diff *diff, const ob_record_result *r)
{
    return !diff->sides_by_record && r->side != NULL ? r->side : r->backend;
}

static ob_status copy_identity(ob_diff *diff, const ob_record_result *r, ob_diff_case *c,
                               ob_err *err)
{
    char call[OB_CALL_ROOM];
    *c = (ob_diff_case){.threads = r->threads,
                        .status = r->status,
                        .in_float32 = is_in_float32(r),
                        .start_seconds = NAN};
    for (size_t p = 0; p < OB_PASS_COUNT; p++)
        c->passes[p].peak_bytes = c->passes[p].instructions = NAN;
    OB_TRY(ob__diff_keep(diff, r->op_name != NULL ? r->op_name : "", &c->op_name, err));
    OB_TRY(ob__diff_keep(diff, r->id != NULL ? r->id : "", &c->id, err));
    OB_TRY(ob__diff_keep(diff, ob__record_call(r, call), &c->call, err));
    OB_TRY(ob__diff_keep(diff, r->key, &c->key, err));
    OB_TRY(ob__diff_keep(diff, r->mode, &c->mode, err));
    OB_TRY(ob__diff_keep(diff, r->cache_state, &c->cache_state, err));
    OB_TRY(ob__diff_keep(diff, r->part_of, &c->part_of, err));
    OB_TRY(ob__diff_keep(diff, backend_of(diff, r), &c->backend, err));
    return ob__diff_keep(diff, r->repro, &c->repro, err);
}

/* The side's case of this record; a new one if there is none. */
static ob_status find_case(ob_diff *diff, ob_diff_side_data *side, const ob_record_result *r,
                           ob_text *name, ob_diff_case **out, ob_err *err)
{
    const ob_diff_case like = {.op_name = r->op_name != NULL ? r->op_name : "",
                               .id = r->id != NULL ? r->id : "",
                               .key = r->key,
                               .backend = backend_of(diff, r),
                               .part_of = r->part_of,
                               .in_float32 = is_in_float32(r),
                               .threads = r->threads};
    if (!ob__diff_case_name(&like, true, true, name))
        return ob__diff_no_memory(err);
    const uint32_t at = ob__index_find(&side->index, name->data, name->size);
    if (at != OB__INDEX_NONE) {
        *out = &side->cases[at];
        (*out)->mixed = true;
        return OB_OK;
    }
    const char *kept = ob__arena_strdup(&diff->arena, name->data, name->size);
    if (kept == NULL || side->count >= OB__INDEX_NONE ||
        !OB_RESERVE(side->cases, side->room, side->count + 1) ||
        !ob__index_reserve(&side->index, 1))
        return ob__diff_no_memory(err);
    *out = &side->cases[side->count];
    OB_TRY(copy_identity(diff, r, *out, err));
    ob__index_put(&side->index, kept, name->size, (uint32_t)side->count++);
    watch_variety(side, *out);
    return OB_OK;
}

/* The samples of a pass, and how many each process gave. */
typedef struct row_of_samples {
    ob_verdict_samples all;
    ob_reals each;  /* what the record says of it */
    size_t equally; /* else: so many processes gave equally many */
} row_of_samples;

/* A record may say anything. */
static bool adds_up(const ob_reals *each, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < each->count; i++) {
        if (!(each->items[i] >= 1) || each->items[i] != floor(each->items[i]))
            return false;
        sum += each->items[i];
    }
    return each->count > 1 && sum == (double)count;
}

/* Of older records: those of a fixed number of iterations have as many of each process. */
static size_t equal_processes(const ob_record_result *r, size_t samples)
{
    const bool equal = r->stop_rule != NULL && strcmp(r->stop_rule, "count") == 0;
    const size_t n = r->processes > 1 ? (size_t)r->processes : 1;
    return n > 1 && equal && n <= samples && samples % n == 0 ? n : 1;
}

static ob_status add_unit(const ob_verdict_samples *part, ob_diff_pass *pass, ob_err *err)
{
    const ob_status status = ob_verdict_unit_of(part, &pass->units[pass->count], NULL);
    pass->no_times = pass->no_times || status == OB_ERR_INVALID;
    pass->count += status == OB_OK;
    return status == OB_OK || status == OB_ERR_INVALID ? OB_OK : ob__diff_no_memory(err);
}

static ob_status add_units(const row_of_samples *row, ob_diff_pass *pass, ob_err *err)
{
    const bool told = adds_up(&row->each, row->all.count);
    const size_t processes = told ? row->each.count : row->equally;
    ob_verdict_samples part = row->all;
    if (!OB_RESERVE(pass->units, pass->room, pass->count + processes))
        return ob__diff_no_memory(err);
    for (size_t i = 0; i < processes; i++) {
        part.count = told ? (size_t)row->each.items[i] : row->all.count / processes;
        OB_TRY(add_unit(&part, pass, err));
        part.values += part.count;
        part.first += part.count;
    }
    pass->batch_count = 0;
    return processes == 1 && !pass->no_times
               ? ob_verdict_batches_of(&row->all, pass->batches, OB_VERDICT_BATCHES,
                                       &pass->batch_count, err)
               : OB_OK;
}

static double larger(double a, double b)
{
    return isnan(a) || b > a ? b : a;
}

ob_status ob__diff_add_pass(const ob_record_pass *from, const ob_diff_taken *how, ob_diff_pass *to,
                            ob_err *err)
{
    const row_of_samples row = {.all = {.size = sizeof row.all,
                                        .values = from->measure_time_ms.items,
                                        .count = from->measure_time_ms.count,
                                        .disturbed = from->disturbed.items,
                                        .disturbed_count = from->disturbed.count,
                                        .resolution = how->resolution_ms},
                                .each = from->process_samples,
                                .equally = how->equally};
    if (from->allocator_peak_bytes > 0)
        to->peak_bytes = larger(to->peak_bytes, (double)from->allocator_peak_bytes);
    return row.all.count > 0 ? add_units(&row, to, err) : OB_OK;
}

double ob__diff_resolution_ms(double clock_ns, const ob_record_result *r)
{
    const double number = r->number_per_run > 0 ? (double)r->number_per_run : 1;
    const bool other = (r->mode != NULL && strcmp(r->mode, "continuous_events") == 0) ||
                       ob_json_get(r->libraries, "virtual_clock_ns") != NULL;
    return other ? 0 : clock_ns * 1e-6 / number;
}

static ob_status add_pass(const ob_diff *diff, const ob_record_result *r,
                          const ob_record_pass *from, ob_diff_pass *to, ob_err *err)
{
    const double number = r->number_per_run > 0 ? (double)r->number_per_run : 1;
    const ob_diff_taken how = {.equally = equal_processes(r, from->measure_time_ms.count),
                               .resolution_ms = ob__diff_resolution_ms(diff->clock_ns, r)};
    for (size_t i = 0; r->part_of == NULL && i < from->measure_time_ms.count; i++)
        to->seconds += from->measure_time_ms.items[i] * 1e-3 * number;
    return ob__diff_add_pass(from, &how, to, err);
}

/* Statements have blocks and nothing else. */
static ob_status add_blocks(const ob_diff *diff, const ob_record_result *r, ob_diff_pass *to,
                            ob_err *err)
{
    const size_t count = r->raw_times_s.count;
    const double number = r->number_per_run > 0 ? (double)r->number_per_run : 1;
    double *ms = malloc(count * sizeof *ms);
    if (ms == NULL)
        return ob__diff_no_memory(err);
    for (size_t i = 0; i < count; i++)
        ms[i] = r->raw_times_s.items[i] * 1e3 / number;
    for (size_t i = 0; i < count; i++)
        to->seconds += r->raw_times_s.items[i];
    const row_of_samples row = {.all = {.size = sizeof row.all,
                                        .values = ms,
                                        .count = count,
                                        .resolution = ob__diff_resolution_ms(diff->clock_ns, r)},
                                .equally = equal_processes(r, count)};
    const ob_status status = add_units(&row, to, err);
    free(ms);
    return status;
}

ob_status ob__diff_put_together(const ob_record_pass *forward, const ob_record_pass *backward,
                                ob_record_pass *out, double **ms, ob_err *err)
{
    const ob_reals *f = &forward->measure_time_ms, *b = &backward->measure_time_ms;
    *out = *backward;
    out->measure_time_ms.count = 0;
    out->allocator_peak_bytes = 0;
    *ms = NULL;
    if (f->count != b->count || b->count == 0)
        return OB_OK;
    *ms = malloc(b->count * sizeof **ms);
    if (*ms == NULL)
        return ob__diff_no_memory(err);
    for (size_t i = 0; i < b->count; i++)
        (*ms)[i] = f->items[i] + b->items[i];
    out->measure_time_ms.items = *ms;
    out->measure_time_ms.count = b->count;
    return OB_OK;
}

static ob_status add_together(const ob_diff *diff, const ob_record_result *r, ob_diff_pass *to,
                              ob_err *err)
{
    ob_record_pass sum;
    double *ms;
    OB_TRY(ob__diff_put_together(&r->forward, &r->backward, &sum, &ms, err));
    const ob_status status = add_pass(diff, r, &sum, to, err);
    free(ms);
    return status;
}

static ob_status add_result(ob_diff *diff, const ob_record_result *r, ob_diff_case *c, ob_err *err)
{
    const ob_record_status_info *info = ob_record_status_get_info(r->status);
    if (info == NULL || !info->ran) {
        c->status = r->status;
        return ob__diff_keep(diff, r->reason, &c->reason, err);
    }
    if (!isnan(r->start_seconds))
        c->start_seconds = r->start_seconds + (isnan(c->start_seconds) ? 0 : c->start_seconds);
    if (!isnan(r->instructions.forward))
        c->passes[0].instructions = r->instructions.forward;
    if (!isnan(r->instructions.backward))
        c->passes[1].instructions = r->instructions.backward;
    OB_TRY(ob__diff_take_functions(&r->instructions, c, err));
    OB_TRY(ob__diff_keep(diff, r->instructions.reason, &c->not_counted, err));
    c->foreign = fmax(c->foreign, r->noise_foreign);
    c->steal = fmax(c->steal, r->noise_steal);
    if (r->forward.measure_time_ms.count == 0 && r->raw_times_s.count > 0)
        return add_blocks(diff, r, &c->passes[0], err);
    OB_TRY(add_pass(diff, r, &r->forward, &c->passes[0], err));
    OB_TRY(add_pass(diff, r, &r->backward, &c->passes[1], err));
    return add_together(diff, r, &c->together, err);
}

static ob_status side_of(ob_diff *diff, const ob_record_result *r, ob_diff_side_data **out,
                         ob_err *err)
{
    if (diff->side_count > 0 && !diff->sides_by_record) {
        *out = diff->sides[diff->side_count - 1];
        return OB_OK;
    }
    const char *name = r->side != NULL ? r->side : r->backend != NULL ? r->backend : "";
    diff->sides_by_record = true;
    if (r->reference != NULL && diff->side_count == 0)
        OB_TRY(make_side(diff, r->reference, err));
    if (find_side(diff, name) == NULL)
        OB_TRY(make_side(diff, name, err));
    *out = find_side(diff, name);
    return OB_OK;
}

ob_status ob_diff_add(ob_diff *diff, const ob_record *record, ob_err *err)
{
    const ob_record_result *r = &record->result;
    OB_TRY(ob__check_same_size(record->size, sizeof *record, "ob_record", err));
    if (diff->judged)
        return ob_err_set(err, OB_ERR_STATE, "records cannot be added after the verdict");
    if (record->kind == OB_RECORD_HEADER_LINE)
        return take_header(diff, &record->header, err);
    if (record->kind == OB_RECORD_FINISH_LINE) {
        diff->foreign = fmax(diff->foreign, record->finish.noise_foreign);
        diff->steal = fmax(diff->steal, record->finish.noise_steal);
    }
    /* What was interrupted or left out was measured again, or not wanted; an operator that a step of a trace does without is
     * not measured. */
    if (record->kind != OB_RECORD_RESULT_LINE || r->status == OB_RECORD_INTERRUPTED ||
        r->status == OB_RECORD_SKIPPED ||
        (r->part_of != NULL &&
         (r->status == OB_RECORD_UNSUPPORTED || r->status == OB_RECORD_INVALID)))
        return OB_OK;
    ob_diff_side_data *side;
    ob_diff_case *c = NULL;
    ob_text name = {.data = NULL};
    OB_TRY(side_of(diff, r, &side, err));
    ob_status status = ob__diff_take_libraries(diff, side, r->backend != NULL ? r->backend : "",
                                               r->libraries, err);
    if (status == OB_OK)
        status = find_case(diff, side, r, &name, &c, err);
    if (status == OB_OK && c != NULL)
        status = add_result(diff, r, c, err);
    ob_text_fini(&name);
    return status;
}
