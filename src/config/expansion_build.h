/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the expansion's compiler share. expansion.c walks the arguments and makes axes; then
 * plan_copy.c resolves the copies it met and orders them; then plan_shape.c checks what the shapes can
 * become.
 */
#ifndef OB_CONFIG_EXPANSION_BUILD_H
#define OB_CONFIG_EXPANSION_BUILD_H

#include "config/expansion.h"

enum { OB_PLAN_MAX_AXES = 1024, OB_PLAN_MAX_COPIES = 4096 };

/* Where the indices of "__copy__" count: the innermost list first, then outwards. */
typedef struct ob_copy_scope {
    const ob_json *list;
    const ob_json *named; /* kwargs, for sources that are named */
    const struct ob_copy_scope *outer;
} ob_copy_scope;

/* An argument with a shape, and its "__copy__" if it has one. */
typedef struct ob_shaped_arg {
    ob_json *arg;
    const ob_arg_type *type;
    const ob_json *copy;
    const ob_copy_scope *scope;
    struct ob_shaped_arg *next;
} ob_shaped_arg;

typedef struct ob_expansion_build {
    ob_expansion *expansion;
    const ob_expansion_args *args;
    ob_shaped_arg *shaped, **shaped_end; /* in the order of the arguments */
} ob_expansion_build;

ob_status ob__expansion_resolve_copies(ob_expansion_build *build, ob_err *err);
ob_status ob__expansion_check_shapes(const ob_expansion_build *build, ob_err *err);

/* The axis that writes node, or NULL. */
const ob_axis *ob__expansion_axis_of(const ob_expansion *expansion, const ob_json *node);
/* The copy that writes element index of attr, or NULL. */
ob_copy *ob__expansion_copy_to(const ob_expansion *expansion, const ob_json *attr, uint32_t index);

ob_status ob__expansion_no_memory(ob_err *err);

#endif
