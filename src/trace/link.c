/* SPDX-License-Identifier: Apache-2.0
 *
 * From a list of nodes to a tree. Nodes are written when a call ends, children first; ids rise in the
 * order in which calls began, so a parent's id is below its children's. A link that says otherwise is
 * cut: so there is no cycle, and every walk is one pass over the table.
 */
#include "trace/trace_model.h"

#include <stdlib.h>
#include <string.h>

typedef struct place {
    int64_t id;
    uint32_t index;
} place;

static int by_id(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Puts nodes[order[i].index] to place i, without a second table: cycle by cycle. */
static void permute(ob_trace_node *nodes, place *order, size_t count)
{
    for (size_t start = 0; start < count; start++) {
        if (order[start].index == start)
            continue;
        const ob_trace_node saved = nodes[start];
        size_t at = start;
        while (order[at].index != start) {
            const size_t from = order[at].index;
            nodes[at] = nodes[from];
            order[at].index = (uint32_t)at;
            at = from;
        }
        nodes[at] = saved;
        order[at].index = (uint32_t)at;
    }
}

/* Of nodes with one id the first counts. Returns how many went. */
static size_t drop_repeated(ob_trace *trace)
{
    size_t kept = 0;
    for (size_t i = 0; i < trace->node_count; i++)
        if (kept == 0 || trace->nodes[kept - 1].id != trace->nodes[i].id)
            trace->nodes[kept++] = trace->nodes[i];
    const size_t dropped = trace->node_count - kept;
    trace->node_count = kept;
    return dropped;
}

static size_t set_parents(ob_trace *trace)
{
    size_t cut = 0;
    for (size_t i = 0; i < trace->node_count; i++) {
        ob_trace_node *node = &trace->nodes[i];
        node->parent = node->first_child = node->next_sibling = OB_TRACE_NO_NODE;
        if (node->parent_id == INT64_MIN)
            continue;
        const uint32_t parent = ob_trace_find_node(trace, node->parent_id);
        if (parent != OB_TRACE_NO_NODE && parent < i)
            node->parent = parent;
        else if (i > 0) /* the root says that it is its own parent */
            cut++;
    }
    for (size_t i = trace->node_count; i-- > 0;) {
        ob_trace_node *node = &trace->nodes[i];
        if (node->parent == OB_TRACE_NO_NODE)
            continue;
        ob_trace_node *parent = &trace->nodes[node->parent];
        node->next_sibling = parent->first_child;
        parent->first_child = (uint32_t)i;
    }
    return cut;
}

/* Compiled code shows as a region with its graph inside, and with the graph's kernels inside of that where
 * these are recorded. The innermost counts: what is below it, and fused, is missing from the trace. */
static bool settle_compiled(ob_trace *trace)
{
    uint32_t *nearest = malloc((trace->node_count + 1) * sizeof *nearest); /* compiled, above */
    if (nearest == NULL)
        return false;
    for (size_t i = 0; i < trace->node_count; i++) {
        const ob_trace_node *node = &trace->nodes[i];
        const uint32_t parent = node->parent;
        nearest[i] = OB_TRACE_NO_NODE;
        if (parent != OB_TRACE_NO_NODE)
            nearest[i] = trace->nodes[parent].kind == OB_TRACE_COMPILED ? parent : nearest[parent];
    }
    for (size_t i = 0; i < trace->node_count; i++)
        if (nearest[i] != OB_TRACE_NO_NODE && (trace->nodes[i].kind == OB_TRACE_FUSED ||
                                               (trace->nodes[i].kind == OB_TRACE_COMPILED &&
                                                ob__trace_is_compiled_graph(trace->nodes[i].name))))
            trace->nodes[nearest[i]].kind = OB_TRACE_LABEL;
    free(nearest);
    return true;
}

static bool find_iterations(ob_trace *trace)
{
    size_t count = 0;
    for (size_t pass = 0; pass < 2; pass++) {
        count = 0;
        for (size_t i = 0; i < trace->node_count; i++) {
            if (strstr(trace->nodes[i].name, "ProfilerStep") == NULL)
                continue;
            if (pass == 1)
                trace->iterations[count] = (uint32_t)i;
            count++;
        }
        if (pass == 0 && count > 0 &&
            (trace->iterations = calloc(count, sizeof *trace->iterations)) == NULL)
            return false;
    }
    trace->iteration_count = count;
    return true;
}

ob_status ob__trace_link(ob_trace *trace, const ob_log *log, ob_err *err)
{
    place *order = calloc(trace->node_count + 1, sizeof *order);
    if (order == NULL)
        return ob__trace_out_of_memory(trace, 0, err);
    for (size_t i = 0; i < trace->node_count; i++)
        order[i] = (place){trace->nodes[i].id, (uint32_t)i};
    qsort(order, trace->node_count, sizeof *order, by_id);
    permute(trace->nodes, order, trace->node_count);
    free(order);
    const size_t repeated = drop_repeated(trace);
    const size_t cut = set_parents(trace);
    if (repeated > 0)
        ob_log_message(log, OB_LOG_WARNING,
                       "%s: left out %zu nodes that have the id of another node", trace->name,
                       repeated);
    if (cut > 0)
        ob_log_message(log, OB_LOG_WARNING,
                       "%s: the parents of %zu nodes are missing or started after them; treating "
                       "these nodes as topmost",
                       trace->name, cut);
    return settle_compiled(trace) && find_iterations(trace)
               ? OB_OK
               : ob__trace_out_of_memory(trace, 0, err);
}
