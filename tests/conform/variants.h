/* SPDX-License-Identifier: Apache-2.0
 *
 * Variants of a golden's call, drawn by the fuzzer: other memory layouts, and for operators that work
 * element by element other sizes, broadcast, empty and of one element.
 */
#ifndef OB_TEST_CONFORM_VARIANTS_H
#define OB_TEST_CONFORM_VARIANTS_H

#include "conform.h"

typedef enum variant_kind {
    VARIANT_PLAIN,   /* the call as it is, in memory of its own */
    VARIANT_STRIDED, /* the same elements in another layout */
    VARIANT_SIZED,   /* other sizes, broadcast; elements repeat the golden's */
} variant_kind;

/* Whether every result element follows from one element of each argument. */
bool variant_is_elementwise(const golden *g, const ob_op *op);
/* A copy of the golden with arguments of its own; equal numbers give equal copies. wanted is not copied. */
ob_status variant_make(const golden *g, variant_kind kind, uint64_t number, golden *out,
                       ob_err *err);
/* The same with other elements, of the same range. */
ob_status variant_change(const golden *g, variant_kind kind, uint64_t number, golden *out,
                         ob_err *err);
/* Not with golden_fini: names and document stay the first one's. */
void variant_fini(golden *g);
/* "[3, 5]:f32/[1, 3], 2": sizes, dtype and strides of the arguments. */
void variant_print(const golden *g, char *out, size_t size);

#endif
