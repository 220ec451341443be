/* SPDX-License-Identifier: Apache-2.0
 *
 * Slices: all elements of a tensor that differ in some of its dimensions only, such as a row. What is reduced, normalised or
 * sorted is one.
 */
#ifndef NATIVE_REFERENCE_SLICE_H
#define NATIVE_REFERENCE_SLICE_H

#include "reference_call.h"

typedef struct ref_slices {
    int64_t count, length; /* slices, and elements in each */
    ref_walk kept, along;
    int operands;
    int64_t offsets[REF_MOST_OPERANDS - 1];
    int64_t place; /* row-major, in the whole tensor */
    const bool *reduced;
    int ndim;
} ref_slices;

/* Of the tensor, which is operand 0; reduced has a flag for each of its dimensions and stays the caller's. */
void ref_slices_start(ref_slices *s, const ref_tensor *t, const bool *reduced);
/* One of the same sizes, or of 1 where it is broadcast; it may lack dimensions at the front. NULL: stays at 0. */
void ref_slices_add(ref_slices *s, const ref_tensor *t);
/* Element k of a slice: fills offsets and place. */
void ref_slices_seek(ref_slices *s, int64_t slice, int64_t k);

/* A judge of places along dimension `dim` of `of` (-1: in all of it): the element there must be the wanted value. */
bool ref_judge_places(const ref_judge *judge, const ref_tensor *got, ob_reason *why);

#endif
