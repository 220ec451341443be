/* SPDX-License-Identifier: Apache-2.0
 *
 * ONNX models made in memory. Values are numbers; each is an input, a constant, a parameter whose data comes with the
 * session, or what a node gives, and has an element type. A failure (out of memory) is kept until the end.
 */
#ifndef OB_ONNXRUNTIME_MODEL_H
#define OB_ONNXRUNTIME_MODEL_H

#include "proto.h"

#include "opbench/kit.h"

typedef uint32_t ort_id;
#define ORT_NONE UINT32_MAX /* an optional input that is not given */

enum { ORT_MAX_INPUTS = 64, ORT_OPSET = 17, ORT_NAME_SIZE = 16 };

typedef enum ort_source {
    ORT_FROM_NODE,
    ORT_FROM_INPUT,
    ORT_FROM_PARAMETER, /* an initialiser whose data is given to the session */
    ORT_FROM_CONSTANT,  /* an initialiser in the model */
} ort_source;

typedef struct ort_value_info {
    ort_source source;
    ob_dtype dtype;
    uint32_t readers; /* nodes that take it */
    bool is_output;   /* is, or was named as, an output */
} ort_value_info;

typedef struct ort_model {
    ort_bytes nodes, initializers, inputs, outputs, scratch[4];
    ort_value_info *values;
    uint32_t value_count;
    size_t value_capacity, node_count;
    bool failed;
} ort_model;

typedef enum ort_attr_kind { ORT_INT, ORT_FLOAT, ORT_STRING, ORT_INTS } ort_attr_kind;
typedef struct ort_attr {
    const char *name; /* NULL ends a list */
    ort_attr_kind kind;
    int64_t i;
    double f;
    const char *s;
    const int64_t *is;
    size_t count;
} ort_attr;

#define ORT_I(attr, value)                                                                         \
    {                                                                                              \
        .name = (attr), .kind = ORT_INT, .i = (value)                                              \
    }
#define ORT_F(attr, value)                                                                         \
    {                                                                                              \
        .name = (attr), .kind = ORT_FLOAT, .f = (value)                                            \
    }
#define ORT_S(attr, value)                                                                         \
    {                                                                                              \
        .name = (attr), .kind = ORT_STRING, .s = (value)                                           \
    }
#define ORT_IS(attr, values, n)                                                                    \
    {                                                                                              \
        .name = (attr), .kind = ORT_INTS, .is = (values), .count = (n)                             \
    }
#define ORT_ATTRS(...)                                                                             \
    (const ort_attr[])                                                                             \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            .name = NULL                                                                           \
        }                                                                                          \
    }
/* Inputs of a node: an array and how many. */
#define ORT_IN(...)                                                                                \
    (const ort_id[]){__VA_ARGS__}, sizeof((const ort_id[]){__VA_ARGS__}) / sizeof(ort_id)

/* The number of an element type in ONNX; 0 for those that it does not have. */
int ort_dtype_number(ob_dtype dtype);
ob_dtype ort_dtype_from_number(int number); /* OB_DTYPE_INVALID for others */

void ort_model_fini(ort_model *model);
/* "v12" */
const char *ort_model_name(ort_id id, char out[ORT_NAME_SIZE]);

ort_id ort_model_input(ort_model *model, ob_dtype dtype, const int64_t *sizes, int ndim);
ort_id ort_model_parameter(ort_model *model, ob_dtype dtype, const int64_t *sizes, int ndim);
ort_id ort_model_constant(ort_model *model, ob_dtype dtype, const int64_t *sizes, int ndim,
                          const void *data, size_t size_bytes);
/* A node; its outputs are numbered from the returned id on. All have the type dtype until ort_model_retype. */
ort_id ort_model_node(ort_model *model, const char *op, const ort_id *inputs, size_t input_count,
                      size_t output_count, ob_dtype dtype, const ort_attr *attrs);
void ort_model_retype(ort_model *model, ort_id id, ob_dtype dtype);
/* Names a value as an output. Inputs, initialisers, and what is one already, are copied by a node first: the
 * returned id is the one to ask for. */
ort_id ort_model_output(ort_model *model, ort_id id, const int64_t *sizes, int ndim);

/* The serialised model; false when memory ran out. */
bool ort_model_finish(ort_model *model, ort_bytes *out);

#endif
