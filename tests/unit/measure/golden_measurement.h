/* SPDX-License-Identifier: Apache-2.0
 *
 * Measurements out of a JSON tree, for tests that go by the recorded cases of tests/golden/torch.
 */
#ifndef OB_TEST_GOLDEN_MEASUREMENT_H
#define OB_TEST_GOLDEN_MEASUREMENT_H

#include "check.h"
#include "opbench/measurement.h"

#include <stdlib.h>

static inline ob_json_doc *open_golden(const char *name)
{
    char path[512];
    ob_json_doc *doc = NULL;
    ob_err err;
    snprintf(path, sizeof path, "%s/tests/golden/torch/%s.json", OB_SOURCE_DIR, name);
    if (ob_json_parse_file(path, NULL, &doc, &err) != OB_OK)
        OB_TEST_FAIL("%s: %s", path, err.message);
    return doc;
}

static inline const ob_json *golden_cases(const ob_json_doc *doc)
{
    return doc != NULL ? ob_json_get(ob_json_doc_root(doc), "cases") : NULL;
}

static inline const char *golden_text(const ob_json *node, const char *key)
{
    return ob_json_string(ob_json_get(node, key), NULL);
}

static inline double *golden_reals(const ob_json *list)
{
    const size_t count = ob_json_count(list);
    double *items = calloc(count + 1, sizeof *items);
    for (size_t i = 0; items != NULL && i < count; i++)
        items[i] = ob_json_real(ob_json_item(list, i), NAN);
    return items;
}

static inline ob_task_spec golden_task(const ob_json *node)
{
    return (ob_task_spec){
        .stmt = golden_text(node, "stmt"),
        .setup = golden_text(node, "setup"),
        .global_setup = golden_text(node, "global_setup"),
        .label = golden_text(node, "label"),
        .sub_label = golden_text(node, "sub_label"),
        .description = golden_text(node, "description"),
        .env = golden_text(node, "env"),
        .num_threads = ob_json_int(ob_json_get(node, "num_threads"), 1),
    };
}

/* raw_times is to be freed. */
static inline ob_measurement golden_measurement(const ob_json *node)
{
    const ob_json *times = ob_json_get(node, "raw_times");
    return (ob_measurement){
        .number_per_run = ob_json_int(ob_json_get(node, "number_per_run"), 0),
        .raw_times = golden_reals(times),
        .count = ob_json_count(times),
        .task = golden_task(ob_json_get(node, "task_spec")),
    };
}

/* NUL-terminated, valid until the next call; empties text. */
static inline const char *take_text(ob_text *text)
{
    static char *kept;
    free(kept);
    kept = calloc(text->size + 1, 1);
    if (kept != NULL && text->size > 0)
        memcpy(kept, text->data, text->size);
    text->size = 0;
    return kept;
}

#endif
