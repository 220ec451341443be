/* SPDX-License-Identifier: Apache-2.0
 *
 * Which measured samples of a pass the kernel disturbed.
 */
#ifndef OB_RUN_DISTURBED_SAMPLES_H
#define OB_RUN_DISTURBED_SAMPLES_H

#include "measure/disturbance.h"
#include "run/executor.h"

/* What was seen during the last of the measured samples. False: out of memory. */
bool ob__disturbed_note(ob_pass_samples *samples, ob_disturbed seen);
/* Whether that one was switched off the CPU. */
bool ob__disturbed_last(const ob_pass_samples *samples);
/* Adds to `disturbed` the samples with more page faults than the usual one: those that all have are the operator's own.
 * False: out of memory. */
bool ob__disturbed_settle(ob_pass_samples *samples);

#endif
