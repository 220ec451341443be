/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of the graph layer share: a table with the core's rows, meta values, graphs from
 * text, and shapes as text.
 */
#ifndef OB_TEST_GRAPH_H
#define OB_TEST_GRAPH_H

#include "check.h"
#include "opbench/graph.h"

#include <stdlib.h>

static ob_op_table *test_table;

static inline void open_table(void)
{
    ob_err err;
    if (ob_op_table_create(&test_table, &err) != OB_OK) {
        fprintf(stderr, "no operator table: %s\n", err.message);
        exit(1);
    }
}

/* A tensor value from "f32[2, 3]"; a "+" behind it sets requires_grad. */
static inline ob_value tensor_value(const char *text)
{
    const char *bracket = strchr(text, '[');
    int64_t sizes[OB_MAX_DIMS];
    int ndim = 0;
    const ob_dtype dtype = ob_dtype_from_name(text, (size_t)(bracket - text));
    for (const char *at = bracket + 1; *at != ']';) {
        char *end;
        sizes[ndim++] = strtoll(at, &end, 10);
        at = *end == ',' ? end + 1 : end;
    }
    ob_tensor tensor;
    ob_value value = ob_value_none();
    if (ob_tensor_init_meta(&tensor, dtype, sizes, ndim, NULL, NULL) != OB_OK)
        abort();
    tensor.requires_grad = strchr(text, '+') != NULL;
    if (ob_value_init_tensor(&value, &tensor, NULL) != OB_OK)
        abort();
    ob_tensor_fini(&tensor);
    return value;
}

/* "f32[2, 3]", or a list of such. The buffer is overwritten by the next call. */
static inline const char *meta_text(const ob_value *value)
{
    static char text[1024];
    const bool list = value->kind == OB_VALUE_LIST;
    size_t used = (size_t)snprintf(text, sizeof text, "%s", list ? "(" : "");
    const size_t count = list ? value->as.list.count : 1;
    for (size_t i = 0; i < count; i++) {
        const ob_value *item = list ? &value->as.list.items[i] : value;
        if (item->kind != OB_VALUE_TENSOR)
            return "no tensor";
        const ob_tensor *t = item->as.tensor;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s[", i > 0 ? " " : "",
                                 ob_dtype_get_info(t->dtype)->name);
        for (int d = 0; d < t->ndim; d++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%lld", d > 0 ? ", " : "",
                                     (long long)t->sizes[d]);
        used += (size_t)snprintf(text + used, sizeof text - used, "]");
    }
    snprintf(text + used, sizeof text - used, "%s", list ? ")" : "");
    return text;
}

static inline ob_edge_id edge_named(const ob_graph *graph, const char *name)
{
    for (size_t i = 0; i < graph->edge_count; i++) {
        if (strcmp(graph->edges[i].name, name) == 0)
            return (ob_edge_id)i;
    }
    return OB_NO_EDGE;
}

static inline const char *edge_text(const ob_graph *graph, const char *name)
{
    const ob_edge_id edge = edge_named(graph, name);
    return edge == OB_NO_EDGE ? "no edge" : meta_text(&graph->edges[edge].meta);
}

/* A graph with inputs ("x f32[2]+; y f32[3]"), not NULL. */
static inline ob_graph *graph_with(const char *inputs)
{
    ob_graph *graph = NULL;
    if (ob_graph_create(test_table, &graph, NULL) != OB_OK)
        abort();
    char copy[512], *save = NULL;
    snprintf(copy, sizeof copy, "%s", inputs);
    for (char *part = strtok_r(copy, ";", &save); part; part = strtok_r(NULL, ";", &save)) {
        part += strspn(part, " ");
        char *blank = strchr(part, ' ');
        *blank = '\0';
        ob_value value = tensor_value(blank + 1);
        if (ob_graph_add_input(graph, part, &value, NULL, NULL) != OB_OK)
            abort();
        ob_value_fini(&value);
    }
    return graph;
}

static inline bool add_text(ob_graph *graph, const char *text)
{
    ob_err err;
    ob_err_clear(&err);
    const ob_status status = ob_graph_add_text(graph, text, NULL, 0, &err);
    if (status != OB_OK)
        OB_TEST_FAIL("\"%s\": %s", text, err.message);
    return status == OB_OK;
}

static inline void set_output(ob_graph *graph, const char *name)
{
    const ob_edge_id edge = edge_named(graph, name);
    CHECK(edge != OB_NO_EDGE);
    CHECK_INT(ob_graph_set_outputs(graph, &edge, 1, NULL), OB_OK);
}

static inline ob_value str_value(const char *text)
{
    ob_value value = ob_value_none();
    if (ob_value_init_str(&value, text, strlen(text), NULL) != OB_OK)
        abort();
    return value;
}

static inline ob_value int_list_value(size_t count, const int64_t *items)
{
    ob_value value = ob_value_none();
    if (ob_value_init_list(&value, OB_VALUE_LIST, count, NULL) != OB_OK)
        abort();
    for (size_t i = 0; i < count; i++)
        value.as.list.items[i] = ob_value_int(items[i]);
    return value;
}

#endif
