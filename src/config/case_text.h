/* SPDX-License-Identifier: Apache-2.0
 *
 * A call in short notation, from the arguments as a config or a record has them.
 */
#ifndef OB_CONFIG_CASE_TEXT_H
#define OB_CONFIG_CASE_TEXT_H

#include "opbench/json.h"
#include "opbench/text.h"

/* Appends torch.add(f32[2,3], f32[2,3], alpha=2). A build that is no object is left out. False when memory
 * is out. */
bool ob__call_append(ob_text *text, const char *op_name, const ob_json *build,
                     const ob_json *input);

#endif
