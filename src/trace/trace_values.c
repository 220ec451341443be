/* SPDX-License-Identifier: Apache-2.0
 *
 * Types are texts: Tensor(float), GenericList[Int,Tensor(c10::Half)], Tuple[String,String], None. A
 * container's text has one type per element. A tensor is [id, storage, offset, elements, bytes, device].
 */
#include "trace/trace_values.h"

#include "base/text_append.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NESTING = 16 };

typedef struct reader {
    ob_trace *trace;
    const ob_tape *tape;
    const ob_json *ranges;
    size_t tensor_number;
    uint32_t line;
    ob_err *err;
} reader;

/* A stretch of a type's text. */
typedef struct type_text {
    const char *at;
    size_t length;
} type_text;

static ob_status no_memory(const reader *r)
{
    return ob__trace_out_of_memory(r->trace, r->line, r->err);
}

/* Cuts the first of several types, separated by commas outside of brackets, from *rest. */
static type_text next_type(type_text *rest)
{
    size_t depth = 0, i = 0;
    for (; i < rest->length; i++) {
        const char c = rest->at[i];
        if (c == '[' || c == '(' || c == '<')
            depth++;
        else if ((c == ']' || c == ')' || c == '>') && depth > 0)
            depth--;
        else if (c == ',' && depth == 0)
            break;
    }
    const type_text first = {rest->at, i};
    const size_t skip = i < rest->length ? i + 1 : i;
    rest->at += skip;
    rest->length -= skip;
    return first;
}

/* What stands in the brackets of "Word[...]"; false when the text is not of that form. */
static bool inside(type_text type, const char *word, char close, type_text *out)
{
    const size_t length = strlen(word);
    if (type.length < length + 1 || memcmp(type.at, word, length) != 0 ||
        type.at[type.length - 1] != close)
        return false;
    *out = (type_text){type.at + length, type.length - length - 1};
    return true;
}

static bool is(type_text type, const char *word)
{
    return type.length == strlen(word) && memcmp(type.at, word, type.length) == 0;
}

static const char IMPOSSIBLE[] = "tensor with an impossible size";

static ob_status other(const reader *r, type_text type, ob_trace_value *out)
{
    *out = (ob_trace_value){.kind = OB_TRACE_OTHER, .count = (uint32_t)type.length};
    out->as.text = ob__trace_text(r->trace, type.at, type.length);
    return out->as.text != NULL ? OB_OK : no_memory(r);
}

static ob_status text_value(const reader *r, size_t place, uint32_t kind, ob_trace_value *out)
{
    const uint32_t length = ob__tape_at(r->tape, place)->length;
    *out = (ob_trace_value){.kind = kind, .count = length};
    out->as.text = ob__trace_text(r->trace, ob__tape_text(r->tape, place), length);
    return out->as.text != NULL ? OB_OK : no_memory(r);
}

static bool read_sizes(const ob_tape *tape, size_t list, int64_t *out, int *count)
{
    *count = 0;
    return ob__tape_is(tape, list, OB_JSON_EVENT_BEGIN_ARRAY) &&
           ob__tape_sizes(tape, list, out, count);
}

static void find_range(const reader *r, ob_trace_tensor *tensor)
{
    char key[24];
    key[ob__format_u64(r->tensor_number, key)] = '\0';
    const ob_json *range = ob_json_get(r->ranges, key);
    if (ob_json_count(range) != 2)
        return;
    const double min = ob_json_real(ob_json_item(range, 0), 1);
    const double max = ob_json_real(ob_json_item(range, 1), 0);
    if (!(min <= max))
        return;
    tensor->has_range = true;
    tensor->min = min;
    tensor->max = max;
}

static ob_status set_layout(const reader *r, ob_trace_tensor *tensor, const int64_t *sizes,
                            size_t stride_list)
{
    int64_t strides[OB_MAX_DIMS];
    int count = 0;
    tensor->has_strides =
        read_sizes(r->tape, stride_list, strides, &count) && count == tensor->ndim;
    if (!tensor->has_strides)
        ob_shape_contiguous_strides(sizes, tensor->ndim, strides);
    tensor->sizes = ob__trace_sizes(r->trace, sizes, (size_t)tensor->ndim);
    tensor->strides = ob__trace_sizes(r->trace, strides, (size_t)tensor->ndim);
    return tensor->sizes != NULL && tensor->strides != NULL ? OB_OK : no_memory(r);
}

static ob_status tensor_value(reader *r, const size_t places[3], type_text dtype,
                              ob_trace_value *out)
{
    ob_trace_tensor tensor;
    int64_t field[5] = {-1, -1, 0, -1, 0}, sizes[OB_MAX_DIMS];
    int64_t numel;
    memset(&tensor, 0, sizeof tensor);
    size_t at = ob__tape_first(r->tape, places[0]);
    for (size_t i = 0; i < 5 && at != OB_TAPE_NONE; i++) {
        if (!ob__tape_int(r->tape, at, &field[i]))
            break;
        at = ob__tape_next(r->tape, places[0], at);
    }
    if (!read_sizes(r->tape, places[1], sizes, &tensor.ndim) ||
        ob_shape_numel(sizes, tensor.ndim, &numel, NULL) != OB_OK || field[2] < 0)
        return other(r, (type_text){IMPOSSIBLE, sizeof IMPOSSIBLE - 1}, out);
    tensor.id = field[0];
    tensor.storage = field[1];
    tensor.offset = field[2];
    tensor.numel = numel;
    tensor.item_bytes = field[4];
    tensor.dtype = ob__trace_dtype(dtype.at, dtype.length);
    tensor.dtype_text = ob__trace_text(r->trace, dtype.at, dtype.length);
    const bool named = ob__tape_is(r->tape, at, OB_JSON_EVENT_STRING);
    tensor.device = ob__trace_text(r->trace, named ? ob__tape_text(r->tape, at) : "",
                                   named ? ob__tape_at(r->tape, at)->length : 0);
    if (tensor.dtype_text == NULL || tensor.device == NULL)
        return no_memory(r);
    if (r->ranges != NULL)
        find_range(r, &tensor);
    r->tensor_number++;
    if (set_layout(r, &tensor, sizes, places[2]) != OB_OK)
        return OB_ERR_LIMIT;
    *out = (ob_trace_value){.kind = OB_TRACE_TENSOR};
    out->as.tensor = ob__trace_tensor(r->trace, &tensor);
    return out->as.tensor != NULL ? OB_OK : no_memory(r);
}

static ob_status plain_value(reader *r, size_t place, type_text type, ob_trace_value *out)
{
    const ob_tape_token *token = ob__tape_at(r->tape, place);
    const char *text = ob__tape_text(r->tape, place);
    *out = (ob_trace_value){.kind = OB_TRACE_NONE};
    const bool marked = text[0] == '<';
    if (token->kind == OB_JSON_EVENT_NULL || (marked && strcmp(text, "<None>") == 0) ||
        is(type, "None"))
        return OB_OK;
    if ((marked && strcmp(text, "<Generator>") == 0) || is(type, "Generator")) {
        out->kind = OB_TRACE_GENERATOR;
        return OB_OK;
    }
    if (is(type, "Device") && token->kind == OB_JSON_EVENT_STRING)
        return text_value(r, place, OB_TRACE_DEVICE, out);
    if (is(type, "Device") || is(type, "Object") || is(type, "Stream") || is(type, "Storage") ||
        is(type, "Capsule"))
        return other(r, type, out);
    if (token->kind == OB_JSON_EVENT_BOOL ||
        (is(type, "Bool") && token->kind == OB_JSON_EVENT_INT)) {
        out->kind = OB_TRACE_BOOL;
        out->as.integer = token->as.integer != 0;
        return OB_OK;
    }
    if (token->kind == OB_JSON_EVENT_INT && !is(type, "Double")) {
        out->kind = OB_TRACE_INT;
        out->as.integer = token->as.integer;
        return OB_OK;
    }
    double real;
    if ((token->kind != OB_JSON_EVENT_STRING || is(type, "Double")) &&
        ob__tape_real(r->tape, place, &real)) {
        out->kind = OB_TRACE_DOUBLE;
        out->as.real = real;
        return OB_OK;
    }
    return token->kind == OB_JSON_EVENT_STRING ? text_value(r, place, OB_TRACE_STR, out)
                                               : other(r, type, out);
}

static ob_status read_value(reader *r, const size_t places[3], type_text type, int nesting,
                            ob_trace_value *out);

/* Items of a list; types may have fewer entries than there are items: the last one is for the rest. */
static ob_status read_items(reader *r, const size_t places[3], type_text types, int nesting,
                            ob_trace_value *out)
{
    const size_t count = ob__tape_items(r->tape, places[0]);
    ob_trace_value *items = calloc(count + 1, sizeof *items);
    if (items == NULL)
        return no_memory(r);
    size_t at[3];
    for (size_t k = 0; k < 3; k++)
        at[k] = ob__tape_first(r->tape, places[k]);
    type_text type = {"", 0};
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && i < count; i++) {
        if (types.length > 0)
            type = next_type(&types);
        status = read_value(r, at, type, nesting + 1, &items[i]);
        for (size_t k = 0; k < 3; k++)
            at[k] = ob__tape_next(r->tape, places[k], at[k]);
    }
    out->count = (uint32_t)count;
    out->as.items = status == OB_OK ? ob__trace_values(r->trace, items, count) : NULL;
    free(items);
    if (status == OB_OK && out->as.items == NULL)
        return no_memory(r);
    return status;
}

static ob_status read_value(reader *r, const size_t places[3], type_text type, int nesting,
                            ob_trace_value *out)
{
    type_text within;
    const bool array = ob__tape_is(r->tape, places[0], OB_JSON_EVENT_BEGIN_ARRAY);
    if (inside(type, "Tensor(", ')', &within)) {
        *out = (ob_trace_value){.kind = OB_TRACE_NO_TENSOR};
        if (!array || (within.length >= 7 && memcmp(within.at, "nullptr", 7) == 0))
            return OB_OK;
        return tensor_value(r, places, within, out);
    }
    const bool tuple = inside(type, "Tuple[", ']', &within);
    if (!tuple && !inside(type, "GenericList[", ']', &within) && !array)
        return plain_value(r, places[0], type, out);
    if (nesting >= MAX_NESTING || !array)
        return other(r, type, out);
    if (!tuple && !inside(type, "GenericList[", ']', &within))
        within = (type_text){"", 0};
    *out = (ob_trace_value){.kind = tuple ? OB_TRACE_TUPLE : OB_TRACE_LIST};
    return read_items(r, places, within, nesting, out);
}

ob_status ob__trace_read_values(ob_trace *trace, const ob_tape *tape, const ob_trace_lists *lists,
                                const ob_trace_value **out, uint32_t *count, ob_err *err)
{
    reader r = {.trace = trace,
                .tape = tape,
                .ranges = lists->ranges,
                .line = ob__tape_at(tape, lists->values)->line,
                .err = err};
    const size_t items = ob__tape_items(tape, lists->values);
    *out = NULL;
    *count = 0;
    if (items == 0)
        return OB_OK;
    ob_trace_value *values = calloc(items, sizeof *values);
    if (values == NULL)
        return no_memory(&r);
    size_t places[3] = {ob__tape_first(tape, lists->values), ob__tape_first(tape, lists->shapes),
                        ob__tape_first(tape, lists->strides)};
    const size_t containers[3] = {lists->values, lists->shapes, lists->strides};
    size_t type = ob__tape_first(tape, lists->types);
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && i < items; i++) {
        const bool typed = ob__tape_is(tape, type, OB_JSON_EVENT_STRING);
        const type_text text = {ob__tape_text(tape, type),
                                typed ? ob__tape_at(tape, type)->length : 0};
        status = read_value(&r, places, text, 0, &values[i]);
        for (size_t k = 0; k < 3; k++)
            places[k] = ob__tape_next(tape, containers[k], places[k]);
        type = ob__tape_next(tape, lists->types, type);
    }
    if (status == OB_OK) {
        *out = ob__trace_values(trace, values, items);
        *count = (uint32_t)items;
        status = *out != NULL ? OB_OK : no_memory(&r);
    }
    free(values);
    return status;
}
