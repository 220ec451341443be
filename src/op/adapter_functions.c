/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of the adapters' rules: what PyTorch's Python code computes between a front-end
 * function and its operator (the number of a reduction, an output size from a scale factor, ...).
 * The rules are ours and always pass the right number of arguments; what the user passed in them
 * is checked.
 */
#include "op/adapter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* default(x, y): y where x is None. */
static ob_status f_default(const ob_value *args, size_t count, ob_value *out, ob_err *err)
{
    (void)count;
    return ob_value_copy(out, args[0].kind != OB_VALUE_NONE ? &args[0] : &args[1], err);
}

/* index(x, 'a', 'b', ...): which of the words x is, from 0. */
static ob_status f_index(const ob_value *args, size_t count, ob_value *out, ob_err *err)
{
    char words[256] = "";
    for (size_t i = 1; i < count; i++) {
        if (args[0].kind == OB_VALUE_STR && ob_value_equal(&args[0], &args[i])) {
            *out = ob_value_int((int64_t)i - 1);
            return OB_OK;
        }
        const size_t used = strlen(words);
        snprintf(words + used, sizeof words - used, "%s'%s'",
                 i == 1           ? ""
                 : i + 1 == count ? " or "
                                  : ", ",
                 args[i].as.str.text);
    }
    return ob_err_set(err, OB_ERR_INVALID, "expected %s, got '%.64s'", words,
                      args[0].kind == OB_VALUE_STR ? args[0].as.str.text
                                                   : ob_value_kind_name(args[0].kind));
}

/* reduction(size_average, reduce, reduction): 0 none, 1 mean, 2 sum. The first two are the old way
 * of saying it and win when one of them is given. */
static ob_status f_reduction(const ob_value *args, size_t count, ob_value *out, ob_err *err)
{
    (void)count;
    const bool average = args[0].kind != OB_VALUE_BOOL || args[0].as.boolean;
    const bool reduce = args[1].kind != OB_VALUE_BOOL || args[1].as.boolean;
    if (args[0].kind != OB_VALUE_NONE || args[1].kind != OB_VALUE_NONE) {
        *out = ob_value_int(!reduce ? 0 : average ? 1 : 2);
        return OB_OK;
    }
    const char *words[] = {"none", "mean", "sum"};
    for (int i = 0; i < 3; i++) {
        if (args[2].kind == OB_VALUE_STR && strcmp(args[2].as.str.text, words[i]) == 0) {
            *out = ob_value_int(i);
            return OB_OK;
        }
    }
    return ob_err_set(err, OB_ERR_INVALID, "argument 'reduction' must be 'none', 'mean' or 'sum'");
}

/* ndim(t), len(x), is_list(x) */
static ob_status f_ndim(const ob_value *args, size_t count, ob_value *out, ob_err *err)
{
    (void)count, (void)err;
    *out = ob_value_int(args[0].kind == OB_VALUE_TENSOR ? args[0].as.tensor->ndim : -1);
    return OB_OK;
}

static ob_status f_len(const ob_value *args, size_t count, ob_value *out, ob_err *err)
{
    (void)count, (void)err;
    *out = ob_value_int(ob_value_is_list(&args[0]) ? (int64_t)args[0].as.list.count : -1);
    return OB_OK;
}

static ob_status f_is_list(const ob_value *args, size_t count, ob_value *out, ob_err *err)
{
    (void)count, (void)err;
    *out = ob_value_bool(ob_value_is_list(&args[0]));
    return OB_OK;
}

/* softmax_dim(input, dim): the dimension that PyTorch takes when none is given. */
static ob_status f_softmax_dim(const ob_value *args, size_t count, ob_value *out, ob_err *err)
{
    (void)count, (void)err;
    if (args[1].kind != OB_VALUE_NONE) {
        *out = args[1];
        return OB_OK;
    }
    const int ndim = args[0].as.tensor->ndim;
    *out = ob_value_int(ndim == 0 || ndim == 1 || ndim == 3 ? 0 : 1);
    return OB_OK;
}

/* padding_idx(index, weight): None is -1, negative ones count from the end of the table. */
static ob_status f_padding_idx(const ob_value *args, size_t count, ob_value *out, ob_err *err)
{
    (void)count;
    if (args[0].kind == OB_VALUE_NONE) {
        *out = ob_value_int(-1);
        return OB_OK;
    }
    const ob_tensor *weight = args[1].as.tensor;
    const int64_t rows = weight->ndim > 0 ? weight->sizes[0] : 0;
    const int64_t index = args[0].as.integer;
    if (index >= rows || index < -rows)
        return ob_err_set(err, OB_ERR_INVALID,
                          "argument 'padding_idx' is %lld, but 'weight' has %lld rows",
                          (long long)index, (long long)rows);
    *out = ob_value_int(index < 0 ? rows + index : index);
    return OB_OK;
}

/* The last `n` sizes of a tensor are its space. */
static ob_status space_size(const ob_value *input, int64_t n, int64_t i, int64_t *size, ob_err *err)
{
    const ob_tensor *tensor = input->as.tensor;
    if (input->kind != OB_VALUE_TENSOR || tensor->ndim < n)
        return ob_err_set(err, OB_ERR_INVALID,
                          "argument 'input' must have at least %lld dimensions", (long long)n);
    *size = tensor->sizes[tensor->ndim - n + i];
    return OB_OK;
}

/* Element i of a list of n, or the value itself where it is one for all; NULL when the list has
 * another length. */
static const ob_value *element(const ob_value *value, size_t n, size_t i)
{
    if (!ob_value_is_list(value))
        return value;
    return value->as.list.count == n ? &value->as.list.items[i] : NULL;
}

/* pool_size(output_size, input, n): one int for all, None for the input's own size. */
static ob_status f_pool_size(const ob_value *args, size_t count, ob_value *out, ob_err *err)
{
    (void)count;
    const int64_t n = args[2].as.integer;
    OB_TRY(ob_value_init_list(out, OB_VALUE_LIST, (size_t)n, err));
    for (int64_t i = 0; i < n; i++) {
        const ob_value *given = element(&args[0], (size_t)n, (size_t)i);
        int64_t size = 0;
        ob_status status = OB_OK;
        if (given != NULL && given->kind == OB_VALUE_INT)
            size = given->as.integer;
        else if (given != NULL && given->kind == OB_VALUE_NONE)
            status = space_size(&args[1], n, i, &size, err);
        else
            status = ob_err_set(
                err, OB_ERR_INVALID,
                "argument 'output_size' must be an int, a list of %lld ints or None", (long long)n);
        if (status != OB_OK) {
            ob_value_fini(out);
            return status;
        }
        out->as.list.items[i] = ob_value_int(size);
    }
    return OB_OK;
}

static bool number_of(const ob_value *value, double *out)
{
    if (value == NULL || (value->kind != OB_VALUE_INT && value->kind != OB_VALUE_DOUBLE))
        return false;
    *out = value->kind == OB_VALUE_INT ? (double)value->as.integer : value->as.real;
    return true;
}

static ob_status one_out_size(const ob_value *args, int64_t n, int64_t i, int64_t *size,
                              ob_err *err)
{
    const bool by_size = args[1].kind != OB_VALUE_NONE;
    const ob_value *given = element(&args[by_size ? 1 : 2], (size_t)n, (size_t)i);
    double factor;
    int64_t input_size = 0;
    if (by_size && args[2].kind != OB_VALUE_NONE)
        return ob_err_set(err, OB_ERR_INVALID, "give 'size' or 'scale_factor', not both");
    if (by_size) {
        if (given == NULL || given->kind != OB_VALUE_INT)
            return ob_err_set(err, OB_ERR_INVALID,
                              "argument 'size' must be an int or a list of %lld ints",
                              (long long)n);
        *size = given->as.integer;
        return OB_OK;
    }
    OB_TRY(space_size(&args[0], n, i, &input_size, err));
    if (!number_of(given, &factor) || !(factor > 0) || !((double)input_size * factor < 0x1p62))
        return ob_err_set(err, OB_ERR_INVALID,
                          "argument 'scale_factor' must be a number above 0 or a list of %lld, or "
                          "'size' must be given",
                          (long long)n);
    *size = (int64_t)floor((double)input_size * factor);
    return OB_OK;
}

/* out_size(input, size, scale_factor, n): sizes of an interpolated image. */
static ob_status f_out_size(const ob_value *args, size_t count, ob_value *out, ob_err *err)
{
    (void)count;
    const int64_t n = args[3].as.integer;
    OB_TRY(ob_value_init_list(out, OB_VALUE_LIST, (size_t)n, err));
    for (int64_t i = 0; i < n; i++) {
        int64_t size = 0;
        const ob_status status = one_out_size(args, n, i, &size, err);
        if (status != OB_OK) {
            ob_value_fini(out);
            return status;
        }
        out->as.list.items[i] = ob_value_int(size);
    }
    return OB_OK;
}

/* scale(scale_factor, recompute, n, i): the factor that the operator is told; None where it takes
 * it from the sizes. */
static ob_status f_scale(const ob_value *args, size_t count, ob_value *out, ob_err *err)
{
    (void)count, (void)err;
    const bool recompute = args[1].kind == OB_VALUE_BOOL && args[1].as.boolean;
    double factor;
    *out = ob_value_none();
    if (!recompute &&
        number_of(element(&args[0], (size_t)args[2].as.integer, (size_t)args[3].as.integer),
                  &factor))
        *out = ob_value_double(factor);
    return OB_OK;
}

ob__adapter_function ob__adapter_find_function(const char *name, size_t length)
{
    static const struct {
        const char *name;
        ob__adapter_function function;
    } FUNCTIONS[] = {
        {"default", f_default},
        {"index", f_index},
        {"reduction", f_reduction},
        {"ndim", f_ndim},
        {"len", f_len},
        {"is_list", f_is_list},
        {"softmax_dim", f_softmax_dim},
        {"padding_idx", f_padding_idx},
        {"pool_size", f_pool_size},
        {"out_size", f_out_size},
        {"scale", f_scale},
    };
    for (size_t i = 0; i < sizeof FUNCTIONS / sizeof FUNCTIONS[0]; i++)
        if (strlen(FUNCTIONS[i].name) == length && memcmp(FUNCTIONS[i].name, name, length) == 0)
            return FUNCTIONS[i].function;
    return NULL;
}
