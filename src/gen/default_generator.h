/* SPDX-License-Identifier: Apache-2.0
 *
 * PyTorch:DefaultDataGenerator.
 */
#ifndef OB_GEN_DEFAULT_GENERATOR_H
#define OB_GEN_DEFAULT_GENERATOR_H

#include "opbench/plugin.h"

extern const ob_generator_desc ob__default_generator;
/* Makes meta tensors in place of tensors, for whoever wants to know what a case costs before it is measured. Not in any list. */
extern const ob_generator_desc ob__default_describer;

#endif
