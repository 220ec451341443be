/* SPDX-License-Identifier: Apache-2.0
 *
 * Elementwise operators for all backends: elementwise.def says which loop each is and what its operands
 * are, loops.def what a loop computes, as an expression of C.
 */
#ifndef OB_PLAN_ELEMENTWISE_H
#define OB_PLAN_ELEMENTWISE_H

#include "plan/call.h"

typedef enum plan_loop_kind {
    PLAN_KIND_LOOP1,
    PLAN_KIND_LOOP2,
    PLAN_KIND_LOOP3,
    PLAN_KIND_TEST1,
    PLAN_KIND_TEST2,
    PLAN_KIND_MASK1,
    PLAN_KIND_MASK2,
} plan_loop_kind;

typedef enum plan_loop_id {
#define PLAN_LOOP(name, kind, types, real, integer) PLAN_LOOP_##name,
#include "plan/loops.def"
#undef PLAN_LOOP
    PLAN_LOOP_COUNT
} plan_loop_id;

/* One row of elementwise.def, as the `data` of a kernel. */
typedef struct plan_elementwise_row {
    plan_loop_id loop;
    const char *operands;
    const char *scalars;
} plan_elementwise_row;

/* What goes in; values are tensors or numbers. */
typedef struct plan_elementwise_args {
    plan_loop_id loop;
    const ob_tensor *out;
    const ob_value *inputs[3];
    const ob_tensor *mask; /* NULL unless the loop has one */
    const ob_value *scalars[4];
    bool in_place; /* computes in the operands' common type instead of the result's */
    const char *name;
} plan_elementwise_args;

/* A call's; kernel->data is its row. defaults gives room for four numbers that the call leaves out. */
ob_status plan_elementwise_read(const plan_call *call, plan_elementwise_args *args,
                                ob_value *defaults, ob_err *err);

plan_loop_kind plan_loop_kind_of(plan_loop_id id);
/* How many operands without the mask. */
int plan_loop_operands(plan_loop_id id);
/* The expression, for a device's compiler; NULL when the loop is not for such numbers. */
const char *plan_loop_text(plan_loop_id id, bool integer);

/* The type that PyTorch would compute in. NULL values are left out. */
ob_dtype plan_promote(const ob_host *host, const ob_value *const *values, int count);
/* number of any kind */
double plan_value_real(const ob_value *value);
int64_t plan_value_integer(const ob_value *value);

#endif
