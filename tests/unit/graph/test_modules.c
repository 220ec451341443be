/* SPDX-License-Identifier: Apache-2.0
 *
 * Modules: what each gives and owns (expected values are PyTorch 1.13's), that a backward can be derived
 * where the rows allow it, and what wrong arguments say.
 */
#include "graph_test.h"

typedef struct module_case {
    const char *constructor;
    const char *inputs;
    const char *outputs;
    const char *parameters; /* parameters and buffers, in order */
} module_case;

static const module_case CASES[] = {
    {"Identity()", "x f32[2, 3]+", "f32[2, 3]", ""},
    {"Linear(3, 4)", "x f32[2, 3]+", "f32[2, 4]", "weight f32[4, 3] bias f32[4]"},
    {"Linear(3, 4, bias=False)", "x f32[5, 2, 3]+", "f32[5, 2, 4]", "weight f32[4, 3]"},
    {"Linear(3, 4)", "x f32[3]+", "f32[4]", "weight f32[4, 3] bias f32[4]"},
    {"Bilinear(3, 4, 5)", "x f32[2, 6, 3]+; y f32[2, 6, 4]+", "f32[2, 6, 5]",
     "weight f32[5, 3, 4] bias f32[5]"},
    {"Bilinear(3, 4, 5, False)", "x f32[2, 3]+; y f32[2, 4]+", "f32[2, 5]", "weight f32[5, 3, 4]"},
    {"Conv1d(4, 6, 3)", "x f32[2, 4, 10]+", "f32[2, 6, 8]", "weight f32[6, 4, 3] bias f32[6]"},
    {"Conv2d(3, 8, 3)", "x f32[2, 3, 10, 12]+", "f32[2, 8, 8, 10]",
     "weight f32[8, 3, 3, 3] bias f32[8]"},
    {"Conv2d(4, 8, [3, 5], stride=2, padding=[1, 2], dilation=2, groups=2, bias=False)",
     "x f32[2, 4, 20, 22]+", "f32[2, 8, 9, 9]", "weight f32[8, 2, 3, 5]"},
    {"Conv2d(3, 8, 3, padding='same')", "x f32[2, 3, 10, 12]+", "f32[2, 8, 10, 12]",
     "weight f32[8, 3, 3, 3] bias f32[8]"},
    {"Conv2d(3, 8, 3, 2, 'valid')", "x f32[2, 3, 10, 12]+", "f32[2, 8, 4, 5]",
     "weight f32[8, 3, 3, 3] bias f32[8]"},
    {"Conv3d(3, 4, 3, padding=1)", "x f32[2, 3, 6, 7, 8]+", "f32[2, 4, 6, 7, 8]",
     "weight f32[4, 3, 3, 3, 3] bias f32[4]"},
    {"ConvTranspose1d(4, 6, 3, stride=2)", "x f32[2, 4, 10]+", "f32[2, 6, 21]",
     "weight f32[4, 6, 3] bias f32[6]"},
    {"ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2)",
     "x f32[2, 4, 5, 6]+", "f32[2, 6, 10, 12]", "weight f32[4, 3, 3, 3] bias f32[6]"},
    {"ConvTranspose3d(2, 3, 2)", "x f32[1, 2, 3, 4, 5]+", "f32[1, 3, 4, 5, 6]",
     "weight f32[2, 3, 2, 2, 2] bias f32[3]"},
    {"ReLU()", "x f32[2, 3]+", "f32[2, 3]", ""},
    {"ReLU(dtype='float64', device='cpu')", "x f64[2, 3]+", "f64[2, 3]", ""},
    {"Linear(3, 4, dtype='bfloat16', device='cpu')", "x bf16[2, 3]+", "bf16[2, 4]",
     "weight bf16[4, 3] bias bf16[4]"},
    {"RMSNorm(4)", "x f32[2, 3, 4]+", "f32[2, 3, 4]", "weight f32[4]"},
    {"RMSNorm([3, 4], eps=0.1, dtype='float64')", "x f64[2, 3, 4]+", "f64[2, 3, 4]",
     "weight f64[3, 4]"},
    {"RMSNorm(4, elementwise_affine=False)", "x f16[2, 4]+", "f16[2, 4]", ""},
    {"ReLU(True)", "x f32[2, 3]", "f32[2, 3]", ""},
    {"ReLU6()", "x f32[2, 3]+", "f32[2, 3]", ""},
    {"ReLU6(inplace=True)", "x f32[2, 3]", "f32[2, 3]", ""},
    {"LeakyReLU(0.2)", "x f32[2, 3]+", "f32[2, 3]", ""},
    {"LeakyReLU(inplace=True)", "x f32[2, 3]", "f32[2, 3]", ""},
    {"PReLU()", "x f32[2, 3]+", "f32[2, 3]", "weight f32[1]"},
    {"PReLU(3)", "x f32[2, 3, 4]+", "f32[2, 3, 4]", "weight f32[3]"},
    {"ELU()", "x f32[2, 3]+", "f32[2, 3]", ""},
    {"ELU(0.5, True)", "x f32[2, 3]", "f32[2, 3]", ""},
    {"SELU()", "x f32[2, 3]+", "f32[2, 3]", ""},
    {"CELU(0.7)", "x f32[2, 3]+", "f32[2, 3]", ""},
    {"GELU()", "x f32[2, 3]+", "f32[2, 3]", ""},
    {"GELU('tanh')", "x f32[2, 3]+", "f32[2, 3]", ""},
    {"SiLU()", "x f32[2, 3]+", "f32[2, 3]", ""},
    {"Mish()", "x f32[2, 3]+", "f32[2, 3]", ""},
    {"Sigmoid()", "x f32[2, 3]+", "f32[2, 3]", ""},
    {"Tanh()", "x f32[2, 3]+", "f32[2, 3]", ""},
    {"Softplus()", "x f32[2, 3]+", "f32[2, 3]", ""},
    {"Softplus(2, 10)", "x f32[2, 3]+", "f32[2, 3]", ""},
    {"Softsign()", "x f32[2, 3]+", "f32[2, 3]", ""},
    {"Hardswish()", "x f32[2, 3]+", "f32[2, 3]", ""},
    {"Hardsigmoid()", "x f32[2, 3]+", "f32[2, 3]", ""},
    {"Hardtanh()", "x f32[2, 3]+", "f32[2, 3]", ""},
    {"Hardtanh(-2.0, 3.0)", "x f32[2, 3]+", "f32[2, 3]", ""},
    {"LogSigmoid()", "x f32[2, 3]+", "f32[2, 3]", ""},
    {"Softmax(1)", "x f32[2, 3]+", "f32[2, 3]", ""},
    {"Softmax()", "x f32[2, 3]+", "f32[2, 3]", ""},
    {"LogSoftmax(dim=-1)", "x f32[2, 3]+", "f32[2, 3]", ""},
    {"Softmin(1)", "x f32[2, 3]+", "f32[2, 3]", ""},
    {"Tanhshrink()", "x f32[2, 3]+", "f32[2, 3]", ""},
    {"Threshold(0.1, 20.0)", "x f32[2, 3]+", "f32[2, 3]", ""},
    {"GLU()", "x f32[2, 6]+", "f32[2, 3]", ""},
    {"Softshrink()", "x f32[2, 3]+", "f32[2, 3]", ""},
    {"Hardshrink()", "x f32[2, 3]+", "f32[2, 3]", ""},
    {"MaxPool1d(3)", "x f32[2, 3, 10]+", "f32[2, 3, 3]", ""},
    {"MaxPool2d(3, 2)", "x f32[2, 3, 10, 12]+", "f32[2, 3, 4, 5]", ""},
    {"MaxPool2d([3, 2], padding=1, ceil_mode=True)", "x f32[2, 3, 10, 12]+", "f32[2, 3, 4, 7]", ""},
    {"MaxPool2d(2, return_indices=True)", "x f32[2, 3, 10, 12]+", "f32[2, 3, 5, 6] i64[2, 3, 5, 6]",
     ""},
    {"MaxPool3d(2)", "x f32[2, 3, 6, 7, 8]+", "f32[2, 3, 3, 3, 4]", ""},
    {"AvgPool1d(3, 2)", "x f32[2, 3, 10]+", "f32[2, 3, 4]", ""},
    {"AvgPool2d(3, 2, 1, True, False)", "x f32[2, 3, 10, 12]+", "f32[2, 3, 6, 7]", ""},
    {"AvgPool3d(2)", "x f32[2, 3, 6, 7, 8]+", "f32[2, 3, 3, 3, 4]", ""},
    {"AdaptiveAvgPool1d(4)", "x f32[2, 3, 10]+", "f32[2, 3, 4]", ""},
    {"AdaptiveAvgPool2d([6, 6])", "x f32[2, 3, 10, 12]+", "f32[2, 3, 6, 6]", ""},
    {"AdaptiveAvgPool2d([None, 5])", "x f32[2, 3, 10, 12]+", "f32[2, 3, 10, 5]", ""},
    {"AdaptiveAvgPool2d(1)", "x f32[2, 3, 10, 12]+", "f32[2, 3, 1, 1]", ""},
    {"AdaptiveAvgPool3d(2)", "x f32[2, 3, 6, 7, 8]+", "f32[2, 3, 2, 2, 2]", ""},
    {"AdaptiveMaxPool2d(3)", "x f32[2, 3, 10, 12]+", "f32[2, 3, 3, 3]", ""},
    {"AdaptiveMaxPool2d([3, 4], True)", "x f32[2, 3, 10, 12]+", "f32[2, 3, 3, 4] i64[2, 3, 3, 4]",
     ""},
    {"Dropout(0.5)", "x f32[2, 3]+", "f32[2, 3]", ""},
    {"Dropout(0.2, True)", "x f32[2, 3]", "f32[2, 3]", ""},
    {"Dropout1d(0.1)", "x f32[2, 3, 4]+", "f32[2, 3, 4]", ""},
    {"Dropout2d()", "x f32[2, 3, 4, 4]+", "f32[2, 3, 4, 4]", ""},
    {"Dropout2d(inplace=True)", "x f32[2, 3, 4, 4]", "f32[2, 3, 4, 4]", ""},
    {"Dropout3d()", "x f32[2, 3, 4, 4, 5]+", "f32[2, 3, 4, 4, 5]", ""},
    {"Embedding(10, 4)", "i i64[2, 3]", "f32[2, 3, 4]", "weight f32[10, 4]"},
    {"Embedding(10, 4, padding_idx=-1)", "i i64[5]", "f32[5, 4]", "weight f32[10, 4]"},
    {"EmbeddingBag(10, 4)", "i i64[6]; o i64[2]", "f32[2, 4]", "weight f32[10, 4]"},
    {"EmbeddingBag(10, 4, mode='sum')", "i i64[3, 5]", "f32[3, 4]", "weight f32[10, 4]"},
    {"EmbeddingBag(10, 4, mode='max', include_last_offset=True)", "i i64[6]; o i64[3]", "f32[2, 4]",
     "weight f32[10, 4]"},
    {"EmbeddingBag(10, 4, mode='sum', padding_idx=2)", "i i64[6]; o i64[2]; w f32[6]+", "f32[2, 4]",
     "weight f32[10, 4]"},
    {"BatchNorm1d(3)", "x f32[2, 3]+", "f32[2, 3]",
     "weight f32[3] bias f32[3] running_mean f32[3] running_var f32[3] num_batches_tracked i64[]"},
    {"BatchNorm1d(3)", "x f32[2, 3, 5]+", "f32[2, 3, 5]",
     "weight f32[3] bias f32[3] running_mean f32[3] running_var f32[3] num_batches_tracked i64[]"},
    {"BatchNorm2d(3)", "x f32[2, 3, 4, 5]+", "f32[2, 3, 4, 5]",
     "weight f32[3] bias f32[3] running_mean f32[3] running_var f32[3] num_batches_tracked i64[]"},
    {"BatchNorm2d(3, affine=False, track_running_stats=False)", "x f32[2, 3, 4, 5]+",
     "f32[2, 3, 4, 5]", ""},
    {"BatchNorm3d(3, momentum=0.2)", "x f32[2, 3, 4, 5, 6]+", "f32[2, 3, 4, 5, 6]",
     "weight f32[3] bias f32[3] running_mean f32[3] running_var f32[3] num_batches_tracked i64[]"},
    {"InstanceNorm2d(3)", "x f32[2, 3, 4, 5]+", "f32[2, 3, 4, 5]", ""},
    {"InstanceNorm2d(3, affine=True)", "x f32[2, 3, 4, 5]+", "f32[2, 3, 4, 5]",
     "weight f32[3] bias f32[3]"},
    {"InstanceNorm1d(3)", "x f32[2, 3, 5]+", "f32[2, 3, 5]", ""},
    {"InstanceNorm2d(3, track_running_stats=True)", "x f32[2, 3, 4, 5]+", "f32[2, 3, 4, 5]",
     "running_mean f32[3] running_var f32[3] num_batches_tracked i64[]"},
    {"InstanceNorm3d(3)", "x f32[2, 3, 4, 5, 6]+", "f32[2, 3, 4, 5, 6]", ""},
    {"LayerNorm(5)", "x f32[2, 3, 5]+", "f32[2, 3, 5]", "weight f32[5] bias f32[5]"},
    {"LayerNorm([3, 5])", "x f32[2, 3, 5]+", "f32[2, 3, 5]", "weight f32[3, 5] bias f32[3, 5]"},
    {"LayerNorm([3, 5], elementwise_affine=False)", "x f32[2, 3, 5]+", "f32[2, 3, 5]", ""},
    {"GroupNorm(2, 6)", "x f32[2, 6, 5]+", "f32[2, 6, 5]", "weight f32[6] bias f32[6]"},
    {"LocalResponseNorm(3)", "x f32[2, 6, 5, 4]+", "f32[2, 6, 5, 4]", ""},
    {"LocalResponseNorm(2)", "x f32[2, 6, 5]+", "f32[2, 6, 5]", ""},
    {"Flatten()", "x f32[2, 3, 5]+", "f32[2, 15]", ""},
    {"Flatten(0, 1)", "x f32[2, 3, 5]+", "f32[6, 5]", ""},
    {"Unflatten(1, [2, 3])", "x f32[2, 6, 5]+", "f32[2, 2, 3, 5]", ""},
    {"Unflatten(-1, [5, -1])", "x f32[2, 6, 5]+", "f32[2, 6, 5, 1]", ""},
    {"Upsample(scale_factor=2)", "x f32[2, 3, 4, 5]+", "f32[2, 3, 8, 10]", ""},
    {"Upsample(size=[7, 8])", "x f32[2, 3, 4, 5]+", "f32[2, 3, 7, 8]", ""},
    {"Upsample(7)", "x f32[2, 3, 4, 5]+", "f32[2, 3, 7, 7]", ""},
    {"ZeroPad2d(2)", "x f32[2, 3, 4, 5]+", "f32[2, 3, 8, 9]", ""},
    {"ConstantPad1d([1, 2], 3.5)", "x f32[2, 3, 4]+", "f32[2, 3, 7]", ""},
    {"ConstantPad2d([1, 2, 3, 4], 0.5)", "x f32[2, 3, 4, 5]+", "f32[2, 3, 11, 8]", ""},
    {"ConstantPad3d(1, 0.5)", "x f32[2, 3, 4, 5, 6]+", "f32[2, 3, 6, 7, 8]", ""},
    {"PixelShuffle(2)", "x f32[2, 8, 4, 5]+", "f32[2, 2, 8, 10]", ""},
    {"CosineSimilarity()", "x f32[2, 3]+; y f32[2, 3]+", "f32[2]", ""},
    {"MSELoss()", "x f32[2, 3]+; y f32[2, 3]", "f32[]", ""},
    {"MSELoss(reduction='none')", "x f32[2, 3]+; y f32[2, 3]", "f32[2, 3]", ""},
    {"MSELoss(size_average=False)", "x f32[2, 3]+; y f32[2, 3]", "f32[]", ""},
    {"L1Loss()", "x f32[2, 3]+; y f32[2, 3]", "f32[]", ""},
    {"SmoothL1Loss(beta=0.5)", "x f32[2, 3]+; y f32[2, 3]", "f32[]", ""},
    {"HuberLoss()", "x f32[2, 3]+; y f32[2, 3]", "f32[]", ""},
    {"CrossEntropyLoss()", "x f32[4, 3]+; t i64[4]", "f32[]", ""},
    {"CrossEntropyLoss(label_smoothing=0.1, reduction='sum')", "x f32[4, 3]+; t i64[4]", "f32[]",
     ""},
    {"CrossEntropyLoss()", "x f32[4, 3, 5, 6]+; t i64[4, 5, 6]", "f32[]", ""},
    {"NLLLoss()", "x f32[4, 3]+; t i64[4]", "f32[]", ""},
    {"NLLLoss(reduction='none')", "x f32[4, 3]+; t i64[4]", "f32[4]", ""},
    {"BCELoss()", "p f32[2, 3]+; q f32[2, 3]", "f32[]", ""},
    {"BCEWithLogitsLoss()", "x f32[2, 3]+; y f32[2, 3]", "f32[]", ""},
    {"KLDivLoss()", "x f32[2, 3]+; y f32[2, 3]", "f32[]", ""},
    {"KLDivLoss(reduction='batchmean')", "x f32[2, 3]+; y f32[2, 3]", "f32[]", ""},
    {"KLDivLoss(reduction='sum', log_target=True)", "x f32[2, 3]+; y f32[2, 3]", "f32[]", ""},
    {"GaussianNLLLoss()", "x f32[2, 3]+; y f32[2, 3]; v f32[2, 3]+", "f32[]", ""},
    {"Linear(3, 4, dtype='float64')", "x f64[2, 3]+", "f64[2, 4]", "weight f64[4, 3] bias f64[4]"},
};

/* "y = torch.nn.<constructor>(x, ...)", with the inputs' names. */
static void make_text(const module_case *c, char *out, size_t size)
{
    size_t used = (size_t)snprintf(out, size, "m = torch.nn.%s(", c->constructor);
    char copy[256], *save = NULL;
    const char *comma = "";
    snprintf(copy, sizeof copy, "%s", c->inputs);
    for (char *part = strtok_r(copy, ";", &save); part; part = strtok_r(NULL, ";", &save)) {
        part += strspn(part, " ");
        *strchr(part, ' ') = '\0';
        used += (size_t)snprintf(out + used, size - used, "%s%s", comma, part);
        comma = ", ";
    }
    snprintf(out + used, size - used, ")");
}

static void list_parameters(const ob_graph *graph, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < graph->edge_count; i++) {
        const ob_graph_edge *edge = &graph->edges[i];
        if (edge->role != OB_EDGE_PARAMETER && edge->role != OB_EDGE_BUFFER)
            continue;
        CHECK_INT(strncmp(edge->name, "m.", 2), 0);
        CHECK_INT(edge->requires_grad, edge->role == OB_EDGE_PARAMETER);
        used += (size_t)snprintf(out + used, size - used, "%s%s %s", used > 0 ? " " : "",
                                 edge->name + 2, meta_text(&edge->meta));
    }
}

/* The module's outputs: edges m, or m_0 and so on after the last call. */
static void check_backward(const ob_graph *graph, const char *what)
{
    ob_graph *forward = NULL;
    ob_backward backward;
    ob_err err;
    ob_err_clear(&err);
    if (ob_graph_decompose(graph, NULL, NULL, &forward, &err) != OB_OK) {
        OB_TEST_FAIL("%s: decompose: %s", what, err.message);
        return;
    }
    size_t wanted = 0;
    for (size_t i = 0; i < forward->edge_count; i++)
        wanted += forward->edges[i].producer == UINT32_MAX && forward->edges[i].requires_grad;
    if (forward->node_count == 0)
        wanted = 0;
    if (ob_graph_derive_backward(forward, &backward, &err) != OB_OK) {
        OB_TEST_FAIL("%s: derive: %s", what, err.message);
    } else {
        if (backward.target_count != wanted)
            OB_TEST_FAIL("%s: %zu of %zu gradients", what, backward.target_count, wanted);
        for (size_t i = 0; i < backward.target_count; i++) {
            char want[1024];
            snprintf(want, sizeof want, "%s", meta_text(&forward->edges[backward.targets[i]].meta));
            CHECK_STR(meta_text(&backward.graph->edges[backward.graph->outputs[i]].meta), want);
        }
        ob_backward_fini(&backward);
    }
    ob_graph_destroy(forward);
}

/* Builds through the public way: constructor arguments are read by the notation. */
static void check_case(const module_case *c)
{
    char text[512], outputs[256] = "", parameters[512];
    ob_graph *graph = graph_with(c->inputs);
    make_text(c, text, sizeof text);
    ob_err err;
    ob_err_clear(&err);
    if (ob_graph_add_text(graph, text, NULL, 0, &err) != OB_OK) {
        OB_TEST_FAIL("%s: %s", text, err.message);
    } else if (graph->node_count > 0) {
        /* The last call gives the outputs; one of a bag's four is taken. */
        const ob_graph_node *last = &graph->nodes[graph->node_count - 1];
        size_t used = 0;
        const bool bag = strncmp(c->constructor, "EmbeddingBag", 12) == 0 ||
                         strstr(c->constructor, "AdaptiveMaxPool") != NULL;
        const size_t count =
            bag && strchr(c->outputs, ']') == strrchr(c->outputs, ']') ? 1 : last->output_count;
        for (size_t i = 0; i < count; i++)
            used +=
                (size_t)snprintf(outputs + used, sizeof outputs - used, "%s%s", i > 0 ? " " : "",
                                 meta_text(&graph->edges[last->outputs[i]].meta));
        CHECK_STR(outputs, c->outputs);
        list_parameters(graph, parameters, sizeof parameters);
        CHECK_STR(parameters, c->parameters);
        CHECK_INT(ob_graph_set_outputs(graph, last->outputs, count, NULL), OB_OK);
        check_backward(graph, text);
    }
    ob_graph_destroy(graph);
}

static void all_cases(void)
{
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++)
        check_case(&CASES[i]);
}

/* Every module of the table is in a case above; the first two need an operator that only backends
 * bring, the others have tests of their own. */
static const char *const NOT_HERE = "torch.nn.AdaptiveMaxPool1d torch.nn.AdaptiveMaxPool3d "
                                    "SplitTableBatchedEmbeddingBagsCodegen "
                                    "torch.nn.MultiheadAttention";

static void every_row_is_covered(void)
{
    for (size_t i = 0; i < ob_module_count(); i++) {
        const ob_module_info info = ob_module_at(i);
        CHECK(info.name != NULL && info.signature != NULL);
        CHECK_INT(strncmp(info.signature, info.name, strlen(info.name)), 0);
        if (strcmp(info.category, "module") != 0)
            continue;
        bool found = strstr(NOT_HERE, info.name) != NULL;
        for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; k++) {
            const size_t length = strcspn(CASES[k].constructor, "(");
            found = found || (strlen(info.name) == length + 9 &&
                              strncmp(info.name + 9, CASES[k].constructor, length) == 0);
        }
        if (!found)
            OB_TEST_FAIL("no case for %s", info.name);
    }
    CHECK(ob_module_at(ob_module_count()).name == NULL);
}

static void initial_values(void)
{
    static const struct {
        const char *constructor, *input, *name;
        ob_init_kind init;
        double a;
    } cases[] = {
        {"Linear(16, 4)", "x f32[2, 16]", "m.weight", OB_INIT_UNIFORM, 0.25},
        {"Linear(16, 4)", "x f32[2, 16]", "m.bias", OB_INIT_UNIFORM, 0.25},
        {"Bilinear(16, 4, 2)", "x f32[2, 16]; y f32[2, 4]", "m.weight", OB_INIT_UNIFORM, 0.25},
        {"Conv2d(8, 4, 2, groups=2)", "x f32[2, 8, 4, 4]", "m.weight", OB_INIT_UNIFORM, 0.25},
        {"Conv2d(8, 4, 2, groups=2)", "x f32[2, 8, 4, 4]", "m.bias", OB_INIT_UNIFORM, 0.25},
        {"ConvTranspose2d(4, 8, 2, groups=2)", "x f32[2, 4, 4, 4]", "m.weight", OB_INIT_UNIFORM,
         0.25},
        {"Embedding(5, 3)", "i i64[2]", "m.weight", OB_INIT_NORMAL, 1.0},
        {"EmbeddingBag(5, 3)", "i i64[2, 2]", "m.weight", OB_INIT_NORMAL, 1.0},
        {"BatchNorm2d(3)", "x f32[2, 3, 4, 4]", "m.weight", OB_INIT_ONES, 0.0},
        {"BatchNorm2d(3)", "x f32[2, 3, 4, 4]", "m.bias", OB_INIT_ZEROS, 0.0},
        {"BatchNorm2d(3)", "x f32[2, 3, 4, 4]", "m.running_var", OB_INIT_ONES, 0.0},
        {"BatchNorm2d(3)", "x f32[2, 3, 4, 4]", "m.running_mean", OB_INIT_ZEROS, 0.0},
        {"LayerNorm(3)", "x f32[2, 3]", "m.weight", OB_INIT_ONES, 0.0},
        {"PReLU(init=0.125)", "x f32[2, 3]", "m.weight", OB_INIT_CONSTANT, 0.125},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const module_case c = {.constructor = cases[i].constructor, .inputs = cases[i].input};
        char text[256];
        make_text(&c, text, sizeof text);
        ob_graph *graph = graph_with(cases[i].input);
        if (add_text(graph, text)) {
            const ob_edge_id edge = edge_named(graph, cases[i].name);
            CHECK(edge != OB_NO_EDGE);
            CHECK_INT(graph->edges[edge].init, cases[i].init);
            CHECK_REAL(graph->edges[edge].init_a, cases[i].a);
        }
        ob_graph_destroy(graph);
    }
}

/* Where a module is to be is where its parameters are. */
static void device_of_parameters(void)
{
    ob_graph *graph = graph_with("x f32[2, 3]");
    if (add_text(graph, "m = torch.nn.Linear(3, 4, device='cuda:1')(x)")) {
        const ob_edge_id edge = edge_named(graph, "m.weight");
        CHECK_STR(graph->edges[edge].meta.as.tensor->device.type, "cuda");
        CHECK_INT(graph->edges[edge].meta.as.tensor->device.index, 1);
    }
    ob_graph_destroy(graph);
}

static void errors(void)
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"torch.nn.Linear(3)(x)", "torch.nn.Linear: argument 'out_features' (int) is missing"},
        {"torch.nn.Linear(3, 4, size=1)(x)", "size"},
        {"torch.nn.Linear('a', 4)(x)", "in_features"},
        {"torch.nn.Linear(3, 4)(3)", "input"},
        {"torch.nn.Linear(3, 4)(x, x)", "torch.nn.Linear.forward takes 1 argument, 2 given"},
        {"torch.nn.Linear(0, 4)(x)", "division by zero"},
        {"torch.nn.Linear(-3, 4)(x)", "negative"},
        {"torch.nn.Linear(7, 4)(x)", "of torch.nn.Linear"},
        {"torch.nn.Conv2d(3, 8, 3, padding_mode='reflect')(x)", "padding_mode must be zeros"},
        {"torch.nn.Conv2d(3, 8, 3, groups=2)(x)", "multiples of groups"},
        {"torch.nn.Conv2d(3, 8, 3, padding='some')(x)", "of torch.nn.Conv2d"},
        {"torch.nn.ConvTranspose2d(3, 8, 3)(x, output_size=[4, 4])", "output_padding"},
        {"torch.nn.Dropout(1.5)(x)", "between 0 and 1"},
        {"torch.nn.BatchNorm2d(3)(x)", "must be 4-D"},
        {"torch.nn.BatchNorm2d(3, momentum=None)(x)", "momentum"},
        {"torch.nn.GroupNorm(2, 3)(x)", "multiple of num_groups"},
        {"torch.nn.Hardtanh(2.0, 1.0)(x)", "smaller than max_val"},
        {"torch.nn.EmbeddingBag(5, 3)(x)", "must not have them"},
        {"torch.nn.EmbeddingBag(5, 3, mode='min')(x)", "mode must be"},
        {"torch.nn.Embedding(5, 3, padding_idx=5)(x)", "within num_embeddings"},
        {"torch.nn.MSELoss(reduction='most')(x, x)", "reduction"},
        {"torch.nn.Lineer(3, 4)(x)",
         "no module 'torch.nn.Lineer', did you mean 'torch.nn.Linear'?"},
        {"torch.nn.LSTM(3, 4)(x)", "'torch.nn.LSTM' is not available as a module; a backend built "
                                   "on PyTorch runs its operator, aten::lstm.input"},
        {"torch.nn.TransformerEncoderLayer(3, 4)(x)", "MultiheadAttention, LayerNorm, Linear"},
        {"torch.nn.RMSNorm(5)(x)", "normalized_shape must be the last sizes of input"},
        {"torch.nn.MultiheadAttention(5, 2)(x, x, x)", "a multiple of num_heads"},
        {"torch.nn.MultiheadAttention(4, 2, add_zero_attn=True)(x, x, x)", "not available"},
        {"torch.nn.Linear(4, 2, dtype='bfloat16')(x)",
         "the input is float32 and the module's parameters are bfloat16: give the build "
         "\"kwargs\": {\"dtype\": {\"type\": \"ScalarType\", \"value\": \"float32\"}}"},
        {"torch.nn.ReLU(1, 2)(x)", "torch.nn.ReLU takes 1 argument, 2 given"},
        {"torch.nn.AdaptiveAvgPool2d([1, 2, 3])(x)", "a list of 2"},
        /* Operators without a row are named. */
        {"torch.nn.Embedding(5, 3, max_norm=1.0)(x)", "embedding_renorm_"},
        {"torch.nn.AdaptiveMaxPool1d(2)(x)", "aten::adaptive_max_pool1d"},
        {"torch.nn.AdaptiveMaxPool3d(2)(x)", "aten::adaptive_max_pool3d"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        ob_err err;
        ob_graph *graph = graph_with(
            strstr(cases[i].text, "EmbeddingBag(5, 3)") != NULL ? "x i64[2]" : "x f32[2, 3, 4]");
        snprintf(text, sizeof text, "m = %s", cases[i].text);
        ob_err_clear(&err);
        if (ob_graph_add_text(graph, text, NULL, 0, &err) == OB_OK)
            OB_TEST_FAIL("no error: %s", text);
        CHECK_HAS(err.message, cases[i].part);
        CHECK_INT(err.column, 5);
        ob_graph_destroy(graph);
    }
}

static const struct {
    const char *call, *inputs, *want;
} FUNCTIONS[] = {
    {"softsign(x)", "x f32[2, 3]+", "f32[2, 3]"},
    {"tanhshrink(x)", "x f32[2, 3]+", "f32[2, 3]"},
    {"rms_norm(x, [3])", "x f32[2, 3]+", "f32[2, 3]"},
    {"rms_norm(x, [2, 3], w, 0.5)", "x bf16[4, 2, 3]+; w bf16[2, 3]+", "bf16[4, 2, 3]"},
    {"softmin(x, dim=1)", "x f32[2, 3]+", "f32[2, 3]"},
    {"softmin(x)", "x f32[2, 3, 4]+", "f32[2, 3, 4]"},
    {"normalize(x)", "x f32[2, 3]+", "f32[2, 3]"},
    {"normalize(x, 1.0, 0)", "x f32[2, 3]+", "f32[2, 3]"},
    {"cosine_similarity(x, y)", "x f32[2, 3, 4]+; y f32[2, 3, 4]+", "f32[2, 4]"},
    {"local_response_norm(x, 3)", "x f32[2, 6, 5, 4]+", "f32[2, 6, 5, 4]"},
    {"lp_pool2d(x, 2.0, 3, stride=2)", "x f32[2, 3, 9, 9]+", "f32[2, 3, 4, 4]"},
    {"gaussian_nll_loss(x, y, v, full=True)", "x f32[2]+; y f32[2]; v f32[2]+", "f32[]"},
    {"gaussian_nll_loss(x, y, v, reduction='none')", "x f32[2]+; y f32[2]; v f32[2]+", "f32[2]"},
};

static void composite_functions(void)
{
    for (size_t i = 0; i < sizeof FUNCTIONS / sizeof FUNCTIONS[0]; i++) {
        char text[256];
        ob_graph *graph = graph_with(FUNCTIONS[i].inputs);
        snprintf(text, sizeof text, "m = torch.nn.functional.%s", FUNCTIONS[i].call);
        if (add_text(graph, text)) {
            const ob_edge_id *output = graph->nodes[graph->node_count - 1].outputs;
            CHECK_STR(meta_text(&graph->edges[*output].meta), FUNCTIONS[i].want);
            CHECK_INT(ob_graph_set_outputs(graph, output, 1, NULL), OB_OK);
            check_backward(graph, text);
        }
        ob_graph_destroy(graph);
    }
}

int main(void)
{
    open_table();
    RUN(all_cases);
    RUN(every_row_is_covered);
    RUN(initial_values);
    RUN(device_of_parameters);
    RUN(errors);
    RUN(composite_functions);
    ob_op_table_destroy(test_table);
    return ob_test_end();
}
