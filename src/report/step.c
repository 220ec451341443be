/* SPDX-License-Identifier: Apache-2.0 */
#include "report/step.h"

#include "opbench/vec.h"
#include "report/views.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double MOST_MS = 1e15; /* 30,000 years: what is more was not measured */

void ob__step_init(ob_step *step)
{
    *step = (ob_step){.rows = NULL};
    ob__arena_init(&step->arena, 0);
}

void ob__step_fini(ob_step *step)
{
    ob__arena_fini(&step->arena);
    ob__reasons_fini(&step->reasons);
    ob__text_index_fini(&step->row_index);
    ob__text_index_fini(&step->case_index);
    free(step->rows);
    free(step->cases);
}

/* ---- adding ---- */

static ob_status no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the step");
}

static ob_status find_side(ob_step *step, const char *name, size_t *out, ob_err *err)
{
    size_t s = 0;
    while (s < step->side_count && strcmp(step->sides[s], name) != 0)
        s++;
    *out = s;
    if (s < step->side_count)
        return OB_OK;
    if (s == OB_STEP_SIDES)
        return ob_err_set(err, OB_ERR_LIMIT,
                          "a step can be shown for at most %d backends; give fewer files",
                          (int)OB_STEP_SIDES);
    step->sides[s] = ob__arena_strdup(&step->arena, name, strlen(name));
    step->side_count += step->sides[s] != NULL;
    return step->sides[s] != NULL ? OB_OK : no_memory(err);
}

/* Number of the text in the index, added if it is new; OB_NO_TEXT when memory is out. */
static size_t number_of(ob_step *step, ob_text_index *index, const ob_text *key)
{
    const size_t number = ob__text_index_find(index, key->data);
    if (number != OB_NO_TEXT)
        return number;
    const char *kept = ob__arena_strdup(&step->arena, key->data, strlen(key->data));
    return kept != NULL && ob__text_index_add(index, kept) ? index->count - 1 : OB_NO_TEXT;
}

/* The pass stands first in a key, as one character. */
static ob_step_row *find_row(ob_step *step, const ob_text *key)
{
    const size_t number = number_of(step, &step->row_index, key);
    if (number == OB_NO_TEXT || !OB_RESERVE(step->rows, step->room, number + 1))
        return NULL;
    if (number == step->count)
        step->rows[step->count++] = (ob_step_row){.op = step->row_index.texts[number] + 1,
                                                  .backward = key->data[0] == 'b',
                                                  .best = OB_STEP_SIDES,
                                                  .lead = NAN};
    return &step->rows[number];
}

static ob_step_case *find_case(ob_step *step, const ob_text *key, const ob_step_row *row)
{
    const size_t number = number_of(step, &step->case_index, key);
    if (number == OB_NO_TEXT || !OB_RESERVE(step->cases, step->case_room, number + 1))
        return NULL;
    if (number == step->case_count)
        step->cases[step->case_count++] = (ob_step_case){.row = (size_t)(row - step->rows)};
    return &step->cases[number];
}

/* pass: NULL = it was not measured. */
static ob_status add_pass(ob_step *step, const ob_record_result *r, size_t side,
                          const ob_record_pass *pass, bool backward, uint64_t calls, ob_err *err)
{
    const char *id = r->id != NULL ? r->id : "";
    const char *op = r->op_name != NULL ? r->op_name : id;
    ob_text key = {.data = NULL};
    ob_step_row *row = NULL;
    ob_step_case *c = NULL;
    if (ob_text_printf(&key, "%c", backward ? 'b' : 'f') && ob_text_append_str(&key, op) &&
        ob_text_append(&key, "", 1))
        row = find_row(step, &key);
    key.size -= row != NULL; /* its end */
    if (row != NULL && ob_text_printf(&key, "\037%s\037", r->key != NULL ? r->key : "") &&
        ob_text_append_str(&key, id) && ob_text_append(&key, "", 1))
        c = find_case(step, &key, row);
    ob_text_fini(&key);
    if (c == NULL)
        return no_memory(err);
    c->calls = calls;
    if (pass != NULL && pass->time_ms.median >= 0 && pass->time_ms.median < MOST_MS)
        c->sides[side] = (ob_step_time){.calls = calls,
                                        .ns = (double)calls * pass->time_ms.median * 1e6,
                                        .low_ns = (double)calls * pass->interval_ms.low * 1e6,
                                        .high_ns = (double)calls * pass->interval_ms.high * 1e6};
    return OB_OK;
}

ob_status ob__step_add(ob_step *step, const ob_record_result *r, ob_err *err)
{
    const int64_t weight = ob__result_weight(r);
    const uint64_t calls = weight == OB_NO_INT || weight < 0 ? 1 : (uint64_t)weight;
    const char *name = r->side != NULL ? r->side : r->backend;
    const bool measured =
        ob_record_status_get_info(r->status)->ran && r->forward.measure_time_ms.count > 0;
    size_t side;
    if (r->part_of != NULL)
        return OB_OK;
    if (step->threads == 0)
        step->threads = r->threads;
    if (r->threads != step->threads) { /* each call would count several times */
        step->other_threads = true;
        return OB_OK;
    }
    step->weighted = step->weighted || weight != OB_NO_INT;
    OB_TRY(find_side(step, name != NULL ? name : "?", &side, err));
    ob__reasons_add(&step->reasons, r, calls);
    OB_TRY(add_pass(step, r, side, measured ? &r->forward : NULL, false, calls, err));
    return measured && r->backward.measure_time_ms.count > 0
               ? add_pass(step, r, side, &r->backward, true, calls, err)
               : OB_OK;
}

/* ---- what follows ---- */

static void add_time(ob_step_time *to, const ob_step_time *time)
{
    to->calls += time->calls;
    to->ns += time->ns;
    to->low_ns += time->low_ns;
    to->high_ns += time->high_ns;
}

/* What the case takes with a side preferred. */
static const ob_step_time *time_with(const ob_step_case *c, size_t side)
{
    if (side < OB_STEP_SIDES && c->sides[side].calls > 0)
        return &c->sides[side];
    const ob_step_time *least = &c->sides[0];
    for (size_t s = 1; s < OB_STEP_SIDES; s++)
        if (c->sides[s].calls > 0 && (least->calls == 0 || c->sides[s].ns < least->ns))
            least = &c->sides[s];
    return least;
}

static void judge(ob_step_row *row, size_t sides)
{
    size_t next = OB_STEP_SIDES;
    const ob_step_time *p = row->preferred;
    for (size_t s = 0; s < sides; s++) {
        if (row->sides[s].calls == 0)
            continue;
        if (row->best == OB_STEP_SIDES || p[s].ns < p[row->best].ns) {
            next = row->best;
            row->best = s;
        } else if (next == OB_STEP_SIDES || p[s].ns < p[next].ns) {
            next = s;
        }
    }
    if (next == OB_STEP_SIDES)
        return;
    row->lead = p[next].ns / p[row->best].ns;
    row->clear = p[row->best].high_ns < p[next].low_ns;
}

static double best_ns(const ob_step_row *row)
{
    return row->best < OB_STEP_SIDES ? row->preferred[row->best].ns : 0;
}

/* By the time on the best side, so that the order does not depend on which side lacks something. */
static int by_time(const void *left, const void *right)
{
    const ob_step_row *a = left, *b = right;
    if (best_ns(a) < best_ns(b) || best_ns(a) > best_ns(b))
        return best_ns(a) > best_ns(b) ? -1 : 1;
    const int ops = strcmp(a->op, b->op);
    return ops != 0 ? ops : a->backward - b->backward;
}

/* What each side's calls take with the best side of their operators. */
static void sum_best(ob_step *step)
{
    for (size_t i = 0; i < step->case_count; i++) {
        const ob_step_case *c = &step->cases[i];
        const double ns = time_with(c, step->rows[c->row].best)->ns;
        for (size_t s = 0; s < step->side_count; s++)
            step->best_ns[s] += c->sides[s].calls > 0 ? ns : 0;
    }
}

void ob__step_end(ob_step *step)
{
    uint64_t most = 0, calls;
    for (size_t i = 0; i < step->case_count; i++) {
        const ob_step_case *c = &step->cases[i];
        ob_step_row *row = &step->rows[c->row];
        row->calls += c->calls;
        for (size_t s = 0; s < step->side_count; s++) {
            add_time(&row->sides[s], &c->sides[s]);
            add_time(&row->preferred[s], time_with(c, s));
        }
    }
    for (size_t i = 0; i < step->count; i++)
        judge(&step->rows[i], step->side_count);
    sum_best(step);
    if (step->count > 0)
        qsort(step->rows, step->count, sizeof *step->rows, by_time);
    for (size_t s = 0; s < step->side_count; s++) {
        const ob_step_time all = ob__step_sum(step, s, OB_STEP_BOTH, &calls);
        if (all.calls > most) {
            most = all.calls;
            step->main = s;
            step->main_ns = all.ns;
        }
    }
    ob__reasons_sort(&step->reasons);
    step->no_memory = step->no_memory || step->reasons.no_memory;
}

ob_step_time ob__step_sum(const ob_step *step, size_t side, ob_step_pass pass, uint64_t *calls)
{
    ob_step_time sum = {.calls = 0};
    *calls = 0;
    for (size_t i = 0; i < step->count; i++) {
        const ob_step_row *row = &step->rows[i];
        if (pass != OB_STEP_BOTH && row->backward != (pass == OB_STEP_BACKWARD))
            continue;
        *calls += row->calls;
        add_time(&sum, &row->sides[side]);
    }
    return sum;
}

double ob__step_share(const ob_step *step, const ob_step_row *row)
{
    const ob_step_time *own = &row->sides[step->main];
    return own->calls > 0 && step->main_ns > 0 ? own->ns / step->main_ns : NAN;
}
