/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs by hand: edges, calls, inference through rows and decompositions, printing, costs.
 */
#include "graph_test.h"

static char *printed(const ob_graph *graph)
{
    char *text = NULL;
    CHECK_INT(ob_graph_print(graph, &text, NULL), OB_OK);
    return text;
}

static void check_print(const ob_graph *graph, const char *want)
{
    char *text = printed(graph);
    CHECK_STR(text, want);
    free(text);
}

static void edges(void)
{
    ob_graph *graph = graph_with("x f32[2, 3]+; i i64[4]+");
    ob_err err;
    ob_edge_id edge = 7;
    CHECK_INT(graph->edge_count, 2);
    CHECK_INT(graph->edges[0].role, OB_EDGE_INPUT);
    CHECK(graph->edges[0].requires_grad);
    CHECK(!graph->edges[1].requires_grad); /* integers have no gradient */
    CHECK_INT(graph->edges[0].producer, UINT32_MAX);
    ob_value again = tensor_value("f32[1]");
    CHECK_INT(ob_graph_add_input(graph, "x", &again, &edge, &err), OB_ERR_DUPLICATE);
    CHECK_HAS(err.message, "'x'");
    CHECK_INT(ob_graph_add_input(graph, "", &again, &edge, &err), OB_ERR_INVALID);
    CHECK_INT(ob_graph_add_parameter(graph, "w", again.as.tensor, false, OB_INIT_UNIFORM, 0.5,
                                     &edge, &err),
              OB_OK);
    CHECK_INT(edge, 2);
    CHECK(graph->edges[2].requires_grad);
    CHECK_INT(
        ob_graph_add_parameter(graph, "b", again.as.tensor, true, OB_INIT_ZEROS, 0.0, &edge, &err),
        OB_OK);
    CHECK(!graph->edges[3].requires_grad);
    ob_value_fini(&again);
    const ob_edge_id bad = 99;
    CHECK_INT(ob_graph_set_outputs(graph, &bad, 1, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "edge 99");
    ob_graph_destroy(graph);
    ob_graph_destroy(NULL);
}

/* A tensor with data becomes a meta tensor: the graph never holds on to memory. */
static void inputs_lose_storage(void)
{
    const int64_t sizes[] = {2, 3};
    ob_tensor tensor;
    ob_value value = ob_value_none();
    ob_graph *graph = graph_with("x f32[2]");
    CHECK_INT(ob_tensor_init(&tensor, OB_DTYPE_F32, sizes, 2, NULL, NULL), OB_OK);
    CHECK_INT(ob_value_init_tensor(&value, &tensor, NULL), OB_OK);
    CHECK_INT(ob_graph_add_input(graph, "y", &value, NULL, NULL), OB_OK);
    CHECK(graph->edges[1].meta.as.tensor->storage == NULL);
    CHECK_INT(ob_storage_use_count(tensor.storage), 2);
    CHECK_STR(meta_text(&graph->edges[1].meta), "f32[2, 3]");
    ob_value_fini(&value);
    ob_tensor_fini(&tensor);
    ob_graph_destroy(graph);
}

static void calls(void)
{
    ob_graph *graph = graph_with("x f32[2, 3]+; y f32[3]");
    const ob_operand args[] = {{.kind = OB_OPERAND_EDGE, .edge = 0},
                               {.kind = OB_OPERAND_EDGE, .edge = 1}};
    const ob_operand two = {.kind = OB_OPERAND_VALUE, .value = ob_value_int(2)};
    const char *names[] = {"alpha"};
    ob_edge_id outputs[4];
    size_t count = 4;
    ob_err err;
    CHECK_INT(ob_graph_add_call(graph, "torch.add", args, 2, names, &two, 1, outputs, &count, &err),
              OB_OK);
    CHECK_INT(count, 1);
    CHECK_INT(outputs[0], 2);
    CHECK_INT(graph->node_count, 1);
    CHECK_STR(graph->nodes[0].op->schema->name, "aten::add");
    CHECK_STR(graph->nodes[0].op->schema->overload, "Tensor");
    CHECK_INT(graph->nodes[0].args[0].edge, 0);
    CHECK_INT(graph->nodes[0].args[2].value.as.integer, 2);
    CHECK_STR(edge_text(graph, "add"), "f32[2, 3]");
    CHECK_INT(graph->edges[2].producer, 0);
    CHECK(graph->edges[2].requires_grad);
    CHECK_INT(graph->edges[2].role, OB_EDGE_INTERMEDIATE);

    count = 4;
    CHECK_INT(ob_graph_add_call(graph, "aten::sort", args, 1, NULL, NULL, 0, outputs, &count, &err),
              OB_OK);
    CHECK_INT(count, 2);
    CHECK(graph->edges[outputs[0]].requires_grad);
    CHECK(!graph->edges[outputs[1]].requires_grad); /* indices */
    count = 1;
    CHECK_INT(ob_graph_add_call(graph, "aten::sort", args, 1, NULL, NULL, 0, outputs, &count, &err),
              OB_ERR_LIMIT);
    count = 4;
    CHECK_INT(
        ob_graph_add_call(graph, "aten::ones_like", args, 1, NULL, NULL, 0, outputs, &count, &err),
        OB_OK);
    CHECK(!graph->edges[outputs[0]].requires_grad); /* does not depend on x's elements */
    ob_graph_destroy(graph);
}

static void call_errors(void)
{
    ob_graph *graph = graph_with("x f32[2, 3]; y f32[4]");
    const ob_operand missing = {.kind = OB_OPERAND_EDGE, .edge = 5};
    const ob_operand no_item = {.kind = OB_OPERAND_ITEM, .edge = 0, .index = 0};
    const ob_operand args[] = {{.kind = OB_OPERAND_EDGE, .edge = 0},
                               {.kind = OB_OPERAND_EDGE, .edge = 1}};
    ob_edge_id output;
    size_t count = 1;
    ob_err err;
    CHECK_INT(
        ob_graph_add_call(graph, "torch.relu", &missing, 1, NULL, NULL, 0, &output, &count, &err),
        OB_ERR_INVALID);
    CHECK_HAS(err.message, "edge 5");
    CHECK_INT(
        ob_graph_add_call(graph, "torch.relu", &no_item, 1, NULL, NULL, 0, &output, &count, &err),
        OB_ERR_INVALID);
    CHECK_HAS(err.message, "'x' has no item 0");
    CHECK_INT(ob_graph_add_call(graph, "torch.add", args, 2, NULL, NULL, 0, &output, &count, &err),
              OB_ERR_INVALID);
    CHECK_INT(
        ob_graph_add_call(graph, "torch.nothing", args, 1, NULL, NULL, 0, &output, &count, &err),
        OB_ERR_NOT_FOUND);
    CHECK_HAS(err.message, "torch.nothing");
    /* A tensor as a constant has no edge. */
    ob_value tensor = tensor_value("f32[2]");
    const ob_operand constant = {.kind = OB_OPERAND_VALUE, .value = tensor};
    CHECK_INT(
        ob_graph_add_call(graph, "torch.relu", &constant, 1, NULL, NULL, 0, &output, &count, &err),
        OB_ERR_INVALID);
    CHECK_HAS(err.message, "add it as an input");
    ob_value_fini(&tensor);
    CHECK_INT(graph->node_count, 0);
    ob_graph_destroy(graph);
}

/* ---- rows of plug-ins ---- */

static const ob_op_row ROWS[] = {
    {.schema = "my::blank(Tensor self) -> Tensor"},
    {.schema = "my::twice(Tensor self, int times=2) -> Tensor",
     .decomposition = "result = mul(self, times)"},
    {.schema = "my::pair(Tensor self) -> (Tensor, Tensor)",
     .decomposition = "result_0 = neg(self); result_1 = my::twice(self, 3)"},
    {.schema = "my::loop(Tensor self) -> Tensor", .decomposition = "result = my::loop(self)"},
    {.schema = "my::few(Tensor self) -> (Tensor, Tensor)", .decomposition = "result = neg(self)"},
    {.schema = "my::none(Tensor self) -> Tensor", .decomposition = "y = neg(self)"},
    {.schema = "my::constant(Tensor self) -> Tensor", .decomposition = "result = 3"},
    {.schema = "my::broken(Tensor self) -> Tensor", .decomposition = "result = neg(self"},
    {.schema = "my::halves(Tensor self) -> Tensor[]",
     .decomposition = "result = split(self, @size(self, 0) // 2)"},
    {.schema = "my::stop(Tensor self) -> Tensor",
     .decomposition = "result = neg(self)",
     .derivative = ""},
    {.schema = "my::log(Tensor self) -> ()"},
};

static void own_rows(void)
{
    ob_graph *graph = graph_with("x f32[4, 3]+");
    if (add_text(graph, "a = my::twice(x); b, c = my::pair(x); d = my::halves(x);"
                        "e = cat(d, 1); f = my::stop(x); _ = my::log(x)")) {
        CHECK_STR(edge_text(graph, "a"), "f32[4, 3]");
        CHECK_STR(edge_text(graph, "c"), "f32[4, 3]");
        CHECK_STR(edge_text(graph, "d"), "(f32[2, 3] f32[2, 3])");
        CHECK_STR(edge_text(graph, "e"), "f32[2, 6]");
        CHECK(graph->edges[edge_named(graph, "b")].requires_grad);
        CHECK(!graph->edges[edge_named(graph, "f")].requires_grad);
    }
    ob_graph_destroy(graph);

    static const struct {
        const char *text, *part;
        ob_status code;
    } cases[] = {
        {"y = my::blank(x)", "my::blank has neither a shape rule nor a decomposition",
         OB_ERR_UNSUPPORTED},
        {"y = my::loop(x)", "expands to more than 32 levels", OB_ERR_LIMIT},
        {"y = my::few(x)", "the decomposition of my::few gives 0 results instead of 2",
         OB_ERR_INVALID},
        {"y = my::none(x)", "does not assign to 'result'", OB_ERR_INVALID},
        {"y = my::constant(x)", "gives a constant as result 0", OB_ERR_INVALID},
        {"y = my::broken(x)", "of the decomposition of my::broken", OB_ERR_SYNTAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ob_err err;
        graph = graph_with("x f32[4, 3]");
        CHECK_INT(ob_graph_add_text(graph, cases[i].text, NULL, 0, &err), cases[i].code);
        CHECK_HAS(err.message, cases[i].part);
        ob_graph_destroy(graph);
    }
}

static bool keep_nothing(void *ctx, const ob_op *op)
{
    (void)ctx;
    return op->row->decomposition == NULL;
}

static void decompose(void)
{
    ob_graph *graph = graph_with("x f32[4, 3]+"), *copy = NULL;
    ob_err err;
    if (!add_text(graph, "b, c = my::pair(x); d = my::halves(c); e = cat([d[1], b], 0)"))
        return;
    set_output(graph, "e");
    CHECK_INT(ob_graph_decompose(graph, NULL, NULL, &copy, &err), OB_OK);
    check_print(copy, "# x: f32[4, 3], input requires_grad\n"
                      "b = aten::neg(x);\n"
                      "c = aten::mul.Scalar(x, 3);\n"
                      "d = aten::split.Tensor(c, 2, 0);\n"
                      "e = aten::cat([d[1], b], 0);\n"
                      "# return e\n");
    ob_graph_destroy(copy);
    /* What has a derivative is kept by default, but not by a backend that knows less. */
    ob_graph_destroy(graph);
    graph = graph_with("x f32[4, 3]+");
    if (add_text(graph, "y = my::stop(x)"))
        set_output(graph, "y");
    CHECK_INT(ob_graph_decompose(graph, NULL, NULL, &copy, &err), OB_OK);
    CHECK_STR(copy->nodes[0].op->schema->name, "my::stop");
    ob_graph_destroy(copy);
    CHECK_INT(ob_graph_decompose(graph, keep_nothing, NULL, &copy, &err), OB_OK);
    CHECK_STR(copy->nodes[0].op->schema->name, "aten::neg");
    ob_graph_destroy(copy);
    ob_graph_destroy(graph);
}

static void print(void)
{
    ob_graph *graph = graph_with("x f32[2, 3]+; i i64[2]");
    if (!add_text(graph,
                  "h = torch.nn.Linear(3, 4)(x);"
                  "k = add(h, 1.5, alpha=2); s = split(k, 2, 1);"
                  "v, j = topk(s[1], 1); z = zeros([2], dtype='float64');"
                  "u = gelu(cat([v, s[0]], 1), approximate='tanh'); c = clamp(u, None, inf)"))
        return;
    const ob_edge_id outputs[] = {edge_named(graph, "c"), edge_named(graph, "j")};
    CHECK_INT(ob_graph_set_outputs(graph, outputs, 2, NULL), OB_OK);
    const char *want =
        "# x: f32[2, 3], input requires_grad\n"
        "# i: i64[2], input\n"
        "# h.weight: f32[4, 3], parameter uniform(0.5773502691896258)\n"
        "# h.bias: f32[4], parameter uniform(0.5773502691896258)\n"
        "h = aten::linear(x, h.weight, h.bias);\n"
        "k = aten::add.Scalar(h, 1.5, 2);\n"
        "s = aten::split.Tensor(k, 2, 1);\n"
        "v, j = aten::topk(s[1], 1, -1, True, True);\n"
        "z = aten::zeros([2], dtype=\"float64\", layout=None, device=None, pin_memory=None);\n"
        "cat = aten::cat([v, s[0]], 1);\n"
        "u = aten::gelu(cat, approximate=\"tanh\");\n"
        "c = aten::clamp(u, None, inf);\n"
        "# return c, j\n";
    check_print(graph, want);

    /* The text is read back by the notation's reader, to the same text. */
    char *text = printed(graph);
    ob_graph *again = graph_with("x f32[2, 3]+; i i64[2]");
    CHECK_INT(ob_graph_add_parameter(again, "h.weight", graph->edges[2].meta.as.tensor, false,
                                     OB_INIT_UNIFORM, graph->edges[2].init_a, NULL, NULL),
              OB_OK);
    CHECK_INT(ob_graph_add_parameter(again, "h.bias", graph->edges[3].meta.as.tensor, false,
                                     OB_INIT_UNIFORM, graph->edges[3].init_a, NULL, NULL),
              OB_OK);
    if (add_text(again, text)) {
        CHECK_INT(ob_graph_set_outputs(again, outputs, 2, NULL), OB_OK);
        check_print(again, want);
    }
    free(text);
    ob_graph_destroy(again);
    ob_graph_destroy(graph);
}

static void cost(void)
{
    ob_cost total, one;
    ob_graph *graph = graph_with("x f32[2, 3]; y f32[3, 4]");
    if (add_text(graph, "a = mm(x, y)")) {
        CHECK_INT(ob_graph_cost(graph, &one, NULL), OB_OK);
        CHECK_REAL(one.flops, 2.0 * 2 * 3 * 4);
        CHECK_REAL(one.read_bytes, 4.0 * (6 + 12));
        CHECK_REAL(one.write_bytes, 4.0 * 8);
    }
    if (add_text(graph, "b = mm(x, y)")) {
        CHECK_INT(ob_graph_cost(graph, &total, NULL), OB_OK);
        CHECK_REAL(total.flops, 2 * one.flops);
        CHECK_REAL(total.read_bytes, 2 * one.read_bytes);
        CHECK_REAL(total.write_bytes, 2 * one.write_bytes);
    }
    ob_graph_destroy(graph);

    ob_graph *composite = graph_with("x f32[2, 3]"), *plain = graph_with("x f32[2, 3]");
    if (add_text(composite, "a = my::twice(x)") && add_text(plain, "a = mul(x, 2)")) {
        CHECK_INT(ob_graph_cost(composite, &total, NULL), OB_OK);
        CHECK_INT(ob_graph_cost(plain, &one, NULL), OB_OK);
        CHECK(one.flops > 0);
        CHECK_REAL(total.flops, one.flops);
    }
    if (add_text(composite, "_ = my::log(x)")) {
        CHECK_INT(ob_graph_cost(composite, &total, NULL), OB_OK);
        CHECK_REAL(total.flops, -1.0);
        CHECK_REAL(total.read_bytes, -1.0);
    }
    ob_graph_destroy(composite);
    ob_graph_destroy(plain);
}

static void many_edges(void)
{
    ob_graph *graph = graph_with("x f32[2]");
    for (int i = 0; i < 2000; i++) {
        if (!add_text(graph, "x = neg(x)"))
            break;
    }
    CHECK_INT(graph->edge_count, 2001);
    CHECK_STR(graph->edges[2000].name, "x_2000");
    CHECK_INT(edge_named(graph, "x_777"), 777);
    ob_graph_destroy(graph);
}

int main(void)
{
    open_table();
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++)
        CHECK_INT(ob_op_table_add(test_table, &ROWS[i], "test", NULL), OB_OK);
    RUN(edges);
    RUN(inputs_lose_storage);
    RUN(calls);
    RUN(call_errors);
    RUN(own_rows);
    RUN(decompose);
    RUN(print);
    RUN(cost);
    RUN(many_edges);
    ob_op_table_destroy(test_table);
    return ob_test_end();
}
