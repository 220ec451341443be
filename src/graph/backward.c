/* SPDX-License-Identifier: Apache-2.0
 *
 * Derived backward: the forward's nodes are walked in reverse; where a gradient has arrived at an
 * output, the derivative text of the operator's row is run, and what it assigns to argument names
 * is added to the gradients of those arguments.
 */
#include "graph/backward.h"

#include "graph/notation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- hooks of the derivative's scope ---- */

static ob_status lookup(void *ctx, const char *name, ob_operand *out, bool *found, ob_err *err)
{
    (void)err; /* the deriver has the same */
    ob__deriver *d = ctx;
    const ob_graph_node *node = d->node;
    const int argument = ob_schema_find_arg(node->op->schema, name);
    *found = true;
    if (argument >= 0)
        return ob__derive_saved(d, &node->args[argument], out);
    const int grad = ob__name_number(name, "grad");
    if (grad >= 0 && (size_t)grad < node->output_count)
        return ob__derive_output_grad(d, (size_t)grad, out);
    const int result = ob__name_number(name, "result");
    if (result >= 0 && (size_t)result < node->output_count) {
        const ob_operand edge = ob__operand_edge(node->outputs[result]);
        return ob__derive_saved(d, &edge, out);
    }
    *found = false;
    return OB_OK;
}

static bool needs_grad(void *ctx, const char *name)
{
    const ob__deriver *d = ctx;
    const int argument = ob_schema_find_arg(d->node->op->schema, name);
    return argument >= 0 && ob__operand_requires_grad(d->forward, &d->node->args[argument]);
}

static ob_status assign(void *ctx, const char *name, ob_operand *value, bool *taken, ob_err *err)
{
    (void)err;
    ob__deriver *d = ctx;
    const int argument = ob_schema_find_arg(d->node->op->schema, name);
    *taken = argument >= 0;
    if (argument < 0)
        return OB_OK;
    ob_operand gradient = *value;
    *value = ob__operand_none();
    return ob__derive_accumulate(d, &d->node->args[argument], &gradient);
}

/* The gradient of edge x is called grad_x; gradients of lists go by their operator. */
static const char *hint(void *ctx, const char *target)
{
    const ob__deriver *d = ctx;
    const int argument = ob_schema_find_arg(d->node->op->schema, target);
    if (argument < 0)
        return target;
    if (d->node->args[argument].kind != OB_OPERAND_EDGE)
        return NULL;
    char name[288];
    const ob_edge_id edge = d->node->args[argument].edge;
    snprintf(name, sizeof name, "grad_%.256s", d->forward->edges[edge].name);
    return ob__arena_strdup(&ob__graph_get_owner(d->graph)->arena, name, strlen(name));
}

/* ---- which statements are needed ---- */

static bool mentions(const ob__expr *expr, const char *name)
{
    if (expr == NULL)
        return false;
    if (expr->kind == OB__EXPR_NAME && strcmp(expr->text, name) == 0)
        return true;
    for (const ob__expr *item = expr->items; item != NULL; item = item->next) {
        if (mentions(item, name))
            return true;
    }
    return mentions(expr->a, name) || mentions(expr->b, name) || mentions(expr->c, name);
}

/* A statement is run when it gives a wanted gradient or a local of a later one that is run;
 * those for nothing but "_" are requirements. Running the others could fail on arguments that
 * are None. */
static ob_status choose_statements(const ob__deriver *d, const ob__program *program, bool **skip)
{
    const ob__statement **list = calloc(program->count + 1, sizeof *list);
    *skip = calloc(program->count + 1, sizeof **skip);
    if (list == NULL || *skip == NULL) {
        free(list);
        return ob_err_set(d->err, OB_ERR_NOMEM, "out of memory for a derivative");
    }
    size_t count = 0;
    for (const ob__statement *s = program->first; s != NULL; s = s->next)
        list[count++] = s;
    for (size_t i = count; i-- > 0;) {
        bool needed = false;
        for (size_t t = 0; t < list[i]->target_count; t++) {
            const char *target = list[i]->targets[t];
            const bool argument = ob_schema_find_arg(d->node->op->schema, target) >= 0;
            needed = needed || (argument ? needs_grad((void *)(uintptr_t)d, target)
                                         : list[i]->target_count == 1 && strcmp(target, "_") == 0);
            for (size_t later = i + 1; !argument && !needed && later < count; later++)
                needed = !(*skip)[later] && mentions(list[later]->expr, target);
        }
        (*skip)[i] = !needed;
    }
    free(list);
    return OB_OK;
}

/* ---- nodes ---- */

static void node_label(const ob_graph_node *node, const char *what, char *out, size_t size)
{
    const ob_schema *schema = node->op->schema;
    snprintf(out, size, "%s%s%s%s", what, schema->name, schema->overload[0] != '\0' ? "." : "",
             schema->overload);
}

static ob_status fail_underivable(const ob__deriver *d)
{
    char label[256];
    node_label(d->node, "", label, sizeof label);
    if (d->node->op->row->decomposition != NULL)
        return ob_err_set(d->err, OB_ERR_UNSUPPORTED,
                          "%s has no derivative, but consists of operators that have one; run "
                          "ob_graph_decompose on the graph first",
                          label);
    return ob_err_set(
        d->err, OB_ERR_UNSUPPORTED,
        "%s has no derivative, and a gradient must pass through it; run forward only, "
        "or use a backend with autograd",
        label);
}

/* True if a gradient has arrived at an output and one of the arguments wants one. */
static bool is_on_path(const ob__deriver *d)
{
    const ob_graph_node *node = d->node;
    bool arrived = false, wanted = false;
    for (size_t i = 0; i < node->output_count; i++)
        arrived = arrived || !ob__operand_is_none(&d->grads[node->outputs[i]]);
    for (size_t i = 0; i < node->op->schema->arg_count; i++)
        wanted = wanted || ob__operand_requires_grad(d->forward, &node->args[i]);
    return arrived && wanted;
}

static ob_status derive_node(ob__deriver *d)
{
    if (!is_on_path(d))
        return OB_OK;
    if (d->node->op->row->derivative == NULL)
        return fail_underivable(d);
    char label[256];
    node_label(d->node, "the derivative of ", label, sizeof label);
    ob__program program;
    bool *skip = NULL;
    ob__scope scope = {.graph = d->graph,
                       .ctx = d,
                       .lookup = lookup,
                       .assign = assign,
                       .hint = hint,
                       .needs_grad = needs_grad};
    ob_status status = ob__program_parse(&program, d->node->op->row->derivative, label, d->err);
    if (status == OB_OK)
        status = choose_statements(d, &program, &skip);
    scope.skip = skip;
    if (status == OB_OK)
        status = ob__program_run(&program, &scope, d->err);
    ob__scope_fini(&scope);
    ob__program_fini(&program);
    free(skip);
    return status;
}

/* ---- ends ---- */

/* A GRAD_OUTPUT edge for every output that a gradient can start from. */
static ob_status seed(ob__deriver *d)
{
    const ob_graph *forward = d->forward;
    for (size_t i = 0; i < forward->output_count; i++) {
        const ob_edge_id output = forward->outputs[i];
        const ob_graph_edge *edge = &forward->edges[output];
        if (!edge->requires_grad || edge->producer == UINT32_MAX ||
            !ob__operand_is_none(&d->grads[output]))
            continue;
        char name[288];
        snprintf(name, sizeof name, "grad_%.256s", edge->name);
        const ob_graph_edge like = {.role = OB_EDGE_GRAD_OUTPUT,
                                    .meta = edge->meta,
                                    .producer = UINT32_MAX,
                                    .forward_edge = output};
        ob_edge_id made = OB_NO_EDGE;
        OB_TRY(ob__graph_add_edge(d->graph, name, false, &like, &made, d->err));
        const ob_operand whole = ob__operand_edge(output);
        ob_operand gradient = ob__operand_edge(made);
        OB_TRY(ob__derive_accumulate(d, &whole, &gradient));
    }
    return OB_OK;
}

static ob_status collect_targets(ob__deriver *d, ob_backward *out)
{
    const ob_graph *forward = d->forward;
    out->targets = calloc(forward->edge_count + 1, sizeof *out->targets);
    ob_edge_id *outputs = calloc(forward->edge_count + 1, sizeof *outputs);
    ob_status status = OB_OK;
    if (out->targets == NULL || outputs == NULL)
        status = ob_err_set(d->err, OB_ERR_NOMEM, "out of memory for %zu gradients",
                            forward->edge_count);
    for (size_t i = 0; status == OB_OK && i < forward->edge_count; i++) {
        if (forward->edges[i].producer != UINT32_MAX || !forward->edges[i].requires_grad ||
            ob__operand_is_none(&d->grads[i]))
            continue;
        status = ob__graph_operand_edge(d->graph, &d->grads[i], "a gradient",
                                        &outputs[out->target_count], d->err);
        out->targets[out->target_count++] = (ob_edge_id)i;
    }
    if (status == OB_OK)
        status = ob_graph_set_outputs(d->graph, outputs, out->target_count, d->err);
    free(outputs);
    return status;
}

/* Saved edges that are still used after pruning must hold what they held when they were made. */
static ob_status check_saved(const ob__deriver *d)
{
    for (size_t i = 0; i < d->graph->edge_count; i++) {
        const ob_graph_edge *edge = &d->graph->edges[i];
        if (edge->role != OB_EDGE_SAVED)
            continue;
        const ob_graph_node *writer = ob__derive_overwriter(d, edge->forward_edge);
        if (writer != NULL)
            return ob_err_set(d->err, OB_ERR_UNSUPPORTED,
                              "the backward pass needs '%s', which %s later changes in place; use "
                              "the operator that returns a new tensor",
                              d->forward->edges[edge->forward_edge].name, writer->op->schema->name);
    }
    return OB_OK;
}

static ob_status derive(ob__deriver *d, ob_backward *out)
{
    OB_TRY(ob__derive_aliases(d));
    OB_TRY(seed(d));
    for (size_t n = d->forward->node_count; n-- > 0;) {
        d->node = &d->forward->nodes[n];
        OB_TRY(derive_node(d));
    }
    OB_TRY(collect_targets(d, out));
    OB_TRY(ob__graph_prune(d->graph, d->err));
    return check_saved(d);
}

ob_status ob_graph_derive_backward(const ob_graph *forward, ob_backward *out, ob_err *err)
{
    const size_t edges = forward->edge_count;
    *out = (ob_backward){.graph = NULL};
    ob__deriver d = {.forward = forward,
                     .saved = calloc(edges + 1, sizeof *d.saved),
                     .grads = calloc(edges + 1, sizeof *d.grads),
                     .roots = calloc(edges + 1, sizeof *d.roots),
                     .writers = calloc(edges + 1, sizeof *d.writers),
                     .err = err};
    ob_status status = OB_OK;
    if (d.saved == NULL || d.grads == NULL || d.roots == NULL || d.writers == NULL)
        status =
            ob_err_set(err, OB_ERR_NOMEM, "out of memory for the backward of %zu edges", edges);
    for (size_t i = 0; status == OB_OK && i < edges; i++) {
        d.saved[i] = OB_NO_EDGE;
        d.grads[i] = ob__operand_none();
    }
    if (status == OB_OK)
        status = ob_graph_create(forward->table, &d.graph, err);
    if (status == OB_OK) {
        out->graph = d.graph;
        status = derive(&d, out);
    }
    ob__operands_free(d.grads, d.grads != NULL ? edges : 0);
    free(d.saved);
    free(d.roots);
    free(d.writers);
    if (status != OB_OK)
        ob_backward_fini(out);
    return status;
}

void ob_backward_fini(ob_backward *backward)
{
    ob_graph_destroy(backward->graph);
    free(backward->targets);
    *backward = (ob_backward){.graph = NULL};
}
