/* SPDX-License-Identifier: Apache-2.0
 *
 * What the reference's families of operators share: tensors of balls, one call, and which of its elements are
 * computed.
 *
 * Nothing here is used by the native backend's kernels and nothing of theirs is used here: the reference says
 * whether they are right.
 */
#ifndef NATIVE_REFERENCE_CALL_H
#define NATIVE_REFERENCE_CALL_H

#include "opbench/kit.h"

#include "reference_ball.h"

/* ---- tensors ---- */

/* Elements in memory. Those of inputs stay where they are, in their dtype; results have arrays: of whole numbers for
 * integers and bool, of reals for the others, two for a complex one. */
typedef struct ref_store {
    int uses;
    ob_dtype dtype;
    const char *raw; /* an input's bytes; NULL = the arrays hold the elements */
    int64_t count;   /* elements */
    double *values;  /* NULL for whole numbers */
    double *bounds;  /* NULL = all are exact */
    int64_t *wholes; /* NULL for real ones */
    /* Of a result of which only some elements were computed: the row-major number of each. NULL = all. */
    int64_t *places;
    int64_t place_count;
    const char *why_unknown; /* nothing is known of the elements; NULL = they are */
    const char *own; /* right as they are here, but others may differ, for this reason; NULL = no */
    struct ref_judge *judge; /* right values are not one number each; NULL = they are */
    double
        shared; /* part of themselves that elements may all be off by at once: the bounds of what was broadcast */
} ref_store;

typedef struct ref_tensor {
    ob_dtype dtype;
    int ndim;
    int64_t sizes[OB_MAX_DIMS], strides[OB_MAX_DIMS], offset;
    ref_store *store; /* NULL: there is no such tensor (None) */
} ref_tensor;

/* The value of an edge or an argument: no tensor, one, or a list of them. */
typedef struct ref_value {
    ref_tensor *items;
    size_t count;
    bool is_list;
} ref_value;

/* Looks at what a backend gave for a result whose right values are not one number each. False: why says what is wrong. */
typedef bool (*ref_judge_fn)(const struct ref_judge *judge, const ref_tensor *got, ob_reason *why);
typedef struct ref_judge {
    int uses;
    ref_judge_fn fn;
    ref_tensor of;     /* what the numbers are places in; of random ones, what they are made from */
    ref_tensor values; /* of places: the values that must be there */
    int dim;           /* along which; -1 = all of it */
    int64_t group;     /* so many places of one slice follow each other; 0 = one */
    double numbers[4]; /* of a distribution */
    ref_tensor form;   /* the result that it is for, without its elements */
    void *data;        /* more that the function needs; malloc'ed */
} ref_judge;

ref_store *ref_store_empty(ob_dtype dtype); /* without elements; NULL = out of memory */
void ref_store_release(ref_store *store);   /* NULL is allowed */
/* The same elements, in arrays; NULL = out of memory. */
ref_store *ref_store_copy(const ref_store *from);
void ref_judge_release(ref_judge *judge); /* NULL is allowed */
void ref_tensor_release(ref_tensor *tensor);
void ref_value_release(ref_value *value);
ref_tensor ref_tensor_share(const ref_tensor *tensor);

static inline bool ref_is_whole(ob_dtype dtype)
{
    return dtype <= OB_DTYPE_I64;
}
static inline bool ref_is_complex(ob_dtype dtype)
{
    return dtype == OB_DTYPE_C64 || dtype == OB_DTYPE_C128;
}
static inline int64_t ref_numel(const ref_tensor *t)
{
    return ob_shape_count(t->sizes, t->ndim);
}
/* Half an epsilon: how far the nearest number of the dtype is from one between, in units of it. 0 for whole ones. */
double ref_unit(ob_dtype dtype);
/* The nearest number of the dtype, ties to even. */
double ref_round(ob_dtype dtype, double value);
double ref_largest(ob_dtype dtype); /* finite number */
double ref_least(ob_dtype dtype);   /* what may become zero */

/* At an offset in the store, in elements. */
ball ref_get(const ref_tensor *t, int64_t offset);
int64_t ref_get_whole(const ref_tensor *t, int64_t offset); /* of a whole tensor */
/* The imaginary part of a complex one. */
ball ref_get_imaginary(const ref_tensor *t, int64_t offset);
/* Where a row-major number is in the store. */
int64_t ref_offset(const ref_tensor *t, int64_t place);
static inline int64_t ref_offset_at(const ref_tensor *t, const int64_t *index)
{
    int64_t offset = t->offset;
    for (int d = 0; d < t->ndim; d++)
        offset += index[d] * t->strides[d];
    return offset;
}
/* Whether a whole number is in doubt. */
bool ref_is_doubtful(const ref_tensor *t, int64_t offset);

/* ---- walking ---- */

enum { REF_MOST_OPERANDS = 8 };

/* Several tensors, along the same dimensions in row-major order. */
typedef struct ref_walk {
    int ndim, operands;
    int64_t sizes[OB_MAX_DIMS];
    int64_t strides[REF_MOST_OPERANDS][OB_MAX_DIMS];
    int64_t index[OB_MAX_DIMS];
    int64_t offsets[REF_MOST_OPERANDS];
    int64_t start[REF_MOST_OPERANDS];
    int64_t place;
} ref_walk;

void ref_walk_start(ref_walk *w, const int64_t *sizes, int ndim);
/* Broadcast to the walk's dimensions. NULL: it stays at 0. */
void ref_walk_add(ref_walk *w, const ref_tensor *t);
/* With strides of the caller's, one per dimension. */
void ref_walk_add_strides(ref_walk *w, const int64_t *strides, int64_t offset);
void ref_walk_seek(ref_walk *w, int64_t place);

/* ---- one call ---- */

typedef struct ref_out {
    ref_tensor t;
    int64_t used;    /* of a sampled one: how many places there are */
    bool contiguous; /* row-major numbers are places in memory */
} ref_out;

typedef struct ref_call {
    ob_kit_call kit; /* host, op and args, whose tensors are metas */
    ref_value *args; /* the tensors among the arguments */
    ref_out *outs;   /* the results, one after the other; of lists each item */
    size_t out_count;
    int variant;
    const void *data;
    ball_rules rules;
    ob_dtype computed; /* what the call computes in, as constants see it */
    double steps;      /* what may be spent on one output of which not all elements are needed */
    double *cost;      /* what the call takes besides */
    bool may_sample;   /* no other call looks at the results */
    bool dry;          /* only the cost is wanted: ref_choose says it and gives OB_END */
    uint64_t seed;
} ref_call;

typedef ob_status (*ref_run)(ref_call *call, ob_err *err);

/* One operator. Overloads, calls in place and those of lists have the row of the plain one. */
typedef struct ref_row {
    const char *name; /* "aten::add" */
    ref_run run;
    int variant;
    const void *data;
    bool blind; /* it does not look at the elements of its arguments */
} ref_row;

ob_status ref_no_memory(const ref_call *call, ob_err *err);
ob_status ref_unsupported(const ref_call *call, const char *what, ob_err *err);
/* The tensor of an argument; NULL when it is None or absent. */
const ref_tensor *ref_arg(const ref_call *call, const char *name);
const ref_value *ref_arg_list(const ref_call *call, const char *name);
/* A number that is given as such, as kernels see it: rounded to the dtype that they compute in. */
ball ref_number(const ref_call *call, double value);
ball ref_arg_number(const ref_call *call, const char *name, double otherwise);

/* Which of `count` parts of an output (elements, rows) are computed, where each has so many elements of it and costs so many
 * steps of about a nanosecond. *chosen: malloc'ed and sorted, or NULL for all of them. Makes room in the output. */
ob_status ref_choose(ref_call *call, ref_out *out, int64_t count, int64_t elements, double cost,
                     int64_t **chosen, int64_t *chosen_count, ob_err *err);
/* The same for single elements, with the last of every dimension among them. */
ob_status ref_choose_elements(ref_call *call, ref_out *out, double cost, int64_t **chosen,
                              int64_t *chosen_count, ob_err *err);
/* All of an output's elements, or those that ref_choose left room for. */
ob_status ref_out_make(ref_call *call, ref_out *out, int64_t capacity, bool sampled, ob_err *err);
/* A result: rounded to the output's dtype, put at its row-major place. */
void ref_put(const ref_call *call, ref_out *out, int64_t place, ball x);
void ref_put_whole(ref_out *out, int64_t place, int64_t x, bool doubtful);
void ref_put_complex(const ref_call *call, ref_out *out, int64_t place, ball real, ball imaginary);
/* An element as it is. */
void ref_put_copy(const ref_call *call, ref_out *out, int64_t place, const ref_tensor *from,
                  int64_t offset);
/* Nothing is known of an output. why is static. */
void ref_out_unknown(ref_out *out, const char *why);
/* data of `size` bytes is copied. */
ob_status ref_out_judge(ref_call *call, ref_out *out, const ref_judge *judge, const void *data,
                        size_t size, ob_err *err);

/* ---- families ---- */

#define REF_FAMILY(family) extern const ref_row ref_rows_##family[];
#include "reference_families.def"
#undef REF_FAMILY

#endif
