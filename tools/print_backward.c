/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads operator calls (tests/unit/op/call_text.h) from standard input and prints, for each, the
 * decomposed forward graph and the derived backward graph in graph notation, with what joins them.
 * tools/check_derivatives.py builds and runs it.
 */
#include "op/call_text.h"
#include "opbench/graph.h"

/* Statistics and class weights are not differentiated. */
static bool is_parameter(const ob_op *op, const char *name)
{
    return strncmp(name, "running_", 8) != 0 && strcmp(name, "pos_weight") != 0 &&
           !(strcmp(op->row->category, "loss") == 0 && strcmp(name, "weight") == 0);
}

static void require_grad(ob_value *v)
{
    if (v->kind == OB_VALUE_TENSOR)
        v->as.tensor->requires_grad = ob_dtype_is_floating(v->as.tensor->dtype);
    for (size_t i = 0; v->kind == OB_VALUE_LIST && i < v->as.list.count; i++)
        require_grad(&v->as.list.items[i]);
}

static void print_text(const ob_graph *graph, const char *title)
{
    char *text = NULL;
    if (ob_graph_print(graph, &text, NULL) == OB_OK)
        printf("%s\n%s", title, text);
    free(text);
}

static void print_backward(const ob_graph *forward, const ob_backward *backward)
{
    const ob_graph *graph = backward->graph;
    print_text(graph, "BACKWARD");
    for (size_t i = 0; i < backward->target_count; i++)
        printf("TARGET %s %s\n", forward->edges[backward->targets[i]].name,
               graph->edges[graph->outputs[i]].name);
    for (size_t i = 0; i < graph->edge_count; i++) {
        const ob_graph_edge *edge = &graph->edges[i];
        if (edge->role == OB_EDGE_SAVED || edge->role == OB_EDGE_GRAD_OUTPUT)
            printf("%s %s %s\n", edge->role == OB_EDGE_SAVED ? "SAVED" : "GRAD", edge->name,
                   forward->edges[edge->forward_edge].name);
    }
}

static void run_call(const ob_op_table *table, call_text *text)
{
    ob_graph *whole = NULL, *parts = NULL;
    ob_backward backward = {.graph = NULL};
    ob_err err;
    const ob_op *op = ob_op_table_find(table, text->name);
    const ob_call call = {.args = text->args,
                          .arg_count = text->arg_count,
                          .kwarg_names = text->kwarg_names,
                          .kwargs = text->kwargs,
                          .kwarg_count = text->kwarg_count};
    for (size_t i = 0; op != NULL && i < text->arg_count; i++) {
        if (is_parameter(op, op->schema->args[i].name))
            require_grad(&text->args[i]);
    }
    ob_err_clear(&err);
    if (ob_graph_build(table, text->name, NULL, &call, &whole, &err) == OB_OK &&
        ob_graph_decompose(whole, NULL, NULL, &parts, &err) == OB_OK) {
        print_text(parts, "FORWARD");
        printf("OUTPUTS");
        for (size_t i = 0; i < parts->output_count; i++)
            printf(" %s", parts->edges[parts->outputs[i]].name);
        putchar('\n');
        if (ob_graph_derive_backward(parts, &backward, &err) == OB_OK)
            print_backward(parts, &backward);
    }
    if (err.code != OB_OK)
        printf("ERROR %s\n", err.message);
    ob_backward_fini(&backward);
    ob_graph_destroy(parts);
    ob_graph_destroy(whole);
}

int main(void)
{
    static char line[1 << 16];
    static call_text text;
    ob_op_table *table;
    if (ob_op_table_create(&table, NULL) != OB_OK)
        return 1;
    while (fgets(line, sizeof line, stdin) != NULL) {
        const char *p = line;
        line[strcspn(line, "\n")] = '\0';
        printf("CALL %s\n", line);
        if (call_read(&p, &text))
            run_call(table, &text);
        call_free(&text);
        puts("END");
    }
    ob_op_table_destroy(table);
    return 0;
}
