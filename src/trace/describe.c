/* SPDX-License-Identifier: Apache-2.0
 *
 * What is in a trace, as JSON.
 */
#include "trace/describe.h"

#include "opbench/vec.h"
#include "trace/alias.h"
#include "trace/trace_model.h"

#include <stdlib.h>
#include <string.h>

void ob__describe_set(ob_describe *d, ob_json *object, const char *key, const ob_json *value)
{
    if (d->status != OB_OK)
        return;
    d->status = object != NULL && value != NULL
                    ? ob_json_set(d->doc, object, key, value, d->err)
                    : ob_err_set(d->err, OB_ERR_NOMEM, "out of memory for describing a trace");
}

void ob__describe_append(ob_describe *d, ob_json *array, const ob_json *value)
{
    if (d->status != OB_OK)
        return;
    d->status = array != NULL && value != NULL
                    ? ob_json_append(d->doc, array, value, d->err)
                    : ob_err_set(d->err, OB_ERR_NOMEM, "out of memory for describing a trace");
}

void ob__describe_int(ob_describe *d, ob_json *object, const char *key, int64_t value)
{
    ob__describe_set(d, object, key, ob_json_new_int(d->doc, value));
}

void ob__describe_real(ob_describe *d, ob_json *object, const char *key, double value)
{
    ob__describe_set(d, object, key, ob_json_new_real(d->doc, value));
}

void ob__describe_text(ob_describe *d, ob_json *object, const char *key, const char *text)
{
    ob__describe_set(d, object, key, ob_json_new_string(d->doc, text, strlen(text)));
}

/* ---- counting by name ---- */

typedef struct tally {
    const char *name;
    uint32_t ordinal; /* keeps the order of appearance among equals */
    uint64_t count;
    double time_us;      /* negative: not recorded */
    const char *why_not; /* it cannot be called again; NULL: nothing is known against it */
} tally;

typedef struct tallies {
    ob_intern names;
    tally *rows;
    size_t capacity;
    bool failed;
} tallies;

static tally *count_name(tallies *t, const char *name, double time_us)
{
    uint32_t at;
    const uint32_t known = t->names.count;
    const char *stored = ob__intern(&t->names, name, strlen(name), &at);
    if (stored == NULL || !OB_RESERVE(t->rows, t->capacity, (size_t)at + 1)) {
        t->failed = true;
        return NULL;
    }
    if (at >= known)
        t->rows[at] = (tally){.name = stored, .ordinal = at, .time_us = time_us >= 0 ? 0 : -1};
    t->rows[at].count++;
    if (time_us >= 0)
        t->rows[at].time_us += time_us;
    return &t->rows[at];
}

static int most_first(const void *a, const void *b)
{
    const tally *x = a, *y = b;
    if (x->time_us != y->time_us)
        return x->time_us > y->time_us ? -1 : 1;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->ordinal < y->ordinal ? -1 : 1;
}

static void sort_tallies(tallies *t)
{
    if (t->names.count > 0 && !t->failed)
        qsort(t->rows, t->names.count, sizeof *t->rows, most_first);
}

/* {"float": 3, ...} */
static ob_json *counts_object(ob_describe *d, tallies *t)
{
    ob_json *object = ob_json_new_object(d->doc);
    sort_tallies(t);
    for (uint32_t i = 0; !t->failed && i < t->names.count; i++)
        ob__describe_int(d, object, t->rows[i].name, (int64_t)t->rows[i].count);
    return t->failed ? NULL : object;
}

/* ---- the parts ---- */

/* Of compiled code without the calls below it, which are rows of their own. */
static double own_time(const ob_trace *trace, const ob_trace_node *node)
{
    double time_us = node->duration_us;
    const uint32_t root = (uint32_t)(node - trace->nodes);
    if (node->kind != OB_TRACE_COMPILED || time_us < 0)
        return time_us;
    for (uint32_t i = node->first_child; i != OB_TRACE_NO_NODE;) {
        const ob_trace_node *below = &trace->nodes[i];
        if (below->kind != OB_TRACE_LABEL)
            time_us -= below->duration_us;
        else if (below->first_child != OB_TRACE_NO_NODE) {
            i = below->first_child;
            continue;
        }
        while (i != root && trace->nodes[i].next_sibling == OB_TRACE_NO_NODE)
            i = trace->nodes[i].parent;
        i = i != root ? trace->nodes[i].next_sibling : OB_TRACE_NO_NODE;
    }
    return time_us > 0 ? time_us : 0;
}

static void describe_operators(ob_describe *d, const ob_trace *trace,
                               const ob_trace_selection *selection, ob_arena *arena, ob_json *out)
{
    tallies t = {0};
    uint32_t *indices;
    size_t count;
    char name[256];
    d->status = ob_trace_select(trace, selection, &indices, &count, d->err);
    if (d->status != OB_OK)
        return;
    ob__intern_init(&t.names, arena);
    for (size_t i = 0; i < count; i++) {
        const ob_trace_node *node = &trace->nodes[indices[i]];
        ob__trace_call_name(node, name, sizeof name);
        tally *row = count_name(&t, name, own_time(trace, node));
        if (row != NULL && node->kind == OB_TRACE_FUSED)
            row->why_not = OB_TRACE_FUSED_HELP;
        if (row != NULL && node->kind == OB_TRACE_COMPILED)
            row->why_not = OB_TRACE_COMPILED_HELP;
    }
    sort_tallies(&t);
    ob_json *list = ob_json_new_array(d->doc);
    for (uint32_t i = 0; !t.failed && i < t.names.count; i++) {
        ob_json *row = ob_json_new_object(d->doc);
        ob__describe_text(d, row, "name", t.rows[i].name);
        ob__describe_int(d, row, "count", (int64_t)t.rows[i].count);
        if (t.rows[i].time_us >= 0)
            ob__describe_real(d, row, "time_us", t.rows[i].time_us);
        if (t.rows[i].why_not != NULL)
            ob__describe_text(d, row, "not_replayed", t.rows[i].why_not);
        ob__describe_append(d, list, row);
    }
    ob__describe_int(d, out, "calls", (int64_t)count);
    ob__describe_set(d, out, "operators", t.failed ? NULL : list);
    free(indices);
    free(t.rows);
    ob__intern_fini(&t.names);
}

static void describe_nodes(ob_describe *d, const ob_trace *trace, ob_json *out)
{
    static const char *const NAMES[] = {"labels", "operators", "communication", "fused",
                                        "compiled"};
    enum { KINDS = sizeof NAMES / sizeof *NAMES };
    int64_t counts[KINDS] = {0};
    for (size_t i = 0; i < trace->node_count; i++)
        counts[trace->nodes[i].kind]++;
    ob_json *kinds = ob_json_new_object(d->doc);
    ob__describe_int(d, kinds, "all", (int64_t)trace->node_count);
    for (size_t k = 0; k < KINDS; k++)
        ob__describe_int(d, kinds, NAMES[k], counts[k]);
    ob__describe_set(d, out, "nodes", kinds);
}

static void describe_iterations(ob_describe *d, const ob_trace *trace, ob_json *out)
{
    ob_json *list = ob_json_new_array(d->doc);
    for (size_t i = 0; i < trace->iteration_count; i++) {
        const ob_trace_node *node = &trace->nodes[trace->iterations[i]];
        ob_json *row = ob_json_new_object(d->doc);
        ob__describe_text(d, row, "name", node->name);
        ob__describe_int(d, row, "node", node->id);
        if (node->duration_us >= 0)
            ob__describe_real(d, row, "time_us", node->duration_us);
        ob__describe_append(d, list, row);
    }
    ob__describe_set(d, out, "iterations", list);
}

static void describe_threads(ob_describe *d, const ob_trace *trace, ob_arena *arena, ob_json *out)
{
    ob_intern seen;
    bool failed = false;
    ob__intern_init(&seen, arena);
    for (size_t i = 0; i < trace->node_count; i++)
        failed |= trace->nodes[i].kind != OB_TRACE_LABEL &&
                  ob__intern(&seen, &trace->nodes[i].tid, sizeof trace->nodes[i].tid, NULL) == NULL;
    ob__describe_set(d, out, "threads", failed ? NULL : ob_json_new_int(d->doc, seen.count));
    ob__intern_fini(&seen);
}

static void describe_tensors(ob_describe *d, const ob_trace *trace, ob_arena *arena, ob_json *out)
{
    tallies devices = {0}, dtypes = {0};
    ob_intern storages;
    bool failed = false;
    ob__intern_init(&storages, arena);
    ob__intern_init(&devices.names, arena);
    ob__intern_init(&dtypes.names, arena);
    for (size_t i = 0; i < trace->tensor_count; i++) {
        const ob_trace_tensor *tensor = trace->tensors[i];
        const ob_dtype_info *info = ob_dtype_get_info(tensor->dtype);
        count_name(&devices, tensor->device[0] != '\0' ? tensor->device : "not recorded", -1);
        count_name(&dtypes, info != NULL ? info->torch_name : tensor->dtype_text, -1);
        if (tensor->storage >= 0)
            failed |= ob__intern(&storages, &tensor->storage, sizeof tensor->storage, NULL) == NULL;
    }
    ob__describe_int(d, out, "tensors", (int64_t)trace->tensor_count);
    ob__describe_set(d, out, "storages", failed ? NULL : ob_json_new_int(d->doc, storages.count));
    ob__describe_set(d, out, "devices", counts_object(d, &devices));
    ob__describe_set(d, out, "dtypes", counts_object(d, &dtypes));
    free(devices.rows);
    free(dtypes.rows);
    ob__intern_fini(&storages);
    ob__intern_fini(&devices.names);
    ob__intern_fini(&dtypes.names);
}

ob_status ob_trace_describe(const ob_trace *trace, const ob_trace_selection *selection,
                            ob_json_doc *doc, const ob_json **out, ob_err *err)
{
    ob_describe d = {.doc = doc, .err = err};
    ob_arena arena;
    ob_json *object = ob_json_new_object(doc);
    *out = NULL;
    ob__arena_init(&arena, 0);
    ob__describe_text(&d, object, "file", trace->name);
    ob__describe_text(&d, object, "schema", trace->schema);
    ob__describe_int(&d, object, "text_bytes", (int64_t)trace->text_bytes);
    describe_nodes(&d, trace, object);
    describe_threads(&d, trace, &arena, object);
    describe_iterations(&d, trace, object);
    if (d.status == OB_OK)
        describe_operators(&d, trace, selection, &arena, object);
    describe_tensors(&d, trace, &arena, object);
    ob__arena_fini(&arena);
    if (d.status == OB_OK)
        *out = object;
    return d.status;
}
