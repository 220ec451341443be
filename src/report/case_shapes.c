/* SPDX-License-Identifier: Apache-2.0 */
#include "report/case_shapes.h"

#include "opbench/text.h"

#include <inttypes.h>
#include <stdlib.h>

enum { DEEPEST = 16 };

static bool append_shape(ob_text *out, const ob_json *shape)
{
    bool ok = ob_json_count(shape) > 0 || ob_text_append_str(out, "scalar");
    for (size_t i = 0; ok && i < ob_json_count(shape); i++) {
        ok = ob_text_printf(out, "%s%" PRIi64, i > 0 ? "x" : "",
                            ob_json_int(ob_json_item(shape, i), -1));
    }
    return ok;
}

/* Whatever holds it: tensors stand in lists and under keys. */
static bool walk(ob_text *out, const ob_json *node, bool shapes, int depth)
{
    const ob_json_kind kind = ob_json_get_kind(node);
    const ob_json *shape = kind == OB_JSON_OBJECT ? ob_json_get(node, "shape") : NULL;
    const char *dtype =
        kind == OB_JSON_OBJECT ? ob_json_string(ob_json_get(node, "dtype"), NULL) : NULL;
    bool ok = true;
    if (depth == DEEPEST || (kind != OB_JSON_OBJECT && kind != OB_JSON_ARRAY))
        return true;
    if (shape != NULL && dtype != NULL && ob_json_get_kind(shape) == OB_JSON_ARRAY)
        return (out->size == 0 || ob_text_append(out, " ", 1)) &&
               (shapes ? append_shape(out, shape) : ob_text_append_str(out, dtype));
    for (size_t i = 0; ok && i < ob_json_count(node); i++)
        ok = walk(out, ob_json_item(node, i), shapes, depth + 1);
    return ok;
}

bool ob__append_shapes(ob_text *out, const ob_record_result *result)
{
    return result->input == NULL || walk(out, result->input, true, 0);
}

bool ob__append_dtypes(ob_text *out, const ob_record_result *result)
{
    return result->input == NULL || walk(out, result->input, false, 0);
}

bool ob__result_with_times(const ob_record_result *result, ob_record_result *out, double **owned)
{
    const ob_reals *blocks = &result->raw_times_s;
    *out = *result;
    *owned = NULL;
    if (result->forward.measure_time_ms.count > 0 || blocks->count == 0 ||
        result->number_per_run < 1)
        return true;
    *owned = calloc(blocks->count, sizeof **owned);
    if (*owned == NULL)
        return false;
    for (size_t i = 0; i < blocks->count; i++)
        (*owned)[i] = blocks->items[i] / (double)result->number_per_run * 1e3;
    out->forward.measure_time_ms = (ob_reals){.items = *owned, .count = blocks->count};
    return true;
}
