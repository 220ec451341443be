/* SPDX-License-Identifier: Apache-2.0
 *
 * The libtorch that C++ is compiled against.
 */
#ifndef OB_SNIPPET_LIBTORCH_H
#define OB_SNIPPET_LIBTORCH_H

#include "base/arena.h"
#include "opbench/status.h"

#include <stdbool.h>

/* Texts live in the arena. */
typedef struct ob_libtorch {
    const char *root;
    const char *include;  /* where ATen/ATen.h is; NULL = where every compiler looks */
    const char *api;      /* where torch/torch.h is */
    const char *lib;      /* where its libraries are */
    const char *cpu;      /* libtorch_cpu.so, as a path without links */
    const char *version;  /* "2.6.0" */
    const char *standard; /* the C++ that its headers want: "-std=gnu++20" */
    bool old_abi;         /* built with the C++ ABI from before GCC 5 */
} ob_libtorch;

/* What tells the loader where the libraries are. Not -Wl, which a comma in the path would divide. */
#define OB_RPATH_WORDS(folder) "-Xlinker", "-rpath", "-Xlinker", (folder)

/* wanted: the root of a libtorch or of a torch package, a Python whose package is meant (a path, or "python"), or
 * NULL = the system's. OB_ERR_UNSUPPORTED when it is not there, with what to do. */
ob_status ob__libtorch_find(ob_arena *arena, const char *wanted, ob_libtorch *out, ob_err *err);

#endif
