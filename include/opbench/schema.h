/* SPDX-License-Identifier: Apache-2.0
 *
 * Operator schemas in ATen's notation, parsed and printed back byte for byte:
 *   aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
 */
#ifndef OPBENCH_SCHEMA_H
#define OPBENCH_SCHEMA_H

#include "opbench/value.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ob_type_kind {
    OB_TYPE_TENSOR,
    OB_TYPE_INT,
    OB_TYPE_SYM_INT,
    OB_TYPE_FLOAT,
    OB_TYPE_COMPLEX,
    OB_TYPE_BOOL,
    OB_TYPE_STR,
    OB_TYPE_SCALAR,
    OB_TYPE_DEVICE,
    OB_TYPE_DTYPE, /* ScalarType */
    OB_TYPE_LAYOUT,
    OB_TYPE_MEMORY_FORMAT,
    OB_TYPE_GENERATOR,
    OB_TYPE_NAMED, /* any other name: Storage, Dimname, t, __torch__.torch.classes.x.Y, Any ... */
    OB_TYPE_OPTIONAL, /* element? */
    OB_TYPE_LIST,     /* element[] or element[size] */
    OB_TYPE_TUPLE,    /* (a, b) */
    OB_TYPE_DICT,     /* Dict(a, b) */
    OB_TYPE_FUTURE,   /* Future(a); RRef(a), Await(a) too: see name */
} ob_type_kind;

typedef struct ob_type ob_type;
struct ob_type {
    ob_type_kind kind;
    int32_t list_size; /* LIST with a fixed size; -1 = any */
    const char *name;  /* as written ("Tensor", "SymInt", "t"); NULL for containers */
    const char *alias; /* text inside the alias annotation: "a!", "a -> *", "a|b"; NULL = none */
    const ob_type *element; /* OPTIONAL, LIST; first parameter of TUPLE, DICT, FUTURE */
    const ob_type *next;    /* next parameter of the same TUPLE or DICT */
};

typedef struct ob_schema_arg {
    const char *name; /* NULL for an unnamed return */
    const ob_type *type;
    bool keyword_only;
    bool has_default;
    bool writes;              /* its alias annotation has a "!": the call changes it */
    const char *default_text; /* as written */
    ob_value default_value;   /* NONE where the text is a name without meaning to us */
} ob_schema_arg;

typedef struct ob_schema {
    const char *text;     /* as parsed */
    const char *name;     /* "aten::add" */
    const char *overload; /* "Tensor"; "" when there is none */
    ob_schema_arg *args;
    size_t arg_count;
    size_t positional_count; /* those before "*" */
    ob_schema_arg *returns;
    size_t return_count;
    bool vararg;        /* "..." at the end of the arguments */
    bool vararg_return; /* "-> ..." */
    bool parens_return; /* "-> (Tensor)": printed back as it was */
    bool no_return;     /* a signature without "->"; only for names without "::" */
} ob_schema;

/* ob_schema_destroy frees everything. err->column is the byte in text, from 1. Names without "::"
 * are signatures of a front end ("torch.nn.Linear(int in_features, ...)"): all of the dotted name
 * is `name`, there is no overload, and the part from "->" on may be missing. */
ob_status ob_schema_parse(const char *text, size_t length, ob_schema **out, ob_err *err);
void ob_schema_destroy(ob_schema *schema); /* NULL is allowed */
/* From the parsed parts, not from text. malloc'ed; free() it. */
ob_status ob_schema_print(const ob_schema *schema, char **text, ob_err *err);
ob_status ob_type_print(const ob_type *type, char **text, ob_err *err);
/* Index of the argument called name, or -1. */
int ob_schema_find_arg(const ob_schema *schema, const char *name);

/* A call as the user gives it. Everything is borrowed. */
typedef struct ob_call {
    const ob_value *args;
    size_t arg_count;
    const char *const *kwarg_names;
    const ob_value *kwargs;
    size_t kwarg_count;
} ob_call;

/* True if value can stand for type: int for float, int for Scalar, one int for int[2] (PyTorch's
 * broadcasting of lists with a fixed size), None for optionals, an int or dtype for ScalarType
 * ... */
bool ob_type_accepts(const ob_type *type, const ob_value *value);

/* Gives every argument of the schema its value: positional ones first, then by keyword, then
 * defaults. bound has schema->arg_count entries, which the caller owns afterwards (also none on
 * failure: they are all NONE then). Values are converted to the schema's type (int to double, int
 * to list, ...). Failures name the argument and say what was expected: too many positional
 * arguments, unknown keyword, given twice, missing, wrong type. */
ob_status ob_schema_bind(const ob_schema *schema, const ob_call *call, ob_value *bound,
                         ob_err *err);

#ifdef __cplusplus
}
#endif
#endif
