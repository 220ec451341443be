/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the plan's compiler share. plan.c walks the arguments and makes axes; then
 * plan_copy.c resolves the copies it met and orders them; then plan_shape.c checks what the shapes can
 * become.
 */
#ifndef OB_CONFIG_PLAN_BUILD_H
#define OB_CONFIG_PLAN_BUILD_H

#include "config/plan.h"

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

typedef struct ob_plan_build {
    ob_plan *plan;
    const ob_plan_args *args;
    ob_shaped_arg *shaped, **shaped_end; /* in the order of the arguments */
} ob_plan_build;

ob_status ob__plan_resolve_copies(ob_plan_build *build, ob_err *err);
ob_status ob__plan_check_shapes(const ob_plan_build *build, ob_err *err);

/* The axis that writes node, or NULL. */
const ob_axis *ob__plan_axis_of(const ob_plan *plan, const ob_json *node);
/* The copy that writes element index of attr, or NULL. */
ob_copy *ob__plan_copy_to(const ob_plan *plan, const ob_json *attr, uint32_t index);

ob_status ob__plan_no_memory(ob_err *err);

#endif
