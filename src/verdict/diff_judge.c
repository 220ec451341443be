/* SPDX-License-Identifier: Apache-2.0
 *
 * Deciding: each case of each side beside that of the baseline with the same name.
 */
#include "base/sized.h"
#include "opbench/vec.h"
#include "verdict/diff_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word;
    bool worse;
} STATES[OB_DIFF_STATE_COUNT] = {
#define ROW(id, word, worse, help) [OB_DIFF_##id] = {word, worse},
    OB_DIFF_STATE_MAP(ROW)
#undef ROW
};

const char *ob_diff_state_word(ob_diff_state state)
{
    return (unsigned)state < OB_DIFF_STATE_COUNT ? STATES[state].word : NULL;
}

static const char *const PASSES[OB_PASS_COUNT] = {"forward", "backward"};

/* ---- one pair ---- */

typedef struct pair {
    ob_diff *diff;
    const ob_diff_side_data *side;
    const ob_diff_case *a, *b;  /* NULL = that side does not have it */
    const char *not_comparable; /* why their times are not; NULL = they are */
} pair;

static bool ran(const ob_diff_case *c)
{
    const ob_record_status_info *info = ob_record_status_get_info(c->status);
    return info != NULL && info->ran;
}

static ob_diff_state state_of(const pair *p)
{
    if (p->b == NULL)
        return OB_DIFF_MISSING;
    if (p->a == NULL)
        return OB_DIFF_NEW;
    if (!ran(p->b))
        return !ran(p->a)                          ? OB_DIFF_BOTH_FAIL
               : p->b->status == OB_RECORD_DIFFERS ? OB_DIFF_DIFFERS
                                                   : OB_DIFF_FAILS;
    return ran(p->a) ? OB_DIFF_COMPARED : OB_DIFF_FIXED;
}

static ob_status add_row(const pair *p, ob_diff_state state, const char *pass, ob_diff_row **out,
                         ob_err *err)
{
    ob_diff *diff = p->diff;
    const ob_diff_case *shown = p->b != NULL ? p->b : p->a;
    *out = NULL;
    if (shown == NULL || !OB_RESERVE(diff->rows, diff->row_room, diff->row_count + 1))
        return ob__diff_no_memory(err);
    *out = &diff->rows[diff->row_count++];
    **out = (ob_diff_row){.size = sizeof **out,
                          .op_name = shown->op_name,
                          .call = shown->call,
                          .id = shown->id,
                          .key = shown->key,
                          .pass = pass,
                          .side = p->side->name,
                          .backend = shown->backend,
                          .threads = shown->threads,
                          .state = state,
                          .reason = shown->reason,
                          .time = {.ratio = NAN, .low = NAN, .high = NAN, .more = NAN},
                          .baseline_bytes = NAN,
                          .subject_bytes = NAN,
                          .baseline_instructions = NAN,
                          .instructions = NAN,
                          .start_seconds = NAN,
                          .worse = STATES[state].worse &&
                                   (diff->tolerate & OB_DIFF_TOLERATE_FAILURES) == 0,
                          .repro = shown->repro,
                          .baseline = diff->sides[0]->name,
                          .baseline_reason = p->a != NULL ? p->a->reason : NULL};
    /* What is compared is not judged yet. */
    return state != OB_DIFF_COMPARED ? ob__diff_accept(diff, shown, *out, err) : OB_OK;
}

/* Exact numbers need no statistics; but how an allocator rounds is nobody's business. */
static void judge_memory(const ob_diff_pass *a, const ob_diff_pass *b, double threshold,
                         ob_diff_row *row)
{
    const double least = fmin(a->peak_bytes, b->peak_bytes), apart = b->peak_bytes - a->peak_bytes;
    row->baseline_bytes = a->peak_bytes;
    row->subject_bytes = b->peak_bytes;
    if (isnan(a->peak_bytes) || isnan(b->peak_bytes))
        return;
    const bool matters = fabs(apart) > fmax(least * threshold, OB_DIFF_MIN_BYTES);
    row->memory = !matters ? OB_VERDICT_SAME : apart > 0 ? OB_VERDICT_SLOWER : OB_VERDICT_FASTER;
    row->memory_beyond = row->memory == OB_VERDICT_SLOWER;
}

/* Two implementations may well need other memory: that is said, and fails only for who asks. */
static bool tolerates_memory(const pair *p)
{
    const uint32_t bits = p->diff->tolerate;
    const char *a = p->a->backend, *b = p->b->backend;
    const bool other = strcmp(a != NULL ? a : "", b != NULL ? b : "") != 0;
    return (bits & OB_DIFF_TOLERATE_MEMORY) != 0 ||
           (other && (bits & OB_DIFF_TOLERATE_OTHER_MEMORY) != 0);
}

static double threshold_of(const ob_diff *diff)
{
    return diff->verdict.threshold > 0 ? diff->verdict.threshold : OB_VERDICT_THRESHOLD;
}

/* Of one process the stretches are all that there is. */
static ob_diff_units units_of(const ob_diff_pass *pass)
{
    const bool one = pass->count == 1;
    return (ob_diff_units){.items = one ? pass->batches : pass->units,
                           .count = one ? pass->batch_count : pass->count};
}

static ob_status decide(const pair *p, const ob_diff_pass *a, const ob_diff_pass *b,
                        ob_diff_row *row, ob_err *err)
{
    ob_verdict_params params = p->diff->verdict;
    const ob_diff_units of_a = units_of(a), of_b = units_of(b);
    params.one_process = a->count == 1 || b->count == 1;
    if (p->diff->most_processes > 0)
        params.look_share = ob_verdict_look_share(b->count, p->diff->most_processes);
    params.paired = p->diff->sides_by_record && !p->a->mixed && !p->b->mixed;
    if (p->not_comparable == NULL)
        OB_TRY(ob__diff_note_samples(p->diff, p->side, &of_a, &of_b, err));
    return ob_verdict_decide(of_a.items, of_a.count, of_b.items, of_b.count, &params, &row->time,
                             err);
}

static bool has_times(const ob_diff_pass *pass)
{
    return pass->count > 0 && !pass->no_times;
}

/* Both times are shown, but their ratio says nothing, and has no part in a mean. */
static void conclude_nothing(ob_verdict *v)
{
    v->kind = OB_VERDICT_UNDECIDED;
    v->ratio = v->low = v->high = v->sure_low = v->sure_high = NAN;
    v->median_ratio = v->tail_ratio = v->more = NAN;
}

/* What was not there cannot be compared: its code is known to be gone, or it takes no longer than a loop alone. */
static void mistrust(const pair *p, ob_diff_row *row)
{
    const double least_ms = OB_VERDICT_MIN_NS * 1e-6;
    const bool a_gone = p->diff->sides[0]->is_removed, b_gone = p->side->is_removed;
    const bool gone = a_gone || b_gone;
    const bool a = gone ? a_gone : row->time.baseline < least_ms,
               b = gone ? b_gone : row->time.subject < least_ms;
    if (!a && !b)
        return;
    conclude_nothing(&row->time);
    snprintf(row->time.why, sizeof row->time.why,
             "%s %s; keep the result, for example in a volatile variable",
             a && b ? "on both sides"
             : a    ? "on the baseline"
                    : "on this side",
             gone ? "no code is left: the compiler removed what is never used"
                  : "it takes no longer than an empty loop: the compiler removed what is never "
                    "used, or the loop hides it");
}

/* Times of two ways of measuring have no ratio. */
static void refuse(const pair *p, ob_diff_row *row)
{
    if (p->not_comparable == NULL)
        return;
    conclude_nothing(&row->time);
    snprintf(row->time.why, sizeof row->time.why, "%s", p->not_comparable);
}

static ob_status judge_times(const pair *p, size_t pass, ob_diff_row *row, ob_err *err)
{
    const ob_diff_pass *a = &p->a->passes[pass], *b = &p->b->passes[pass];
    const bool backward = strcmp(row->pass, "backward") == 0;
    row->time.size = sizeof row->time;
    if (!a->no_times && !b->no_times) {
        OB_TRY(decide(p, a, b, row, err));
        mistrust(p, row);
    } else if (backward && has_times(&p->a->together) && has_times(&p->b->together)) {
        OB_TRY(decide(p, &p->a->together, &p->b->together, row, err));
        snprintf(row->time.why, sizeof row->time.why,
                 "judged together with its forward: a backward time is a difference, and some are "
                 "zero or less");
    } else {
        snprintf(row->time.why, sizeof row->time.why, "some of its times are zero or less%s",
                 backward ? ": the time of a backward pass is a difference of two; measure longer"
                          : "");
        return OB_OK;
    }
    refuse(p, row);
    row->slower_beyond =
        row->time.kind == OB_VERDICT_SLOWER && row->time.ratio > 1 + threshold_of(p->diff);
    return OB_OK;
}

/* In the place of functions that changed. */
static ob_status say_not_counted(const pair *p, const char **out, ob_err *err)
{
    const bool in_a = p->a->not_counted != NULL;
    const char *why = in_a ? p->a->not_counted : p->b->not_counted;
    ob_text text = {0};
    if (why == NULL || *out != NULL)
        return OB_OK;
    ob_status status =
        ob_text_printf(&text, "none on %s: %s", (in_a ? p->diff->sides[0] : p->side)->name, why) &&
                ob_text_append(&text, "", 1)
            ? ob__diff_keep(p->diff, text.data, out, err)
            : ob__diff_no_memory(err);
    ob_text_fini(&text);
    return status;
}

static ob_status judge_passes(const pair *p, ob_err *err)
{
    for (size_t i = 0; i < OB_PASS_COUNT; i++) {
        const ob_diff_pass *a = &p->a->passes[i], *b = &p->b->passes[i];
        const bool in_a = a->count > 0 || a->no_times, in_b = b->count > 0 || b->no_times;
        const bool counted = !isnan(a->instructions) && !isnan(b->instructions);
        ob_diff_row *row = NULL;
        if (!in_a && !in_b && !counted)
            continue;
        const ob_diff_state state = in_a && !in_b   ? OB_DIFF_MISSING
                                    : !in_a && in_b ? OB_DIFF_NEW
                                                    : OB_DIFF_COMPARED;
        OB_TRY(add_row(p, state, PASSES[i], &row, err));
        if (state != OB_DIFF_COMPARED || row == NULL)
            continue;
        row->baseline_instructions = a->instructions;
        row->instructions = b->instructions;
        OB_TRY(ob__diff_compare_functions(p->diff, a, b, &row->functions, err));
        OB_TRY(say_not_counted(p, &row->functions, err));
        if (in_a)
            OB_TRY(judge_times(p, i, row, err));
        row->seconds = a->seconds + b->seconds;
        row->start_seconds = p->a->start_seconds + p->b->start_seconds;
        if (p->not_comparable == NULL)
            judge_memory(a, b, threshold_of(p->diff), row);
        row->worse = (row->slower_beyond && (p->diff->tolerate & OB_DIFF_TOLERATE_SLOWER) == 0) ||
                     (row->memory_beyond && !tolerates_memory(p));
        OB_TRY(ob__diff_accept(p->diff, p->b, row, err));
    }
    return OB_OK;
}

static ob_status judge_pair(const pair *p, ob_err *err)
{
    const ob_diff_state state = state_of(p);
    ob_diff_row *row;
    if (state != OB_DIFF_COMPARED || p->a == NULL || p->b == NULL)
        return add_row(p, state, "", &row, err);
    pair told = *p;
    OB_TRY(ob__diff_note_ways(p->diff, p->side, p->a, p->b, &told.not_comparable, err));
    return judge_passes(&told, err);
}

/* ---- one side ---- */

static ob_status index_cases(const ob_diff_side_data *side, bool backend, bool threads,
                             ob_arena *names, ob_text *name, ob__name_index *index, ob_err *err)
{
    if (!ob__index_reserve(index, side->count))
        return ob__diff_no_memory(err);
    for (size_t i = 0; i < side->count; i++) {
        const char *kept = ob__diff_case_name(&side->cases[i], backend, threads, name)
                               ? ob__arena_strdup(names, name->data, name->size)
                               : NULL;
        if (kept == NULL)
            return ob__diff_no_memory(err);
        if (ob__index_find(index, kept, name->size) == OB__INDEX_NONE)
            ob__index_put(index, kept, name->size, (uint32_t)i);
    }
    return OB_OK;
}

/* In the order of the baseline, then what is new. */
static ob_status judge_side_by(ob_diff *diff, const ob_diff_side_data *side,
                               ob__name_index indexes[2], bool backend, bool threads, ob_text *name,
                               ob_err *err)
{
    const ob_diff_side_data *sides[2] = {diff->sides[0], side};
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < sides[s]->count; i++) {
            const ob_diff_case *c = &sides[s]->cases[i];
            if (!ob__diff_case_name(c, backend, threads, name))
                return ob__diff_no_memory(err);
            const uint32_t at = ob__index_find(&indexes[1 - s], name->data, name->size);
            const ob_diff_case *other = at != OB__INDEX_NONE ? &sides[1 - s]->cases[at] : NULL;
            if (s == 1 && other != NULL)
                continue;
            const pair p = {
                .diff = diff, .side = side, .a = s == 0 ? c : NULL, .b = s == 0 ? other : c};
            OB_TRY(judge_pair(&p, err));
        }
    return OB_OK;
}

static ob_status judge_side(ob_diff *diff, const ob_diff_side_data *side, ob_err *err)
{
    const ob_diff_side_data *base = diff->sides[0];
    const bool backend = base->several_backends || side->several_backends;
    const bool threads = base->several_threads || side->several_threads;
    ob__name_index indexes[2] = {{0}};
    ob_text name = {.data = NULL};
    ob_arena names;
    ob__arena_init(&names, 0);
    ob_status status = index_cases(base, backend, threads, &names, &name, &indexes[0], err);
    if (status == OB_OK)
        status = index_cases(side, backend, threads, &names, &name, &indexes[1], err);
    if (status == OB_OK)
        status = judge_side_by(diff, side, indexes, backend, threads, &name, err);
    ob__index_fini(&indexes[0]);
    ob__index_fini(&indexes[1]);
    ob__arena_fini(&names);
    ob_text_fini(&name);
    return status;
}

/* ---- what should be known of the sides ---- */

static ob_status note_other(ob_diff *diff, const ob_diff_side_data *side, const char *what,
                            const char *base, const char *own, ob_err *err)
{
    if (base == NULL || own == NULL || strcmp(base, own) == 0)
        return OB_OK;
    return ob__diff_note(diff, err, "%s has a different %s than %s: %s, not %s", side->name, what,
                         diff->sides[0]->name, own, base);
}

static ob_status note_side(ob_diff *diff, const ob_diff_side_data *side, ob_err *err)
{
    const ob_diff_side_data *base = diff->sides[0];
    OB_TRY(note_other(diff, side, "processor", base->cpu_model, side->cpu_model, err));
    OB_TRY(note_other(diff, side, "kernel", base->kernel, side->kernel, err));
    OB_TRY(note_other(diff, side, "opbench", base->version, side->version, err));
    return ob__diff_note_libraries(diff, side, err);
}

/* Whether one process on some side kept a row from being judged by processes. */
static ob_status note_processes(ob_diff *diff, ob_err *err)
{
    size_t compared = 0, alone = 0;
    for (size_t s = 0; s < diff->side_count; s++)
        for (size_t i = 0; i < diff->sides[s]->count; i++)
            for (size_t p = 0; p < OB_PASS_COUNT; p++) {
                compared += diff->sides[s]->cases[i].passes[p].count > 0;
                alone += diff->sides[s]->cases[i].passes[p].count == 1;
            }
    if (alone == 0)
        return OB_OK;
    const double floor = diff->verdict.floor > 0 ? diff->verdict.floor : OB_VERDICT_FLOOR;
    return ob__diff_note(
        diff, err,
        "%s of the times come from a single process. That does not show how processes differ, so "
        "no error rate is promised, intervals are wider by %.3g %% for placement, and differences "
        "within the threshold cannot be told from chance. Measure with --processes 10, or measure "
        "both sides now with "
        "`opbench diff -c CONFIG --a ... --b ...`",
        alone == compared ? "all" : "some", 100 * floor);
}

/* What others did to the machine is said once, where it kept something from being decided. */
static ob_status note_load(ob_diff *diff, ob_err *err)
{
    const double much = 0.1;
    double foreign = diff->foreign, steal = diff->steal, aside = 0;
    uint64_t undecided = 0;
    ob_text text = {.data = NULL};
    for (size_t i = 0; i < diff->row_count; i++)
        if (diff->rows[i].state == OB_DIFF_COMPARED &&
            diff->rows[i].time.kind == OB_VERDICT_UNDECIDED) {
            undecided++;
            aside = fmax(aside, diff->rows[i].time.set_aside);
        }
    for (size_t s = 0; s < diff->side_count; s++)
        for (size_t i = 0; i < diff->sides[s]->count; i++) {
            foreign = fmax(foreign, diff->sides[s]->cases[i].foreign);
            steal = fmax(steal, diff->sides[s]->cases[i].steal);
        }
    if (undecided == 0 || !(aside > much || foreign > much || steal > much))
        return OB_OK;
    const bool ok =
        (!(aside > much) ||
         ob_text_printf(&text, ", the kernel disturbed %.0f %% of the samples of a case",
                        100 * aside)) &&
        (!(foreign > much) ||
         ob_text_printf(&text, ", other processes used %.0f %% of the CPU time", 100 * foreign)) &&
        (!(steal > much) ||
         ob_text_printf(&text, ", the hypervisor took %.0f %% of it", 100 * steal)) &&
        ob_text_append(&text, "", 1);
    const ob_status status =
        ok ? ob__diff_note(diff, err,
                           "the machine was busy (at worst %s), and some cases are undecided; use "
                           "a quieter machine or more time",
                           text.data + 2)
           : ob__diff_no_memory(err);
    ob_text_fini(&text);
    return status;
}

/* ---- order ---- */

enum { LAST_RANK = 4 }; /* of the same: in their first order */

/* Failures, slower, needs more memory, undecided, faster, same. */
static int rank_of(const ob_diff_row *row)
{
    static const int RANKS[OB_VERDICT_KIND_COUNT] = {[OB_VERDICT_SLOWER] = 0,
                                                     [OB_VERDICT_UNDECIDED] = 2,
                                                     [OB_VERDICT_FASTER] = 3,
                                                     [OB_VERDICT_SAME] = LAST_RANK};
    if (row->state != OB_DIFF_COMPARED)
        return -(int)OB_DIFF_STATE_COUNT + (int)row->state;
    return row->memory_beyond && row->time.kind != OB_VERDICT_SLOWER ? 1 : RANKS[row->time.kind];
}

static double distance(const ob_diff_row *row)
{
    return row->state == OB_DIFF_COMPARED && row->time.ratio > 0 ? fabs(log(row->time.ratio)) : 0;
}

/* Rows lie in one array, so their addresses are their first order. */
static int compare_rows(const void *a, const void *b)
{
    const ob_diff_row *x = *(const ob_diff_row *const *)a, *y = *(const ob_diff_row *const *)b;
    const int by_rank = rank_of(x) - rank_of(y);
    if (by_rank != 0)
        return by_rank;
    if (rank_of(x) < LAST_RANK && distance(x) != distance(y))
        return distance(x) > distance(y) ? -1 : 1;
    return x < y ? -1 : 1;
}

static ob_status sort_rows(ob_diff *diff, ob_err *err)
{
    const size_t n = diff->row_count;
    const ob_diff_row **order = calloc(n + 1, sizeof *order);
    ob_diff_row *sorted = calloc(n + 1, sizeof *sorted);
    for (size_t i = 0; order != NULL && i < n; i++)
        order[i] = &diff->rows[i];
    if (order != NULL && sorted != NULL) {
        qsort(order, n, sizeof *order, compare_rows);
        for (size_t i = 0; i < n; i++)
            sorted[i] = *order[i];
    }
    const bool ok = order != NULL && sorted != NULL;
    free(order);
    if (!ok) {
        free(sorted);
        return ob__diff_no_memory(err);
    }
    free(diff->rows);
    diff->rows = sorted;
    diff->row_room = n + 1;
    return OB_OK;
}

/* ---- all ---- */

/* How many comparisons share the error rate. */
static uint64_t count_comparisons(const ob_diff *diff)
{
    uint64_t passes = 0;
    for (size_t s = 1; s < diff->side_count; s++)
        for (size_t i = 0; i < diff->sides[s]->count; i++)
            for (size_t p = 0; p < OB_PASS_COUNT; p++)
                passes += diff->sides[s]->cases[i].passes[p].count > 0 ||
                          diff->sides[s]->cases[i].passes[p].no_times; /* judged together */
    return passes;
}

ob_status ob_diff_judge(ob_diff *diff, ob_err *err)
{
    if (diff->judged)
        return ob_err_set(err, OB_ERR_STATE, "the verdict was already given");
    if (diff->side_count < 2)
        return ob_err_set(
            err, OB_ERR_INVALID,
            "there is only one side%s%s; give two files, or one from a run with several backends",
            diff->side_count > 0 ? ": " : "", diff->side_count > 0 ? diff->sides[0]->name : "");
    diff->judged = true;
    diff->verdict.cases = count_comparisons(diff);
    for (size_t s = 1; s < diff->side_count; s++) {
        OB_TRY(note_side(diff, diff->sides[s], err));
        OB_TRY(judge_side(diff, diff->sides[s], err));
    }
    OB_TRY(note_processes(diff, err));
    OB_TRY(note_load(diff, err));
    OB_TRY(ob__diff_note_allowed(diff, err));
    return sort_rows(diff, err);
}

size_t ob_diff_count(const ob_diff *diff)
{
    return diff->judged ? diff->row_count : 0;
}

const ob_diff_row *ob_diff_at(const ob_diff *diff, size_t index)
{
    return index < ob_diff_count(diff) ? &diff->rows[index] : NULL;
}

/* only: the side that is summed up beside the baseline; 0 = all are. */
static void add_times(const ob_diff *diff, size_t only, ob_diff_summary *sum)
{
    for (size_t s = 0; s < diff->side_count; s++)
        for (size_t i = 0; (only == 0 || s == 0 || s == only) && i < diff->sides[s]->count; i++) {
            const ob_diff_case *c = &diff->sides[s]->cases[i];
            sum->start_seconds += c->start_seconds;
            for (size_t p = 0; p < OB_PASS_COUNT; p++)
                sum->seconds += c->passes[p].seconds;
        }
}

static ob_status summarise(const ob_diff *diff, size_t only, ob_diff_summary *out, ob_err *err)
{
    ob_diff_summary sum = {.size = sizeof sum,
                           .in_pairs = diff->sides_by_record,
                           .geometric_mean = NAN,
                           .floor =
                               diff->verdict.floor > 0 ? diff->verdict.floor : OB_VERDICT_FLOOR,
                           .threshold = threshold_of(diff)};
    double logs = 0;
    uint64_t ratios = 0;
    const char *name = only > 0 && only < diff->side_count ? diff->sides[only]->name : NULL;
    for (size_t i = 0; i < diff->row_count; i++) {
        const ob_diff_row *row = &diff->rows[i];
        if (name != NULL && row->side != name)
            continue;
        sum.rows++;
        sum.states[row->state]++;
        sum.worse += row->worse && row->allowed == NULL;
        sum.allowed += row->worse && row->allowed != NULL;
        if (row->state != OB_DIFF_COMPARED)
            continue;
        sum.verdicts[row->time.kind]++;
        sum.more_memory += row->memory == OB_VERDICT_SLOWER;
        sum.less_memory += row->memory == OB_VERDICT_FASTER;
        if (row->time.ratio > 0) {
            logs += log(row->time.ratio);
            ratios++;
        }
        if (row->time.kind == OB_VERDICT_SLOWER &&
            (sum.worst == NULL || row->time.ratio > sum.worst->time.ratio))
            sum.worst = row;
    }
    /* One mean of several sides would be of none of them. */
    if (ratios > 0 && (only > 0 || diff->side_count == 2))
        sum.geometric_mean = exp(logs / (double)ratios);
    add_times(diff, only, &sum);
    return OB__GIVE(ob_diff_summary, out, &sum, err);
}

ob_status ob_diff_summarise(const ob_diff *diff, ob_diff_summary *out, ob_err *err)
{
    return summarise(diff, 0, out, err);
}

ob_status ob_diff_summarise_side(const ob_diff *diff, size_t side, ob_diff_summary *out,
                                 ob_err *err)
{
    if (side == 0 || side >= diff->side_count)
        return ob_err_set(err, OB_ERR_INVALID,
                          "there is no side %zu besides the baseline; there are %zu", side,
                          diff->side_count > 0 ? diff->side_count - 1 : 0);
    return summarise(diff, side, out, err);
}
