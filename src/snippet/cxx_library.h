/* SPDX-License-Identifier: Apache-2.0
 *
 * A library of a backend that C++ is compiled against, as the backend's manifest describes it.
 */
#ifndef OB_SNIPPET_CXX_LIBRARY_H
#define OB_SNIPPET_CXX_LIBRARY_H

#include "base/arena.h"
#include "opbench/manifest.h"

#include <stdbool.h>

/* Texts live in the arena. */
typedef struct ob_cxx_library {
    const char *root;
    const char *include;  /* where its headers are */
    const char *lib;      /* where its libraries are */
    const char *object;   /* the one by which it is known, as a path without links */
    const char *version;  /* "2.6.0" */
    const char *standard; /* the C++ that its headers want: "-std=gnu++20" */
    bool old_abi;         /* built with the C++ ABI from before GCC 5 */
} ob_cxx_library;

/* What tells the loader where the libraries are. Not -Wl, which a comma in the path would divide. */
#define OB_RPATH_WORDS(folder) "-Xlinker", "-rpath", "-Xlinker", (folder)

/* wanted: its root, the root of a Python package that holds it, a Python whose package is meant (a path, or "python"), or
 * NULL = the system's. OB_ERR_UNSUPPORTED when it is not there, with what to do. */
ob_status ob__cxx_library_find(ob_arena *arena, const ob_manifest_library *row, const char *wanted,
                               ob_cxx_library *out, ob_err *err);
/* Whether compilers look there by themselves. */
bool ob__cxx_library_is_usual(const ob_cxx_library *library);
/* The compiler's words for its C++ and its headers, in order, ended by NULL; in the arena, NULL when memory is out. */
const char *const *ob__cxx_library_flags(ob_arena *arena, const ob_manifest_library *row,
                                         const ob_cxx_library *library);

/* The next word of *at, a list by blanks, as a text of its own; NULL at its end, and when memory is out (*at is not at its
 * end then). */
const char *ob__next_word(ob_arena *arena, const char **at);
size_t ob__count_words(const char *words);

#endif
