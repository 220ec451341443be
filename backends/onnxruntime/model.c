/* SPDX-License-Identifier: Apache-2.0
 *
 * ONNX models made in memory; see onnxruntime_model.h. The numbers of fields are those of onnx.proto.
 */
#include "onnxruntime_model.h"

#include "opbench/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IR_VERSION = 8, ATTR_FLOAT = 1, ATTR_INT = 2, ATTR_STRING = 3, ATTR_INTS = 7, EXTERNAL = 1 };

/* Fields of the messages that are written. */
enum {
    MODEL_IR_VERSION = 1,
    MODEL_PRODUCER = 2,
    MODEL_GRAPH = 7,
    MODEL_OPSET = 8,
    OPSET_VERSION = 2,
    GRAPH_NODE = 1,
    GRAPH_NAME = 2,
    GRAPH_INITIALIZER = 5,
    GRAPH_INPUT = 11,
    GRAPH_OUTPUT = 12,
    NODE_INPUT = 1,
    NODE_OUTPUT = 2,
    NODE_NAME = 3,
    NODE_OP = 4,
    NODE_ATTRIBUTE = 5,
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_F = 2,
    ATTRIBUTE_I = 3,
    ATTRIBUTE_S = 4,
    ATTRIBUTE_INTS = 8,
    ATTRIBUTE_TYPE = 20,
    TENSOR_DIMS = 1,
    TENSOR_TYPE = 2,
    TENSOR_NAME = 8,
    TENSOR_RAW = 9,
    TENSOR_EXTERNAL = 13,
    TENSOR_LOCATION = 14,
    ENTRY_KEY = 1,
    ENTRY_VALUE = 2,
    INFO_NAME = 1,
    INFO_TYPE = 2,
    TYPE_TENSOR = 1,
    TENSOR_TYPE_ELEMENT = 1,
    TENSOR_TYPE_SHAPE = 2,
    SHAPE_DIM = 1,
    DIM_VALUE = 1,
};

static const int NUMBERS[OB_DTYPE_COUNT] = {
    [OB_DTYPE_F32] = 1,  [OB_DTYPE_U8] = 2,   [OB_DTYPE_I8] = 3,   [OB_DTYPE_I16] = 5,
    [OB_DTYPE_I32] = 6,  [OB_DTYPE_I64] = 7,  [OB_DTYPE_BOOL] = 9, [OB_DTYPE_F16] = 10,
    [OB_DTYPE_F64] = 11, [OB_DTYPE_BF16] = 16};

int ort_dtype_number(ob_dtype dtype)
{
    return dtype >= 0 && dtype < OB_DTYPE_COUNT ? NUMBERS[dtype] : 0;
}

ob_dtype ort_dtype_from_number(int number)
{
    for (int d = 0; d < OB_DTYPE_COUNT; d++)
        if (number != 0 && NUMBERS[d] == number)
            return (ob_dtype)d;
    return OB_DTYPE_INVALID;
}

void ort_model_fini(ort_model *model)
{
    ort_bytes *const all[] = {&model->nodes,      &model->initializers, &model->inputs,
                              &model->outputs,    &model->scratch[0],   &model->scratch[1],
                              &model->scratch[2], &model->scratch[3]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ort_bytes_fini(all[i]);
    free(model->values);
    *model = (ort_model){.values = NULL};
}

const char *ort_model_name(ort_id id, char out[ORT_NAME_SIZE])
{
    snprintf(out, ORT_NAME_SIZE, "v%u", (unsigned)id);
    return out;
}

static ort_id add_value(ort_model *model, ort_source source, ob_dtype dtype)
{
    if (!OB_RESERVE(model->values, model->value_capacity, (size_t)model->value_count + 1)) {
        model->failed = true;
        return ORT_NONE;
    }
    model->values[model->value_count] = (ort_value_info){.source = source, .dtype = dtype};
    return model->value_count++;
}

/* ValueInfoProto, as a field of the graph. */
static void put_info(ort_model *model, ort_bytes *to, uint32_t field, ort_id id, ob_dtype dtype,
                     const int64_t *sizes, int ndim)
{
    ort_bytes *info = &model->scratch[0], *type = &model->scratch[1], *shape = &model->scratch[2],
              *dim = &model->scratch[3];
    char name[ORT_NAME_SIZE];
    for (int d = 0; d < ndim; d++) {
        ort_put_int(dim, DIM_VALUE, sizes[d]);
        ort_put_message(shape, SHAPE_DIM, dim);
    }
    ort_put_int(type, TENSOR_TYPE_ELEMENT, ort_dtype_number(dtype));
    ort_put_message(type, TENSOR_TYPE_SHAPE, shape);
    ort_put_message(dim, TYPE_TENSOR, type);
    ort_put_string(info, INFO_NAME, ort_model_name(id, name));
    ort_put_message(info, INFO_TYPE, dim);
    ort_put_message(to, field, info);
}

ort_id ort_model_input(ort_model *model, ob_dtype dtype, const int64_t *sizes, int ndim)
{
    const ort_id id = add_value(model, ORT_FROM_INPUT, dtype);
    if (id != ORT_NONE)
        put_info(model, &model->inputs, GRAPH_INPUT, id, dtype, sizes, ndim);
    return id;
}

static void put_tensor_head(ort_bytes *tensor, ort_id id, ob_dtype dtype, const int64_t *sizes,
                            int ndim)
{
    char name[ORT_NAME_SIZE];
    for (int d = 0; d < ndim; d++)
        ort_put_int(tensor, TENSOR_DIMS, sizes[d]);
    ort_put_int(tensor, TENSOR_TYPE, ort_dtype_number(dtype));
    ort_put_string(tensor, TENSOR_NAME, ort_model_name(id, name));
}

ort_id ort_model_parameter(ort_model *model, ob_dtype dtype, const int64_t *sizes, int ndim)
{
    const ort_id id = add_value(model, ORT_FROM_PARAMETER, dtype);
    ort_bytes *tensor = &model->scratch[0], *entry = &model->scratch[1];
    if (id == ORT_NONE)
        return id;
    put_tensor_head(tensor, id, dtype, sizes, ndim);
    ort_put_string(entry, ENTRY_KEY, "location");
    ort_put_string(entry, ENTRY_VALUE, "memory"); /* the session's: nothing is read from a file */
    ort_put_message(tensor, TENSOR_EXTERNAL, entry);
    ort_put_int(tensor, TENSOR_LOCATION, EXTERNAL);
    ort_put_message(&model->initializers, GRAPH_INITIALIZER, tensor);
    return id;
}

ort_id ort_model_constant(ort_model *model, ob_dtype dtype, const int64_t *sizes, int ndim,
                          const void *data, size_t size_bytes)
{
    const ort_id id = add_value(model, ORT_FROM_CONSTANT, dtype);
    ort_bytes *tensor = &model->scratch[0];
    if (id == ORT_NONE)
        return id;
    put_tensor_head(tensor, id, dtype, sizes, ndim);
    ort_put_bytes(tensor, TENSOR_RAW, data, size_bytes);
    ort_put_message(&model->initializers, GRAPH_INITIALIZER, tensor);
    return id;
}

static void put_attribute(ort_bytes *node, ort_bytes *attribute, const ort_attr *attr)
{
    static const int types[] = {[ORT_INT] = ATTR_INT,
                                [ORT_FLOAT] = ATTR_FLOAT,
                                [ORT_STRING] = ATTR_STRING,
                                [ORT_INTS] = ATTR_INTS};
    ort_put_string(attribute, ATTRIBUTE_NAME, attr->name);
    switch (attr->kind) {
    case ORT_INT:
        ort_put_int(attribute, ATTRIBUTE_I, attr->i);
        break;
    case ORT_FLOAT:
        ort_put_float(attribute, ATTRIBUTE_F, (float)attr->f);
        break;
    case ORT_STRING:
        ort_put_string(attribute, ATTRIBUTE_S, attr->s);
        break;
    case ORT_INTS:
        for (size_t i = 0; i < attr->count; i++)
            ort_put_int(attribute, ATTRIBUTE_INTS, attr->is[i]);
        break;
    }
    ort_put_int(attribute, ATTRIBUTE_TYPE, types[attr->kind]);
    ort_put_message(node, NODE_ATTRIBUTE, attribute);
}

ort_id ort_model_node(ort_model *model, const char *op, const ort_id *inputs, size_t input_count,
                      size_t output_count, ob_dtype dtype, const ort_attr *attrs)
{
    ort_bytes *node = &model->scratch[0];
    char name[ORT_NAME_SIZE];
    for (size_t i = 0; i < input_count; i++) {
        const bool given = inputs[i] < model->value_count;
        ort_put_string(node, NODE_INPUT, given ? ort_model_name(inputs[i], name) : "");
        if (given)
            model->values[inputs[i]].readers++;
    }
    ort_id first = ORT_NONE;
    for (size_t k = 0; k < output_count; k++) {
        const ort_id id = add_value(model, ORT_FROM_NODE, dtype);
        first = k == 0 ? id : first;
        ort_put_string(node, NODE_OUTPUT, ort_model_name(id, name));
    }
    snprintf(name, sizeof name, "n%zu", model->node_count++);
    ort_put_string(node, NODE_NAME, name);
    ort_put_string(node, NODE_OP, op);
    for (; attrs != NULL && attrs->name != NULL; attrs++)
        put_attribute(node, &model->scratch[1], attrs);
    ort_put_message(&model->nodes, GRAPH_NODE, node);
    return first;
}

void ort_model_retype(ort_model *model, ort_id id, ob_dtype dtype)
{
    if (id < model->value_count)
        model->values[id].dtype = dtype;
}

ort_id ort_model_output(ort_model *model, ort_id id, const int64_t *sizes, int ndim)
{
    if (id >= model->value_count) {
        model->failed = true;
        return ORT_NONE;
    }
    if (model->values[id].source != ORT_FROM_NODE || model->values[id].is_output)
        id = ort_model_node(model, "Identity", &id, 1, 1, model->values[id].dtype, NULL);
    if (id == ORT_NONE)
        return id;
    model->values[id].is_output = true;
    put_info(model, &model->outputs, GRAPH_OUTPUT, id, model->values[id].dtype, sizes, ndim);
    return id;
}

bool ort_model_finish(ort_model *model, ort_bytes *out)
{
    ort_bytes *graph = &model->scratch[0], *opset = &model->scratch[1];
    const ort_bytes *const parts[] = {&model->nodes, &model->initializers, &model->inputs,
                                      &model->outputs};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        graph->failed = graph->failed || parts[i]->failed;
        ort_bytes_append(graph, parts[i]->data, parts[i]->size);
    }
    ort_put_string(graph, GRAPH_NAME, "case");
    *out = (ort_bytes){.data = NULL};
    ort_put_int(out, MODEL_IR_VERSION, IR_VERSION);
    ort_put_string(out, MODEL_PRODUCER, "opbench");
    ort_put_int(opset, OPSET_VERSION, ORT_OPSET);
    ort_put_message(out, MODEL_OPSET, opset);
    ort_put_message(out, MODEL_GRAPH, graph);
    if (!model->failed && !out->failed)
        return true;
    ort_bytes_fini(out);
    return false;
}
