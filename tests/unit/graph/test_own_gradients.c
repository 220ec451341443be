/* SPDX-License-Identifier: Apache-2.0
 *
 * Which gradients are copied so that each leaf has one of its own.
 */
#include "graph/backward.h"
#include "graph_test.h"

/* How many copies the gradients of `out` need; the graph has as many outputs as before. */
static void check_copies(const char *inputs, const char *text, size_t want)
{
    ob_graph *graph = graph_with(inputs), *forward = NULL;
    ob_backward backward;
    ob_err err;
    CHECK_INT(ob_graph_add_text(graph, text, NULL, 0, &err), OB_OK);
    set_output(graph, "out");
    CHECK_INT(ob_graph_decompose(graph, NULL, NULL, &forward, &err), OB_OK);
    CHECK_INT(ob_graph_derive_backward(forward, &backward, &err), OB_OK);
    const size_t before = backward.graph->node_count;
    CHECK_INT(ob__backward_own_gradients(forward, &backward, &err), OB_OK);
    CHECK_INT(backward.graph->node_count, before + want);
    CHECK_INT(backward.graph->output_count, backward.target_count);
    for (size_t i = before; i < backward.graph->node_count; i++)
        CHECK_STR(backward.graph->nodes[i].op->schema->name, "aten::clone");
    for (size_t i = 0; i < backward.target_count; i++)
        for (size_t k = 0; k < i; k++)
            CHECK(backward.graph->outputs[i] != backward.graph->outputs[k]);
    ob_backward_fini(&backward);
    ob_graph_destroy(forward);
    ob_graph_destroy(graph);
}

static void copies(void)
{
    check_copies("x f32[2, 3]+; y f32[2, 3]+", "out = add(x, y)",
                 2); /* both are the one that came in */
    check_copies("x f32[2, 3]+; y f32[2, 3]", "out = add(x, y)", 1);
    check_copies("x f32[2, 3]+", "out = sum(x)", 1); /* a view with strides of 0 */
}

static void no_copies(void)
{
    check_copies("x f32[2, 3]+; y f32[2, 3]+", "out = mul(x, y)", 0);
    check_copies("x f32[2, 3]+; y f32[3, 4]+", "out = mm(x, y)", 0);
    check_copies("x f32[2, 3]+", "out = relu(x)", 0);
}

int main(void)
{
    open_table();
    RUN(copies);
    RUN(no_copies);
    ob_op_table_destroy(test_table);
    return ob_test_end();
}
