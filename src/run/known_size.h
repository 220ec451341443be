/* SPDX-License-Identifier: Apache-2.0
 *
 * How much memory a case says it needs, before anything is made for it.
 */
#ifndef OB_RUN_KNOWN_SIZE_H
#define OB_RUN_KNOWN_SIZE_H

#include "opbench/json.h"

/* Bytes of all tensors that an entry of a config describes, however deep in lists and tuples;
 * UINT64_MAX when the sum is beyond counting. What is no proper tensor counts as nothing: its
 * generator will say what is wrong. NULL is allowed. */
uint64_t ob__known_bytes(const ob_json *entry);

#endif
