/* SPDX-License-Identifier: Apache-2.0
 *
 * --backend a,b: the names, each one's part of --backend-options, and which backends they are.
 */
#ifndef OB_RUN_BACKEND_LIST_H
#define OB_RUN_BACKEND_LIST_H

#include "opbench/run.h"
#include "run/ring.h"

enum { OB_MOST_BACKEND_NAMES = 8 }; /* as many as fit side by side */

typedef struct ob_backend_list {
    size_t count;
    const char *names[OB_MOST_BACKEND_NAMES];
    const char *options[OB_MOST_BACKEND_NAMES]; /* NULL = defaults */
    char *text;                                 /* what they point into */
} ob_backend_list;

/* With several names an option of a backend has its name in front: "null.forward_ns=700". OB_ERR_INVALID
 * for an empty name, one that is there twice, too many, or an option of none of them. */
ob_status ob__backend_list_make(const ob_run_options *options, ob_backend_list *out, ob_err *err);
void ob__backend_list_fini(ob_backend_list *list);
/* How much of an option stands before its own name: "null.", or "python." and "python:jax." of the variant "python:jax";
 * 0 = it has the name of another backend there, or none. */
size_t ob__backend_option_prefix(const char *option, const char *name);
/* Up to the comma that ends the first option; "\\," belongs to its value. */
size_t ob__backend_option_length(const char *options);
/* Whether no backend stands before the option's own name. */
bool ob__backend_option_is_bare(const char *option);
/* Writes those options that are the backend's, without its name in front, and bare ones if it takes them. `to` has room for
 * `all`; returns the end of what was written. */
char *ob__backend_own_options(const char *all, const char *name, bool takes_bare, char *to);

/* OB_ERR_NOT_FOUND, or OB_ERR_UNSUPPORTED with the reason. */
ob_status ob__find_backend(const ob_context *context, const char *name, const ob_backend_desc **out,
                           ob_err *err);

#endif
