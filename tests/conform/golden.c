/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading goldens: JSON lines to values, f64 replaced by the dtype under test.
 */
#include "conform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ob_status goldens_open(goldens *file, const char *path, ob_err *err)
{
    *file = (goldens){.line = 0};
    FILE *in = fopen(path, "rb");
    if (in == NULL)
        return ob_err_set(err, OB_ERR_IO, "cannot open %s", path);
    size_t capacity = 0;
    for (;;) {
        if (capacity - file->size < 65536) {
            capacity = capacity * 2 + 131072;
            char *grown = realloc(file->text, capacity);
            if (grown == NULL)
                break;
            file->text = grown;
        }
        const size_t got = fread(file->text + file->size, 1, capacity - file->size, in);
        if (got == 0)
            break;
        file->size += got;
    }
    fclose(in);
    return OB_OK;
}

void goldens_close(goldens *file)
{
    free(file->text);
}

static double read_number(const ob_json *node)
{
    const char *word = ob_json_string(node, NULL);
    if (word == NULL)
        return ob_json_get_kind(node) == OB_JSON_BOOL ? ob_json_bool(node, false)
                                                      : ob_json_real(node, 0);
    return strcmp(word, "nan") == 0 ? (double)NAN : strcmp(word, "inf") == 0 ? INFINITY : -INFINITY;
}

static ob_dtype read_dtype(const ob_json *node, ob_dtype real)
{
    const char *name = ob_json_string(node, NULL);
    const ob_dtype dtype = ob_dtype_from_name(name, strlen(name));
    return dtype == OB_DTYPE_F64 ? real : dtype;
}

static ob_status read_tensor(const ob_json *node, ob_dtype real, ob_value *out, ob_err *err)
{
    const ob_json *sizes = ob_json_get(node, "sizes"), *strides = ob_json_get(node, "strides");
    const ob_json *data = ob_json_get(node, "data");
    int64_t size_list[OB_MAX_DIMS], stride_list[OB_MAX_DIMS];
    const size_t ndim = ob_json_count(sizes);
    for (size_t i = 0; i < ndim; i++) {
        size_list[i] = ob_json_int(ob_json_item(sizes, i), 0);
        stride_list[i] = ob_json_int(ob_json_item(strides, i), 0);
    }
    ob_tensor tensor;
    OB_TRY(ob_tensor_init(&tensor, read_dtype(ob_json_get(node, "tensor"), real), size_list,
                          (int)ndim, strides != NULL ? stride_list : NULL, err));
    for (size_t i = 0; i < ob_json_count(data); i++)
        tensor_set(&tensor, (int64_t)i, read_number(ob_json_item(data, i)));
    const ob_status status = ob_value_init_tensor(out, &tensor, err);
    ob_tensor_fini(&tensor);
    return status;
}

static ob_status read_value(const ob_json *node, ob_dtype real, ob_value *out, ob_err *err)
{
    *out = ob_value_none();
    switch (ob_json_get_kind(node)) {
    case OB_JSON_BOOL:
        *out = ob_value_bool(ob_json_bool(node, false));
        return OB_OK;
    case OB_JSON_INT:
        *out = ob_value_int(ob_json_int(node, 0));
        return OB_OK;
    case OB_JSON_STRING: {
        size_t length;
        const char *text = ob_json_string(node, &length);
        return ob_value_init_str(out, text, length, err);
    }
    case OB_JSON_ARRAY:
        OB_TRY(ob_value_init_list(out, OB_VALUE_LIST, ob_json_count(node), err));
        for (size_t i = 0; i < ob_json_count(node); i++)
            OB_TRY(read_value(ob_json_item(node, i), real, &out->as.list.items[i], err));
        return OB_OK;
    case OB_JSON_OBJECT:
        break;
    default:
        return OB_OK;
    }
    if (ob_json_get(node, "tensor") != NULL)
        return read_tensor(node, real, out, err);
    if (ob_json_get(node, "float") != NULL) {
        *out = ob_value_double(read_number(ob_json_get(node, "float")));
    } else if (ob_json_get(node, "dtype") != NULL) {
        out->kind = OB_VALUE_DTYPE;
        out->as.dtype = read_dtype(ob_json_get(node, "dtype"), real);
    } else {
        out->kind = OB_VALUE_DEVICE;
        memset(&out->as.device, 0, sizeof out->as.device);
        memcpy(out->as.device.type, "cpu", 4);
        out->as.device.index = -1;
    }
    return OB_OK;
}

static bool names_real(const ob_json *node)
{
    const char *word = ob_json_string(node, NULL);
    bool found = word != NULL && strcmp(word, "f64") == 0;
    for (size_t i = 0; !found && i < ob_json_count(node); i++)
        found = names_real(ob_json_item(node, i));
    return found;
}

static bool is_shifted(const ob_json *node, const ob_value *value)
{
    bool shifted = false;
    for (size_t i = 0; value->kind == OB_VALUE_LIST && i < value->as.list.count; i++)
        shifted = shifted || is_shifted(ob_json_item(node, i), &value->as.list.items[i]);
    if (value->kind != OB_VALUE_TENSOR || !ob_dtype_is_floating(value->as.tensor->dtype))
        return shifted;
    const ob_json *data = ob_json_get(node, "data");
    for (size_t i = 0; i < ob_json_count(data); i++) {
        const double number = read_number(ob_json_item(data, i));
        if (isfinite(number) && fabs(tensor_get(value->as.tensor, (int64_t)i) - number) > 0.1)
            return true;
    }
    return false;
}

static ob_status read_golden(const ob_json *root, ob_dtype dtype, golden *out, ob_err *err)
{
    const ob_json *args = ob_json_get(root, "args"), *kwargs = ob_json_get(root, "kwargs");
    out->op = ob_json_string(ob_json_get(root, "op"), NULL);
    out->has_real = names_real(args) || names_real(kwargs);
    out->nograd = ob_json_bool(ob_json_get(root, "nograd"), false);
    out->args = calloc(ob_json_count(args) + 1, sizeof *out->args);
    out->kwargs = calloc(ob_json_count(kwargs) + 1, sizeof *out->kwargs);
    out->kwarg_names = calloc(ob_json_count(kwargs) + 1, sizeof *out->kwarg_names);
    if (out->args == NULL || out->kwargs == NULL || out->kwarg_names == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    for (; out->arg_count < ob_json_count(args); out->arg_count++)
        OB_TRY(
            read_value(ob_json_item(args, out->arg_count), dtype, &out->args[out->arg_count], err));
    for (; out->kwarg_count < ob_json_count(kwargs); out->kwarg_count++) {
        out->kwarg_names[out->kwarg_count] = ob_json_key(kwargs, out->kwarg_count);
        OB_TRY(read_value(ob_json_item(kwargs, out->kwarg_count), dtype,
                          &out->kwargs[out->kwarg_count], err));
    }
    for (size_t i = 0; i < out->arg_count; i++)
        out->shifted = out->shifted || is_shifted(ob_json_item(args, i), &out->args[i]);
    return read_value(ob_json_get(root, "outputs"), OB_DTYPE_F64, &out->wanted, err);
}

ob_status goldens_next(goldens *file, ob_dtype dtype, golden *out, ob_err *err)
{
    *out = (golden){.doc = NULL};
    if (file->at >= file->size)
        return OB_END;
    const char *start = file->text + file->at;
    const char *end = memchr(start, '\n', file->size - file->at);
    const size_t length = end != NULL ? (size_t)(end - start) : file->size - file->at;
    file->at += length + 1;
    file->line++;
    OB_TRY(ob_json_parse("goldens", start, length, NULL, &out->doc, err));
    const ob_status status = read_golden(ob_json_doc_root(out->doc), dtype, out, err);
    if (status != OB_OK)
        golden_fini(out);
    return status;
}

void golden_fini(golden *g)
{
    for (size_t i = 0; i < g->arg_count; i++)
        ob_value_fini(&g->args[i]);
    for (size_t i = 0; i < g->kwarg_count; i++)
        ob_value_fini(&g->kwargs[i]);
    ob_value_fini(&g->wanted);
    free(g->args);
    free(g->kwargs);
    free(g->kwarg_names);
    ob_json_doc_destroy(g->doc);
}

ob_call golden_call(const golden *g)
{
    return (ob_call){.args = g->args,
                     .arg_count = g->arg_count,
                     .kwarg_names = g->kwarg_names,
                     .kwargs = g->kwargs,
                     .kwarg_count = g->kwarg_count};
}

static void make_whole(ob_value *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (values[i].kind == OB_VALUE_DOUBLE)
            values[i] = ob_value_int(
                values[i].as.real > 1 && values[i].as.real < 1e6 ? (int64_t)values[i].as.real : 1);
}

void golden_make_whole(golden *g)
{
    make_whole(g->args, g->arg_count);
    make_whole(g->kwargs, g->kwarg_count);
}

static void fill_bytes(ob_value *value, ob_dtype dtype, uint64_t *state)
{
    for (size_t i = 0; value->kind == OB_VALUE_LIST && i < value->as.list.count; i++)
        fill_bytes(&value->as.list.items[i], dtype, state);
    if (value->kind != OB_VALUE_TENSOR || value->as.tensor->dtype != dtype)
        return;
    const int64_t low = dtype == OB_DTYPE_I8 ? INT8_MIN : 0;
    for (int64_t i = 0; i < tensor_count(value->as.tensor); i++) {
        *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        tensor_set(value->as.tensor, i, (double)(low + (int64_t)(*state >> 56)));
    }
}

void golden_fill_bytes(golden *g, ob_dtype dtype, uint64_t seed)
{
    uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (size_t i = 0; i < g->arg_count; i++)
        fill_bytes(&g->args[i], dtype, &state);
    for (size_t i = 0; i < g->kwarg_count; i++)
        fill_bytes(&g->kwargs[i], dtype, &state);
}

static void require_grad(ob_value *value)
{
    if (value->kind == OB_VALUE_TENSOR)
        value->as.tensor->requires_grad = ob_dtype_is_floating(value->as.tensor->dtype);
    for (size_t i = 0; value->kind == OB_VALUE_LIST && i < value->as.list.count; i++)
        require_grad(&value->as.list.items[i]);
}

void golden_require_grad(golden *g)
{
    for (size_t i = 0; i < g->arg_count; i++)
        require_grad(&g->args[i]);
    for (size_t i = 0; i < g->kwarg_count; i++)
        require_grad(&g->kwargs[i]);
}
