/* SPDX-License-Identifier: Apache-2.0
 *
 * Split embedding tables as a module: what build makes, the shapes, the backward that updates the
 * tables, and what wrong arguments say.
 */
#include "check.h"

#include "opbench/graph.h"

#include <stdlib.h>

static ob_op_table *table;

/* What a build and an input are made of; the lists end with a negative number. */
typedef struct request {
    int64_t tables, rows[4], dims[4], pooling;
    bool weighted;
    const char *precision, *optimizer;
    int64_t indices, offsets, factors; /* lengths; factors 0 = None */
} request;

static ob_value list_of(const int64_t *items)
{
    ob_value list;
    size_t count = 0;
    while (items[count] >= 0)
        count++;
    if (count == 1)
        return ob_value_int(items[0]);
    CHECK_INT(ob_value_init_list(&list, OB_VALUE_LIST, count, NULL), OB_OK);
    for (size_t i = 0; i < count; i++)
        list.as.list.items[i] = ob_value_int(items[i]);
    return list;
}

static ob_value meta_of(ob_dtype dtype, int64_t length)
{
    ob_tensor tensor;
    ob_value value;
    CHECK_INT(ob_tensor_init_meta(&tensor, dtype, &length, 1, NULL, NULL), OB_OK);
    CHECK_INT(ob_value_init_tensor(&value, &tensor, NULL), OB_OK);
    ob_tensor_fini(&tensor);
    return value;
}

static ob_status build(const request *r, ob_graph **out, ob_err *err)
{
    static const char *const names[] = {"optimizer"};
    ob_value args[6] = {ob_value_int(r->tables), list_of(r->rows), list_of(r->dims),
                        ob_value_int(r->pooling), ob_value_bool(r->weighted)};
    ob_value optimizer;
    CHECK_INT(ob_value_init_str(&args[5], r->precision, strlen(r->precision), NULL), OB_OK);
    CHECK_INT(ob_value_init_str(&optimizer, r->optimizer, strlen(r->optimizer), NULL), OB_OK);
    ob_value inputs[3] = {meta_of(OB_DTYPE_I64, r->indices), meta_of(OB_DTYPE_I64, r->offsets),
                          r->factors > 0 ? meta_of(OB_DTYPE_F32, r->factors) : ob_value_none()};
    const ob_call build_call = {
        .args = args, .arg_count = 6, .kwarg_names = names, .kwargs = &optimizer, .kwarg_count = 1};
    const ob_call input_call = {.args = inputs, .arg_count = 3};
    ob_err_clear(err);
    const ob_status status = ob_graph_build(table, "SplitTableBatchedEmbeddingBagsCodegen",
                                            &build_call, &input_call, out, err);
    for (size_t i = 0; i < 6; i++)
        ob_value_fini(&args[i]);
    for (size_t i = 0; i < 3; i++)
        ob_value_fini(&inputs[i]);
    ob_value_fini(&optimizer);
    return status;
}

static const request GOOD = {.tables = 2,
                             .rows = {4, 5, -1},
                             .dims = {2, 3, -1},
                             .precision = "fp16",
                             .optimizer = "exact_row_wise_adagrad",
                             .indices = 6,
                             .offsets = 7};

static const ob_graph_edge *edge_called(const ob_graph *graph, const char *name)
{
    for (size_t i = 0; i < graph->edge_count; i++)
        if (strcmp(graph->edges[i].name, name) == 0)
            return &graph->edges[i];
    return NULL;
}

static void check_edge(const ob_graph *graph, const char *name, ob_edge_role role, ob_dtype dtype,
                       int64_t length)
{
    const ob_graph_edge *edge = edge_called(graph, name);
    CHECK(edge != NULL);
    if (edge == NULL)
        return;
    CHECK_INT(edge->role, role);
    CHECK_INT(edge->meta.as.tensor->dtype, dtype);
    CHECK_INT(edge->meta.as.tensor->ndim, 1);
    CHECK_INT(edge->meta.as.tensor->sizes[0], length);
}

static void makes_tables_and_their_update(void)
{
    ob_graph *graph = NULL;
    ob_backward backward = {.graph = NULL};
    ob_cost cost;
    ob_err err;
    CHECK_INT(build(&GOOD, &graph, &err), OB_OK);
    CHECK_STR(err.message, "");
    if (graph == NULL)
        return;
    check_edge(graph, "anchor", OB_EDGE_PARAMETER, OB_DTYPE_F32, 0);
    check_edge(graph, "weights", OB_EDGE_BUFFER, OB_DTYPE_F16, 4 * 2 + 5 * 3);
    check_edge(graph, "momentum", OB_EDGE_BUFFER, OB_DTYPE_F32, 9);
    CHECK_INT(edge_called(graph, "weights")->init, OB_INIT_UNIFORM);
    CHECK_REAL(edge_called(graph, "weights")->init_a, 0.05);
    CHECK_INT(graph->output_count, 1);
    const ob_tensor *out = graph->edges[graph->outputs[0]].meta.as.tensor;
    CHECK_INT(out->dtype, OB_DTYPE_F32);
    CHECK_INT(out->sizes[0], 3);
    CHECK_INT(out->sizes[1], 5);
    /* 6 indices over two tables of 2 and 3 columns: 15 elements of 2 bytes, 13 numbers of 8. */
    CHECK_INT(ob_graph_cost(graph, &cost, &err), OB_OK);
    CHECK_REAL(cost.flops, 15);
    CHECK_REAL(cost.read_bytes, 15 * 2 + 13 * 8);
    CHECK_REAL(cost.write_bytes, 15 * 4);
    CHECK_INT(ob_graph_derive_backward(graph, &backward, &err), OB_OK);
    CHECK_INT(backward.target_count, 1);
    CHECK_INT(backward.graph->node_count, 1);
    CHECK_STR(backward.graph->nodes[0].op->schema->name,
              "opbench::split_table_embedding_bags_update");
    CHECK_INT(ob_graph_cost(backward.graph, &cost, &err), OB_OK);
    CHECK_REAL(cost.flops, 75);
    CHECK_REAL(cost.write_bytes, 30);
    ob_backward_fini(&backward);
    ob_graph_destroy(graph);
}

static void one_table_takes_plain_numbers(void)
{
    request r = GOOD;
    ob_graph *graph = NULL;
    ob_err err;
    r.tables = 1;
    r.rows[0] = 10, r.rows[1] = -1;
    r.dims[0] = 8, r.dims[1] = -1;
    r.precision = "fp32";
    r.weighted = true;
    r.factors = 6;
    CHECK_INT(build(&r, &graph, &err), OB_OK);
    if (graph != NULL)
        check_edge(graph, "weights", OB_EDGE_BUFFER, OB_DTYPE_F32, 80);
    ob_graph_destroy(graph);
}

static void a_plain_number_holds_for_all_tables(void)
{
    request r = GOOD;
    ob_graph *graph = NULL;
    ob_err err;
    r.tables = 3;
    r.rows[0] = 10, r.rows[1] = -1;
    r.dims[0] = 8, r.dims[1] = -1;
    CHECK_INT(build(&r, &graph, &err), OB_OK);
    if (graph != NULL)
        check_edge(graph, "weights", OB_EDGE_BUFFER, OB_DTYPE_F16, 240);
    ob_graph_destroy(graph);
}

static void refuse(const request *r, const char *part)
{
    ob_graph *graph = NULL;
    ob_err err;
    CHECK_INT(build(r, &graph, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, part);
    ob_graph_destroy(graph);
}

static void says_what_is_wrong(void)
{
    request r = GOOD;
    r.tables = 3;
    refuse(&r, "rows and dims must be one number, or a list of one per table");
    r = GOOD;
    r.precision = "int8";
    refuse(&r, "weights_precision must be fp32 or fp16");
    r = GOOD;
    r.optimizer = "adam";
    refuse(&r, "optimizer must be exact_row_wise_adagrad");
    r = GOOD;
    r.pooling = 2;
    refuse(&r, "pooling is 2; it must be 0 (sum) or 1 (mean)");
    r = GOOD;
    r.weighted = true;
    refuse(&r, "weighted tables need per_sample_weights");
    r = GOOD;
    r.factors = 5;
    refuse(&r, "per_sample_weights is [5]; it must have one entry per index");
    r = GOOD;
    r.offsets = 6;
    refuse(&r, "one entry per bag of each of the 2 tables, and one more");
    r = GOOD;
    r.rows[0] = 0;
    refuse(&r, "table 0 must have at least one row and one column");
}

int main(void)
{
    CHECK_INT(ob_op_table_create(&table, NULL), OB_OK);
    RUN(makes_tables_and_their_update);
    RUN(one_table_takes_plain_numbers);
    RUN(a_plain_number_holds_for_all_tables);
    RUN(says_what_is_wrong);
    ob_op_table_destroy(table);
    return ob_test_end();
}
