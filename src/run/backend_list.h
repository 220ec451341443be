/* SPDX-License-Identifier: Apache-2.0
 *
 * --backend a,b: the names, and each one's part of --backend-options.
 */
#ifndef OB_RUN_BACKEND_LIST_H
#define OB_RUN_BACKEND_LIST_H

#include "opbench/run.h"
#include "run/ring.h"

typedef struct ob_backend_list {
    size_t count;
    const char *names[OB_MOST_MEMBERS];
    const char *options[OB_MOST_MEMBERS]; /* NULL = defaults */
    char *text;                           /* what they point into */
} ob_backend_list;

/* With several names an option of a backend has its name in front: "null.forward_ns=700". OB_ERR_INVALID
 * for an empty name, one that is there twice, too many, or an option of none of them. */
ob_status ob__backend_list_make(const ob_run_options *options, ob_backend_list *out, ob_err *err);
void ob__backend_list_fini(ob_backend_list *list);

#endif
