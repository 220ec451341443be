/* SPDX-License-Identifier: Apache-2.0
 *
 * The data generators of the core, in the form of a plug-in that is linked in.
 */
#ifndef OB_GEN_GEN_H
#define OB_GEN_GEN_H

#include "opbench/plugin.h"

extern const ob_plugin ob__gen_builtin;

#endif
