/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole networks: their parameters, their layers' shapes, and their backward graphs.
 */
#include "graph_test.h"

static ob_graph *build_model(const char *name, const char *input, const ob_call *build)
{
    ob_value value = tensor_value(input);
    const ob_call call = {.args = &value, .arg_count = 1};
    ob_graph *graph = NULL;
    ob_err err;
    ob_err_clear(&err);
    if (ob_graph_build(test_table, name, build, &call, &graph, &err) != OB_OK)
        OB_TEST_FAIL("%s: %s", name, err.message);
    ob_value_fini(&value);
    return graph;
}

static int64_t count_parameters(const ob_graph *graph)
{
    int64_t total = 0;
    for (size_t i = 0; i < graph->edge_count; i++) {
        if (graph->edges[i].role == OB_EDGE_PARAMETER)
            total += ob_tensor_numel(graph->edges[i].meta.as.tensor);
    }
    return total;
}

static size_t count_role(const ob_graph *graph, ob_edge_role role)
{
    size_t count = 0;
    for (size_t i = 0; i < graph->edge_count; i++)
        count += graph->edges[i].role == role;
    return count;
}

static size_t count_calls(const ob_graph *graph, const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < graph->node_count; i++)
        count += strcmp(graph->nodes[i].op->schema->name, name) == 0;
    return count;
}

/* Every gradient must look like its target. */
static void check_backward(const ob_graph *graph, size_t targets)
{
    ob_graph *forward = NULL;
    ob_backward backward;
    ob_err err;
    ob_err_clear(&err);
    if (ob_graph_decompose(graph, NULL, NULL, &forward, &err) != OB_OK) {
        OB_TEST_FAIL("decompose: %s", err.message);
        return;
    }
    if (ob_graph_derive_backward(forward, &backward, &err) != OB_OK) {
        OB_TEST_FAIL("derive: %s", err.message);
        ob_graph_destroy(forward);
        return;
    }
    CHECK_INT(backward.target_count, targets);
    CHECK_INT(backward.graph->output_count, targets);
    for (size_t i = 0; i < backward.target_count; i++) {
        char want[1024];
        const ob_graph_edge *target = &forward->edges[backward.targets[i]];
        snprintf(want, sizeof want, "%s", meta_text(&target->meta));
        CHECK_STR(meta_text(&backward.graph->edges[backward.graph->outputs[i]].meta), want);
        CHECK(target->requires_grad);
        CHECK(target->producer == UINT32_MAX);
    }
    CHECK_INT(count_role(backward.graph, OB_EDGE_GRAD_OUTPUT), 1);
    for (size_t i = 0; i < backward.graph->edge_count; i++) {
        const ob_graph_edge *edge = &backward.graph->edges[i];
        if (edge->role == OB_EDGE_SAVED || edge->role == OB_EDGE_GRAD_OUTPUT)
            CHECK(edge->forward_edge < forward->edge_count);
        else
            CHECK_INT(edge->role, OB_EDGE_INTERMEDIATE);
    }
    ob_backward_fini(&backward);
    ob_graph_destroy(forward);
}

static void alex_net(void)
{
    ob_graph *graph = build_model("pytorch.model.alex_net", "f32[128, 3, 224, 224]", NULL);
    if (graph == NULL)
        return;
    CHECK_INT(count_parameters(graph), 61100840);
    CHECK_INT(count_role(graph, OB_EDGE_PARAMETER), 16);
    CHECK_INT(count_role(graph, OB_EDGE_INPUT), 1);
    CHECK_INT(graph->node_count, 22);
    CHECK_INT(graph->output_count, 1);
    CHECK_STR(meta_text(&graph->edges[graph->outputs[0]].meta), "f32[128, 1000]");
    CHECK_STR(edge_text(graph, "features.0.weight"), "f32[64, 3, 11, 11]");
    CHECK_STR(edge_text(graph, "features.10.bias"), "f32[256]");
    CHECK_STR(edge_text(graph, "classifier.1.weight"), "f32[4096, 9216]");
    CHECK_STR(edge_text(graph, "classifier.6.weight"), "f32[1000, 4096]");
    const ob_graph_edge *weight = &graph->edges[edge_named(graph, "classifier.4.weight")];
    CHECK_INT(weight->init, OB_INIT_UNIFORM);
    CHECK_REAL(weight->init_a, 1.0 / 64.0);
    check_backward(graph, 16);
    ob_graph_destroy(graph);
}

static void alex_net_with_input_gradient(void)
{
    ob_value classes = ob_value_int(10);
    const char *names[] = {"num_classes"};
    const ob_call build = {.kwarg_names = names, .kwargs = &classes, .kwarg_count = 1};
    ob_graph *graph = build_model("torchvision.models.alexnet", "f32[2, 3, 224, 224]+", &build);
    if (graph == NULL)
        return;
    CHECK_STR(meta_text(&graph->edges[graph->outputs[0]].meta), "f32[2, 10]");
    check_backward(graph, 17);
    ob_graph_destroy(graph);
}

static void resnet_50(void)
{
    ob_graph *graph = build_model("pytorch.model.resnet", "f32[128, 3, 224, 224]", NULL);
    if (graph == NULL)
        return;
    CHECK_INT(count_parameters(graph), 25557032);
    CHECK_INT(count_role(graph, OB_EDGE_PARAMETER), 161);
    CHECK_INT(count_role(graph, OB_EDGE_BUFFER), 159);
    CHECK_INT(count_calls(graph, "aten::conv2d"), 53);
    CHECK_INT(count_calls(graph, "aten::batch_norm"), 53);
    CHECK_INT(count_calls(graph, "aten::relu_"), 49);
    CHECK_INT(count_calls(graph, "aten::add_"), 16 + 53); /* residuals; batch counters */
    CHECK_STR(meta_text(&graph->edges[graph->outputs[0]].meta), "f32[128, 1000]");
    CHECK_STR(edge_text(graph, "layer4.2.conv3.weight"), "f32[2048, 512, 1, 1]");
    CHECK_STR(edge_text(graph, "layer2.0.downsample.0.weight"), "f32[512, 256, 1, 1]");
    CHECK_STR(edge_text(graph, "layer3.5.bn2.num_batches_tracked"), "i64[]");
    CHECK_INT(edge_named(graph, "layer1.1.downsample.0.weight"), OB_NO_EDGE);
    const ob_graph_edge *conv = &graph->edges[edge_named(graph, "conv1.weight")];
    CHECK_INT(conv->init, OB_INIT_NORMAL);
    CHECK_REAL(conv->init_a, sqrt(2.0 / (64 * 49)));
    const ob_graph_edge *norm = &graph->edges[edge_named(graph, "bn1.weight")];
    CHECK_INT(norm->init, OB_INIT_ONES);
    check_backward(graph, 161);
    ob_graph_destroy(graph);
}

/* flops of AlexNet's forward: 2 per multiplication in convolutions and linear layers, and some more
 * for the rest; the products alone are known exactly. */
static void cost(void)
{
    ob_graph *graph = build_model("pytorch.model.alex_net", "f32[1, 3, 224, 224]", NULL);
    if (graph == NULL)
        return;
    ob_cost total;
    const double products =
        2.0 * (64.0 * 55 * 55 * 3 * 121 + 192.0 * 27 * 27 * 64 * 25 + 384.0 * 13 * 13 * 192 * 9 +
               256.0 * 13 * 13 * 384 * 9 + 256.0 * 13 * 13 * 256 * 9 + 9216.0 * 4096 +
               4096.0 * 4096 + 4096.0 * 1000);
    CHECK_INT(ob_graph_cost(graph, &total, NULL), OB_OK);
    CHECK(total.flops >= products);
    CHECK(total.flops < products * 1.01);
    CHECK(total.read_bytes > 4.0 * 61100840); /* each parameter is read once */
    CHECK(total.write_bytes > 4.0 * 1000);
    ob_graph_destroy(graph);
}

static void errors(void)
{
    ob_err err;
    ob_graph *graph = NULL;
    ob_value value = tensor_value("f32[2, 4, 224, 224]");
    const ob_call input = {.args = &value, .arg_count = 1};
    const ob_call none = {.arg_count = 0};
    CHECK(ob_graph_build(test_table, "pytorch.model.resnet", NULL, &input, &graph, &err) != OB_OK);
    CHECK(graph == NULL);
    CHECK_HAS(err.message, "pytorch.model.resnet");
    CHECK_INT(ob_graph_build(test_table, "pytorch.model.resnet", NULL, &none, &graph, &err),
              OB_ERR_INVALID);
    CHECK_INT(ob_graph_build(test_table, "pytorch.model.resnet", &input, &input, &graph, &err),
              OB_ERR_INVALID);
    ob_value_fini(&value);
}

int main(void)
{
    open_table();
    RUN(alex_net);
    RUN(alex_net_with_input_gradient);
    RUN(resnet_50);
    RUN(cost);
    RUN(errors);
    ob_op_table_destroy(test_table);
    return ob_test_end();
}
