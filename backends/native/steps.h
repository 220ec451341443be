/* SPDX-License-Identifier: Apache-2.0
 *
 * From places to tensors and calls.
 */
#ifndef OB_NATIVE_STEPS_H
#define OB_NATIVE_STEPS_H

#include "places.h"

/* Values of all edges and the calls of a pass, set up. */
ob_status native_steps_make(ob_prepared *prepared, ob_pass pass, const native_places *places,
                            ob_err *err);
/* Scratch memory, outputs, gradients and copies of inputs that the forward changes. */
ob_status native_steps_finish(ob_prepared *prepared, const ob_prepare_args *args,
                              const native_places *places, ob_err *err);

#endif
