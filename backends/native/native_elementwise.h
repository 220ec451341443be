/* SPDX-License-Identifier: Apache-2.0
 *
 * Elementwise calls: one inner loop over broadcast operands, with type promotion.
 */
#ifndef OB_NATIVE_ELEMENTWISE_H
#define OB_NATIVE_ELEMENTWISE_H

#include "iterate.h"

/* One elementwise computation, resolved; pointers are those of the prepared case. */
typedef struct native_elementwise {
    native_iter iter; /* operand 0 is the result */
    native_loop_fn loop;
    native_class cls;
    int inputs; /* without the mask */
    bool has_mask;
    bool is_test; /* the result is a byte */
    double real[4];
    int64_t integer[4];
    double number_real[3]; /* operands that are plain numbers */
    int64_t number_integer[3];
    const char *name; /* for messages */
} native_elementwise;

/* Fills *work, which must not move afterwards. */
ob_status native_elementwise_init(const native_env *env, const ob_kit_elementwise_args *args,
                                  native_elementwise *work, ob_err *err);
ob_status native_elementwise_run(const native_env *env, const native_elementwise *work,
                                 ob_err *err);
#endif
