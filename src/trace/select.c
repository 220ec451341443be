/* SPDX-License-Identifier: Apache-2.0
 *
 * Which nodes of a trace are meant. A parent stands before its children in the table, so what a node
 * inherits (it is inside a call, inside a label, inside a data loader) is known after one pass forward,
 * and what is below it after one pass back.
 *
 * A call that calls the same operator itself passes it on: autocast converts the arguments and calls again, a
 * distributed tensor calls with its local part. What is computed is the inner call.
 */
#include "base/sized.h"
#include "trace/alias.h"
#include "trace/trace_model.h"

#include <stdlib.h>
#include <string.h>

enum { INSIDE_CALL = 1, INSIDE_LABEL = 2, INSIDE_LOADER = 4, HAS_CALL_BELOW = 8, PASSES_ON = 16 };

/* Profilers record no schema: the same name with values of the same kinds stands for it. */
static bool same_operator(const ob_trace_node *outer, const ob_trace_node *inner)
{
    if (outer->schema[0] != '\0' || inner->schema[0] != '\0')
        return strcmp(outer->schema, inner->schema) == 0;
    if (strcmp(outer->name, inner->name) != 0 || outer->input_count != inner->input_count ||
        outer->input_count == 0)
        return false;
    for (uint32_t i = 0; i < outer->input_count; i++)
        if (outer->inputs[i].kind != inner->inputs[i].kind)
            return false;
    return true;
}

static bool passes_on(const ob_trace_node *outer, const ob_trace_node *inner)
{
    return outer->kind == OB_TRACE_OPERATOR && inner->kind == OB_TRACE_OPERATOR &&
           same_operator(outer, inner);
}

/* Flags of every node; false when the label is nowhere. */
static bool mark(const ob_trace *trace, const char *label, uint8_t *flags)
{
    bool found = label == NULL;
    memset(flags, 0, trace->node_count);
    for (size_t i = 0; i < trace->node_count; i++) {
        const ob_trace_node *node = &trace->nodes[i];
        if (node->parent != OB_TRACE_NO_NODE && passes_on(&trace->nodes[node->parent], node))
            flags[node->parent] |= PASSES_ON;
    }
    for (size_t i = 0; i < trace->node_count; i++) {
        const ob_trace_node *node = &trace->nodes[i];
        uint8_t own = flags[i];
        if (node->parent != OB_TRACE_NO_NODE) {
            own |= (uint8_t)(flags[node->parent] & (INSIDE_CALL | INSIDE_LABEL | INSIDE_LOADER));
            if (ob__trace_is_call(&trace->nodes[node->parent]) &&
                !(flags[node->parent] & PASSES_ON))
                own |= INSIDE_CALL;
        }
        if (label == NULL || strstr(node->name, label) != NULL) {
            own |= INSIDE_LABEL;
            found = true;
        }
        if (strstr(node->name, "DataLoader") != NULL)
            own |= INSIDE_LOADER;
        flags[i] = own;
    }
    for (size_t i = trace->node_count; i-- > 0;) {
        const ob_trace_node *node = &trace->nodes[i];
        if (node->parent != OB_TRACE_NO_NODE &&
            (ob__trace_is_call(node) || (flags[i] & HAS_CALL_BELOW)))
            flags[node->parent] |= HAS_CALL_BELOW;
    }
    return found;
}

static ob_status find_range(const ob_trace *trace, int64_t iteration, size_t *first, size_t *end,
                            ob_err *err)
{
    *first = 0;
    *end = trace->node_count;
    if (iteration < 0)
        return OB_OK;
    if ((uint64_t)iteration >= trace->iteration_count)
        return ob_err_set_at(err, OB_ERR_NOT_FOUND, trace->name, 0, 0, NULL,
                             trace->iteration_count == 0
                                 ? "no iterations are marked (ProfilerStep); leave out "
                                   "--trace-step to take everything"
                                 : "there is no iteration %lld; the trace has 0 to %zu",
                             (long long)iteration, trace->iteration_count - 1);
    *first = trace->iterations[iteration];
    if ((uint64_t)iteration + 1 < trace->iteration_count)
        *end = trace->iterations[iteration + 1];
    return OB_OK;
}

ob_status ob_trace_select(const ob_trace *trace, const ob_trace_selection *selection,
                          uint32_t **indices, size_t *count, ob_err *err)
{
    ob_trace_selection how = {.size = sizeof how, .iteration = -1};
    size_t first, end, chosen = 0;
    *indices = NULL;
    *count = 0;
    if (selection != NULL)
        OB_TRY(OB__TAKE(ob_trace_selection, &how, selection, err));
    OB_TRY(find_range(trace, how.iteration, &first, &end, err));
    uint8_t *flags = malloc(trace->node_count + 1);
    uint32_t *list = malloc((end - first + 1) * sizeof *list);
    ob_status status = OB_OK;
    if (flags == NULL || list == NULL)
        status = ob_err_set(err, OB_ERR_NOMEM, "out of memory for the nodes of a trace");
    else if (!mark(trace, how.label, flags))
        status = ob_err_set_at(err, OB_ERR_NOT_FOUND, trace->name, 0, 0, NULL,
                               "no node has \"%.100s\" in its name; opbench trace --tree shows the "
                               "names",
                               how.label);
    for (size_t i = first; status == OB_OK && i < end; i++) {
        const bool compiled = trace->nodes[i].kind == OB_TRACE_COMPILED;
        const bool inner = how.leaves && !compiled ? (flags[i] & HAS_CALL_BELOW) != 0
                                                   : (flags[i] & (INSIDE_CALL | PASSES_ON)) != 0;
        if ((ob__trace_is_call(&trace->nodes[i]) || compiled) && !inner &&
            (flags[i] & INSIDE_LABEL) != 0 && (how.keep_loader || (flags[i] & INSIDE_LOADER) == 0))
            list[chosen++] = (uint32_t)i;
    }
    /* What the label names is in another step than the one that was asked for, or taken by itself. */
    if (status == OB_OK && chosen == 0 && how.label != NULL && how.iteration >= 0)
        status =
            ob_err_set_at(err, OB_ERR_NOT_FOUND, trace->name, 0, 0, NULL,
                          "iteration %lld has no call below a node with \"%.100s\" in its name; "
                          "choose another with --trace-step",
                          (long long)how.iteration, how.label);
    free(flags);
    if (status != OB_OK) {
        free(list);
        return status;
    }
    *indices = list;
    *count = chosen;
    return OB_OK;
}
