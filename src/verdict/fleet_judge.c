/* SPDX-License-Identifier: Apache-2.0
 *
 * How nodes stand beside those of their class: docs/nodes.md has the formulas. The fleet is its own measure: of each case the median over
 * the nodes is the right time, and how far nodes usually are apart says what is worth a word.
 */
#include "verdict/change_int.h"
#include "verdict/fleet_int.h"
#include "verdict/robust.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the error rate: for times, for time that is lost, and for scatter. */
static const double SHARE_OF_TIMES = 0.5, SHARE_OF_LOST = 0.25, SHARE_OF_SCATTER = 0.25;
/* How far nodes of one kind are apart, before any was seen: a quarter of the threshold; and what that is worth. */
static const double USUAL_SPREAD = 0.25, WORTH_OF_USUAL = 4;
/* No clock tells cases apart by less. */
static const double LEAST_SCALE = 1e-4;
/* Scatter: nothing below twice the usual is called, logarithms of it differ so much by chance, and fewer cases have none. */
static const double SCATTER_FACTOR = 2, USUAL_SCATTER = 0.15;
enum { LEAST_SCATTER_CASES = 8, LEAST_NODES = 3, MOST_GROUPS = 32 };

/* A class of nodes while it is judged. */
typedef struct comparison {
    ob_fleet *fleet;
    const size_t *nodes; /* their numbers */
    size_t count;
    size_t largest;                       /* class that was judged before */
    double *centre, *scale;               /* of times, by case; scale 0 = the case says nothing */
    double *lost, *lost_scale;            /* the same of lost time */
    ob_reading *readings;                 /* of one node and group */
    ob_robust_centre *found;              /* by group and node */
    double *values, *scratch;             /* as many as nodes or cases */
    double miss, lost_miss, scatter_miss; /* of each comparison */
} comparison;

const ob_fleet_cell *ob__fleet_cell(const ob_fleet_entry *node, size_t number)
{
    static const ob_fleet_cell NONE = {.count = 0};
    return number < node->cell_count ? &node->cells[number] : &NONE;
}

static ob_fleet_entry *node_of(const comparison *c, size_t i)
{
    return &c->fleet->nodes[c->nodes[i]];
}

/* ---- what is right ---- */

/* Median and scale of a case over the nodes of the class, of which at least half must have it. */
static void measure_case(const comparison *c, size_t number, bool of_lost, double *centre,
                         double *scale)
{
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++) {
        const ob_fleet_cell *cell = ob__fleet_cell(node_of(c, i), number);
        if (cell->count > 0)
            c->values[count++] = of_lost ? cell->lost : cell->mean;
    }
    *scale = 0;
    if (count < 2 || 2 * count < c->count)
        return;
    *centre = ob__median_of(c->values, count, c->scratch);
    *scale = fmax(sqrt(ob__robust_variance(c->values, count, c->scratch).value), LEAST_SCALE);
}

/* Scales of few nodes are pulled to what is usual in the group, so that no case rules by luck. */
static void moderate_scales(const comparison *c, size_t group, double *scale)
{
    const double degrees = 0.37 * (double)(c->count - 1);
    size_t count = 0;
    for (size_t i = 0; i < c->fleet->case_count; i++)
        if (c->fleet->cases[i].group == group && scale[i] > 0)
            c->values[count++] = scale[i] * scale[i];
    if (count == 0)
        return;
    const double usual = ob__median_of(c->values, count, c->scratch);
    for (size_t i = 0; i < c->fleet->case_count; i++)
        if (c->fleet->cases[i].group == group && scale[i] > 0)
            scale[i] = sqrt(ob__variance_moderated((ob_variance){scale[i] * scale[i], degrees},
                                                   usual, WORTH_OF_USUAL)
                                .value);
}

static void measure_cases(const comparison *c)
{
    for (size_t i = 0; i < c->fleet->case_count; i++) {
        c->scale[i] = c->lost_scale[i] = 0;
        if (c->fleet->cases[i].group == OB_FLEET_ALONE)
            continue;
        measure_case(c, i, false, &c->centre[i], &c->scale[i]);
        measure_case(c, i, true, &c->lost[i], &c->lost_scale[i]);
    }
    for (size_t g = 0; g < c->fleet->group_count; g++) {
        moderate_scales(c, g, c->scale);
        moderate_scales(c, g, c->lost_scale);
    }
}

/* ---- times ---- */

/* What the cases of a group say of a node's times; OB_FLEET_ALONE: all cases, of the time that it loses. Returns how many. */
static size_t read_node(const comparison *c, const ob_fleet_entry *node, size_t group)
{
    const bool of_lost = group == OB_FLEET_ALONE;
    size_t count = 0;
    for (size_t i = 0; i < c->fleet->case_count; i++) {
        const ob_fleet_cell *cell = ob__fleet_cell(node, i);
        const double scale = of_lost ? c->lost_scale[i] : c->scale[i];
        if (cell->count == 0 || !(scale > 0) || (!of_lost && c->fleet->cases[i].group != group))
            continue;
        const double n = (double)cell->count;
        c->readings[count++] =
            (ob_reading){.value = of_lost ? cell->lost - c->lost[i] : cell->mean - c->centre[i],
                         .scale = scale,
                         .variance = n > 1 && !of_lost ? cell->squares / (n - 1) / n : 0};
    }
    return count;
}

/* How far nodes of the class are apart in what was found of them. */
typedef struct class_spread {
    double centre;      /* of the deviations */
    double usual_error; /* the median of their squared errors, which the spread has in it already */
    ob_variance spread;
    size_t nodes; /* of which something is known */
} class_spread;

/* What was found of a group in all nodes; its last row is of the time that is lost. */
static ob_robust_centre *found_of(const comparison *c, size_t group)
{
    return c->found + (group != OB_FLEET_ALONE ? group : c->fleet->group_count) * c->count;
}

static ob_fleet_value *value_of(const comparison *c, size_t i, size_t group)
{
    ob_fleet_entry *node = node_of(c, i);
    return group != OB_FLEET_ALONE ? &node->values[group] : &node->shown.lost;
}

static void find_centres(const comparison *c, size_t group)
{
    ob_robust_centre *found = found_of(c, group);
    for (size_t i = 0; i < c->count; i++) {
        ob_fleet_value *to = value_of(c, i, group);
        to->cases = read_node(c, node_of(c, i), group);
        found[i].value = NAN;
        if (to->cases > 0)
            found[i] = ob__robust_centre(c->readings, to->cases, c->scratch);
    }
}

static class_spread spread_of(const comparison *c, size_t group)
{
    const ob_robust_centre *found = found_of(c, group);
    class_spread s = {.nodes = 0};
    for (size_t i = 0; i < c->count; i++)
        if (!isnan(found[i].value))
            c->values[s.nodes++] = found[i].error.value;
    if (s.nodes < 2)
        return s;
    s.usual_error = ob__median_of(c->values, s.nodes, c->scratch);
    s.nodes = 0;
    for (size_t i = 0; i < c->count; i++)
        if (!isnan(found[i].value))
            c->values[s.nodes++] = found[i].value;
    s.centre = ob__median_of(c->values, s.nodes, c->scratch);
    s.spread = ob__robust_variance(c->values, s.nodes, c->scratch);
    return s;
}

/* The variance over nodes that is known before a group is looked at: what the class's other groups say, and not less than usual. Few
 * nodes say little of their spread in one group, and one sick node does not move the median over the groups. */
static double usual_variance(const comparison *c)
{
    const double usual = USUAL_SPREAD * log1p(c->fleet->params.threshold);
    double variances[MOST_GROUPS], scratch[MOST_GROUPS];
    size_t count = 0;
    for (size_t g = 0; g < c->fleet->group_count && count < MOST_GROUPS; g++) {
        const class_spread s = spread_of(c, g);
        if (s.nodes >= 2)
            variances[count++] = s.spread.value;
    }
    return fmax(usual * usual, count > 0 ? ob__median_of(variances, count, scratch) : 0);
}

static void place_node(const comparison *c, const class_spread *s, const ob_robust_centre *found,
                       double miss, ob_fleet_value *to)
{
    ob_variance more = found->error;
    more.value = fmax(0, more.value - s->usual_error);
    const double half = ob__variance_half_width(ob__variance_sum(s->spread, more), miss);
    const double d = found->value - s->centre;
    to->deviation = expm1(d);
    to->low = expm1(d - half);
    to->high = expm1(d + half);
    to->slow = s->nodes >= LEAST_NODES && d > log1p(c->fleet->params.threshold) && d > half;
}

/* Each node beside the others. */
static void compare_group(const comparison *c, size_t group, double before)
{
    const bool of_lost = group == OB_FLEET_ALONE;
    const double miss = of_lost ? c->lost_miss : c->miss;
    const ob_robust_centre *found = found_of(c, group);
    class_spread s = spread_of(c, group);
    if (s.nodes < 2)
        return;
    s.spread = ob__variance_moderated(s.spread, before, WORTH_OF_USUAL);
    for (size_t i = 0; i < c->count; i++)
        if (!isnan(found[i].value))
            place_node(c, &s, &found[i], miss, value_of(c, i, group));
    if (!of_lost && s.nodes >= LEAST_NODES && c->count >= c->largest)
        c->fleet->groups[group].limit =
            expm1(fmax(log1p(c->fleet->params.threshold), ob__variance_half_width(s.spread, miss)));
}

static void compare_groups(const comparison *c)
{
    const double usual = USUAL_SPREAD * log1p(c->fleet->params.threshold);
    for (size_t g = 0; g < c->fleet->group_count; g++)
        find_centres(c, g);
    find_centres(c, OB_FLEET_ALONE);
    const double before = usual_variance(c);
    for (size_t g = 0; g < c->fleet->group_count; g++)
        compare_group(c, g, before);
    compare_group(c, OB_FLEET_ALONE, usual * usual);
}

/* ---- scatter ---- */

/* How far the cases of a node are off beside its own groups' deviations, in scales. NaN: too few cases. */
static double scatter_of(const comparison *c, const ob_fleet_entry *node)
{
    size_t count = 0;
    for (size_t i = 0; i < c->fleet->case_count; i++) {
        const ob_fleet_cell *cell = ob__fleet_cell(node, i);
        if (cell->count == 0 || !(c->scale[i] > 0))
            continue;
        const double own = log1p(node->shown.groups[c->fleet->cases[i].group].deviation);
        c->values[count++] = fabs(cell->mean - c->centre[i] - own) / c->scale[i];
    }
    return count >= LEAST_SCATTER_CASES ? 1.4826 * ob__median_of(c->values, count, c->scratch)
                                        : NAN;
}

/* Leaves the ratio to the class in `scatter`, negative where it is nothing to speak of. */
static void compare_scatter(const comparison *c)
{
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++)
        node_of(c, i)->shown.scatter = scatter_of(c, node_of(c, i));
    for (size_t i = 0; i < c->count; i++)
        if (node_of(c, i)->shown.scatter > 0)
            c->values[count++] = log(node_of(c, i)->shown.scatter);
    if (count < LEAST_NODES)
        return;
    const double centre = ob__median_of(c->values, count, c->scratch);
    const ob_variance spread =
        ob__variance_moderated(ob__robust_variance(c->values, count, c->scratch),
                               USUAL_SCATTER * USUAL_SCATTER, WORTH_OF_USUAL);
    const double limit =
        fmax(log(SCATTER_FACTOR), ob__variance_half_width(spread, c->scatter_miss));
    for (size_t i = 0; i < c->count; i++) {
        ob_fleet_entry *node = node_of(c, i);
        node->is_scattered = node->shown.scatter > 0 && log(node->shown.scatter) - centre > limit;
        node->shown.scatter /= exp(centre);
    }
}

/* ---- failures ---- */

static ob_status find_failures(const comparison *c, ob_err *err)
{
    const size_t works = c->fleet->work_index.used;
    uint32_t *ran = calloc(works + 1, sizeof *ran);
    size_t *last = calloc(works + 1, sizeof *last); /* node that was counted last, from 1 */
    for (size_t i = 0; ran != NULL && last != NULL && i < c->count; i++)
        for (size_t k = 0; k < node_of(c, i)->cell_count; k++) {
            const size_t work = c->fleet->cases[k].work;
            if (node_of(c, i)->cells[k].count > 0 && last[work] != i + 1) {
                last[work] = i + 1;
                ran[work]++;
            }
        }
    for (size_t i = 0; ran != NULL && last != NULL && i < c->count; i++) {
        ob_fleet_entry *node = node_of(c, i);
        for (size_t k = 0; k < node->failure_count; k++)
            if (2 * (size_t)ran[node->failures[k].work] > c->count) {
                node->failing++;
                node->failing_call = node->failures[k].call;
            }
    }
    const bool ok = ran != NULL && last != NULL;
    free(ran);
    free(last);
    return ok ? OB_OK : ob__fleet_no_memory(err);
}

/* ---- classes ---- */

static ob_status compare_class(comparison *c, ob_err *err)
{
    for (size_t i = 0; i < c->count; i++)
        node_of(c, i)->shown.class_nodes = c->count;
    if (c->count < 2)
        return OB_OK;
    OB_TRY(find_failures(c, err));
    measure_cases(c);
    compare_groups(c);
    compare_scatter(c);
    c->largest = c->count > c->largest ? c->count : c->largest;
    return OB_OK;
}

/* Class by class; `order` has room for all nodes. */
static ob_status compare_classes(comparison *c, size_t *order, size_t *starts, ob_err *err)
{
    ob_fleet *fleet = c->fleet;
    for (size_t n = 0; n < fleet->node_count; n++)
        starts[fleet->nodes[n].class_number + 1]++;
    for (size_t k = 0; k < fleet->class_count; k++)
        starts[k + 1] += starts[k];
    for (size_t n = 0; n < fleet->node_count; n++)
        order[starts[fleet->nodes[n].class_number]++] = n;
    /* Each start is the next one's now. */
    for (size_t k = 0, from = 0; k < fleet->class_count; from = starts[k++]) {
        c->nodes = order + from;
        c->count = starts[k] - from;
        OB_TRY(compare_class(c, err));
    }
    return OB_OK;
}

static ob_status make_room(comparison *c, ob_err *err)
{
    const size_t nodes = c->fleet->node_count, cases = c->fleet->case_count;
    const size_t larger = (nodes > cases ? nodes : cases) + 1;
    c->found = calloc((nodes + 1) * (c->fleet->group_count + 1), sizeof *c->found);
    c->readings = calloc(cases + 1, sizeof *c->readings);
    double *numbers = calloc(larger, 6 * sizeof *numbers);
    c->centre = numbers;
    if (c->found == NULL || c->readings == NULL || numbers == NULL)
        return ob__fleet_no_memory(err);
    c->scale = numbers + larger;
    c->lost = numbers + 2 * larger;
    c->lost_scale = numbers + 3 * larger;
    c->values = numbers + 4 * larger;
    c->scratch = numbers + 5 * larger;
    return OB_OK;
}

static ob_status make_values(ob_fleet *fleet, ob_err *err)
{
    const ob_fleet_value none = {.deviation = NAN, .low = NAN, .high = NAN};
    for (size_t n = 0; n < fleet->node_count; n++) {
        ob_fleet_entry *node = &fleet->nodes[n];
        ob_fleet_value *values =
            ob__arena_alloc_array(&fleet->arena, fleet->group_count + 1, sizeof *values);
        if (values == NULL)
            return ob__fleet_no_memory(err);
        for (size_t g = 0; g < fleet->group_count; g++)
            values[g] = none;
        node->values = values;
        node->shown.groups = values;
        node->shown.lost = none;
        node->shown.scatter = NAN;
    }
    return OB_OK;
}

ob_status ob__fleet_compare_times(ob_fleet *fleet, ob_err *err)
{
    const double rate = fleet->params.error_rate, nodes = (double)fleet->node_count;
    comparison c = {.fleet = fleet,
                    .miss = rate * SHARE_OF_TIMES / (nodes * fmax(1, (double)fleet->group_count)),
                    .lost_miss = rate * SHARE_OF_LOST / nodes,
                    .scatter_miss = rate * SHARE_OF_SCATTER / nodes};
    size_t *order = calloc(fleet->node_count + 1, sizeof *order);
    size_t *starts = calloc(fleet->class_count + 2, sizeof *starts);
    ob_status status =
        order != NULL && starts != NULL ? make_values(fleet, err) : ob__fleet_no_memory(err);
    if (status == OB_OK)
        status = make_room(&c, err);
    if (status == OB_OK)
        status = compare_classes(&c, order, starts, err);
    free(order);
    free(starts);
    free(c.found);
    free(c.readings);
    free(c.centre);
    return status;
}
