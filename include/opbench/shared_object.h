/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding and opening the libraries that backends run on, and those that only a few commands need.
 * To a user, a missing library, a broken one and a working one are three different things; the
 * dynamic linker's message alone does not tell them apart, and the linker crashes on a truncated
 * file.
 */
#ifndef OPBENCH_SHARED_OBJECT_H
#define OPBENCH_SHARED_OBJECT_H

#include "opbench/status.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the file: `name` itself if it has a slash, else in $LD_LIBRARY_PATH, the linker's cache and
 * the system's folders. False: it was not found. Does not open it. path may be NULL. */
bool ob_shared_object_find(const char *name, char *path, size_t size);

/* dlopen with all symbols bound and none exported to other objects; the floating-point environment
 * is preserved. The object stays open for the life of the process. OB_ERR_NOT_FOUND: there is no
 * such file. OB_ERR_UNSUPPORTED: it is broken or not for this machine, or a library that it needs
 * is missing. The message says which; the caller adds what to do. */
ob_status ob_shared_object_open(const char *name, void **handle, ob_err *err);

/* A library that few calls need, opened when it is first called for. Linked in, it and all that it
 * needs in turn would be loaded whenever the program or a worker starts. */
typedef struct ob_late_library {
    const char *name;             /* with the version of its ABI: "libarchive.so.13" */
    const char *purpose;          /* why to install it: "to read traces" */
    const char *const *functions; /* their names */
    size_t count;
    void *table;  /* a struct of `count` pointers to functions in the same order; filled once */
    bool is_open; /* false at first */
} ob_late_library;

/* May be called from any thread, any number of times. */
ob_status ob_late_library_open(ob_late_library *library, ob_err *err);

#ifdef __cplusplus
}
#endif
#endif
