/* SPDX-License-Identifier: Apache-2.0
 *
 * Argument types of a benchmark config ({"type": "tensor", "dtype": ..., "shape": ...}) as rows.
 * The check of a config, the expansion of __range__ and the canonical form of a case follow from
 * the rows; a data generator with types of its own adds rows of the same kind.
 */
#ifndef OPBENCH_ARG_H
#define OPBENCH_ARG_H

#include "opbench/json.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What an attribute holds, and so what "__range__" makes of it. */
typedef enum ob_attr_kind {
    OB_ATTR_ANY,       /* anything; cannot be ranged */
    OB_ATTR_INT,       /* whole number; range [lo, hi] or [lo, hi, step] */
    OB_ATTR_REAL,      /* number; range likewise */
    OB_ATTR_BOOL,      /* true or false; range = list of alternatives */
    OB_ATTR_STRING,    /* range = list of alternatives */
    OB_ATTR_DEVICE,    /* device string; range = list of alternatives */
    OB_ATTR_DTYPE,     /* name of a dtype; range = list of alternatives */
    OB_ATTR_SHAPE,     /* list of sizes >= 0; range = any element may be [lo, hi(, step)] */
    OB_ATTR_STRIDES,   /* list of strides >= 0, as long as the shape; cannot be ranged */
    OB_ATTR_FLAG,      /* true or false; cannot be ranged */
    OB_ATTR_INT_PAIR,  /* [lo, hi], whole, lo <= hi; cannot be ranged */
    OB_ATTR_REAL_PAIR, /* [lo, hi]; cannot be ranged */
    OB_ATTR_IGNORED,   /* anything; ignored, ranged or not */
    OB_ATTR_ARGS,      /* list of arguments; range = their own macros (also without being marked) */
} ob_attr_kind;

typedef struct ob_arg_attr {
    const char *name;
    ob_attr_kind kind;
    bool required;
    const char *choices; /* STRING: "strided|sparse_coo", the only texts it takes; NULL = any */
} ob_arg_attr;

typedef struct ob_arg_type {
    const char *name; /* the "type" in the config */
    /* Ended by a row whose name is NULL; other attributes are kept and ignored. */
    const ob_arg_attr *attrs;
    const char *one_of; /* "value|value_range": at least one of these; NULL = no such rule */
    const char *help;   /* one line for listings */
    /* Further check of one materialised argument, after the attributes passed; NULL = none. */
    ob_status (*check)(const ob_json *arg, ob_err *err);
} ob_arg_type;

/* The types of PyTorch:DefaultDataGenerator. */
const ob_arg_type *ob_arg_types(size_t *count);

#ifdef __cplusplus
}
#endif
#endif
