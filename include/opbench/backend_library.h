/* SPDX-License-Identifier: Apache-2.0
 *
 * Choosing the library that a backend runs on, for backends whose manifest allows it (--torch). The
 * part of the backend that was compiled for one release and C++ ABI of the library is compiled once
 * more for the chosen one, and kept with the compiled snippets.
 */
#ifndef OPBENCH_BACKEND_LIBRARY_H
#define OPBENCH_BACKEND_LIBRARY_H

#include "opbench/manifest.h"
#include "opbench/snippet_run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ob_library_chosen {
    char *root; /* malloc'ed: the library's folder, the value for the manifest's variable */
    char *part; /* malloc'ed: the value for the library's part_variable; NULL = none needed */
} ob_library_chosen;

/* backend is a manifest that has a library. wanted is the root of a library or of a Python package
 * that contains one, the path of a Python interpreter, or "python". plugin_dir is the folder of the
 * plug-in; NULL = only the root is needed, not the backend. Of the options, only cache_dir, stop
 * and notice are used; the compiler is $CXX, or c++. OB_ERR_UNSUPPORTED: there is no such library,
 * no compiler, or the part does not compile. */
ob_status ob_library_choose(const ob_manifest *backend, const char *wanted, const char *plugin_dir,
                            const ob_snippet_options *options, ob_library_chosen *out, ob_err *err);
void ob_library_chosen_fini(ob_library_chosen *chosen); /* leaves zeros */

#ifdef __cplusplus
}
#endif
#endif
