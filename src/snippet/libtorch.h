/* SPDX-License-Identifier: Apache-2.0
 *
 * The libtorch that C++ is compiled against.
 */
#ifndef OB_SNIPPET_LIBTORCH_H
#define OB_SNIPPET_LIBTORCH_H

#include "base/arena.h"
#include "opbench/status.h"

typedef struct ob_libtorch {
    const char *include;  /* where ATen/ATen.h is */
    const char *api;      /* where torch/torch.h is */
    const char *standard; /* the C++ that its headers want: "-std=gnu++20" */
} ob_libtorch;

/* OB_ERR_UNSUPPORTED when it is not there, with what to install. Texts live in the arena. */
ob_status ob__libtorch_find(ob_arena *arena, ob_libtorch *out, ob_err *err);

#endif
