/* SPDX-License-Identifier: Apache-2.0
 *
 * Derived backward: exact graphs for small forwards, and what cannot be derived.
 */
#include "graph_test.h"

/* The printed backward of a forward text whose output is `out`; NULL after a failure. */
static char *backward_text(const char *inputs, const char *text, size_t *targets, ob_err *err)
{
    ob_graph *graph = graph_with(inputs), *forward = NULL;
    ob_backward backward;
    char *printed = NULL;
    ob_err_clear(err);
    if (ob_graph_add_text(graph, text, NULL, 0, err) == OB_OK) {
        set_output(graph, "out");
        if (ob_graph_decompose(graph, NULL, NULL, &forward, err) == OB_OK &&
            ob_graph_derive_backward(forward, &backward, err) == OB_OK) {
            CHECK_INT(ob_graph_print(backward.graph, &printed, NULL), OB_OK);
            CHECK_INT(backward.graph->output_count, backward.target_count);
            *targets = backward.target_count;
            for (size_t i = 0; i < backward.target_count; i++) {
                char want[1024];
                const ob_edge_id output = backward.graph->outputs[i];
                snprintf(want, sizeof want, "%s",
                         meta_text(&forward->edges[backward.targets[i]].meta));
                CHECK_STR(meta_text(&backward.graph->edges[output].meta), want);
            }
            ob_backward_fini(&backward);
        }
    }
    ob_graph_destroy(forward);
    ob_graph_destroy(graph);
    return printed;
}

static void check(const char *inputs, const char *text, size_t targets, const char *want)
{
    ob_err err;
    size_t got = 0;
    char *printed = backward_text(inputs, text, &got, &err);
    if (printed == NULL)
        OB_TEST_FAIL("%s: %s", text, err.message);
    CHECK_STR(printed, want);
    CHECK_INT(got, targets);
    free(printed);
}

static void check_error(const char *inputs, const char *text, ob_status code, const char *part)
{
    ob_err err;
    size_t got = 0;
    char *printed = backward_text(inputs, text, &got, &err);
    CHECK(printed == NULL);
    CHECK_INT(err.code, code);
    CHECK_HAS(err.message, part);
    free(printed);
}

static void one_operator(void)
{
    check("x f32[2, 3]+; y f32[2, 3]+", "out = mul(x, y)", 2,
          "# grad_out: f32[2, 3], gradient\n"
          "# y: f32[2, 3], saved\n"
          "# x: f32[2, 3], saved\n"
          "grad_x = aten::mul.Tensor(grad_out, y);\n"
          "grad_y = aten::mul.Tensor(grad_out, x);\n"
          "# return grad_x, grad_y\n");
}

/* Only what is asked for is computed, and only what it needs is kept. */
static void one_target(void)
{
    check("x f32[2, 3]+; y f32[2, 3]", "out = mul(x, y)", 1,
          "# grad_out: f32[2, 3], gradient\n"
          "# y: f32[2, 3], saved\n"
          "grad_x = aten::mul.Tensor(grad_out, y);\n"
          "# return grad_x\n");
    check("x f32[2, 3]; y f32[2, 3]", "out = mul(x, y)", 0, "# return\n");
}

static void identity(void)
{
    check("x f32[2]+; y f32[2]+", "out = add(x, y)", 2,
          "# grad_out: f32[2], gradient\n"
          "# return grad_out, grad_out\n");
}

static void edge_used_twice(void)
{
    check("x f32[2]+", "a = neg(x); out = add(a, x)", 1,
          "# grad_out: f32[2], gradient\n"
          "grad_x = aten::neg(grad_out);\n"
          "add = aten::add.Tensor(grad_out, grad_x, alpha=1);\n"
          "# return add\n");
    check("x f32[2]+", "out = add(x, x)", 1,
          "# grad_out: f32[2], gradient\n"
          "add = aten::add.Tensor(grad_out, grad_out, alpha=1);\n"
          "# return add\n");
}

static void broadcast_is_summed(void)
{
    check("x f32[2, 3]+; y f32[3]+; z f32[2, 1]+", "out = add(add(x, y), z)", 3,
          "# grad_out: f32[2, 3], gradient\n"
          "sum = aten::sum.dim_IntList(grad_out, [1], True, dtype=None);\n"
          "sum_2 = aten::sum.dim_IntList(grad_out, [0], True, dtype=None);\n"
          "view = aten::view(sum_2, [3]);\n"
          "# return grad_out, view, sum\n");
}

static void other_types_are_cast(void)
{
    check("x f16[2]+; y f32[2]+", "out = add(x, y)", 2,
          "# grad_out: f32[2], gradient\n"
          "to = aten::to.dtype(grad_out, \"float16\", False, False, None);\n"
          "# return to, grad_out\n");
}

static void lists(void)
{
    /* One part of a split is used: the others' gradients are zeros. */
    check("x f32[4, 3]+", "s = split(x, 2); out = neg(s[1])", 1,
          "# grad_out: f32[2, 3], gradient\n"
          "# s: [f32[2, 3], f32[2, 3]], saved\n"
          "neg = aten::neg(grad_out);\n"
          "zeros_like = aten::zeros_like(s[0], dtype=None, layout=None, device=None, "
          "pin_memory=None, memory_format=None);\n"
          "grad_x = aten::cat([zeros_like, neg], 0);\n"
          "# return grad_x\n");
    check("x f32[4, 3]+; y f32[2, 3]; z f32[1, 3]+", "out = cat([x, y, z], 0)", 2,
          "# grad_out: f32[7, 3], gradient\n"
          "split_with_sizes = aten::split_with_sizes(grad_out, [4, 2, 1], 0);\n"
          "alias = aten::alias(split_with_sizes[0]);\n"
          "alias_6 = aten::alias(split_with_sizes[2]);\n"
          "# return alias, alias_6\n");
}

/* The whole list is the output. */
static void list_output(void)
{
    check("x f32[4, 3]+", "out = split(x, 2)", 1,
          "# grad_out: [f32[2, 3], f32[2, 3]], gradient\n"
          "grad_x = aten::cat(grad_out, 0);\n"
          "# return grad_x\n");
}

static void several_outputs(void)
{
    ob_err err;
    size_t targets = 0;
    /* The second output's gradient is not mentioned by the derivative of the first. */
    char *text = backward_text("x f32[4, 3]+", "v, i = max(x, 1); out = neg(v)", &targets, &err);
    CHECK(text != NULL);
    CHECK_INT(targets, 1);
    CHECK(text == NULL || strstr(text, "zeros_like(v") == NULL);
    free(text);
}

static void in_place(void)
{
    check("x f32[2]+", "a = neg(x); a = relu_(a); out = neg(a)", 1,
          "# grad_out: f32[2], gradient\n"
          "# a_2: f32[2], saved\n"
          "grad_a_2 = aten::neg(grad_out);\n"
          "grad_a = aten::threshold_backward(grad_a_2, a_2, 0);\n"
          "grad_x = aten::neg(grad_a);\n"
          "# return grad_x\n");
    check_error("x f32[2]+; y f32[2]+", "a = mul(x, y); b = relu_(y); out = add(a, b)",
                OB_ERR_UNSUPPORTED,
                "the backward pass needs 'y', which aten::relu_ later changes in place;");
    check_error("x f32[2, 2]+", "a = exp(x); v = view(a, [4]); w = mul_(v, 2); out = neg(a)",
                OB_ERR_UNSUPPORTED, "aten::neg uses 'a' after aten::mul_ changed it in place");
    check_error("x f32[2, 2]+", "a = exp(x); v = view(a, [4]); out = mul_(v, 2)",
                OB_ERR_UNSUPPORTED,
                "the backward pass needs 'a', which aten::mul_ later changes in place;");
}

static void not_differentiable(void)
{
    check("x f32[2, 3]+", "i = argmax(x, 1); out = mul(i, 2)", 0, "# return\n");
    check_error("x f32[2]+", "y = my::dead_end(x); out = neg(y)", OB_ERR_UNSUPPORTED,
                "my::dead_end has no derivative");
    /* Off the path to the output nobody asks. */
    check("x f32[2]+", "y = my::dead_end(x); out = neg(x)", 1,
          "# grad_out: f32[2], gradient\n"
          "grad_x = aten::neg(grad_out);\n"
          "# return grad_x\n");
    /* Gradients end at an empty derivative. */
    check("x f32[2]+", "y = my::stop(x); out = mul(y, x)", 1,
          "# grad_out: f32[2], gradient\n"
          "# y: f32[2], saved\n"
          "grad_x = aten::mul.Tensor(grad_out, y);\n"
          "# return grad_x\n");
}

static void composites_need_decomposing(void)
{
    ob_graph *graph = graph_with("x f32[2]+");
    ob_backward backward;
    ob_err err;
    if (add_text(graph, "out = my::twice(x)"))
        set_output(graph, "out");
    CHECK_INT(ob_graph_derive_backward(graph, &backward, &err), OB_ERR_UNSUPPORTED);
    CHECK_HAS(err.message, "ob_graph_decompose");
    CHECK(backward.graph == NULL);
    ob_backward_fini(&backward);
    ob_graph_destroy(graph);
}

static void outputs_that_are_inputs(void)
{
    ob_graph *graph = graph_with("x f32[2]+; y f32[2]+");
    ob_backward backward;
    const ob_edge_id outputs[] = {0, 1};
    CHECK_INT(ob_graph_set_outputs(graph, outputs, 2, NULL), OB_OK);
    CHECK_INT(ob_graph_derive_backward(graph, &backward, NULL), OB_OK);
    CHECK_INT(backward.target_count, 0);
    CHECK_INT(backward.graph->node_count, 0);
    ob_backward_fini(&backward);
    ob_graph_destroy(graph);
}

/* One edge as two outputs has one gradient to start from. */
static void outputs_twice(void)
{
    ob_graph *graph = graph_with("x f32[2]+");
    ob_backward backward;
    char *text = NULL;
    if (!add_text(graph, "a = neg(x); b = exp(a)"))
        return;
    const ob_edge_id outputs[] = {1, 2, 1};
    CHECK_INT(ob_graph_set_outputs(graph, outputs, 3, NULL), OB_OK);
    CHECK_INT(ob_graph_derive_backward(graph, &backward, NULL), OB_OK);
    CHECK_INT(ob_graph_print(backward.graph, &text, NULL), OB_OK);
    CHECK_STR(text, "# grad_a: f32[2], gradient\n"
                    "# grad_b: f32[2], gradient\n"
                    "# b: f32[2], saved\n"
                    "grad_a_3 = aten::mul.Tensor(grad_b, b);\n"
                    "add = aten::add.Tensor(grad_a, grad_a_3, alpha=1);\n"
                    "grad_x = aten::neg(add);\n"
                    "# return grad_x\n");
    free(text);
    ob_backward_fini(&backward);
    ob_graph_destroy(graph);
}

/* ---- rows with derivatives of their own ---- */

static const ob_op_row ROWS[] = {
    {.schema = "my::twice(Tensor self) -> Tensor", .decomposition = "result = mul(self, 2)"},
    {.schema = "my::stop(Tensor self) -> Tensor",
     .decomposition = "result = neg(self)",
     .derivative = ""},
    {.schema = "my::optional(Tensor self, Tensor? other=None) -> Tensor",
     .decomposition = "result = alias(self) if @is_none(other) else mul(self, other)",
     .derivative = "self = grad if @is_none(other) else mul(grad, other);"
                   "shaped = view(grad, @sizes(other)); other = mul(shaped, self)"},
    {.schema = "my::wrong_shape(Tensor self) -> Tensor",
     .decomposition = "result = neg(self)",
     .derivative = "self = unsqueeze(sum(grad), 0)"},
    {.schema = "my::no_tensor(Tensor self) -> Tensor",
     .decomposition = "result = neg(self)",
     .derivative = "self = 3"},
    {.schema = "my::unknown_name(Tensor self) -> Tensor",
     .decomposition = "result = neg(self)",
     .derivative = "self = neg(nobody)"},
    {.schema = "my::both(Tensor self) -> (Tensor, Tensor)",
     .decomposition = "result_0 = neg(self); result_1 = exp(self)",
     .derivative = "self = sub(mul(grad_1, result_1), grad_0)"},
    {.schema = "my::list(Tensor[] tensors) -> Tensor",
     .decomposition = "result = neg(tensors[0])",
     .derivative = "tensors = [grad]"},
    {.schema = "my::masked(Tensor self, Tensor other) -> Tensor",
     .decomposition = "result = mul(self, other)",
     .derivative = "self, other = [mul(grad, 2) if @needs_grad(self) else None,"
                   "    mul(grad, 3) if @needs_grad(other) else None]"},
    {.schema = "my::needs_two(Tensor self, Tensor other) -> Tensor",
     .decomposition = "result = mul(self, other)",
     .derivative = "self = grad if @needs_grad(self, other) else None"},
    {.schema = "my::needs_value(Tensor self) -> Tensor",
     .decomposition = "result = neg(self)",
     .derivative = "self = grad if @needs_grad(3) else None"},
};

static ob_status dead_end_shape(const ob_op_call *call, ob_value *out, ob_err *err)
{
    return ob_value_copy(out, &call->args[0], err);
}

static const ob_op_row DEAD_END = {.schema = "my::dead_end(Tensor self) -> Tensor",
                                   .shape = dead_end_shape};

static void own_derivatives(void)
{
    /* The statements for `other` are not run when it is None. */
    check("x f32[2]+", "out = my::optional(x)", 1,
          "# grad_out: f32[2], gradient\n"
          "# return grad_out\n");
    check("x f32[2]+; y f32[2]+", "out = my::optional(x, y)", 2,
          "# grad_out: f32[2], gradient\n"
          "# y: f32[2], saved\n"
          "# x: f32[2], saved\n"
          "grad_x = aten::mul.Tensor(grad_out, y);\n"
          "shaped = aten::view(grad_out, [2]);\n"
          "grad_y = aten::mul.Tensor(shaped, x);\n"
          "# return grad_x, grad_y\n");
    check("x f32[2]+; y f32[2]", "out = my::masked(x, y)", 1,
          "# grad_out: f32[2], gradient\n"
          "mul = aten::mul.Scalar(grad_out, 2);\n"
          "# return mul\n");
    check("x f32[2]+", "a, out = my::both(x)", 1,
          "# grad_out: f32[2], gradient\n"
          "# out: f32[2], saved\n"
          "# a: f32[2], saved\n"
          "mul = aten::mul.Tensor(grad_out, out);\n"
          "zeros_like = aten::zeros_like(a, dtype=None, layout=None, device=None, "
          "pin_memory=None, memory_format=None);\n"
          "grad_x = aten::sub.Tensor(mul, zeros_like, alpha=1);\n"
          "# return grad_x\n");
    check_error("x f32[2]+", "out = my::wrong_shape(x)", OB_ERR_INVALID,
                "the derivative of my::wrong_shape gives [1] for an argument of [2]");
    check_error("x f32[2]+", "out = my::no_tensor(x)", OB_ERR_INVALID,
                "gives something other than a tensor");
    check_error("x f32[2]+", "out = my::unknown_name(x)", OB_ERR_NOT_FOUND,
                "in \"nobody\" of the derivative of my::unknown_name");
    check_error("x f32[2]+; y f32[2]", "out = my::needs_two(x, y)", OB_ERR_INVALID,
                "@needs_grad takes the name of one argument");
    check_error("x f32[2]+", "out = my::needs_value(x)", OB_ERR_INVALID,
                "@needs_grad takes the name of one argument");
    check_error("x f32[2]+; y f32[2]+", "out = my::list([x, y])", OB_ERR_INVALID,
                "gives 1 gradients for a list of 2");
}

int main(void)
{
    open_table();
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++)
        CHECK_INT(ob_op_table_add(test_table, &ROWS[i], "test", NULL), OB_OK);
    CHECK_INT(ob_op_table_add(test_table, &DEAD_END, "test", NULL), OB_OK);
    RUN(one_operator);
    RUN(one_target);
    RUN(identity);
    RUN(edge_used_twice);
    RUN(broadcast_is_summed);
    RUN(other_types_are_cast);
    RUN(lists);
    RUN(list_output);
    RUN(several_outputs);
    RUN(in_place);
    RUN(not_differentiable);
    RUN(composites_need_decomposing);
    RUN(outputs_that_are_inputs);
    RUN(outputs_twice);
    RUN(own_derivatives);
    ob_op_table_destroy(test_table);
    return ob_test_end();
}
