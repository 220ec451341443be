/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes at places that data says; see reference_update.h.
 */
#include "reference_update.h"

#include "reference_formula.h"

#include <stdlib.h>

/* What came to one element. */
typedef struct cell {
    ball_sum sum; /* or, where nothing is added, the last value */
    int64_t whole;
    double doubt; /* what may have come, or gone elsewhere */
    bool hit, disagree;
} cell;

typedef struct cells {
    const ref_updates *u;
    const int64_t *chosen; /* sorted; NULL = all */
    int64_t count;
    cell *items;
} cells;

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static cell *cell_at(const cells *c, int64_t place)
{
    if (c->chosen == NULL)
        return place >= 0 && place < c->count ? &c->items[place] : NULL;
    const int64_t *found = bsearch(&place, c->chosen, (size_t)c->count, sizeof *c->chosen, compare);
    return found != NULL ? &c->items[found - c->chosen] : NULL;
}

static void meet(const cells *c, const ref_update *update)
{
    cell *to = cell_at(c, update->place);
    if (to == NULL)
        return;
    if (c->u->adds) {
        ball_sum_add(&to->sum, update->value);
        to->whole = (int64_t)((uint64_t)to->whole + (uint64_t)update->whole);
    } else {
        to->disagree = to->disagree ||
                       (to->hit && (to->sum.sum != update->value.v || to->whole != update->whole));
        to->sum = (ball_sum){.sum = update->value.v, .error = update->value.e};
        to->whole = update->whole;
    }
    to->hit = true;
}

static void doubt(const cells *c, const ref_update *update)
{
    for (int64_t k = 0; k < update->reach; k++) {
        cell *to = cell_at(c, update->first + k * update->step);
        if (to != NULL)
            to->doubt += c->u->adds ? fabs(update->value.v) + update->value.e : INFINITY;
    }
}

static void put_cell(const ref_call *call, const cells *c, int64_t place, const cell *from)
{
    ref_out *out = call->outs;
    const ball_rules *r = &call->rules;
    const ref_tensor *self = c->u->self;
    const int64_t at = self != NULL ? ref_offset(self, place) : 0;
    if (!from->hit && from->doubt == 0 && self != NULL) {
        ref_put_copy(call, out, place, self, at);
        return;
    }
    if (ref_is_whole(out->t.dtype)) {
        const int64_t before =
            self != NULL && (c->u->adds || !from->hit) ? ref_get_whole(self, at) : 0;
        ref_put_whole(out, place, (int64_t)((uint64_t)before + (uint64_t)from->whole),
                      from->disagree || from->doubt > 0);
        return;
    }
    ball x = ball_of(0);
    if (c->u->adds) {
        ball_sum sum = from->sum;
        if (self != NULL)
            ball_sum_add(&sum, ref_get(self, at));
        x = ball_sum_end(r, &sum);
    } else if (from->hit) {
        x = (ball){from->sum.sum, from->disagree ? INFINITY : from->sum.error};
    } else if (self != NULL) {
        x = ref_get(self, at);
    }
    x.e += from->doubt;
    ref_put(call, out, place, x);
}

ob_status ref_update_run(ref_call *call, const ref_updates *u, ob_err *err)
{
    ref_out *out = call->outs;
    cells c = {.u = u};
    int64_t *chosen;
    if (ref_is_complex(out->t.dtype))
        return ref_unsupported(call, "on complex numbers", err);
    *call->cost += (double)u->count * 60;
    OB_TRY(ref_choose_elements(call, out, 60, &chosen, &c.count, err));
    c.chosen = chosen;
    c.items = calloc((size_t)c.count + 1, sizeof *c.items);
    for (int64_t i = 0; c.items != NULL && i < u->count; i++) {
        ref_update update = {.place = -1};
        u->at(u, i, &update);
        if (update.place >= 0)
            meet(&c, &update);
        doubt(&c, &update);
    }
    for (int64_t i = 0; c.items != NULL && i < c.count; i++)
        put_cell(call, &c, chosen != NULL ? chosen[i] : i, &c.items[i]);
    const bool made = c.items != NULL;
    free(c.items);
    free(chosen);
    return made ? OB_OK : ref_no_memory(call, err);
}
