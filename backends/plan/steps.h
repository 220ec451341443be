/* SPDX-License-Identifier: Apache-2.0
 *
 * From places to tensors and calls.
 */
#ifndef OB_PLAN_STEPS_H
#define OB_PLAN_STEPS_H

#include "plan/places.h"

/* Values of all edges and the calls of a pass, set up. */
ob_status plan_steps_make(ob_prepared *prepared, ob_pass pass, const plan_places *places,
                          ob_err *err);
/* Scratch memory, outputs, gradients and copies of inputs that the forward changes. */
ob_status plan_steps_finish(ob_prepared *prepared, const ob_prepare_args *args,
                            const plan_places *places, ob_err *err);

#endif
