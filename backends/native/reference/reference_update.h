/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes at places that data says: scatters, gradients of look-ups. Each is a list of updates, of which several may meet the
 * same element.
 */
#ifndef NATIVE_REFERENCE_UPDATE_H
#define NATIVE_REFERENCE_UPDATE_H

#include "reference_call.h"

typedef struct ref_update {
    int64_t place; /* row-major in the output; -1 = it goes nowhere */
    ball value;
    int64_t whole;
    /* The place is in doubt: it may be any of `reach` places from `first` on, `step` apart. 0 = it is not. */
    int64_t reach, first, step;
} ref_update;

typedef struct ref_updates ref_updates;
struct ref_updates {
    int64_t count;
    bool adds;              /* else the last one stays; which of several is the last, nobody says */
    const ref_tensor *self; /* what is there before; NULL = zeros */
    void (*at)(const ref_updates *u, int64_t number, ref_update *out);
    const ref_call *call;
    const void *data; /* the caller's */
};

ob_status ref_update_run(ref_call *call, const ref_updates *u, ob_err *err);

#endif
