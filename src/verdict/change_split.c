/* SPDX-License-Identifier: Apache-2.0
 *
 * The split at which the two sides of a stretch differ most, by their energy distance (Szekely and Rizzo; E-divisive of
 * Matteson and James takes it, with exponent 1), and how often that comes by chance.
 *
 * The distance is that of ranks, not of values. An outlier then weighs no more than any other value, and what chance does
 * is the same for every series of the same length: the permutations that E-divisive draws anew for each split were drawn
 * once, for the table below (bench/changes --table). A stretch takes n log n: a tree of sums over the ranks of the left
 * side says how far the next value is from all that are there.
 */
#include "verdict/change_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool ob__change_room_init(ob_change_room *room, size_t count)
{
    const size_t n = count + 2;
    if (n > SIZE_MAX / 128)
        return false;
    double *memory = malloc(n * (3 * sizeof *room->sorted + 7 * sizeof *memory));
    if (memory == NULL)
        return false;
    *room = (ob_change_room){.memory = memory,
                             .weight = 1,
                             .rank = memory,
                             .left_sum = memory + n,
                             .left_count = memory + 2 * n,
                             .all = memory + 3 * n,
                             .one = memory + 4 * n,
                             .two = memory + 5 * n,
                             .away = memory + 6 * n,
                             .sorted = (ob_placed *)(void *)(memory + 7 * n)};
    room->order = room->sorted + n;
    room->merged = room->order + n;
    return true;
}

void ob__change_room_fini(ob_change_room *room)
{
    free(room->memory);
}

/* ---- the statistic ---- */

typedef struct two_sums {
    double count, sum;
} two_sums;

static two_sums tree_below(const ob_change_room *room, size_t at)
{
    two_sums total = {0, 0};
    for (; at > 0; at &= at - 1) {
        total.count += room->left_count[at];
        total.sum += room->left_sum[at];
    }
    return total;
}

static void tree_add(ob_change_room *room, size_t count, size_t at, double value)
{
    for (; at <= count; at += at & (~at + 1)) {
        room->left_count[at]++;
        room->left_sum[at] += value;
    }
}

/* Of each rank, its distances from all, by sums over the ranks as they are sorted: `all` is by place. */
static double sum_distances(const ob_placed *sorted, size_t count, double *all)
{
    double total = 0, below = 0, whole = 0;
    for (size_t i = 0; i < count; i++)
        total += sorted[i].value;
    for (size_t i = 0; i < count; i++) {
        const double value = sorted[i].value;
        const double left = (double)i, right = (double)(count - i);
        const double distance = value * left - below + (total - below) - value * right;
        all[sorted[i].place] = distance;
        whole += distance;
        below += value;
    }
    return whole;
}

double ob__best_statistic(const double *ranks, size_t count, ob_change_room *room, size_t *index)
{
    const double n = (double)count;
    double within_left = 0, cross = 0, best = -1, left_sum = 0;
    memset(room->left_sum, 0, (count + 1) * sizeof *room->left_sum);
    memset(room->left_count, 0, (count + 1) * sizeof *room->left_count);
    const double whole = sum_distances(room->sorted, count, room->all);
    for (size_t i = 0; i + OB_CHANGE_LEAST_SIDE < count; i++) {
        const double value = ranks[i], left = (double)i;
        const size_t at = (size_t)value; /* of a mid-rank: equal values are at distance 0 anyway */
        const two_sums below = tree_below(room, at);
        const double from_left =
            value * below.count - below.sum + (left_sum - below.sum) - value * (left - below.count);
        cross += room->all[i] - 2 * from_left;
        within_left += 2 * from_left;
        tree_add(room, count, at, value);
        left_sum += value;
        if (i + 1 < OB_CHANGE_LEAST_SIDE)
            continue;
        const double a = left + 1, b = n - a, within_right = whole - within_left - 2 * cross;
        const double distance =
            2 * cross / (a * b) - within_left / (a * a) - within_right / (b * b);
        const double statistic = a * b / n * distance / n;
        if (statistic > best) {
            best = statistic;
            *index = i + 1;
        }
    }
    return best;
}

/* ---- ranks ---- */

static void sort_run(ob_placed *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const ob_placed item = items[i];
        size_t at = i;
        for (; at > 0 && items[at - 1].value > item.value; at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
}

static void merge_runs(const ob_placed *from, size_t middle, size_t end, ob_placed *to)
{
    size_t a = 0, b = middle;
    for (size_t i = 0; i < end; i++)
        to[i] = a < middle && (b >= end || from[a].value <= from[b].value) ? from[a++] : from[b++];
}

void ob__sort_placed(ob_change_room *room, size_t count)
{
    enum { RUN = 16 };
    ob_placed *from = room->sorted, *to = room->merged;
    for (size_t at = 0; at < count; at += RUN)
        sort_run(from + at, count - at < RUN ? count - at : RUN);
    for (size_t size = RUN; size < count; size *= 2) {
        for (size_t at = 0; at < count; at += 2 * size) {
            const size_t left = count - at;
            merge_runs(from + at, left < size ? left : size, left < 2 * size ? left : 2 * size,
                       to + at);
        }
        ob_placed *swapped = from;
        from = to;
        to = swapped;
    }
    room->sorted = from;
    room->merged = to;
}

void ob__change_room_order(ob_change_room *room, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        room->sorted[i] = (ob_placed){.value = values[i], .place = i};
    ob__sort_placed(room, count);
    memcpy(room->order, room->sorted, count * sizeof *room->order);
    room->order_count = count;
}

/* A short stretch of a long series is sorted; of others the order is picked out of the whole one. */
static void sort_values(const double *values, size_t first, size_t end, ob_change_room *room)
{
    enum { WORTH = 16 };
    const size_t count = end - first;
    size_t used = 0;
    if (room->order_count > 0 && room->order_count / WORTH <= count) {
        for (size_t i = 0; i < room->order_count; i++) {
            room->sorted[used] =
                (ob_placed){.value = room->order[i].value, .place = room->order[i].place - first};
            used += room->order[i].place - first < count;
        }
        return;
    }
    for (size_t i = 0; i < count; i++)
        room->sorted[i] = (ob_placed){.value = values[first + i], .place = i};
    ob__sort_placed(room, count);
}

/* Values that are equal share the middle of their ranks. */
static void rank_values(size_t count, ob_change_room *room)
{
    ob_placed *sorted = room->sorted;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && sorted[end].value <= sorted[i].value; end++)
            continue;
        const double rank = (double)(i + 1 + end) / 2;
        for (size_t k = i; k < end; k++) {
            sorted[k].value = rank;
            room->rank[sorted[k].place] = rank;
        }
    }
}

ob_split ob__best_split(const double *values, size_t first, size_t end, ob_change_room *room)
{
    ob_split split = {.index = first, .p = 1};
    const size_t count = end - first;
    size_t index = 0;
    if (count < OB_CHANGE_LEAST)
        return split;
    sort_values(values, first, end, room);
    rank_values(count, room);
    split.statistic = ob__best_statistic(room->rank, count, room, &index);
    split.index = first + index;
    split.p = ob__split_chance(split.statistic * room->weight, count);
    return split;
}

/* ---- chance ---- */

enum { QUANTILES = 4 };
static const double CHANCES[QUANTILES] = {0.05, 0.01, 0.001, 0.0001};

/* How large the best statistic of so many values in random order is with these chances. */
static const struct {
    double count, quantiles[QUANTILES];
} TABLE[] = {
#include "verdict/change_table.def"
};
enum { ROWS = sizeof TABLE / sizeof *TABLE };

/* Between the rows by the logarithm of the number of values. */
static double quantile_at(size_t row, double share, size_t which)
{
    const double low = TABLE[row].quantiles[which];
    return row + 1 < ROWS ? low + share * (TABLE[row + 1].quantiles[which] - low) : low;
}

double ob__split_chance(double statistic, size_t count)
{
    const double n = (double)count;
    size_t row = 0, k = 0;
    while (row + 1 < ROWS && n >= TABLE[row + 1].count)
        row++;
    const double share =
        row + 1 < ROWS && n > TABLE[row].count
            ? log(n / TABLE[row].count) / log(TABLE[row + 1].count / TABLE[row].count)
            : 0;
    if (statistic < quantile_at(row, share, 0))
        return 1;
    while (k + 2 < QUANTILES && statistic >= quantile_at(row, share, k + 1))
        k++;
    const double low = quantile_at(row, share, k), high = quantile_at(row, share, k + 1);
    const double slope = log(CHANCES[k + 1] / CHANCES[k]) / (high - low);
    return CHANCES[k] * exp(slope * (statistic - low));
}
