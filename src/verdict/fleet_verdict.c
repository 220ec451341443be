/* SPDX-License-Identifier: Apache-2.0
 *
 * Verdicts on nodes, and why, in words.
 */
#include "opbench/vec.h"
#include "verdict/fleet_int.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What others had of its CPUs is worth a word from here on. */
static const double BUSY = 0.02;

/* ---- words ---- */

static const char *comma(const ob_text *text)
{
    return text->size > 0 ? ", " : "";
}

static bool say_failures(const ob_fleet_entry *node, ob_text *why)
{
    return node->failing == 0 ||
           ob_text_printf(why, "%s%zu case%s fail%s that most nodes can run, such as %.200s",
                          comma(why), node->failing, node->failing == 1 ? "" : "s",
                          node->failing == 1 ? "s" : "", node->failing_call);
}

/* "3.1 % slower in memory" */
static bool say_deviation(ob_text *why, double deviation, const char *group)
{
    return deviation < 1
               ? ob_text_printf(why, "%.1f %% %s in %s", 100 * fabs(deviation),
                                deviation < 0 ? "faster" : "slower", group)
               : ob_text_printf(why, "takes %.2g times as long in %s", 1 + deviation, group);
}

static bool say_slow(const ob_fleet *fleet, const ob_fleet_entry *node, ob_text *why)
{
    bool ok = true;
    for (size_t g = 0; ok && g < fleet->group_count; g++) {
        const ob_fleet_value *v = &node->values[g];
        if (v->slow)
            ok = ob_text_append_str(why, comma(why)) &&
                 say_deviation(why, v->deviation, fleet->groups[g].name);
    }
    return ok;
}

static bool say_noise(const ob_fleet_entry *node, ob_text *why)
{
    const ob_fleet_node *n = &node->shown;
    bool ok = true;
    if (n->lost.slow)
        ok = ob_text_printf(why, "%sloses %.1f %% more time to disturbances than the others",
                            comma(why), 100 * n->lost.deviation);
    if (ok && node->is_scattered)
        ok = ob_text_printf(why, "%stimes scatter %.1f times as much from case to case", comma(why),
                            n->scatter);
    return ok;
}

/* What may explain it. */
static bool say_load(const ob_fleet_entry *node, ob_text *why)
{
    const ob_fleet_node *n = &node->shown;
    bool ok = true;
    if (n->foreign > BUSY)
        ok = ob_text_printf(why, "%sother processes used %.0f %% of its CPUs", comma(why),
                            100 * n->foreign);
    if (ok && n->steal > BUSY)
        ok = ob_text_printf(why, "%sthe hypervisor took %.0f %%", comma(why), 100 * n->steal);
    return ok;
}

/* The group in which it is slowest, or of two nodes the farthest off; fleet->group_count = none is known. */
static size_t worst_group(const ob_fleet *fleet, const ob_fleet_entry *node)
{
    const bool is_pair = node->shown.class_nodes == 2;
    size_t worst = fleet->group_count;
    double most = -INFINITY;
    for (size_t g = 0; g < fleet->group_count; g++) {
        const double own = node->values[g].deviation;
        if ((is_pair ? fabs(own) : own) > most) {
            most = is_pair ? fabs(own) : own;
            worst = g;
        }
    }
    return worst;
}

/* Of two nodes each is half of the difference away from their middle. */
static bool say_pair(const ob_fleet *fleet, ob_fleet_entry *node, size_t group, ob_text *why)
{
    const double ratio = pow(1 + node->values[group].deviation, 2);
    if (fabs(log(ratio)) <= log1p(fleet->params.threshold))
        return true;
    node->shown.state = OB_FLEET_UNDECIDED;
    return say_deviation(why, ratio - 1, fleet->groups[group].name) &&
           ob_text_append_str(why, " compared with the only other node like it: with two, it is "
                                   "impossible to tell which one is sick");
}

/* Of a node that nothing was called of: whether it is known to be healthy. */
static bool say_doubt(const ob_fleet *fleet, ob_fleet_entry *node, ob_text *why)
{
    const size_t group = worst_group(fleet, node);
    if (group == fleet->group_count) {
        node->shown.state = OB_FLEET_UNDECIDED;
        return ob_text_append_str(why,
                                  node->shown.class_nodes < 2
                                      ? "no other node has its hardware and libraries, so "
                                        "there is nothing to compare it with"
                                      : "it has no case in common with half of the nodes like it");
    }
    if (node->shown.class_nodes == 2)
        return say_pair(fleet, node, group, why);
    if (node->values[group].deviation <= fleet->params.threshold)
        return true;
    node->shown.state = OB_FLEET_UNDECIDED;
    return say_deviation(why, node->values[group].deviation, fleet->groups[group].name) &&
           ob_text_append_str(why, ", which may be chance; measure more");
}

/* ---- verdicts ---- */

static bool is_slow(const ob_fleet *fleet, const ob_fleet_entry *node)
{
    bool slow = false;
    for (size_t g = 0; g < fleet->group_count; g++)
        slow = slow || node->values[g].slow;
    return slow;
}

static ob_status judge_node(ob_fleet *fleet, ob_fleet_entry *node, ob_text *why, ob_err *err)
{
    ob_fleet_node *n = &node->shown;
    const bool known = node->noise_seconds > 0;
    n->foreign = known ? node->foreign / node->noise_seconds : NAN;
    n->steal = known ? node->steal / node->noise_seconds : NAN;
    n->state = node->failing > 0                    ? OB_FLEET_FAILING
               : is_slow(fleet, node)               ? OB_FLEET_SLOW
               : n->lost.slow || node->is_scattered ? OB_FLEET_NOISY
               : n->differences[0] != '\0'          ? OB_FLEET_DIFFERENT
                                                    : OB_FLEET_HEALTHY;
    why->size = 0;
    bool ok = say_failures(node, why) && say_slow(fleet, node, why) && say_noise(node, why);
    if (ok && why->size > 0)
        ok = say_load(node, why);
    if (ok && n->state == OB_FLEET_HEALTHY)
        ok = say_doubt(fleet, node, why);
    if (!ok || !ob_text_append(why, "", 1))
        return ob__fleet_no_memory(err);
    return ob__fleet_keep(fleet, why->data, &n->why, err);
}

/* qsort has no room for it, and there is no more than one sort at a time. */
typedef struct placed_node {
    const ob_fleet_node *node;
    size_t place;
} placed_node;

static int sickest_first(const void *a, const void *b)
{
    const placed_node *x = a, *y = b;
    if (x->node->state != y->node->state)
        return x->node->state > y->node->state ? -1 : 1;
    return strverscmp(x->node->name, y->node->name);
}

static ob_status order_nodes(ob_fleet *fleet, ob_err *err)
{
    const size_t count = fleet->node_count;
    placed_node *nodes = calloc(count + 1, sizeof *nodes);
    fleet->order = calloc(count + 1, sizeof *fleet->order);
    if (nodes == NULL || fleet->order == NULL) {
        free(nodes);
        return ob__fleet_no_memory(err);
    }
    for (size_t n = 0; n < count; n++)
        nodes[n] = (placed_node){&fleet->nodes[n].shown, n};
    qsort(nodes, count, sizeof *nodes, sickest_first);
    for (size_t n = 0; n < count; n++)
        fleet->order[n] = nodes[n].place;
    free(nodes);
    return OB_OK;
}

static ob_status note_files(ob_fleet *fleet, ob_err *err)
{
    if (fleet->merged > 0)
        OB_TRY(ob__fleet_note(fleet, err,
                              "%" PRIu64 " file%s made by merge and left out: a merged file does "
                              "not say which node measured what",
                              fleet->merged, fleet->merged == 1 ? " was" : "s were"));
    if (fleet->homeless > 0)
        OB_TRY(ob__fleet_note(fleet, err,
                              "%" PRIu64 " result%s left out: no header before them names a node",
                              fleet->homeless, fleet->homeless == 1 ? " is" : "s are"));
    return OB_OK;
}

static ob_status check_common(const ob_fleet *fleet, ob_err *err)
{
    if (fleet->node_count == 0 && fleet->merged > 0)
        return ob_err_set(
            err, OB_ERR_NOT_FOUND,
            "a merged file does not say which node measured what; give the files it was made from");
    if (fleet->node_count == 0)
        return ob_err_set(
            err, OB_ERR_NOT_FOUND,
            "there are no results from any node; give files that `opbench run` wrote");
    if (fleet->node_count == 1)
        return ob_err_set(err, OB_ERR_NOT_FOUND,
                          "all results are from one node, %.200s; run the same cases on other "
                          "nodes, and give their files too",
                          fleet->nodes[0].shown.name);
    if (fleet->group_count == 0)
        return ob_err_set(
            err, OB_ERR_NOT_FOUND,
            "no case was measured on two nodes; run the same cases on each, without --shard");
    return OB_OK;
}

ob_status ob_fleet_judge(ob_fleet *fleet, ob_err *err)
{
    ob_text why = {.data = NULL};
    if (fleet->judged)
        return ob_err_set(err, OB_ERR_STATE, "the nodes were already judged");
    fleet->judged = true;
    OB_TRY(ob__fleet_compare_facts(fleet, err));
    OB_TRY(ob__fleet_group_cases(fleet, err));
    OB_TRY(check_common(fleet, err));
    OB_TRY(ob__fleet_compare_times(fleet, err));
    ob_status status = OB_OK;
    for (size_t n = 0; status == OB_OK && n < fleet->node_count; n++)
        status = judge_node(fleet, &fleet->nodes[n], &why, err);
    ob_text_fini(&why);
    if (status == OB_OK)
        status = order_nodes(fleet, err);
    return status == OB_OK ? note_files(fleet, err) : status;
}

/* ---- what came of it ---- */

const ob_fleet_node *ob_fleet_at(const ob_fleet *fleet, size_t index)
{
    return fleet->order != NULL && index < fleet->node_count
               ? &fleet->nodes[fleet->order[index]].shown
               : NULL;
}

size_t ob_fleet_count_state(const ob_fleet *fleet, ob_fleet_state state)
{
    size_t count = 0;
    for (size_t i = 0; fleet->order != NULL && i < fleet->node_count; i++)
        count += fleet->nodes[i].shown.state == state;
    return count;
}

size_t ob_fleet_count_sick(const ob_fleet *fleet)
{
    size_t count = 0;
    for (size_t i = 0; fleet->order != NULL && i < fleet->node_count; i++)
        count += ob_fleet_state_is_sick(fleet->nodes[i].shown.state);
    return count;
}

const char *ob_fleet_group(const ob_fleet *fleet, size_t index)
{
    return index < fleet->group_count ? fleet->groups[index].name : NULL;
}

size_t ob_fleet_group_cases(const ob_fleet *fleet, size_t index)
{
    return index < fleet->group_count ? fleet->groups[index].cases : 0;
}

double ob_fleet_group_limit(const ob_fleet *fleet, size_t index)
{
    return index < fleet->group_count ? fleet->groups[index].limit : NAN;
}
