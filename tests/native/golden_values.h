/* SPDX-License-Identifier: Apache-2.0
 *
 * Values from golden lines (tools/make_nn_goldens.py says how they are written), and elements of
 * tensors as doubles.
 */
#ifndef OB_TEST_GOLDEN_VALUES_H
#define OB_TEST_GOLDEN_VALUES_H

#include "opbench/builder.h"
#include "opbench/run.h"
#include "tensor/half.h"

#include <stdlib.h>
#include <string.h>

/* ---- elements as doubles ---- */

#define PLAIN_TYPES(X)                                                                             \
    X(BOOL, uint8_t)                                                                               \
    X(U8, uint8_t)                                                                                 \
    X(I8, int8_t)                                                                                  \
    X(I16, int16_t)                                                                                \
    X(I32, int32_t)                                                                                \
    X(I64, int64_t)                                                                                \
    X(F32, float)                                                                                  \
    X(F64, double)

static inline int64_t place_of(const ob_tensor *t, int64_t index)
{
    int64_t at = 0;
    for (int d = t->ndim - 1; d >= 0; d--) {
        at += index % t->sizes[d] * t->strides[d];
        index /= t->sizes[d];
    }
    return at;
}

static inline double element_get(const ob_tensor *t, int64_t index)
{
    const void *data = ob_tensor_data(t);
    const int64_t at = place_of(t, index);
    switch (t->dtype) {
#define LOAD(id, type)                                                                             \
    case OB_DTYPE_##id:                                                                            \
        return (double)((const type *)data)[at];
        PLAIN_TYPES(LOAD)
    case OB_DTYPE_F16:
        return (double)ob__f16_to_float(((const uint16_t *)data)[at]);
    case OB_DTYPE_BF16:
        return (double)ob__bf16_to_float(((const uint16_t *)data)[at]);
    default:
        return 0;
    }
}

static inline void element_set(const ob_tensor *t, int64_t index, double value)
{
    void *data = ob_tensor_data(t);
    const int64_t at = place_of(t, index);
    switch (t->dtype) {
#define STORE(id, type)                                                                            \
    case OB_DTYPE_##id:                                                                            \
        ((type *)data)[at] = (type)value;                                                          \
        break;
        PLAIN_TYPES(STORE)
    case OB_DTYPE_F16:
        ((uint16_t *)data)[at] = ob__f16_from_float((float)value);
        break;
    case OB_DTYPE_BF16:
        ((uint16_t *)data)[at] = ob__bf16_from_float((float)value);
        break;
    default:
        break;
    }
}

/* ---- values of a line ---- */

static inline double golden_number(const ob_json *node)
{
    const char *word = ob_json_string(node, NULL);
    if (word != NULL)
        return strtod(word, NULL); /* "nan", "inf", "-inf" */
    return ob_json_get_kind(node) == OB_JSON_BOOL ? ob_json_bool(node, false)
                                                  : ob_json_real(node, 0);
}

static inline ob_dtype golden_dtype(const ob_json *node, ob_dtype real)
{
    const char *name = ob_json_string(node, NULL);
    const ob_dtype dtype = ob_dtype_from_name(name, strlen(name));
    return dtype == OB_DTYPE_F64 ? real : dtype;
}

static inline ob_status golden_read_tensor(const ob_json *node, ob_dtype real, ob_value *out,
                                           ob_err *err)
{
    const ob_json *sizes = ob_json_get(node, "sizes"), *strides = ob_json_get(node, "strides");
    const ob_json *data = ob_json_get(node, "data");
    int64_t size_list[OB_MAX_DIMS] = {0}, stride_list[OB_MAX_DIMS] = {0};
    for (size_t i = 0; i < ob_json_count(sizes); i++) {
        size_list[i] = ob_json_int(ob_json_item(sizes, i), 0);
        stride_list[i] = ob_json_int(ob_json_item(strides, i), 0);
    }
    ob_tensor tensor;
    OB_TRY(ob_tensor_init(&tensor, golden_dtype(ob_json_get(node, "tensor"), real), size_list,
                          (int)ob_json_count(sizes), strides != NULL ? stride_list : NULL, err));
    for (size_t i = 0; i < ob_json_count(data); i++)
        element_set(&tensor, (int64_t)i, golden_number(ob_json_item(data, i)));
    tensor.requires_grad = ob_json_bool(ob_json_get(node, "grad"), false);
    const ob_status status = ob_value_init_tensor(out, &tensor, err);
    ob_tensor_fini(&tensor);
    return status;
}

static inline ob_status golden_read(const ob_json *node, ob_dtype real, ob_value *out, ob_err *err)
{
    size_t length = 0;
    const char *text = ob_json_string(node, &length);
    *out = ob_value_none();
    switch (ob_json_get_kind(node)) {
    case OB_JSON_BOOL:
        *out = ob_value_bool(ob_json_bool(node, false));
        return OB_OK;
    case OB_JSON_INT:
        *out = ob_value_int(ob_json_int(node, 0));
        return OB_OK;
    case OB_JSON_STRING:
        return ob_value_init_str(out, text, length, err);
    case OB_JSON_ARRAY:
        OB_TRY(ob_value_init_list(out, OB_VALUE_LIST, ob_json_count(node), err));
        for (size_t i = 0; i < ob_json_count(node); i++)
            OB_TRY(golden_read(ob_json_item(node, i), real, &out->as.list.items[i], err));
        return OB_OK;
    case OB_JSON_OBJECT:
        break;
    default:
        return OB_OK;
    }
    if (ob_json_get(node, "tensor") != NULL)
        return golden_read_tensor(node, real, out, err);
    if (ob_json_get(node, "float") != NULL)
        *out = ob_value_double(golden_number(ob_json_get(node, "float")));
    else
        *out = (ob_value){.kind = OB_VALUE_DTYPE,
                          .as.dtype = golden_dtype(ob_json_get(node, "dtype"), real)};
    return OB_OK;
}

#endif
