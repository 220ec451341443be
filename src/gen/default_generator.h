/* SPDX-License-Identifier: Apache-2.0
 *
 * PyTorch:DefaultDataGenerator.
 */
#ifndef OB_GEN_DEFAULT_GENERATOR_H
#define OB_GEN_DEFAULT_GENERATOR_H

#include "opbench/plugin.h"

extern const ob_generator_desc ob__default_generator;

#endif
