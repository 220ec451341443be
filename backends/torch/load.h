/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding and opening the shim.
 */
#ifndef OB_TORCH_LOAD_H
#define OB_TORCH_LOAD_H

#include "shim.h"

/* Whether the shim is there; opens nothing. */
ob_status torch_shim_probe(ob_reason *why_not);
/* Opens the shim and with it libtorch, whose thread pools are made for `threads`. */
ob_status torch_shim_load(const ob_host *host, int threads, const torch_shim **out, ob_err *err);

#endif
