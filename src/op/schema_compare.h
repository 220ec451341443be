/* SPDX-License-Identifier: Apache-2.0
 *
 * A schema that somebody wrote down, beside the one that is registered: releases of PyTorch change them.
 */
#ifndef OB_OP_SCHEMA_COMPARE_H
#define OB_OP_SCHEMA_COMPARE_H

#include "opbench/schema.h"

/* Whether a call by `given` could mean something else by `own`; `text` says what differs then. No difference are
 * SymInt for int, an optional type for the same one that is not, names of results, notes on aliases, defaults, and
 * arguments with a default that only one of them has. */
bool ob__schema_differs(const ob_schema *given, const ob_schema *own, char *text, size_t size);

#endif
