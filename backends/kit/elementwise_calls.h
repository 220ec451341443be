/* SPDX-License-Identifier: Apache-2.0
 *
 * Elementwise operators for all backends: elementwise.def says which loop each is and what its operands
 * are, loops.def what a loop computes, as an expression of C.
 */
#ifndef OB_KIT_ELEMENTWISE_H
#define OB_KIT_ELEMENTWISE_H

#include "opbench/kit.h"

typedef enum ob_kit_loop_kind {
    OB_KIT_KIND_LOOP1,
    OB_KIT_KIND_LOOP2,
    OB_KIT_KIND_LOOP3,
    OB_KIT_KIND_TEST1,
    OB_KIT_KIND_TEST2,
    OB_KIT_KIND_MASK1,
    OB_KIT_KIND_MASK2,
} ob_kit_loop_kind;

typedef enum ob_kit_loop_id {
#define OB_KIT_LOOP(name, kind, types, real, integer) OB_KIT_LOOP_##name,
#include "kit/loops.def"
#undef OB_KIT_LOOP
    OB_KIT_LOOP_COUNT
} ob_kit_loop_id;

/* One row of elementwise.def, as the `data` of a kernel. */
typedef struct ob_kit_elementwise_row {
    ob_kit_loop_id loop;
    const char *operands;
    const char *scalars;
} ob_kit_elementwise_row;

/* What goes in; values are tensors or numbers. */
typedef struct ob_kit_elementwise_args {
    ob_kit_loop_id loop;
    const ob_tensor *out;
    const ob_value *inputs[3];
    const ob_tensor *mask; /* NULL unless the loop has one */
    const ob_value *scalars[4];
    bool in_place; /* computes in the operands' common type instead of the result's */
    const char *name;
} ob_kit_elementwise_args;

/* A call's; kernel->data is its row. defaults gives room for four numbers that the call leaves out. */
ob_status ob_kit_elementwise_read(const ob_kit_call *call, ob_kit_elementwise_args *args,
                                  ob_value *defaults, ob_err *err);

ob_kit_loop_kind ob_kit_loop_kind_of(ob_kit_loop_id id);
/* How many operands without the mask. */
int ob_kit_loop_operands(ob_kit_loop_id id);
/* The expression, for a device's compiler; NULL when the loop is not for such numbers. */
const char *ob_kit_loop_text(ob_kit_loop_id id, bool integer);

/* The type that PyTorch would compute in. NULL values are left out. */
ob_dtype ob_kit_promote(const ob_host *host, const ob_value *const *values, int count);
/* number of any kind */
double ob_kit_value_real(const ob_value *value);
int64_t ob_kit_value_integer(const ob_value *value);

#endif
