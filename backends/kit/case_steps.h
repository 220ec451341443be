/* SPDX-License-Identifier: Apache-2.0
 *
 * From places to tensors and calls.
 */
#ifndef OB_KIT_STEPS_H
#define OB_KIT_STEPS_H

#include "kit/tensor_memory.h"

/* Values of all edges and the calls of a pass, set up. */
ob_status ob_kit_steps_make(ob_prepared *prepared, ob_pass pass, const ob_kit_locations *places,
                            ob_err *err);
/* Scratch memory, outputs, gradients and copies of inputs that the forward changes. */
ob_status ob_kit_steps_finish(ob_prepared *prepared, const ob_prepare_args *args,
                              const ob_kit_locations *places, ob_err *err);

#endif
