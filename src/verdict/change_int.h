/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of the search for change points: how different two stretches are, how often chance does that, and what kind of
 * change it is.
 */
#ifndef OB_VERDICT_CHANGE_INT_H
#define OB_VERDICT_CHANGE_INT_H

#include "opbench/change.h"

/* Fewer values say nothing: of less than 16 even the most unusual order comes more often by chance than any p that is
 * worth asking for. */
enum { OB_CHANGE_LEAST_SIDE = 4, OB_CHANGE_LEAST = 16 };

/* A value and where it was. */
typedef struct ob_placed {
    double value;
    size_t place;
} ob_placed;

/* Room for all calls on a series of `count` values. */
typedef struct ob_change_room {
    ob_placed *order;   /* all values of the series, sorted once */
    size_t order_count; /* 0 = they are not */
    ob_placed *sorted;  /* those of the stretch under way */
    ob_placed *merged;  /* for sorting */
    double *rank;       /* mid-ranks, 1 to n */
    double *left_sum;   /* trees of sums over ranks: see change_split.c */
    double *left_count;
    double *all;       /* per value, the sum of its distances from all others */
    double *one, *two; /* for medians */
    double *away;      /* how far values are from the level of their stretch */
    double weight;     /* of statistics: below 1 where neighbours depend on each other */
    void *memory;
} ob_change_room;
bool ob__change_room_init(ob_change_room *room, size_t count);
/* Sorts the whole series: its stretches then need not be sorted one by one. */
void ob__change_room_order(ob_change_room *room, const double *values, size_t count);
void ob__change_room_fini(ob_change_room *room);

/* Of room->sorted, by value. qsort asks a function for each pair, and takes three times as long. */
void ob__sort_placed(ob_change_room *room, size_t count);

/* ---- the most different split (change_split.c) ---- */

typedef struct ob_split {
    size_t index;     /* the first value of the right side */
    double statistic; /* the energy distance of the two sides' ranks, weighted by their sizes */
    double p;         /* how often the best split of values in random order is that good */
} ob_split;
/* Of the values [first, end); p 1 where there are too few. */
ob_split ob__best_split(const double *values, size_t first, size_t end, ob_change_room *room);
/* The same for values that are the ranks 1 to count in any order: what tables of chance are made with. */
double ob__best_statistic(const double *ranks, size_t count, ob_change_room *room, size_t *index);
/* From the table, and beyond it by its slope. */
double ob__split_chance(double statistic, size_t count);

/* ---- what kind of change (change_kind.c) ---- */

/* Whether two samples differ in their middle, at the level p: the test of Brunner and Munzel, which unequal spreads do not
 * mislead. Values are ranked together. */
bool ob__levels_differ(const double *a, size_t a_count, const double *b, size_t b_count, double p,
                       ob_change_room *room);
/* Whether they scatter differently around their medians. */
bool ob__spreads_differ(const double *a, size_t a_count, const double *b, size_t b_count, double p,
                        ob_change_room *room);
/* How much better than a line steps at points[1], points[2], ... explain the values [points[0], points[count - 1]), as a
 * difference of 2 log-likelihoods, less a margin for what they have more of: numbers to choose. One step may have level
 * sides, or the slope that both have in common. Above 0: steps. */
double ob__steps_beat_line(const double *values, const size_t *points, size_t count,
                           ob_change_room *room);
/* Least squares, of values without their outliers: where the line begins and ends. */
void ob__fit_line(const double *values, size_t count, ob_change_room *room, double *begin,
                  double *end);
/* The correlation of values with those before them, besides the levels and slopes of the stretches between points; 0 where
 * chance may do it. */
double ob__dependence(const double *values, const size_t *points, size_t count,
                      ob_change_room *room);
double ob__median_of(const double *values, size_t count, double *scratch);
/* 1.4826 times the median distance from the median: of normal values, their standard deviation. */
double ob__spread_of(const double *values, size_t count, double *scratch);

#endif
