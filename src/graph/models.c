/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole networks, with the layers, the names and the initial values that torchvision gives them.
 * The texts create modules in place; a statement's label is the module's name.
 */
#include "graph/module.h"
#include "graph/notation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Scope with the model's arguments and its input. */
static ob_status open_scope(ob__scope *scope, ob_graph *graph, const ob_schema *schema,
                            const ob_operand *bound, const ob_operand *input, ob_err *err)
{
    *scope = (ob__scope){.graph = graph};
    for (size_t i = 0; i <= schema->arg_count; i++) {
        ob_operand value;
        OB_TRY(ob__operand_copy(&value, i < schema->arg_count ? &bound[i] : input, err));
        OB_TRY(
            ob__scope_set(scope, i < schema->arg_count ? schema->args[i].name : "x", &value, err));
    }
    return OB_OK;
}

/* ---- AlexNet ---- */

static const char ALEX_NET[] =
    "'features.0': x = torch.nn.Conv2d(3, 64, kernel_size=11, stride=4, padding=2)(x);"
    "x = torch.nn.ReLU(inplace=True)(x);"
    "x = torch.nn.MaxPool2d(kernel_size=3, stride=2)(x);"
    "'features.3': x = torch.nn.Conv2d(64, 192, kernel_size=5, padding=2)(x);"
    "x = torch.nn.ReLU(inplace=True)(x);"
    "x = torch.nn.MaxPool2d(kernel_size=3, stride=2)(x);"
    "'features.6': x = torch.nn.Conv2d(192, 384, kernel_size=3, padding=1)(x);"
    "x = torch.nn.ReLU(inplace=True)(x);"
    "'features.8': x = torch.nn.Conv2d(384, 256, kernel_size=3, padding=1)(x);"
    "x = torch.nn.ReLU(inplace=True)(x);"
    "'features.10': x = torch.nn.Conv2d(256, 256, kernel_size=3, padding=1)(x);"
    "x = torch.nn.ReLU(inplace=True)(x);"
    "x = torch.nn.MaxPool2d(kernel_size=3, stride=2)(x);"
    "x = torch.nn.AdaptiveAvgPool2d([6, 6])(x);"
    "x = flatten(x, 1);"
    "x = torch.nn.Dropout(dropout)(x);"
    "'classifier.1': x = torch.nn.Linear(256 * 6 * 6, 4096)(x);"
    "x = torch.nn.ReLU(inplace=True)(x);"
    "x = torch.nn.Dropout(dropout)(x);"
    "'classifier.4': x = torch.nn.Linear(4096, 4096)(x);"
    "x = torch.nn.ReLU(inplace=True)(x);"
    "'classifier.6': result = torch.nn.Linear(4096, num_classes)(x)";

static ob_status build_alex_net(ob_graph *graph, const ob_schema *schema, const ob_operand *bound,
                                const ob_operand *input, ob_operand *result, ob_err *err)
{
    ob__scope scope;
    ob_status status = open_scope(&scope, graph, schema, bound, input, err);
    if (status == OB_OK)
        status = ob__scope_run_text(&scope, ALEX_NET, "pytorch.model.alex_net", err);
    if (status == OB_OK)
        status = ob__scope_result(&scope, "pytorch.model.alex_net", result, err);
    ob__scope_fini(&scope);
    return status;
}

/* ---- ResNet-50 ---- */

static const char RESNET_STEM[] =
    "'conv1': x = torch.nn.Conv2d(3, 64, kernel_size=7, stride=2, padding=3, bias=False)(x);"
    "'bn1': x = torch.nn.BatchNorm2d(64)(x);"
    "x = torch.nn.ReLU(inplace=True)(x);"
    "x = torch.nn.MaxPool2d(kernel_size=3, stride=2, padding=1)(x)";

/* The stride is at the 3x3 convolution (the "v1.5" network). */
static const char RESNET_BOTTLENECK[] =
    "'conv1': y = torch.nn.Conv2d(inplanes, planes, kernel_size=1, bias=False)(x);"
    "'bn1': y = torch.nn.BatchNorm2d(planes)(y);"
    "y = torch.nn.ReLU(inplace=True)(y);"
    "'conv2': y = torch.nn.Conv2d(planes, planes, kernel_size=3, stride=stride, padding=1,"
    "    bias=False)(y);"
    "'bn2': y = torch.nn.BatchNorm2d(planes)(y);"
    "y = torch.nn.ReLU(inplace=True)(y);"
    "'conv3': y = torch.nn.Conv2d(planes, 4 * planes, kernel_size=1, bias=False)(y);"
    "'bn3': y = torch.nn.BatchNorm2d(4 * planes)(y);"
    "changes = stride != 1 or inplanes != 4 * planes;"
    "'downsample.0': x = torch.nn.Conv2d(inplanes, 4 * planes, kernel_size=1, stride=stride,"
    "    bias=False)(x) if changes else x;"
    "'downsample.1': x = torch.nn.BatchNorm2d(4 * planes)(x) if changes else x;"
    "y = add_(y, x);"
    "x = torch.nn.ReLU(inplace=True)(y);"
    "inplanes = 4 * planes; stride = 1";

static const char RESNET_HEAD[] = "x = torch.nn.AdaptiveAvgPool2d([1, 1])(x);"
                                  "x = flatten(x, 1);"
                                  "'fc': result = torch.nn.Linear(2048, num_classes)(x)";

static ob_status set_int(ob__scope *scope, const char *name, int64_t number, ob_err *err)
{
    ob_operand value = ob__operand_value(ob_value_int(number));
    return ob__scope_set(scope, name, &value, err);
}

static ob_status run_resnet(ob__scope *scope, ob_operand *result, ob_err *err)
{
    static const int BLOCKS[] = {3, 4, 6, 3};
    static const char NAME[] = "pytorch.model.resnet";
    OB_TRY(ob__scope_run_text(scope, RESNET_STEM, NAME, err));
    OB_TRY(set_int(scope, "inplanes", 64, err));
    for (int layer = 0; layer < 4; layer++) {
        OB_TRY(set_int(scope, "planes", 64 << layer, err));
        OB_TRY(set_int(scope, "stride", layer == 0 ? 1 : 2, err));
        for (int block = 0; block < BLOCKS[layer]; block++) {
            char prefix[32];
            snprintf(prefix, sizeof prefix, "layer%d.%d.", layer + 1, block);
            scope->prefix = prefix;
            OB_TRY(ob__scope_run_text(scope, RESNET_BOTTLENECK, NAME, err));
        }
    }
    scope->prefix = NULL;
    OB_TRY(ob__scope_run_text(scope, RESNET_HEAD, NAME, err));
    return ob__scope_result(scope, NAME, result, err);
}

/* torchvision draws convolutions anew: normal, deviation sqrt(2 / fan_out). */
static void init_convolutions(ob_graph *graph)
{
    for (size_t i = 0; i < graph->edge_count; i++) {
        ob_graph_edge *edge = &graph->edges[i];
        if (edge->role != OB_EDGE_PARAMETER || edge->meta.as.tensor->ndim != 4)
            continue;
        const int64_t *sizes = edge->meta.as.tensor->sizes;
        edge->init = OB_INIT_NORMAL;
        edge->init_a = sqrt(2.0 / (double)(sizes[0] * sizes[2] * sizes[3]));
    }
}

static ob_status build_resnet(ob_graph *graph, const ob_schema *schema, const ob_operand *bound,
                              const ob_operand *input, ob_operand *result, ob_err *err)
{
    ob__scope scope;
    ob_status status = open_scope(&scope, graph, schema, bound, input, err);
    if (status == OB_OK)
        status = run_resnet(&scope, result, err);
    if (status == OB_OK)
        init_convolutions(graph);
    ob__scope_fini(&scope);
    return status;
}

/* ---- table ---- */

#define FACTORY ", Device? device=None, ScalarType? dtype=None)"
#define ALEX_NET_ARGS "(int num_classes=1000, float dropout=0.5" FACTORY
#define RESNET_ARGS "(int num_classes=1000" FACTORY
#define MODEL(name, args, build)                                                                   \
    {                                                                                              \
        name, name args, build                                                                     \
    }

static const ob__model_row MODELS[] = {
    MODEL("pytorch.model.alex_net", ALEX_NET_ARGS, build_alex_net),
    MODEL("pytorch.model.resnet", RESNET_ARGS, build_resnet),
    MODEL("torchvision.models.alexnet", ALEX_NET_ARGS, build_alex_net),
    MODEL("torchvision.models.resnet50", RESNET_ARGS, build_resnet),
};

const ob__model_row *ob__models(size_t *count)
{
    *count = sizeof MODELS / sizeof MODELS[0];
    return MODELS;
}

const ob__model_row *ob__model_find(const char *name)
{
    for (size_t i = 0; i < sizeof MODELS / sizeof MODELS[0]; i++) {
        if (strcmp(MODELS[i].name, name) == 0)
            return &MODELS[i];
    }
    return NULL;
}
