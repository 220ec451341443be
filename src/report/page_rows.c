/* SPDX-License-Identifier: Apache-2.0
 *
 * What a page keeps of results.
 */
#include "report/page_model.h"

#include "opbench/vec.h"
#include "report/case_shapes.h"
#include "report/views.h"
#include "result/run_conditions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static ob_status no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the page");
}

static const char *keep(ob_page *page, const char *text, size_t length)
{
    const char *kept = ob__arena_strdup(&page->arena, text, length);
    page->no_memory = page->no_memory || kept == NULL;
    return kept;
}

const char *ob__page_keep(ob_page *page, const char *text)
{
    return text != NULL ? keep(page, text, strnlen(text, OB_PAGE_TEXT + 1)) : NULL;
}

/* A part of it would be another command. */
const char *ob__page_keep_command(ob_page *page, const char *command)
{
    const size_t length = command != NULL ? strnlen(command, OB_PAGE_COMMAND + 1) : 0;
    return length > 0 && length <= OB_PAGE_COMMAND ? keep(page, command, length) : NULL;
}

/* One text for all rows that have it. */
static const char *keep_side(ob_page *page, const char *name)
{
    const size_t number = ob__text_index_find(&page->sides, name);
    if (number != OB_NO_TEXT)
        return page->sides.texts[number];
    const char *kept = ob__page_keep(page, name);
    if (kept == NULL || !ob__text_index_add(&page->sides, kept))
        page->no_memory = true;
    return kept != NULL ? kept : "";
}

/* ---- samples ---- */

/* Positive as a float in ns too. */
static bool is_time(double ms)
{
    return ms > 1e-30 && ms < 1e15;
}

static void add_samples(ob_page *page, const ob_reals *from, const ob_reals *aside, uint32_t every,
                        uint32_t *kept)
{
    size_t next = 0;
    for (size_t i = 0; i < from->count; i += every) {
        while (aside != NULL && next < aside->count && aside->items[next] < (double)i)
            next++;
        const bool out = aside != NULL && next < aside->count && aside->items[next] <= (double)i;
        if (!is_time(from->items[i]))
            continue;
        page->samples[page->sample_count++] = (float)(from->items[i] * (out ? -1e6 : 1e6));
        (*kept)++;
    }
}

static void keep_samples(ob_page *page, const ob_record_pass *pass, ob_page_row *row)
{
    const ob_reals *warm = &pass->warmup_time_ms, *measured = &pass->measure_time_ms;
    const size_t all = warm->count + measured->count;
    row->every = (uint32_t)(1 + all / OB_PAGE_SAMPLES);
    row->sample_at = page->sample_count;
    if (!OB_RESERVE(page->samples, page->sample_room, page->sample_count + all / row->every + 2)) {
        page->no_memory = true;
        return;
    }
    add_samples(page, warm, NULL, row->every, &row->warmups);
    add_samples(page, measured, &pass->disturbed, row->every, &row->count);
}

ob_distribution ob__page_distribution(const ob_page *page, const ob_page_row *row)
{
    return (ob_distribution){.samples = page->samples + row->sample_at,
                             .warmups = row->warmups,
                             .count = row->count,
                             .median_ns = row->median_ns,
                             .low_ns = row->low_ns,
                             .high_ns = row->high_ns};
}

/* ---- rows ---- */

/* What is sure and large comes first, then what is spread widely. */
static double notability(const ob_page_row *row)
{
    double score = 0;
    if (row->count == 0)
        return -1;
    if (row->ratio.low > 1 || row->ratio.high < 1)
        score += 2 * fabs(log(row->ratio.value));
    if (row->p99_ns > row->median_ns)
        score += fmin(log(row->p99_ns / row->median_ns), 3);
    if (row->high_ns > row->low_ns)
        score += fmin((row->high_ns - row->low_ns) / row->median_ns, 2);
    if (row->of_roof > 0 && row->of_roof < 1)
        score += 0.1 * -log(row->of_roof);
    score += strcmp(row->status, "mistrusted") == 0 ? 2 : 0;
    return isnan(score) ? 0 : score;
}

static void fill_times(const ob_record_pass *pass, ob_page_row *row)
{
    row->samples = pass->measure_time_ms.count;
    row->set_aside = pass->disturbed.count;
    row->median_ns = pass->time_ms.median * 1e6;
    row->low_ns = pass->interval_ms.low * 1e6;
    row->high_ns = pass->interval_ms.high * 1e6;
    row->p99_ns = pass->time_ms.p99 * 1e6;
    row->gflops = pass->gflops_per_s;
    row->gbs = pass->gb_per_s;
    row->of_roof = pass->of_attainable;
    row->ratio = pass->ratio;
}

static ob_status add_row(ob_page *page, const ob_record_result *r, bool backward, ob_err *err)
{
    static const ob_record_pass NONE;
    const ob_record_pass *pass = backward ? &r->backward : &r->forward;
    const ob_record_status_info *info = ob_record_status_get_info(r->status);
    const int64_t weight = ob__result_weight(r);
    const bool sides = page->params.files_are_sides && page->file != NULL;
    const char *side = sides                ? page->file
                       : r->side != NULL    ? r->side
                       : r->backend != NULL ? r->backend
                                            : "";
    char room[OB_CALL_ROOM];
    if (!OB_RESERVE(page->rows, page->row_room, page->row_count + 1))
        return no_memory(err);
    ob_page_row *row = &page->rows[page->row_count++];
    *row = (ob_page_row){
        .call = ob__page_keep(page, ob__record_call(r, room)),
        .op = ob__page_keep(page, r->op_name != NULL ? r->op_name : ""),
        .id = ob__page_keep(page, r->id != NULL ? r->id : ""),
        .side = keep_side(page, side),
        .status = info->word[0] != '\0' ? info->word : "ok",
        .bound_by = ob__page_keep(page, pass->bound_by),
        .warning = r->warnings.count > 0 ? ob__page_keep(page, r->warnings.items[0]) : NULL,
        .repro = ob__page_keep_command(page, r->repro),
        .reason = ob__page_keep(page, r->reason),
        .backward = backward,
        .ran = info->ran,
        .failed = info->failed,
        .threads = r->threads,
        .calls = weight > 0 ? (uint64_t)weight : 0,
        .reason_number = OB_NO_TEXT,
        .run = page->run_count > 0 ? page->run_count - 1 : 0};
    fill_times(pass->measure_time_ms.count > 0 ? pass : &NONE, row);
    if (pass->measure_time_ms.count == 0)
        row->median_ns = row->low_ns = row->high_ns = row->p99_ns = row->gflops = row->gbs =
            row->of_roof = row->ratio.value = row->ratio.low = row->ratio.high = NAN;
    else
        keep_samples(page, pass, row);
    row->notable = notability(row);
    page->weighted = page->weighted || weight != OB_NO_INT;
    return page->no_memory ? no_memory(err) : OB_OK;
}

/* The number of the reason is that in which it came: the rows of one are found again behind sorting. */
static void add_reason(ob_page *page, const ob_record_result *r, ob_page_row *row)
{
    const int64_t weight = ob__result_weight(r);
    ob__reasons_add(&page->reasons, r, weight > 0 ? (uint64_t)weight : 1);
    if (!row->ran)
        row->reason_number = page->reasons.last;
    page->no_memory = page->no_memory || page->reasons.no_memory;
}

static ob_status add_rows(ob_page *page, const ob_record_result *r, ob_err *err)
{
    page->statuses[r->status == OB_RECORD_NO_STATUS ? OB_RECORD_OK : r->status]++;
    OB_TRY(add_row(page, r, false, err));
    add_reason(page, r, &page->rows[page->row_count - 1]);
    if (r->backward.measure_time_ms.count > 0)
        OB_TRY(add_row(page, r, true, err));
    return page->no_memory ? no_memory(err) : OB_OK;
}

ob_status ob__page_add_result(ob_page *page, const ob_record_result *r, ob_err *err)
{
    ob_record_result timed;
    double *owned;
    if (r->part_of != NULL)
        return OB_OK;
    const ob_status status =
        ob__result_with_times(r, &timed, &owned) ? add_rows(page, &timed, err) : no_memory(err);
    free(owned);
    return status;
}
