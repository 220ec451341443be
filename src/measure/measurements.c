/* SPDX-License-Identifier: Apache-2.0
 *
 * A list of measurements that owns them, and the merge rule: measurements of the same task become one.
 */
#include "measure/measurement_int.h"
#include "measure/task_spec.h"
#include "measure/unique.h"
#include "opbench/vec.h"

#include <stdlib.h>
#include <string.h>

struct ob_measurements {
    ob_arena arena; /* what the items point to */
    ob_measurement *items;
    size_t count, capacity;
    ob_json_doc **docs; /* of their metadata */
    size_t doc_count, doc_capacity;
};

ob_status ob_measurements_create(ob_measurements **out, ob_err *err)
{
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a list of measurements");
    ob__arena_init(&(*out)->arena, 0);
    return OB_OK;
}

void ob_measurements_destroy(ob_measurements *list)
{
    if (list == NULL)
        return;
    for (size_t i = 0; i < list->doc_count; i++)
        ob_json_doc_destroy(list->docs[i]);
    free(list->docs);
    ob__arena_fini(&list->arena);
    free(list->items);
    free(list);
}

size_t ob_measurements_count(const ob_measurements *list)
{
    return list->count;
}

const ob_measurement *ob_measurements_at(const ob_measurements *list, size_t index)
{
    return index < list->count ? &list->items[index] : NULL;
}

/* Room for one more item, and memory for `count` samples. */
static double *begin_item(ob_measurements *list, size_t count)
{
    if (!OB_RESERVE(list->items, list->capacity, list->count + 1))
        return NULL;
    return ob__arena_alloc_array(&list->arena, count, sizeof(double));
}

static ob_status out_of_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a measurement");
}

/* Printed and read again, so that the copy shares nothing with its source. */
static ob_status copy_metadata(ob_measurements *list, const ob_json *from, const ob_json **to,
                               ob_err *err)
{
    *to = NULL;
    if (from == NULL)
        return OB_OK;
    if (!OB_RESERVE(list->docs, list->doc_capacity, list->doc_count + 1))
        return out_of_memory(err);
    char *text = NULL;
    size_t length = 0;
    OB_TRY(ob_json_print(from, &text, &length, err));
    ob_json_doc *doc = NULL;
    const ob_status status = ob_json_parse("metadata", text, length, NULL, &doc, err);
    free(text);
    if (status != OB_OK)
        return status;
    list->docs[list->doc_count++] = doc;
    *to = ob_json_doc_root(doc);
    return OB_OK;
}

ob_status ob_measurements_add(ob_measurements *list, const ob_measurement *m, ob_err *err)
{
    ob_measurement copy = *m;
    double *samples = begin_item(list, m->count);
    if (samples == NULL || !ob__task_spec_copy(&list->arena, &m->task, &copy.task))
        return out_of_memory(err);
    OB_TRY(copy_metadata(list, m->metadata, &copy.metadata, err));
    if (m->count > 0)
        memcpy(samples, m->raw_times, m->count * sizeof *samples);
    copy.raw_times = samples;
    list->items[list->count++] = copy;
    return OB_OK;
}

/* ---- merging ---- */

static int compare_tasks(const void *a, const void *b)
{
    return ob__task_spec_compare(&((const ob_measurement *)a)->task,
                                 &((const ob_measurement *)b)->task);
}

/* The merged items with room for their times, which fill_merged puts there. */
static ob_status begin_merged(const ob_measurements *list, const ob_unique *tasks,
                              ob_measurements *out, ob_err *err)
{
    size_t *counts = calloc(tasks->count + 1, sizeof *counts);
    ob_status status = counts != NULL ? OB_OK : out_of_memory(err);
    for (size_t i = 0; status == OB_OK && i < list->count; i++)
        counts[tasks->numbers[i]] += list->items[i].count;
    for (size_t t = 0; status == OB_OK && t < tasks->count; t++) {
        ob_measurement merged = {.number_per_run = 1};
        merged.raw_times = begin_item(out, counts[t]);
        if (merged.raw_times == NULL ||
            !ob__task_spec_copy(&out->arena, &list->items[tasks->firsts[t]].task, &merged.task))
            status = out_of_memory(err);
        else
            out->items[out->count++] = merged;
    }
    free(counts);
    return status;
}

static ob_status fill_merged(const ob_measurements *list, const ob_unique *tasks,
                             ob_measurements *out, ob_err *err)
{
    for (size_t i = 0; i < list->count; i++) {
        const ob_measurement *m = &list->items[i];
        ob_measurement *merged = &out->items[tasks->numbers[i]];
        if (m->number_per_run < 1)
            return ob_err_set(err, OB_ERR_INVALID,
                              "measurement %zu has number_per_run %lld; it must be at least 1", i,
                              (long long)m->number_per_run);
        ob__measurement_times(m, (double *)merged->raw_times + merged->count);
        merged->count += m->count;
    }
    return OB_OK;
}

ob_status ob_measurements_merge(const ob_measurements *list, ob_measurements **out, ob_err *err)
{
    ob_unique tasks;
    *out = NULL;
    const void **items = calloc(list->count + 1, sizeof *items);
    if (items == NULL)
        return out_of_memory(err);
    for (size_t i = 0; i < list->count; i++)
        items[i] = &list->items[i];
    ob_status status = ob__unique_init(&tasks, items, list->count, compare_tasks, err);
    free(items);
    if (status != OB_OK)
        return status;
    status = ob_measurements_create(out, err);
    if (status == OB_OK)
        status = begin_merged(list, &tasks, *out, err);
    if (status == OB_OK)
        status = fill_merged(list, &tasks, *out, err);
    ob__unique_fini(&tasks);
    if (status != OB_OK) {
        ob_measurements_destroy(*out);
        *out = NULL;
    }
    return status;
}
