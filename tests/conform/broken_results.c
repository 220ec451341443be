/* SPDX-License-Identifier: Apache-2.0
 *
 * The defects.
 */
#include "broken.h"

#include <math.h>
#include <stdlib.h>

const char *defect_name(defect which)
{
    static const char *const names[DEFECT_COUNT] = {
        [DEFECT_ZEROS] = "zeros", [DEFECT_ELEMENT] = "element", [DEFECT_FACTOR] = "factor",
        [DEFECT_ROW] = "row",     [DEFECT_COLUMN] = "column",   [DEFECT_TRANSPOSED] = "transposed",
        [DEFECT_NAN] = "nan",     [DEFECT_OTHER] = "other",     [DEFECT_OLD] = "old",
    };
    return names[which];
}

static bool set(const ob_tensor *t, int64_t i, double value)
{
    const double before = tensor_get(t, i);
    tensor_set(t, i, value);
    const double after = tensor_get(t, i);
    /* Equal results may differ in their last bits, by their place. */
    return isnan(before) || isnan(after) ? isnan(before) != isnan(after)
                                         : fabs(after - before) > 1e-5 * fabs(before);
}

static bool set_zero(const ob_tensor *t, int64_t first, int64_t step)
{
    bool changed = false;
    for (int64_t i = first; i < tensor_count(t); i += step)
        changed = set(t, i, 0) || changed;
    return changed;
}

static bool is_half(ob_dtype dtype)
{
    return dtype == OB_DTYPE_F16 || dtype == OB_DTYPE_BF16;
}

/* The first element from a place of chance on that a change by 1 % changes. */
static bool change_one(const ob_tensor *t, uint64_t seed, bool to_nan)
{
    const int64_t count = tensor_count(t);
    for (int64_t k = 0; k < count; k++) {
        const int64_t i = (int64_t)((seed * 2654435761U + (uint64_t)k) % (uint64_t)count);
        const double x = tensor_get(t, i);
        if (to_nan && set(t, i, (double)NAN))
            return true;
        if (!to_nan && t->dtype == OB_DTYPE_BOOL && set(t, i, x == 0))
            return true;
        if (!to_nan && isfinite(x) && fabs(x) > 1e-6 &&
            set(t, i,
                ob_dtype_is_floating(t->dtype) ? 1.01 * x
                : x < 0                        ? x + 1
                                               : x - 1))
            return true;
    }
    return false;
}

static bool multiply(const ob_tensor *t, double factor)
{
    bool changed = false;
    for (int64_t i = 0; i < tensor_count(t); i++)
        if (isfinite(tensor_get(t, i)))
            changed = set(t, i, factor * tensor_get(t, i)) || changed;
    return changed;
}

static bool take(const ob_tensor *t, const double *values)
{
    bool changed = false;
    for (int64_t i = 0; i < tensor_count(t); i++)
        changed = set(t, i, values[i]) || changed;
    return changed;
}

/* The last two dimensions lie the other way round than they should. */
static bool transpose(const ob_tensor *t)
{
    const int64_t count = tensor_count(t);
    double *values = t->ndim < 2 ? NULL : malloc((size_t)count * sizeof *values + 1);
    if (values == NULL)
        return false;
    const int64_t rows = t->sizes[t->ndim - 2], columns = t->sizes[t->ndim - 1];
    for (int64_t i = 0; i < count; i++) {
        const int64_t inner = i % (rows * columns), matrix = i - inner;
        values[matrix + inner % columns * rows + inner / columns] = tensor_get(t, i);
    }
    const bool changed = take(t, values);
    free(values);
    return changed;
}

static bool take_older(const ob_tensor *t, const ob_tensor *older)
{
    bool changed = false;
    if (older == NULL || older->dtype != t->dtype || tensor_count(older) != tensor_count(t))
        return false;
    for (int64_t i = 0; i < tensor_count(t); i++)
        changed = set(t, i, tensor_get(older, i)) || changed;
    return changed;
}

bool defect_apply(defect which, const ob_tensor *t, const ob_tensor *older, uint64_t seed)
{
    const int64_t count = tensor_count(t);
    if (count == 0)
        return false;
    switch (which) {
    case DEFECT_ZEROS:
        return set_zero(t, 0, 1);
    case DEFECT_ELEMENT:
        return change_one(t, seed, false);
    case DEFECT_FACTOR:
        return ob_dtype_is_floating(t->dtype) && multiply(t, is_half(t->dtype) ? 1.01 : 1.001);
    case DEFECT_ROW:
        return t->ndim > 0 && set_zero(t, count - count / t->sizes[0], 1);
    case DEFECT_COLUMN:
        return t->ndim > 1 && set_zero(t, t->sizes[t->ndim - 1] - 1, t->sizes[t->ndim - 1]);
    case DEFECT_TRANSPOSED:
        return transpose(t);
    case DEFECT_OTHER:
    case DEFECT_OLD:
        return take_older(t, older);
    case DEFECT_NAN:
        return ob_dtype_is_floating(t->dtype) && change_one(t, seed, true);
    case DEFECT_COUNT:
        break;
    }
    return false;
}
