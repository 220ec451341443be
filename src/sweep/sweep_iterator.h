/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of the core that makes a sweep a source of cases, registered as a plug-in is.
 */
#ifndef OB_SWEEP_SWEEP_ITERATOR_H
#define OB_SWEEP_SWEEP_ITERATOR_H

#include "opbench/plugin.h"

extern const char OB__SWEEP_ITERATOR[];  /* its name in a config */
extern const char OB__SWEEP_PRECISION[]; /* what stands for the element type in a template */
extern const ob_plugin ob__sweep_builtin;

#endif
