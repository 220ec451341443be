/* SPDX-License-Identifier: Apache-2.0
 *
 * Backends whose workers run inside another program, such as the user's interpreter.
 */
#ifndef OB_RUN_HOSTED_H
#define OB_RUN_HOSTED_H

#include "opbench/context.h"

/* What a backend's manifest says of its host; NULL = opbench itself. */
const ob_manifest_host *ob__backend_host(const ob_context *context, const char *backend);

#endif
