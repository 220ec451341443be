/* SPDX-License-Identifier: Apache-2.0
 *
 * Views of a trace. The JSON is the library's; the text is made from it.
 */
#include "trace_print.h"

#include <stdlib.h>
#include <string.h>

static long long number(const ob_json *object, const char *key)
{
    return (long long)ob_json_int(ob_json_get(object, key), 0);
}

/* "float32 12, int64 3" */
static void print_counts(ob_cli *cli, const char *title, const ob_json *counts)
{
    ob__cli_printf(cli, "%-12s", title);
    for (size_t i = 0; i < ob_json_count(counts); i++)
        ob__cli_printf(cli, "%s%s %lld", i > 0 ? ", " : "", ob_json_key(counts, i),
                       (long long)ob_json_int(ob_json_item(counts, i), 0));
    ob__cli_printf(cli, "%s\n", ob_json_count(counts) == 0 ? "none" : "");
}

/* The rows of operators, longest first as they come. */
static ob_status print_operators(ob_cli *cli, const ob_json *list, ob_err *err)
{
    enum { OPERATOR, CALLS, TIME, SHARE };
    static const ob_column COLUMNS[] = {
        [OPERATOR] = {.title = "operator"},
        [CALLS] = {.title = "calls", .hint = OB_HINT_COUNT, .least_width = 8},
        [TIME] = {.title = "time", .hint = OB_HINT_FIGURE, .least_width = 10},
        [SHARE] = {.title = "share"}};
    ob_table *table = ob_table_create();
    bool timed = false;
    double total = 0;
    for (size_t i = 0; i < ob_json_count(list); i++) {
        const ob_json *time = ob_json_get(ob_json_item(list, i), "time_us");
        timed |= time != NULL;
        total += ob_json_real(time, 0);
    }
    for (size_t c = 0; table != NULL && c < (timed ? 4 : 2); c++)
        ob_table_add_column(table, &COLUMNS[c]);
    for (size_t i = 0; table != NULL && i < ob_json_count(list); i++) {
        const ob_json *row = ob_json_item(list, i);
        const double time = ob_json_real(ob_json_get(row, "time_us"), 0);
        char text[32];
        ob_table_add_row(table);
        ob_table_set_text(table, OPERATOR, ob_json_string(ob_json_get(row, "name"), NULL));
        ob_table_set_number(table, CALLS, (double)number(row, "count"));
        if (!timed)
            continue;
        snprintf(text, sizeof text, "%.3f ms", time / 1e3);
        ob_table_set_text(table, TIME, text);
        snprintf(text, sizeof text, "%4.1f %%", total > 0 ? 100 * time / total : 0);
        ob_table_set_text(table, SHARE, text);
    }
    ob__cli_printf(cli, "\n");
    return ob__cli_print_table(cli, table, NULL, err);
}

/* Kernels of a compiler: no trace has what it takes to call them again. */
static void print_not_replayed(ob_cli *cli, const ob_json *list)
{
    bool first = true;
    for (size_t i = 0; i < ob_json_count(list); i++) {
        const ob_json *row = ob_json_item(list, i);
        const char *why = ob_json_string(ob_json_get(row, "not_replayed"), NULL);
        if (why == NULL)
            continue;
        ob__cli_printf(cli, "%s%7lld  %s: %s\n", first ? "\ncannot be replayed:\n" : "",
                       number(row, "count"), ob_json_string(ob_json_get(row, "name"), NULL), why);
        first = false;
    }
}

static ob_status print_text(ob_cli *cli, const ob_json *d, ob_err *err)
{
    const ob_json *nodes = ob_json_get(d, "nodes"), *steps = ob_json_get(d, "iterations");
    ob__cli_printf(cli, "%-12s%s\n%-12s%s\n", "file", ob_json_string(ob_json_get(d, "file"), NULL),
                   "schema", ob_json_string(ob_json_get(d, "schema"), NULL));
    ob__cli_printf(cli,
                   "%-12s%lld: %lld operators, %lld labels, %lld communication, %lld fused, "
                   "%lld compiled\n",
                   "nodes", number(nodes, "all"), number(nodes, "operators"),
                   number(nodes, "labels"), number(nodes, "communication"), number(nodes, "fused"),
                   number(nodes, "compiled"));
    ob__cli_printf(cli, "%-12s%lld\n%-12s", "threads", number(d, "threads"), "iterations");
    for (size_t i = 0; i < ob_json_count(steps); i++)
        ob__cli_printf(cli, "%s%s", i > 0 ? ", " : "",
                       ob_json_string(ob_json_get(ob_json_item(steps, i), "name"), NULL));
    ob__cli_printf(cli, "%s\n", ob_json_count(steps) == 0 ? "not marked" : "");
    ob__cli_printf(cli, "%-12s%lld in %lld storages\n", "tensors", number(d, "tensors"),
                   number(d, "storages"));
    print_counts(cli, "devices", ob_json_get(d, "devices"));
    print_counts(cli, "dtypes", ob_json_get(d, "dtypes"));
    ob__cli_printf(cli, "%-12s%lld calls of %zu operators\n", "chosen", number(d, "calls"),
                   ob_json_count(ob_json_get(d, "operators")));
    if (ob_json_count(ob_json_get(d, "operators")) > 0)
        OB_TRY(print_operators(cli, ob_json_get(d, "operators"), err));
    print_not_replayed(cli, ob_json_get(d, "operators"));
    return OB_OK;
}

ob_status ob__trace_print_summary(ob_cli *cli, const ob_trace *trace,
                                  const ob_trace_selection *selection, bool json, ob_err *err)
{
    ob_json_doc *doc;
    const ob_json *described = NULL;
    OB_TRY(ob_json_doc_create(&doc, err));
    ob_status status = ob_trace_describe(trace, selection, doc, &described, err);
    if (status == OB_OK && json)
        status = ob__cli_print_json(cli, described, err);
    else if (status == OB_OK)
        status = print_text(cli, described, err);
    ob_json_doc_destroy(doc);
    return status;
}

ob_status ob__trace_print_node(ob_cli *cli, const ob_trace *trace, size_t index, bool json,
                               ob_err *err)
{
    ob_json_doc *doc;
    const ob_json *node = NULL;
    OB_TRY(ob_json_doc_create(&doc, err));
    ob_status status = ob_trace_describe_node(trace, index, doc, &node, err);
    if (status == OB_OK && json)
        status = ob__cli_print_json(cli, node, err);
    for (size_t i = 0; status == OB_OK && !json && i < ob_json_count(node); i++) {
        const ob_json *value = ob_json_item(node, i);
        const bool list = ob_json_get_kind(value) == OB_JSON_ARRAY;
        ob__cli_printf(cli, "%-10s", ob_json_key(node, i));
        if (ob_json_get_kind(value) == OB_JSON_STRING)
            ob__cli_printf(cli, "%s\n", ob_json_string(value, NULL));
        else if (!list)
            status = ob__cli_print_json(cli, value, err);
        else if (ob_json_count(value) == 0)
            ob__cli_printf(cli, "none\n");
        for (size_t k = 0; status == OB_OK && list && k < ob_json_count(value); k++) {
            ob__cli_printf(cli, "%*s%zu: ", k > 0 ? 10 : 0, "", k);
            status = ob__cli_print_json(cli, ob_json_item(value, k), err);
        }
    }
    ob_json_doc_destroy(doc);
    return status;
}

ob_status ob__trace_print_tree(ob_cli *cli, const ob_trace *trace, bool json, ob_err *err)
{
    const size_t count = ob_trace_node_count(trace);
    if (json) {
        for (size_t i = 0; i < count; i++)
            OB_TRY(ob__trace_print_node(cli, trace, i, true, err));
        return OB_OK;
    }
    /* Up again through the parents instead of recursion: a hostile trace may be a million deep. */
    for (size_t root = 0; root < count; root++) {
        if (ob_trace_node_at(trace, root)->parent != OB_TRACE_NO_NODE)
            continue;
        size_t at = root, depth = 0;
        for (;;) {
            const ob_trace_node *node = ob_trace_node_at(trace, at);
            if (!ob__cli_printf(cli, "%*s%lld %s\n", (int)(2 * (depth < 60 ? depth : 60)), "",
                                (long long)node->id, node->name))
                return OB_OK;
            if (node->first_child != OB_TRACE_NO_NODE) {
                at = node->first_child;
                depth++;
                continue;
            }
            while (at != root && ob_trace_node_at(trace, at)->next_sibling == OB_TRACE_NO_NODE) {
                at = ob_trace_node_at(trace, at)->parent;
                depth--;
            }
            if (at == root)
                break;
            at = ob_trace_node_at(trace, at)->next_sibling;
        }
    }
    return OB_OK;
}
