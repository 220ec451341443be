/* SPDX-License-Identifier: Apache-2.0
 *
 * @einsum and opbench.graph, a graph that a config writes itself: what an equation is taken apart into, and what is said of one that cannot be. The parts are, for the left operand
 * and then for the right one, the dimensions to sum away, the permutation and the matrices' sizes; then the result's sizes and
 * its permutation.
 */
#include "graph_test.h"

/* The eight lists; each is seen through the sizes that it gives to zeros(list). */
static const char *plan_of(const char *inputs, const char *call)
{
    static char out[512];
    size_t at = 0;
    out[0] = '\0';
    for (int i = 0; i < 8; i++) {
        char text[256];
        ob_graph *graph = graph_with(inputs);
        snprintf(text, sizeof text, "r = zeros(@einsum(%s)[%d])", call, i);
        if (add_text(graph, text))
            at += (size_t)snprintf(out + at, sizeof out - at, "%s%s", i > 0 ? " " : "",
                                   strchr(edge_text(graph, "r"), '['));
        ob_graph_destroy(graph);
    }
    return out;
}

static void one_operand(void)
{
    CHECK_STR(plan_of("x f32[2, 3]", "'ij->ji', x"), "[] [1, 0] [] [] [] [] [] []");
    CHECK_STR(plan_of("x f32[2, 3]", "'ij->j', x"), "[0] [0] [] [] [] [] [] []");
    CHECK_STR(plan_of("x f32[2, 3]", "'ij->', x"), "[0, 1] [] [] [] [] [] [] []");
    CHECK_STR(plan_of("x f32[2, 3, 4]", "'abc->ca', x"), "[1] [1, 0] [] [] [] [] [] []");
    /* Without a result: what occurs once, by the alphabet, large letters first. */
    CHECK_STR(plan_of("x f32[2, 3]", "'ba', x"), "[] [1, 0] [] [] [] [] [] []");
    CHECK_STR(plan_of("x f32[2, 3]", "'aB', x"), "[] [1, 0] [] [] [] [] [] []");
    CHECK_STR(plan_of("x f32[2, 3]", "' z A ', x"), "[] [1, 0] [] [] [] [] [] []");
    CHECK_STR(plan_of("x f32[2, 3]", "'aZ', x"), "[] [1, 0] [] [] [] [] [] []");
    CHECK_STR(plan_of("x f32[2, 3, 4]", "'...a->a...', x"), "[] [2, 0, 1] [] [] [] [] [] []");
    CHECK_STR(plan_of("x f32[2, 3, 4]", "'a...', x"), "[] [1, 2, 0] [] [] [] [] [] []");
    CHECK_STR(plan_of("x f32[2, 3, 4]", "'a...->a', x"), "[1, 2] [0] [] [] [] [] [] []");
}

static void two_operands(void)
{
    static const struct {
        const char *inputs, *equation, *plan;
    } ROWS[] = {
        /* A product of matrices: no batch, 2 by 3 and 3 by 4. */
        {"a f32[2, 3]; b f32[3, 4]", "ij,jk->ik",
         "[] [0, 1] [1, 2, 3] [] [0, 1] [1, 3, 4] [2, 4] [0, 1]"},
        {"a f32[2, 3]; b f32[3, 4]", "ij,jk",
         "[] [0, 1] [1, 2, 3] [] [0, 1] [1, 3, 4] [2, 4] [0, 1]"},
        {"a f32[2, 3]; b f32[3, 4]", "ij,jk->ki",
         "[] [0, 1] [1, 2, 3] [] [0, 1] [1, 3, 4] [2, 4] [1, 0]"},
        {"a f32[3, 2]; b f32[4, 3]", "ji,kj->ik",
         "[] [1, 0] [1, 2, 3] [] [1, 0] [1, 3, 4] [2, 4] [0, 1]"},
        /* With a batch. */
        {"a f32[5, 2, 3]; b f32[5, 3, 4]", "bij,bjk->bik",
         "[] [0, 1, 2] [5, 2, 3] [] [0, 1, 2] [5, 3, 4] [5, 2, 4] [0, 1, 2]"},
        {"a f32[2, 3, 5]; b f32[5, 3, 4]", "ijb,bjk->ikb",
         "[] [2, 0, 1] [5, 2, 3] [] [0, 1, 2] [5, 3, 4] [5, 2, 4] [1, 2, 0]"},
        {"a f32[2, 3, 5, 7]; b f32[7, 5]", "ijbc,cb->bij",
         "[] [2, 0, 1, 3] [5, 6, 7] [] [1, 0] [5, 7, 1] [5, 2, 3] [0, 1, 2]"},
        /* Summed away beforehand: what one operand has alone and the result has not. */
        {"a f32[2, 3]; b f32[3, 4]", "ij,jk->k", "[0] [0] [1, 1, 3] [] [0, 1] [1, 3, 4] [4] [0]"},
        {"a f32[2, 3]; b f32[3, 4]", "ij,jk->i", "[] [0, 1] [1, 2, 3] [1] [0] [1, 3, 1] [2] [0]"},
        /* An outer and an inner product. */
        {"a f32[2]; b f32[3]", "i,j->ij", "[] [0] [1, 2, 1] [] [0] [1, 1, 3] [2, 3] [0, 1]"},
        {"a f32[3]; b f32[3]", "i,i->", "[] [0] [1, 1, 3] [] [0] [1, 3, 1] [] []"},
        {"a f32[3]; b f32[3]", "i,i->i", "[] [0] [3, 1, 1] [] [0] [3, 1, 1] [3] [0]"},
        {"a f32[3, 3]; b f32[3, 3]", "ij,ij", "[] [0, 1] [1, 1, 9] [] [0, 1] [1, 9, 1] [] []"},
        /* A size of 1 goes with any other. */
        {"a f32[1, 3]; b f32[5, 3]", "bi,bi->b", "[0] [0] [1, 1, 3] [] [1, 0] [1, 3, 5] [5] [0]"},
        {"a f32[5, 3]; b f32[1, 3]", "bi,bi->b", "[] [0, 1] [1, 5, 3] [0] [0] [1, 3, 1] [5] [0]"},
        {"a f32[1, 3]; b f32[1, 3]", "bi,bi->b", "[] [0, 1] [1, 1, 3] [] [0, 1] [1, 3, 1] [1] [0]"},
        /* It is no index of the product then: what the other one has of it is summed away. */
        {"a f32[2, 3]; b f32[1]", "ij,i->j", "[0] [0] [1, 3, 1] [0] [] [1, 1, 1] [3] [0]"},
        {"a f32[1]; b f32[2, 3]", "i,ij->j", "[0] [] [1, 1, 1] [0] [0] [1, 1, 3] [3] [0]"},
        /* What has no letter is matched from the right. */
        {"a f32[5, 2, 3]; b f32[3, 4]", "...ij,jk->...ik",
         "[] [0, 1, 2] [1, 10, 3] [] [0, 1] [1, 3, 4] [5, 2, 4] [0, 1, 2]"},
        {"a f32[6, 5, 3]; b f32[5, 3]", "...i,...i->...",
         "[] [1, 0, 2] [5, 6, 3] [] [0, 1] [5, 3, 1] [5, 6] [1, 0]"},
        {"a f32[6, 5, 3]; b f32[5, 3]", "...i,...i",
         "[] [1, 0, 2] [5, 6, 3] [] [0, 1] [5, 3, 1] [5, 6] [1, 0]"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        char call[64];
        snprintf(call, sizeof call, "'%s', a, b", ROWS[i].equation);
        CHECK_STR(plan_of(ROWS[i].inputs, call), ROWS[i].plan);
    }
}

static void refuses(void)
{
    static const struct {
        const char *call, *part;
    } ROWS[] = {
        {"3, a", "the equation of einsum must be a string"},
        {"'i1', a", "einsum 'i1': a term may hold letters and at most one \"...\""},
        {"'..', a", "a term may hold letters and at most one \"...\""},
        {"'......', a", "a term may hold letters and at most one \"...\""},
        {"'ij-', a", "a term may hold letters and at most one \"...\""},
        {"'ij-x', a", "a term may hold letters and at most one \"...\""},
        {"'i', a", "an operand's number of dimensions differs from its term's letters"},
        {"'ijk', a", "an operand's number of dimensions differs from its term's letters"},
        {"'ijk...', a", "an operand has fewer dimensions than its term has letters"},
        {"'ii', a", "an index occurs twice in one operand (a diagonal)"},
        {"'ij->ii', a", "an index occurs twice in the result"},
        {"'ij->k', a", "the result has an index that no operand has"},
        {"'ij->i,j', a", "there is more than one result"},
        {"'ij,jk', a", "there are more terms than operands"},
        {"'ij', a, b", "there are fewer terms than operands"},
        {"'ij->ij', a, b", "there are fewer terms than operands"},
        {"'ij,jk->il', a, b", "the result has an index that no operand has"},
        {"'ij,ik', a, b", "an index has two sizes"},
        {"'abcdefghijklmnopq', a", "a term has more than 16 dimensions"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        char text[128];
        ob_err err;
        ob_graph *graph = graph_with("a f32[2, 3]; b f32[3, 4]");
        snprintf(text, sizeof text, "r = zeros(@einsum(%s)[0])", ROWS[i].call);
        CHECK_INT(ob_graph_add_text(graph, text, NULL, 0, &err), OB_ERR_INVALID);
        CHECK_HAS(err.message, ROWS[i].part);
        ob_graph_destroy(graph);
    }
}

/* The first parameter. */
static const char *parameter_text(const ob_graph *graph)
{
    for (size_t i = 0; i < graph->edge_count; i++)
        if (graph->edges[i].role == OB_EDGE_PARAMETER)
            return meta_text(&graph->edges[i].meta);
    return "none";
}

/* A graph that a config writes itself. */
static ob_status build_text(const char *text, const char *const *names, const ob_value *values,
                            size_t count, ob_graph **graph, ob_err *err)
{
    ob_value code = str_value(text),
             inputs[2] = {tensor_value("f32[2, 3]"), tensor_value("f32[3]")};
    const char *const input_names[] = {"other"};
    const ob_call build = {.args = &code,
                           .arg_count = 1,
                           .kwargs = values,
                           .kwarg_names = names,
                           .kwarg_count = count};
    const ob_call input = {.args = inputs,
                           .arg_count = 1,
                           .kwargs = inputs + 1,
                           .kwarg_names = input_names,
                           .kwarg_count = 1};
    const ob_status status =
        ob_graph_build(test_table, "opbench.graph", &build, &input, graph, err);
    ob_value_fini(&code);
    for (size_t i = 0; i < 2; i++)
        ob_value_fini(&inputs[i]);
    return status;
}

static void graphs_of_configs(void)
{
    const char *const names[] = {"k", "dtype"};
    const ob_value values[] = {ob_value_int(2),
                               {.kind = OB_VALUE_DTYPE, .as = {.dtype = OB_DTYPE_F64}}};
    ob_graph *graph = NULL;
    ob_err err;
    CHECK_INT(build_text("result = mul(add(input_0, other), k)", names, values, 1, &graph, &err),
              OB_OK);
    CHECK_INT(graph->node_count, 2);
    CHECK_INT(graph->output_count, 1);
    CHECK_STR(meta_text(&graph->edges[graph->outputs[0]].meta), "f32[2, 3]");
    ob_graph_destroy(graph);
    CHECK_INT(build_text("result_0 = relu(input_0); result_1 = neg(other)", names, values, 0,
                         &graph, &err),
              OB_OK);
    CHECK_INT(graph->output_count, 2);
    CHECK_STR(meta_text(&graph->edges[graph->outputs[1]].meta), "f32[3]");
    ob_graph_destroy(graph);
    /* dtype is that of the modules in it. */
    CHECK_INT(build_text("result = torch.nn.Linear(3, k)(input_0)", names, values, 1, &graph, &err),
              OB_OK);
    CHECK_STR(parameter_text(graph), "f32[2, 3]");
    ob_graph_destroy(graph);
    CHECK_INT(build_text("result = torch.nn.Linear(3, k)(_to_copy(input_0, dtype=7))", names,
                         values, 2, &graph, &err),
              OB_OK);
    CHECK_STR(parameter_text(graph), "f64[2, 3]");
    ob_graph_destroy(graph);
    /* A dtype of another name is a constant like any other. */
    const char *const other_names[] = {"k", "kind"};
    CHECK_INT(
        build_text("result = torch.nn.Linear(3, k)(input_0)", other_names, values, 2, &graph, &err),
        OB_OK);
    CHECK_STR(parameter_text(graph), "f32[2, 3]");
    ob_graph_destroy(graph);
    CHECK_INT(build_text("result = missing", names, values, 0, &graph, &err), OB_ERR_NOT_FOUND);
    CHECK_HAS(err.message, "missing");
    CHECK_INT(build_text("x = relu(input_0)", names, values, 0, &graph, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "result");
}

int main(void)
{
    open_table();
    RUN(one_operand);
    RUN(two_operands);
    RUN(refuses);
    RUN(graphs_of_configs);
    ob_op_table_destroy(test_table);
    return ob_test_end();
}
