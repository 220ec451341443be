/* SPDX-License-Identifier: Apache-2.0
 *
 * A case for backends, made by hand: z = test::add2(x, w), with x an input and w a parameter, so
 * that the tests of a backend need no operator rows and no graph builder.
 */
#ifndef OB_TEST_NULL_TEST_H
#define OB_TEST_NULL_TEST_H

#include "plugin_test.h"

typedef struct test_case {
    ob_context *context;
    ob_tensor x, w, z; /* f32 [2, 3]; x and w with data, z meta */
    ob_value values[3];
    ob_graph_edge edges[3];
    ob_operand operands[2];
    ob_edge_id result;
    ob_graph_node node;
    ob_graph graph;
    ob_prepare_args args;
} test_case;

static inline void test_case_init(test_case *t, ob_pass pass)
{
    static const ob_op_row row = {.schema = "test::add2.Tensor(Tensor x, Tensor w) -> Tensor"};
    static const int64_t sizes[2] = {2, 3};
    static const char *const names[3] = {"x", "w", "z"};
    static const ob_edge_role roles[3] = {OB_EDGE_INPUT, OB_EDGE_PARAMETER, OB_EDGE_INTERMEDIATE};
    ob_err err;
    memset(t, 0, sizeof *t);
    t->context = test_context(NULL);
    CHECK_INT(ob_register_operator(t->context, &row, &err), OB_OK);
    CHECK_INT(ob_tensor_init(&t->x, OB_DTYPE_F32, sizes, 2, NULL, &err), OB_OK);
    CHECK_INT(ob_tensor_init(&t->w, OB_DTYPE_F32, sizes, 2, NULL, &err), OB_OK);
    CHECK_INT(ob_tensor_init_meta(&t->z, OB_DTYPE_F32, sizes, 2, NULL, &err), OB_OK);
    ob_tensor *const tensors[3] = {&t->x, &t->w, &t->z};
    for (int i = 0; i < 3; i++) {
        t->values[i] = (ob_value){.kind = OB_VALUE_TENSOR, .as = {.tensor = tensors[i]}};
        t->edges[i] = (ob_graph_edge){.name = names[i],
                                      .role = roles[i],
                                      .requires_grad = i == 1,
                                      .meta = t->values[i],
                                      .producer = i == 2 ? 0 : UINT32_MAX,
                                      .forward_edge = OB_NO_EDGE};
    }
    for (uint32_t i = 0; i < 2; i++)
        t->operands[i] = (ob_operand){.kind = OB_OPERAND_EDGE, .edge = i};
    t->result = 2;
    t->node = (ob_graph_node){
        .op = ob_op_table_find(ob_context_operators(t->context), "test::add2.Tensor"),
        .args = t->operands,
        .outputs = &t->result,
        .output_count = 1};
    t->graph = (ob_graph){.table = ob_context_operators(t->context),
                          .edges = t->edges,
                          .edge_count = 3,
                          .nodes = &t->node,
                          .node_count = 1,
                          .outputs = &t->result,
                          .output_count = 1};
    t->args = (ob_prepare_args){.graph = &t->graph,
                                .inputs = &t->values[0],
                                .input_count = 1,
                                .parameters = &t->values[1],
                                .parameter_count = 1,
                                .pass = pass};
}

static inline void test_case_fini(test_case *t)
{
    ob_tensor_fini(&t->x);
    ob_tensor_fini(&t->w);
    ob_tensor_fini(&t->z);
    ob_context_destroy(t->context);
}

/* The value of a backend's property, in `value`; "" when there is none. */
typedef struct test_property {
    const char *name;
    char value[64];
} test_property;

static inline void test_property_take(void *ctx, const char *name, const char *value)
{
    test_property *wanted = ctx;
    if (strcmp(name, wanted->name) == 0)
        snprintf(wanted->value, sizeof wanted->value, "%s", value);
}

#endif
