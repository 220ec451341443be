/* SPDX-License-Identifier: Apache-2.0
 *
 * Groups of cases that wait for the same part of a machine: its memory, its caches, its arithmetic units for a dtype, or the way to
 * an operator. A node with one slow module of memory is slow in one group alone, and the mean over all would hide it.
 */
#include "opbench/vec.h"
#include "verdict/fleet_int.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Operations per byte from which on arithmetic decides, where no ceilings were measured: between those of a core with AVX2 and of one
 * with AVX-512 beside its share of the memory. */
static const double BALANCE = 8;
/* And the time, in ms, below which calls decide. */
static const double SHORT_MS = 0.005;
static const double USUAL_CACHE = 32 << 20; /* bytes, where no header says it */

enum { MEMORY, COMPUTE, OVERHEAD }; /* votes */

/* The ceiling that most results name, or what the costs say; OB_FLEET_BOUNDS = nothing is known. */
static size_t bound_of(const ob_fleet_case *c, double ms)
{
    size_t most = MEMORY;
    for (size_t i = 0; i < OB_FLEET_BOUNDS; i++)
        if (c->votes[i] > c->votes[most])
            most = i;
    if (c->votes[most] > 0)
        return most;
    if (ms < SHORT_MS)
        return OVERHEAD;
    if (!(c->bytes > 0))
        return OB_FLEET_BOUNDS;
    return c->flops / c->bytes >= BALANCE ? COMPUTE : MEMORY;
}

static void name_group(const ob_fleet *fleet, const ob_fleet_case *c, double ms, char *out,
                       size_t size)
{
    const double cache = fleet->last_level_bytes > 0 ? fleet->last_level_bytes : USUAL_CACHE;
    const ob_dtype_info *dtype = ob_dtype_get_info(c->dtype);
    switch (bound_of(c, ms)) {
    case MEMORY:
        snprintf(out, size, c->bytes <= cache ? "cache" : "memory");
        break;
    case COMPUTE:
        snprintf(out, size, "compute%s%s", dtype != NULL ? " " : "",
                 dtype != NULL ? dtype->name : "");
        break;
    case OVERHEAD:
        snprintf(out, size, "overhead");
        break;
    default:
        snprintf(out, size, "other");
    }
}

static ob_status find_group(ob_fleet *fleet, const char *name, size_t *out, ob_err *err)
{
    for (*out = 0; *out < fleet->group_count; ++*out)
        if (strcmp(fleet->groups[*out].name, name) == 0)
            return OB_OK;
    if (!OB_RESERVE(fleet->groups, fleet->group_room, fleet->group_count + 1))
        return ob__fleet_no_memory(err);
    fleet->groups[*out] = (ob_fleet_group_data){.limit = NAN};
    OB_TRY(ob__fleet_keep(fleet, name, &fleet->groups[*out].name, err));
    fleet->group_count++;
    return OB_OK;
}

/* In which order they are shown. */
static int rank_of(const char *name)
{
    static const char *const ORDER[] = {"memory", "cache", "compute", "overhead"};
    int rank = 0;
    while (rank < 4 && strncmp(name, ORDER[rank], strlen(ORDER[rank])) != 0)
        rank++;
    return rank;
}

static bool comes_before(const ob_fleet_group_data *a, const ob_fleet_group_data *b)
{
    const int x = rank_of(a->name), y = rank_of(b->name);
    return x != y ? x < y : strcmp(a->name, b->name) < 0;
}

/* There are few. */
static void sort_groups(ob_fleet *fleet)
{
    for (size_t i = 1; i < fleet->group_count; i++)
        for (size_t k = i; k > 0 && comes_before(&fleet->groups[k], &fleet->groups[k - 1]); k--) {
            const ob_fleet_group_data moved = fleet->groups[k];
            fleet->groups[k] = fleet->groups[k - 1];
            fleet->groups[k - 1] = moved;
            for (size_t c = 0; c < fleet->case_count; c++) {
                size_t *group = &fleet->cases[c].group;
                *group = *group == k ? k - 1 : *group == k - 1 ? k : *group;
            }
        }
}

ob_status ob__fleet_group_cases(ob_fleet *fleet, ob_err *err)
{
    char name[48];
    for (size_t i = 0; i < fleet->case_count; i++) {
        ob_fleet_case *c = &fleet->cases[i];
        size_t nodes = 0;
        double sum = 0;
        for (size_t n = 0; n < fleet->node_count; n++) {
            const ob_fleet_cell *cell = ob__fleet_cell(&fleet->nodes[n], i);
            nodes += cell->count > 0;
            sum += cell->count > 0 ? cell->mean : 0;
        }
        if (nodes < 2)
            continue;
        name_group(fleet, c, exp(sum / (double)nodes), name, sizeof name);
        OB_TRY(find_group(fleet, name, &c->group, err));
        fleet->groups[c->group].cases++;
    }
    sort_groups(fleet);
    return OB_OK;
}
