/* SPDX-License-Identifier: Apache-2.0
 *
 * Element types: one row each; names, sizes and PyTorch's ScalarType numbers come from the row.
 */
#ifndef OPBENCH_DTYPE_H
#define OPBENCH_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ob_dtype_class {
    OB_DTYPE_CLASS_BOOL,
    OB_DTYPE_CLASS_UINT,
    OB_DTYPE_CLASS_INT,
    OB_DTYPE_CLASS_FLOAT,
    OB_DTYPE_CLASS_COMPLEX,
} ob_dtype_class;

/* short name (ours), PyTorch name, PARAM name (what configs write), bytes, class, ScalarType
 * number. The order is the enum's and part of the ABI: append only. */
#define OB_DTYPE_MAP(X)                                                                            \
    X(BOOL, "bool", "bool", "bool", 1, BOOL, 11)                                                   \
    X(U8, "u8", "uint8", "uint8", 1, UINT, 0)                                                      \
    X(I8, "i8", "int8", "int8", 1, INT, 1)                                                         \
    X(I16, "i16", "int16", "int16", 2, INT, 2)                                                     \
    X(I32, "i32", "int32", "int", 4, INT, 3)                                                       \
    X(I64, "i64", "int64", "long", 8, INT, 4)                                                      \
    X(F16, "f16", "float16", "float16", 2, FLOAT, 5)                                               \
    X(BF16, "bf16", "bfloat16", "bfloat16", 2, FLOAT, 15)                                          \
    X(F32, "f32", "float32", "float", 4, FLOAT, 6)                                                 \
    X(F64, "f64", "float64", "double", 8, FLOAT, 7)                                                \
    X(C64, "c64", "complex64", "complex64", 8, COMPLEX, 9)                                         \
    X(C128, "c128", "complex128", "complex128", 16, COMPLEX, 10)

typedef enum ob_dtype {
#define OB_DTYPE_ENUM(id, name, torch, param, bytes, cls, number) OB_DTYPE_##id,
    OB_DTYPE_MAP(OB_DTYPE_ENUM)
#undef OB_DTYPE_ENUM
        OB_DTYPE_COUNT,
    OB_DTYPE_INVALID = -1,
} ob_dtype;

typedef struct ob_dtype_info {
    ob_dtype dtype;
    const char *name;       /* "f32" */
    const char *torch_name; /* "float32" */
    const char *param_name; /* "float" */
    size_t size_bytes;
    ob_dtype_class cls;
    int torch_number;    /* c10::ScalarType */
    const char *aliases; /* further accepted spellings, separated by "|" */
} ob_dtype_info;

/* NULL for a value outside the enum. */
const ob_dtype_info *ob_dtype_get_info(ob_dtype dtype);
size_t ob_dtype_size(ob_dtype dtype);
bool ob_dtype_is_floating(ob_dtype dtype); /* floating or complex: may require a gradient */
bool ob_dtype_is_integral(ob_dtype dtype); /* integers and bool */

/* Any of the three names or an alias, with or without "torch." in front, in upper or lower case;
 * OB_DTYPE_INVALID if none. */
ob_dtype ob_dtype_from_name(const char *name, size_t length);
ob_dtype ob_dtype_from_torch_number(int number);

/* PyTorch's promotion of two tensor dtypes of equal category rank (torch.promote_types);
 * OB_DTYPE_INVALID if one of them is. */
ob_dtype ob_dtype_promote(ob_dtype a, ob_dtype b);

#ifdef __cplusplus
}
#endif
#endif
