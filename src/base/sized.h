/* SPDX-License-Identifier: Apache-2.0
 *
 * Structs that a caller made, perhaps with an older or a newer header: they begin with their size, a size_t, or lie in
 * an array whose element size is told. All functions of the public API take and fill such structs by these calls.
 */
#ifndef OB_BASE_SIZED_H
#define OB_BASE_SIZED_H

#include "opbench/status.h"

/* Copies the struct of a caller: what it does not have is zero. OB_ERR_INVALID: it is NULL, its size is not set or makes no
 * sense, or something is set in it that this library does not know and so cannot do. The copy has its own size. */
ob_status ob__take_sized(void *to, size_t size, const void *from, const char *name, ob_err *err);
/* The same where NULL stands for a struct of zeros. */
ob_status ob__take_optional(void *to, size_t size, const void *from, const char *name, ob_err *err);
/* The same for an element of `given` bytes of an array. */
ob_status ob__take_element(void *to, size_t size, const void *from, size_t given, const char *name,
                           ob_err *err);
/* Fills the struct of a caller, as much of it as there is; its size stays. */
ob_status ob__give_sized(void *to, const void *from, size_t size, const char *name, ob_err *err);
/* For a struct with others inside, which are where they are in one version only. */
ob_status ob__check_same_size(size_t given, size_t size, const char *name, ob_err *err);

#define OB__TAKE(type, to, from, err) ob__take_sized((to), sizeof(type), (from), #type, (err))
#define OB__TAKE_OPTIONAL(type, to, from, err)                                                     \
    ob__take_optional((to), sizeof(type), (from), #type, (err))
#define OB__GIVE(type, to, from, err) ob__give_sized((to), (from), sizeof(type), #type, (err))

#endif
