/* SPDX-License-Identifier: Apache-2.0
 *
 * A fleet while records come: of each node and case the mean of logarithms of medians, and its variance, are carried on. 500 nodes
 * with 300 cases are six megabytes, however many samples and repeats they have.
 */
#include "base/sized.h"
#include "opbench/roofline.h"
#include "opbench/vec.h"
#include "result/run_conditions.h"
#include "verdict/fleet_int.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word;
    bool is_sick;
} STATES[OB_FLEET_STATE_COUNT] = {
#define ROW(id, word, sick, help) [OB_FLEET_##id] = {word, sick},
    OB_FLEET_STATE_MAP(ROW)
#undef ROW
};

const char *ob_fleet_state_word(ob_fleet_state state)
{
    return (size_t)state < OB_FLEET_STATE_COUNT ? STATES[state].word : "";
}

bool ob_fleet_state_is_sick(ob_fleet_state state)
{
    return (size_t)state < OB_FLEET_STATE_COUNT && STATES[state].is_sick;
}

ob_status ob__fleet_keep(ob_fleet *fleet, const char *text, const char **out, ob_err *err)
{
    *out = ob__arena_strdup(&fleet->arena, text, strlen(text));
    return *out != NULL ? OB_OK : ob__fleet_no_memory(err);
}

ob_status ob__fleet_note(ob_fleet *fleet, ob_err *err, const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (!OB_RESERVE(fleet->notes, fleet->note_room, fleet->note_count + 1))
        return ob__fleet_no_memory(err);
    OB_TRY(ob__fleet_keep(fleet, line, &fleet->notes[fleet->note_count], err));
    fleet->note_count++;
    return OB_OK;
}

/* ---- making and ending ---- */

ob_status ob_fleet_create(const ob_fleet_params *params, ob_fleet **out, ob_err *err)
{
    ob_fleet_params p;
    *out = NULL;
    OB_TRY(OB__TAKE_OPTIONAL(ob_fleet_params, &p, params, err));
    p.threshold = p.threshold > 0 ? p.threshold : OB_FLEET_THRESHOLD;
    p.error_rate = p.error_rate > 0 ? p.error_rate : OB_FLEET_ERROR_RATE;
    if (!(p.threshold < 10) || !(p.error_rate < 1))
        return ob_err_set(
            err, OB_ERR_INVALID,
            "a threshold must be a fraction, such as 0.02, and an error rate below 1");
    ob_fleet *fleet = calloc(1, sizeof *fleet);
    if (fleet == NULL)
        return ob__fleet_no_memory(err);
    ob__arena_init(&fleet->arena, 0);
    fleet->params = p;
    fleet->current = OB_FLEET_ALONE;
    if (p.ignore != NULL && ob__fleet_keep(fleet, p.ignore, &fleet->params.ignore, err) != OB_OK) {
        ob_fleet_destroy(fleet);
        return OB_ERR_NOMEM;
    }
    *out = fleet;
    return OB_OK;
}

void ob_fleet_destroy(ob_fleet *fleet)
{
    if (fleet == NULL)
        return;
    for (size_t i = 0; i < fleet->node_count; i++) {
        free(fleet->nodes[i].cells);
        free(fleet->nodes[i].facts);
        free(fleet->nodes[i].failures);
    }
    free(fleet->nodes);
    free(fleet->cases);
    free(fleet->groups);
    free(fleet->order);
    free(fleet->notes);
    ob__index_fini(&fleet->node_index);
    ob__index_fini(&fleet->case_index);
    ob__index_fini(&fleet->work_index);
    ob__arena_fini(&fleet->arena);
    free(fleet);
}

size_t ob_fleet_node_count(const ob_fleet *fleet)
{
    return fleet->node_count;
}

const char *ob_fleet_note(const ob_fleet *fleet, size_t index)
{
    return index < fleet->note_count ? fleet->notes[index] : NULL;
}

/* ---- headers ---- */

/* Slurm's name for the machine: several of its nodes may be one machine, and jobs are sent to nodes. */
static const char *name_of(const ob_record_header *h)
{
    if (h->node != NULL && h->node[0] != '\0')
        return h->node;
    return h->system.hostname[0] != '\0' ? h->system.hostname : "unnamed";
}

static ob_status make_node(ob_fleet *fleet, const ob_record_header *h, const char *name,
                           ob_err *err)
{
    if (fleet->node_count >= OB_FLEET_MAX_NODES)
        return ob_err_set(err, OB_ERR_LIMIT, "more than %d nodes cannot be compared",
                          OB_FLEET_MAX_NODES);
    if (!OB_RESERVE(fleet->nodes, fleet->node_room, fleet->node_count + 1) ||
        !ob__index_reserve(&fleet->node_index, 1))
        return ob__fleet_no_memory(err);
    ob_fleet_entry *node = &fleet->nodes[fleet->node_count];
    *node = (ob_fleet_entry){.shown = {.size = sizeof node->shown, .why = "", .differences = ""}};
    OB_TRY(ob__fleet_keep(fleet, name, &node->shown.name, err));
    ob__index_put(&fleet->node_index, node->shown.name, strlen(name),
                  (uint32_t)fleet->node_count++);
    return ob__fleet_take_facts(fleet, node, h, err);
}

static ob_status take_header(ob_fleet *fleet, const ob_record_header *h, ob_err *err)
{
    const char *name = name_of(h);
    fleet->is_merged = h->merged != OB_NO_INT && h->merged > 1;
    fleet->merged += fleet->is_merged;
    fleet->current = OB_FLEET_ALONE;
    if (fleet->is_merged) /* its results are of many nodes, and say no more of which */
        return OB_OK;
    const uint32_t at = ob__index_find(&fleet->node_index, name, strlen(name));
    fleet->current = at != OB__INDEX_NONE ? at : fleet->node_count;
    if (fleet->last_level_bytes == 0)
        fleet->last_level_bytes = (double)h->system.last_level_bytes;
    return at != OB__INDEX_NONE ? OB_OK : make_node(fleet, h, name, err);
}

/* ---- results ---- */

/* What was run: how it was measured is not known of a case that failed early. */
static bool append_work(const ob_record_result *r, ob_text *name)
{
    const char *backend = r->side != NULL ? r->side : r->backend;
    return (r->key != NULL ? ob_text_append_str(name, r->key)
                           : ob_text_printf(name, "%s|%s", r->op_name != NULL ? r->op_name : "",
                                            r->id != NULL ? r->id : "")) &&
           ob_text_printf(name, "\n%s", backend != NULL ? backend : "");
}

/* What must be the same for times to be alike. */
static bool append_way(const ob_record_result *r, bool backward, ob_text *name)
{
    const char *parts[] = {r->mode, r->cache_state, r->device, r->membind};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof parts / sizeof *parts; i++)
        ok = ob_text_printf(name, "\n%s", parts[i] != NULL ? parts[i] : "");
    return ok && ob_text_printf(name, "\n%lld %d", (long long)r->threads, backward);
}

/* The dtype of the first tensor of "mm(f32[8,8], f32[8,8])". */
static ob_dtype dtype_of(const char *call)
{
    for (const char *end = strchr(call, '['); end != NULL; end = strchr(end + 1, '[')) {
        const char *start = end;
        while (start > call &&
               ((start[-1] >= 'a' && start[-1] <= 'z') || (start[-1] >= '0' && start[-1] <= '9')))
            start--;
        const ob_dtype dtype =
            start < end ? ob_dtype_from_name(start, (size_t)(end - start)) : OB_DTYPE_INVALID;
        if (dtype != OB_DTYPE_INVALID)
            return dtype;
    }
    return OB_DTYPE_INVALID;
}

/* The number of a name in an index; a new one gets the next, and *is_new is set. */
static ob_status find_name(ob_fleet *fleet, ob__name_index *index, const ob_text *name, size_t *out,
                           bool *is_new, ob_err *err)
{
    *out = ob__index_find(index, name->data, name->size);
    *is_new = *out == OB__INDEX_NONE;
    if (!*is_new)
        return OB_OK;
    const char *kept = ob__arena_strdup(&fleet->arena, name->data, name->size);
    if (kept == NULL || index->used >= OB_FLEET_MAX_CELLS || !ob__index_reserve(index, 1))
        return ob__fleet_no_memory(err);
    *out = index->used;
    ob__index_put(index, kept, name->size, (uint32_t)*out);
    return OB_OK;
}

static ob_status find_work(ob_fleet *fleet, const ob_record_result *r, ob_text *name, size_t *out,
                           ob_err *err)
{
    bool is_new;
    return append_work(r, name) ? find_name(fleet, &fleet->work_index, name, out, &is_new, err)
                                : ob__fleet_no_memory(err);
}

static ob_status make_case(ob_fleet *fleet, const ob_record_result *r, size_t work, ob_err *err)
{
    char room[OB_CALL_ROOM];
    if (!OB_RESERVE(fleet->cases, fleet->case_room, fleet->case_count + 1))
        return ob__fleet_no_memory(err);
    ob_fleet_case *c = &fleet->cases[fleet->case_count];
    *c = (ob_fleet_case){.flops = NAN, .bytes = NAN, .work = work, .group = OB_FLEET_ALONE};
    OB_TRY(ob__fleet_keep(fleet, ob__record_call(r, room), &c->call, err));
    c->dtype = dtype_of(c->call);
    fleet->case_count++;
    return OB_OK;
}

static ob_status find_case(ob_fleet *fleet, const ob_record_result *r, bool backward, size_t *out,
                           ob_err *err)
{
    ob_text name = {.data = NULL};
    size_t work;
    bool is_new = false;
    ob_status status = find_work(fleet, r, &name, &work, err);
    if (status == OB_OK)
        status = append_way(r, backward, &name)
                     ? find_name(fleet, &fleet->case_index, &name, out, &is_new, err)
                     : ob__fleet_no_memory(err);
    if (status == OB_OK && is_new)
        status = make_case(fleet, r, work, err);
    ob_text_fini(&name);
    return status;
}

static ob_status find_cell(ob_fleet *fleet, size_t number, ob_fleet_cell **out, ob_err *err)
{
    ob_fleet_entry *node = &fleet->nodes[fleet->current];
    if (number >= node->cell_count) {
        fleet->cell_total += number + 1 - node->cell_count;
        if (fleet->cell_total > OB_FLEET_MAX_CELLS)
            return ob_err_set(
                err, OB_ERR_LIMIT,
                "nodes times cases exceed %d; give fewer files, or measure fewer cases",
                OB_FLEET_MAX_CELLS);
        if (!OB_RESERVE(node->cells, node->cell_room, number + 1))
            return ob__fleet_no_memory(err);
        while (node->cell_count <= number)
            node->cells[node->cell_count++] = (ob_fleet_cell){.count = 0};
    }
    *out = &node->cells[number];
    return OB_OK;
}

/* Of PARAM's files, which have samples alone, too. */
static ob_status find_times(const ob_record_pass *pass, double *median, double *mean, ob_err *err)
{
    const ob_reals *samples = &pass->measure_time_ms;
    ob_stats stats = pass->time_ms;
    if (!(stats.median > 0) && samples->count > 0) {
        double *scratch = malloc(samples->count * sizeof *scratch);
        if (scratch == NULL)
            return ob__fleet_no_memory(err);
        if (ob_stats_compute(samples->items, samples->count, scratch, &stats, NULL) != OB_OK)
            stats.median = NAN;
        free(scratch);
    }
    *median = stats.median;
    *mean = stats.mean > 0 ? stats.mean : stats.median;
    return OB_OK;
}

static void learn_cost(ob_fleet_case *c, const ob_record_pass *pass)
{
    static const ob_bound BOUNDS[OB_FLEET_BOUNDS] = {OB_BOUND_MEMORY, OB_BOUND_COMPUTE,
                                                     OB_BOUND_OVERHEAD};
    if (isnan(c->flops))
        c->flops = pass->flops;
    if (isnan(c->bytes))
        c->bytes = pass->bytes;
    for (size_t i = 0; pass->attainable_by != NULL && i < OB_FLEET_BOUNDS; i++)
        c->votes[i] += strcmp(pass->attainable_by, ob_bound_word(BOUNDS[i])) == 0;
}

static ob_status take_pass(ob_fleet *fleet, const ob_record_result *r, bool backward, ob_err *err)
{
    const ob_record_pass *pass = backward ? &r->backward : &r->forward;
    double median = NAN, mean = NAN;
    size_t number = 0;
    ob_fleet_cell *cell = NULL;
    OB_TRY(find_times(pass, &median, &mean, err));
    if (!(median > 0) || !isfinite(median) || !isfinite(mean))
        return OB_OK;
    OB_TRY(find_case(fleet, r, backward, &number, err));
    OB_TRY(find_cell(fleet, number, &cell, err));
    learn_cost(&fleet->cases[number], pass);
    const double value = log(median), away = value - cell->mean;
    cell->count++;
    cell->mean += away / (double)cell->count;
    cell->squares += away * (value - cell->mean);
    cell->lost += (log(mean / median) - cell->lost) / (double)cell->count;
    return OB_OK;
}

static ob_status take_failure(ob_fleet *fleet, const ob_record_result *r, ob_err *err)
{
    ob_fleet_entry *node = &fleet->nodes[fleet->current];
    ob_text name = {.data = NULL};
    char room[OB_CALL_ROOM];
    ob_fleet_failure failure;
    ob_status status = find_work(fleet, r, &name, &failure.work, err);
    ob_text_fini(&name);
    node->shown.failed++;
    if (status == OB_OK && ++fleet->cell_total > OB_FLEET_MAX_CELLS)
        status = ob_err_set(err, OB_ERR_LIMIT, "more than %d results cannot be compared",
                            OB_FLEET_MAX_CELLS);
    if (status == OB_OK)
        status = ob__fleet_keep(fleet, ob__record_call(r, room), &failure.call, err);
    if (status == OB_OK && !OB_RESERVE(node->failures, node->failure_room, node->failure_count + 1))
        status = ob__fleet_no_memory(err);
    if (status == OB_OK)
        node->failures[node->failure_count++] = failure;
    return status;
}

static void take_noise(ob_fleet_entry *node, const ob_record_result *r)
{
    if (!(r->noise_seconds > 0) || isnan(r->noise_foreign))
        return;
    node->noise_seconds += r->noise_seconds;
    node->foreign += r->noise_seconds * r->noise_foreign;
    node->steal += isnan(r->noise_steal) ? 0 : r->noise_seconds * r->noise_steal;
}

static ob_status take_result(ob_fleet *fleet, const ob_record_result *r, ob_err *err)
{
    const ob_record_status_info *info = ob_record_status_get_info(r->status);
    if (fleet->current == OB_FLEET_ALONE) {
        fleet->homeless += !fleet->is_merged;
        return OB_OK;
    }
    if (r->part_of != NULL || info == NULL)
        return OB_OK;
    fleet->nodes[fleet->current].shown.results++;
    take_noise(&fleet->nodes[fleet->current], r);
    if (r->libraries != NULL)
        OB_TRY(ob__fleet_take_libraries(fleet, &fleet->nodes[fleet->current], r, err));
    if (!info->ran)
        return info->failed && info->settled ? take_failure(fleet, r, err) : OB_OK;
    OB_TRY(take_pass(fleet, r, false, err));
    return take_pass(fleet, r, true, err);
}

ob_status ob_fleet_add(ob_fleet *fleet, const ob_record *record, ob_err *err)
{
    OB_TRY(ob__check_same_size(record->size, sizeof *record, "ob_record", err));
    if (fleet->judged)
        return ob_err_set(err, OB_ERR_STATE, "the nodes were already judged");
    if (record->kind == OB_RECORD_HEADER_LINE)
        return take_header(fleet, &record->header, err);
    return record->kind == OB_RECORD_RESULT_LINE ? take_result(fleet, &record->result, err) : OB_OK;
}

void ob_fleet_end_file(ob_fleet *fleet)
{
    fleet->current = OB_FLEET_ALONE;
    fleet->is_merged = false;
}
