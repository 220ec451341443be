/* SPDX-License-Identifier: Apache-2.0
 *
 * The search for change points. A stretch is split where its sides differ most, if chance would hardly do that, and the
 * parts are split again (E-divisive). Where a whole stretch hides a change, because something went up and down again,
 * windows of it are looked at (as Hunter and Otava do). Then each point is judged anew between its neighbours, the weakest
 * first, and its kind is found.
 */
#include "verdict/change_int.h"

#include "base/sized.h"
#include "opbench/vec.h"

#include "opbench/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double DEFAULT_P = 0.001;
enum { DEFAULT_WINDOW = 50 };

struct ob_changes {
    ob_change *items;
    size_t count, capacity;
};

typedef struct search {
    const double *values;
    size_t count;
    ob_change_params params;
    ob_change_room room;
    size_t *points; /* where sides meet, rising; 0 and `count` are the first and the last */
    size_t point_count, capacity;
    size_t *drifting; /* points that were no steps but parts of a slope */
    size_t drifting_count, drifting_capacity;
    bool out_of_memory;
} search;

const char *ob_change_kind_word(ob_change_kind kind)
{
    static const char *const WORDS[] = {
#define OB_CHANGE_KIND_WORD(id, word, help) word,
        OB_CHANGE_KIND_MAP(OB_CHANGE_KIND_WORD)
#undef OB_CHANGE_KIND_WORD
    };
    return kind < OB_CHANGE_KIND_COUNT ? WORDS[kind] : NULL;
}

/* ---- points ---- */

static void add_point(search *s, size_t index)
{
    size_t at = s->point_count;
    if (!OB_RESERVE(s->points, s->capacity, s->point_count + 1)) {
        s->out_of_memory = true;
        return;
    }
    for (; at > 0 && s->points[at - 1] > index; at--)
        s->points[at] = s->points[at - 1];
    s->points[at] = index;
    s->point_count++;
}

static void remove_point(search *s, size_t at)
{
    s->point_count--;
    memmove(&s->points[at], &s->points[at + 1], (s->point_count - at) * sizeof *s->points);
}

static ob_split split_between(search *s, size_t first, size_t end)
{
    return ob__best_split(s->values, first, end, &s->room);
}

/* The best of windows that begin every fifth of their length: what went up and down again within one has an end of it. */
static ob_split split_windows(search *s, size_t first, size_t end)
{
    const size_t window = s->params.window;
    ob_split best = {.p = 1};
    if (end - first <= window)
        return best;
    const size_t stride = window / 5 > 0 ? window / 5 : 1;
    for (size_t at = first; at + window <= end; at += stride) {
        const ob_split split = split_between(s, at, at + window);
        if (split.p < best.p)
            best = split;
    }
    return best;
}

/* Stretches wait in the list of points themselves: one that was split is looked at again, so that no call is nested. */
static void find_points(search *s)
{
    for (size_t at = 0; at + 1 < s->point_count && !s->out_of_memory;) {
        const size_t first = s->points[at], end = s->points[at + 1];
        ob_split split = split_between(s, first, end);
        if (split.p > s->params.p)
            split = split_windows(s, first, end);
        if (split.p <= s->params.p)
            add_point(s, split.index);
        else
            at++;
    }
}

/* Between its neighbours; the weakest that is not sure goes, as long as there is one. */
static void drop_unsure(search *s)
{
    for (;;) {
        size_t weakest = 0;
        double p = s->params.p;
        for (size_t at = 1; at + 1 < s->point_count; at++) {
            const ob_split split = split_between(s, s->points[at - 1], s->points[at + 1]);
            if (split.p > p) {
                p = split.p;
                weakest = at;
            } else if (split.p <= s->params.p) {
                s->points[at] = split.index;
            }
        }
        if (weakest == 0)
            return;
        remove_point(s, weakest);
    }
}

/* Chance is counted by orders that are all as likely. Where a value goes by the one before it, sums over a stretch scatter
 * as those of fewer values do, and so does the distance between sides. */
static void weigh_dependence(search *s)
{
    const double r = ob__dependence(s->values, s->points, s->point_count, &s->room);
    if (!(r > 0))
        return;
    s->room.weight = (1 - r) / (1 + r);
    drop_unsure(s);
}

/* ---- slopes ---- */

static void drop_slope_point(search *s, size_t at)
{
    if (!OB_RESERVE(s->drifting, s->drifting_capacity, s->drifting_count + 1)) {
        s->out_of_memory = true;
        return;
    }
    s->drifting[s->drifting_count++] = s->points[at];
    remove_point(s, at);
}

static bool changes_level(search *s, size_t at)
{
    const size_t first = s->points[at - 1], index = s->points[at], end = s->points[at + 1];
    return ob__levels_differ(s->values + first, index - first, s->values + index, end - index,
                             s->params.p, &s->room);
}

static bool goes_up(const search *s, size_t at)
{
    const size_t first = s->points[at - 1], index = s->points[at], end = s->points[at + 1];
    return ob__median_of(s->values + first, index - first, s->room.one) <
           ob__median_of(s->values + index, end - index, s->room.one);
}

/* A slope is cut into steps by the search, all in one direction; where one line explains the values better, there is no
 * step among them. */
static void drop_stairs(search *s)
{
    for (size_t at = 1, end; at + 1 < s->point_count; at = end) {
        const bool up = goes_up(s, at);
        for (end = at + 1; end + 1 < s->point_count && goes_up(s, end) == up; end++)
            if (!changes_level(s, end))
                break;
        if (end - at < 2 ||
            ob__steps_beat_line(s->values, &s->points[at - 1], end - at + 2, &s->room) > 0)
            continue;
        for (; end > at && !s->out_of_memory; end--)
            drop_slope_point(s, at);
        if (s->out_of_memory)
            return;
    }
}

/* The same for each step between its neighbours. */
static void drop_slopes(search *s)
{
    while (!s->out_of_memory) {
        size_t weakest = 0;
        double least = 0;
        for (size_t at = 1; at + 1 < s->point_count; at++) {
            const double better = ob__steps_beat_line(s->values, &s->points[at - 1], 3, &s->room);
            if (better <= least && changes_level(s, at)) {
                least = better;
                weakest = at;
            }
        }
        if (weakest == 0)
            return;
        drop_slope_point(s, weakest);
    }
}

/* ---- kinds ---- */

static bool find_kind(search *s, size_t at, ob_change_kind *kind)
{
    const size_t first = s->points[at - 1], index = s->points[at], end = s->points[at + 1];
    if (changes_level(s, at))
        *kind = OB_CHANGE_STEP;
    else if (ob__spreads_differ(s->values + first, index - first, s->values + index, end - index,
                                s->params.p, &s->room))
        *kind = OB_CHANGE_NOISE;
    else
        return false;
    return true;
}

static bool append(search *s, ob_changes *to, const ob_change *change)
{
    if (!OB_RESERVE(to->items, to->capacity, to->count + 1)) {
        s->out_of_memory = true;
        return false;
    }
    to->items[to->count++] = *change;
    return true;
}

/* Where the level stays, the distances from it are a series of their own. */
static ob_split split_noise(search *s, size_t first, size_t end)
{
    double *away = s->room.away;
    const size_t order_count = s->room.order_count;
    const double level = ob__median_of(s->values + first, end - first, s->room.one);
    for (size_t i = first; i < end; i++)
        away[i] = fabs(s->values[i] - level);
    s->room.order_count = 0; /* the order is that of the values */
    const ob_split split = ob__best_split(away, first, end, &s->room);
    s->room.order_count = order_count;
    return split;
}

static double find_p(search *s, size_t first, size_t end, ob_change_kind kind)
{
    const double p = split_between(s, first, end).p;
    return kind == OB_CHANGE_NOISE ? fmin(p, split_noise(s, first, end).p) : p;
}

static void describe(search *s, size_t at, ob_change_kind kind, ob_changes *to)
{
    const size_t first = s->points[at - 1], index = s->points[at], end = s->points[at + 1];
    ob_change c = {.kind = kind, .first = first, .index = index, .end = end};
    double *scratch = s->room.one;
    c.p = find_p(s, first, end, kind);
    c.before = ob__median_of(s->values + first, index - first, scratch);
    c.after = ob__median_of(s->values + index, end - index, scratch);
    c.spread_before = ob__spread_of(s->values + first, index - first, scratch) / c.before;
    c.spread_after = ob__spread_of(s->values + index, end - index, scratch) / c.after;
    c.ratio = kind == OB_CHANGE_NOISE ? c.spread_after / c.spread_before : c.after / c.before;
    if (kind != OB_CHANGE_STEP || fabs(c.ratio - 1) >= s->params.least)
        append(s, to, &c);
}

static bool is_slope(const search *s, size_t first, size_t end)
{
    bool found = false;
    for (size_t i = 0; i < s->drifting_count; i++)
        found = found || (s->drifting[i] > first && s->drifting[i] < end);
    return found;
}

static void describe_slope(search *s, size_t first, size_t end, ob_changes *to)
{
    ob_change c = {.kind = OB_CHANGE_DRIFT, .first = first, .index = first, .end = end};
    ob__fit_line(s->values + first, end - first, &s->room, &c.before, &c.after);
    c.ratio = c.after / c.before;
    c.spread_before = c.spread_after = NAN;
    c.p = split_between(s, first, end).p;
    append(s, to, &c);
}

static void find_noise(search *s)
{
    for (size_t at = 0; at + 1 < s->point_count && !s->out_of_memory; at++) {
        const size_t first = s->points[at], end = s->points[at + 1];
        if (is_slope(s, first, end))
            continue;
        const ob_split split = split_noise(s, first, end);
        if (split.p <= s->params.p) {
            add_point(s, split.index);
            at++;
        }
    }
}

static void describe_all(search *s, ob_changes *to)
{
    ob_change_kind kind = OB_CHANGE_STEP;
    find_noise(s);
    if (s->out_of_memory)
        return;
    for (size_t at = 1; at + 1 < s->point_count;)
        if (find_kind(s, at, &kind))
            at++;
        else
            remove_point(s, at);
    for (size_t at = 1; at < s->point_count; at++) {
        if (is_slope(s, s->points[at - 1], s->points[at]))
            describe_slope(s, s->points[at - 1], s->points[at], to);
        if (at + 1 < s->point_count && find_kind(s, at, &kind))
            describe(s, at, kind, to);
    }
}

static ob_status find(search *s, ob_changes *to, ob_err *err)
{
    if (!ob__change_room_init(&s->room, s->count))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a series");
    ob__change_room_order(&s->room, s->values, s->count);
    add_point(s, 0);
    add_point(s, s->count);
    if (!s->out_of_memory)
        find_points(s);
    if (!s->out_of_memory) {
        drop_unsure(s);
        weigh_dependence(s);
        drop_stairs(s);
        drop_slopes(s);
        describe_all(s, to);
    }
    ob__change_room_fini(&s->room);
    free(s->points);
    free(s->drifting);
    return s->out_of_memory ? ob_err_set(err, OB_ERR_NOMEM, "out of memory for a series") : OB_OK;
}

ob_status ob_changes_find(const double *values, size_t count, const ob_change_params *given,
                          ob_changes **out, ob_err *err)
{
    search s = {.values = values, .count = count};
    OB_TRY(OB__TAKE_OPTIONAL(ob_change_params, &s.params, given, err));
    if (s.params.p <= 0)
        s.params.p = DEFAULT_P;
    if (s.params.window == 0)
        s.params.window = DEFAULT_WINDOW;
    for (size_t i = 0; i < count; i++)
        if (!(isfinite(values[i]) && values[i] > 0))
            return ob_err_set(err, OB_ERR_INVALID,
                              "value %zu of the series is not a positive number", i);
    ob_changes *changes = calloc(1, sizeof *changes);
    if (changes == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a series");
    const ob_status status = count >= OB_CHANGE_LEAST ? find(&s, changes, err) : OB_OK;
    if (status == OB_OK)
        *out = changes;
    else
        ob_changes_destroy(changes);
    return status;
}

size_t ob_changes_count(const ob_changes *changes)
{
    return changes->count;
}

const ob_change *ob_changes_at(const ob_changes *changes, size_t index)
{
    return index < changes->count ? &changes->items[index] : NULL;
}

void ob_changes_destroy(ob_changes *changes)
{
    if (changes == NULL)
        return;
    free(changes->items);
    free(changes);
}
