/* SPDX-License-Identifier: Apache-2.0
 *
 * Value: what an operator takes and gives. A tagged union; it owns what it points to.
 */
#ifndef OPBENCH_VALUE_H
#define OPBENCH_VALUE_H

#include "opbench/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OB_VALUE_KIND_MAP(X)                                                                       \
    X(NONE, "none")                                                                                \
    X(BOOL, "bool")                                                                                \
    X(INT, "int")                                                                                  \
    X(DOUBLE, "double")                                                                            \
    X(COMPLEX, "complex")                                                                          \
    X(STR, "str")                                                                                  \
    X(DEVICE, "device")                                                                            \
    X(DTYPE, "dtype")                                                                              \
    X(LAYOUT, "layout")                                                                            \
    X(MEMORY_FORMAT, "memory_format")                                                              \
    X(GENERATOR, "generator")                                                                      \
    X(TENSOR, "tensor")                                                                            \
    X(LIST, "list")                                                                                \
    X(TUPLE, "tuple")

typedef enum ob_value_kind {
#define OB_VALUE_ENUM(id, name) OB_VALUE_##id,
    OB_VALUE_KIND_MAP(OB_VALUE_ENUM)
#undef OB_VALUE_ENUM
        OB_VALUE_KIND_COUNT
} ob_value_kind;

/* Nesting of lists that copying and comparing follow. */
enum { OB_VALUE_MAX_DEPTH = 512 };

typedef struct ob_value ob_value;
struct ob_value {
    ob_value_kind kind;
    union {
        bool boolean;
        int64_t integer;
        double real;
        struct {
            double real, imag;
        } complex;
        struct {
            char *text; /* NUL-terminated; may hold NUL bytes inside */
            size_t length;
        } str;
        ob_device device;
        ob_dtype dtype;
        ob_layout layout;
        ob_memory_format memory_format;
        uint64_t seed; /* generator */
        ob_tensor *tensor;
        struct {
            ob_value *items;
            size_t count;
        } list; /* list and tuple */
    } as;
};

const char *ob_value_kind_name(ob_value_kind kind);

/* A list or a tuple. */
static inline bool ob_value_is_list(const ob_value *value)
{
    return value->kind == OB_VALUE_LIST || value->kind == OB_VALUE_TUPLE;
}

/* Makers of plain values. */
static inline ob_value ob_value_none(void)
{
    ob_value v = {.kind = OB_VALUE_NONE, .as = {.integer = 0}};
    return v;
}
static inline ob_value ob_value_bool(bool b)
{
    ob_value v = {.kind = OB_VALUE_BOOL, .as = {.boolean = b}};
    return v;
}
static inline ob_value ob_value_int(int64_t i)
{
    ob_value v = {.kind = OB_VALUE_INT, .as = {.integer = i}};
    return v;
}
static inline ob_value ob_value_double(double d)
{
    ob_value v = {.kind = OB_VALUE_DOUBLE, .as = {.real = d}};
    return v;
}

/* Makers that allocate. *out is NONE on failure. */
ob_status ob_value_init_str(ob_value *out, const char *text, size_t length, ob_err *err);
ob_status ob_value_init_tensor(ob_value *out, const ob_tensor *tensor, ob_err *err); /* shares */
/* kind is OB_VALUE_LIST or OB_VALUE_TUPLE; the items start as NONE. */
ob_status ob_value_init_list(ob_value *out, ob_value_kind kind, size_t count, ob_err *err);
/* Deep, but tensors share their storage. OB_ERR_LIMIT beyond OB_VALUE_MAX_DEPTH. */
ob_status ob_value_copy(ob_value *out, const ob_value *in, ob_err *err);
void ob_value_fini(ob_value *value); /* leaves NONE; NULL is allowed */

/* Numbers: the same bits (NaN equals itself, 0.0 is not -0.0). Tensors: same metadata and storage.
 * False for lists that are nested beyond OB_VALUE_MAX_DEPTH. */
bool ob_value_equal(const ob_value *a, const ob_value *b);

#ifdef __cplusplus
}
#endif
#endif
