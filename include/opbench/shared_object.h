/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding and opening the libraries that backends run on, and those that few commands need. A library that is missing, one that is there and broken, and one
 * that is whole are three different things to a user; the dynamic linker's message alone does not tell them
 * apart, and it crashes on a file that is cut off.
 */
#ifndef OPBENCH_SHARED_OBJECT_H
#define OPBENCH_SHARED_OBJECT_H

#include "opbench/status.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the file is: `name` itself when it has a slash, else in $LD_LIBRARY_PATH, the linker's cache and the
 * system's folders. False: it is not there. Opens nothing of it. path may be NULL. */
bool ob_shared_object_find(const char *name, char *path, size_t size);

/* dlopen, with all symbols bound and none given to others; the floating-point environment stays as it was. The
 * object is for the life of the process.
 * OB_ERR_NOT_FOUND: it is not there. OB_ERR_UNSUPPORTED: it is there, and broken or not for this machine, or a
 * library that it needs is missing. The message says which, without a cure: that is the caller's to add. */
ob_status ob_shared_object_open(const char *name, void **handle, ob_err *err);

/* A library that few calls need, opened when it is first called for. Linked in, it and all that it needs in turn would be
 * loaded whenever the program or a worker starts. */
typedef struct ob_late_library {
    const char *name;             /* with the version of its ABI: "libarchive.so.13" */
    const char *purpose;          /* of its being installed: "to read traces" */
    const char *const *functions; /* their names */
    size_t count;
    void *table;  /* a struct of `count` pointers to functions in the same order; filled once */
    bool is_open; /* false at first */
} ob_late_library;

/* Any thread may ask, as often as it likes. */
ob_status ob_late_library_open(ob_late_library *library, ob_err *err);

#ifdef __cplusplus
}
#endif
#endif
