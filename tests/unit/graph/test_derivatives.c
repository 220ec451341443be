/* SPDX-License-Identifier: Apache-2.0
 *
 * The texts in the operator rows, run: every derivative and every decomposition on the calls of
 * tests/golden/shapes.txt. A decomposition gives what the shape rule says, and each gradient has
 * the shape and dtype of its argument. (tools/check_derivatives.py compares values with PyTorch.)
 */
#include "check.h"
#include "op/call_text.h"
#include "opbench/graph.h"

static ob_op_table *table;

enum { MAX_ROWS = 1000 };
static bool covered[MAX_ROWS];

static bool has_text(const ob_op_row *row)
{
    return row->decomposition != NULL || (row->derivative != NULL && row->derivative[0] != '\0');
}

/* Statistics and class weights are not differentiated. */
static bool is_parameter(const ob_op *op, const char *name)
{
    const bool loss = strcmp(op->row->category, "loss") == 0;
    return strncmp(name, "running_", 8) != 0 && strcmp(name, "pos_weight") != 0 &&
           !(loss && strcmp(name, "weight") == 0);
}

/* Empty tensors have nothing to differentiate; cat takes some whose shape fits nothing. */
static void require_grad(ob_value *v)
{
    if (v->kind == OB_VALUE_TENSOR)
        v->as.tensor->requires_grad =
            ob_dtype_is_floating(v->as.tensor->dtype) && ob_tensor_numel(v->as.tensor) > 0;
    for (size_t i = 0; v->kind == OB_VALUE_LIST && i < v->as.list.count; i++)
        require_grad(&v->as.list.items[i]);
}

/* Sizes and dtype; the memory order is the decomposition's own. */
static const char *meta_of(const ob_graph *graph, ob_edge_id edge, char *out, size_t size)
{
    out[0] = '\0';
    call_print(&graph->edges[edge].meta, out, size);
    for (char *slash = strchr(out, '/'); slash != NULL; slash = strchr(out, '/')) {
        const char *end = strchr(slash, ']');
        memmove(slash, end + 1, strlen(end + 1) + 1);
    }
    return out;
}

static void check_outputs(const char *call, const ob_graph *whole, const ob_graph *parts)
{
    static char a[1 << 14], b[1 << 14];
    CHECK_INT(parts->output_count, whole->output_count);
    for (size_t i = 0; i < whole->output_count && i < parts->output_count; i++) {
        ob_test_checks++;
        if (strcmp(meta_of(whole, whole->outputs[i], a, sizeof a),
                   meta_of(parts, parts->outputs[i], b, sizeof b)) != 0)
            OB_TEST_FAIL("%s: output %zu is %s, its decomposition gives %s", call, i, a, b);
    }
}

static void check_gradients(const char *call, const ob_graph *forward, const ob_backward *backward)
{
    static char a[1 << 14], b[1 << 14];
    CHECK_INT(backward->graph->output_count, backward->target_count);
    for (size_t i = 0; i < backward->target_count; i++) {
        ob_test_checks++;
        if (strcmp(meta_of(forward, backward->targets[i], a, sizeof a),
                   meta_of(backward->graph, backward->graph->outputs[i], b, sizeof b)) != 0)
            OB_TEST_FAIL("%s: argument %s has the gradient %s", call, a, b);
    }
}

/* Second derivatives, and the one case that PyTorch refuses as well. */
static bool may_fail(const char *message)
{
    return strstr(message, "_backward has no derivative") != NULL ||
           strstr(message, "needs src in the shape of index") != NULL;
}

static void check_call(const char *line, call_text *text, const ob_op *op)
{
    ob_graph *whole = NULL, *parts = NULL;
    ob_backward backward = {.graph = NULL};
    ob_err err;
    for (size_t i = 0; i < text->arg_count; i++) {
        if (is_parameter(op, op->schema->args[i].name))
            require_grad(&text->args[i]);
    }
    const ob_call call = {.args = text->args,
                          .arg_count = text->arg_count,
                          .kwarg_names = text->kwarg_names,
                          .kwargs = text->kwargs,
                          .kwarg_count = text->kwarg_count};
    ob_err_clear(&err);
    ob_test_checks++;
    if (ob_graph_build(table, text->name, NULL, &call, &whole, &err) != OB_OK) {
        OB_TEST_FAIL("%s: %s", line, err.message);
    } else if (ob_graph_decompose(whole, NULL, NULL, &parts, &err) != OB_OK) {
        OB_TEST_FAIL("%s: %s", line, err.message);
    } else {
        check_outputs(line, whole, parts);
        const ob_status status = ob_graph_derive_backward(parts, &backward, &err);
        if (status == OB_OK)
            check_gradients(line, parts, &backward);
        else if (!may_fail(err.message))
            OB_TEST_FAIL("%s: %s", line, err.message);
    }
    ob_backward_fini(&backward);
    ob_graph_destroy(parts);
    ob_graph_destroy(whole);
}

static void cover(const char *name)
{
    for (size_t i = 0; i < ob_op_table_count(table) && i < MAX_ROWS; i++) {
        const ob_op *op = ob_op_table_at(table, i);
        const size_t length = strcspn(op->schema->text, "(");
        if (strlen(name) == length && strncmp(op->schema->text, name, length) == 0)
            covered[i] = true;
    }
}

static void run_line(const char *line)
{
    static call_text text;
    const char *p = line;
    if (!call_read(&p, &text)) {
        OB_TEST_FAIL("not a call: %s", line);
        return;
    }
    const ob_op *op = ob_op_table_find(table, text.name);
    if (op == NULL)
        OB_TEST_FAIL("no row for %s", line);
    else if (has_text(op->row)) {
        cover(text.name);
        check_call(line, &text, op);
    }
    call_free(&text);
}

/* Branches that the golden file does not reach. */
static void runs_special_calls(void)
{
    static const char *const calls[] = {
        "aten::_scaled_dot_product_attention(f32[2, 3, 4], f32[2, 5, 4], f32[2, 5, 6], f32[3, 5])",
        "aten::_scaled_dot_product_attention(f32[2, 3, 4], f32[2, 5, 4], f32[2, 5, 6], bool[3, 5])",
        "aten::_scaled_dot_product_attention(f32[2, 3, 4], f32[2, 5, 4], f32[2, 5, 6], None, 0.5, "
        "True, True)",
        "aten::to.device(f32[3], \"cpu\", f64)",
        "aten::cross_entropy_loss(f32[4], i64[], f32[4], 1, -100, 0.1)",
        "aten::binary_cross_entropy_with_logits(f32[3, 4], f32[3, 4], f32[4], f32[4], 1)",
        "aten::instance_norm(f32[2, 3, 4], f32[3], f32[3], f32[3], f32[3], False, 0.1, 1e-5, "
        "False)",
        "aten::_embedding_bag(f32[6, 4], i64[5], i64[2], False, 0, False, f32[5], False, 2)",
        "aten::norm.Scalar(f32[3, 4], inf)",
        "aten::repeat(f32[2], [3, 2, 2, 1, 2])",
        "aten::roll(f32[3, 4, 5], [1, 2, 3], [0, 1, 2])",
        "aten::constant_pad_nd(f32[3, 4, 5], [1, 1, 2, 2, 0, 1])",
        "aten::dropout(f32[3], 0.5, False)",
        "aten::kl_div(f32[3, 4], f32[3, 4], 2, log_target=True)",
        "opbench::split_table_embedding_bags(f32[0], f32[23], f32[9], i64[6], i64[5], None, "
        "[4, 5], [2, 3], 0)",
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        run_line(calls[i]);
}

static void runs_the_golden_calls(void)
{
    static char line[1 << 14];
    FILE *file = fopen(OB_SOURCE_DIR "/tests/golden/shapes.txt", "r");
    CHECK(file != NULL);
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *arrow = strstr(line, " -> ");
        if (line[0] == '#' || arrow == NULL)
            continue;
        *arrow = '\0';
        run_line(line);
    }
    if (file != NULL)
        fclose(file);
}

static void reaches_every_text(void)
{
    CHECK(ob_op_table_count(table) <= MAX_ROWS);
    for (size_t i = 0; i < ob_op_table_count(table) && i < MAX_ROWS; i++) {
        const ob_op *op = ob_op_table_at(table, i);
        ob_test_checks++;
        if (has_text(op->row) && !covered[i])
            OB_TEST_FAIL("no call runs the texts of %s", op->schema->text);
    }
}

/* One derivation word for word. */
static void derives_addmm(void)
{
    static call_text text;
    const char *p = "aten::addmm(f32[5], f32[2, 3], f32[3, 5], alpha=2)";
    ob_graph *graph = NULL;
    ob_backward backward = {.graph = NULL};
    ob_err err;
    char *printed = NULL;
    CHECK(call_read(&p, &text));
    for (size_t i = 0; i < text.arg_count; i++)
        require_grad(&text.args[i]);
    const ob_call call = {.args = text.args,
                          .arg_count = text.arg_count,
                          .kwarg_names = text.kwarg_names,
                          .kwargs = text.kwargs,
                          .kwarg_count = text.kwarg_count};
    CHECK_INT(ob_graph_build(table, text.name, NULL, &call, &graph, &err), OB_OK);
    CHECK_INT(ob_graph_derive_backward(graph, &backward, &err), OB_OK);
    CHECK_INT(ob_graph_print(backward.graph, &printed, &err), OB_OK);
    CHECK_HAS(printed, "aten::sum.dim_IntList(grad_addmm, [0], True, dtype=None)");
    CHECK_HAS(printed, "aten::mm(grad_addmm, ");
    CHECK_HAS(printed, "aten::mul.Scalar(left, 2)");
    CHECK_HAS(printed, "aten::mul.Scalar(right, 2)");
    CHECK_INT(backward.target_count, 3);
    free(printed);
    ob_backward_fini(&backward);
    ob_graph_destroy(graph);
    call_free(&text);
}

int main(void)
{
    ob_err err;
    if (ob_op_table_create(&table, &err) != OB_OK) {
        fprintf(stderr, "no operator table: %s\n", err.message);
        return 1;
    }
    RUN(runs_special_calls);
    RUN(runs_the_golden_calls);
    RUN(reaches_every_text);
    RUN(derives_addmm);
    ob_op_table_destroy(table);
    return ob_test_end();
}
