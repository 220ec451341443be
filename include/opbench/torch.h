/* SPDX-License-Identifier: Apache-2.0
 *
 * Which libtorch the torch backend runs on. Its shim is compiled for one release and one C++ ABI; for another
 * libtorch it is compiled again, once, and kept with the compiled snippets.
 */
#ifndef OPBENCH_TORCH_H
#define OPBENCH_TORCH_H

#include "opbench/snippet_run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The torch plug-in opens the shim of this name in place of its own; "!" and a text: it refuses to work, for this
 * reason. */
#define OB_TORCH_SHIM_VARIABLE "OPBENCH_TORCH_SHIM"
/* What --torch says, for what is compiled against libtorch. */
#define OB_TORCH_VARIABLE "OPBENCH_TORCH"

typedef struct ob_torch_chosen {
    char *root; /* malloc'ed: the folder of the libtorch */
    char *shim; /* malloc'ed: what to set the variable to; NULL = the plug-in's own fits */
} ob_torch_chosen;

/* wanted: the root of a libtorch or of a torch package, the path of a python, or "python". plugin_dir: where
 * torch.so is; NULL = the backend is not wanted, only the root. Of the options cache_dir, stop and notice count; the compiler is CXX of the environment, or c++.
 * OB_ERR_UNSUPPORTED: there is no such libtorch, or no compiler for it, or it does not compile. */
ob_status ob_torch_choose(const char *wanted, const char *plugin_dir,
                          const ob_snippet_options *options, ob_torch_chosen *out, ob_err *err);
void ob_torch_chosen_fini(ob_torch_chosen *chosen);

#ifdef __cplusplus
}
#endif
#endif
