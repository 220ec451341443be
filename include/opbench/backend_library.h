/* SPDX-License-Identifier: Apache-2.0
 *
 * Which library a backend runs on, where its manifest says that another one can be chosen (--torch). What the backend has
 * compiled for one release and one C++ ABI of it is compiled again for another, once, and kept with the compiled snippets.
 */
#ifndef OPBENCH_BACKEND_LIBRARY_H
#define OPBENCH_BACKEND_LIBRARY_H

#include "opbench/manifest.h"
#include "opbench/snippet_run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ob_library_chosen {
    char *root; /* malloc'ed: the folder of the library; what to set the manifest's variable to */
    char *
        part; /* malloc'ed: what to set the library's part_variable to; NULL = the plug-in's own fits */
} ob_library_chosen;

/* backend: a manifest that has a library. wanted: the root of one or of a Python package that holds one, the path of a
 * python, or "python". plugin_dir: where the plug-in is; NULL = the backend is not wanted, only the root. Of the options
 * cache_dir, stop and notice count; the compiler is CXX of the environment, or c++.
 * OB_ERR_UNSUPPORTED: there is no such library, or no compiler for it, or it does not compile. */
ob_status ob_library_choose(const ob_manifest *backend, const char *wanted, const char *plugin_dir,
                            const ob_snippet_options *options, ob_library_chosen *out, ob_err *err);
void ob_library_chosen_fini(ob_library_chosen *chosen); /* leaves zeros */

#ifdef __cplusplus
}
#endif
#endif
