/* SPDX-License-Identifier: Apache-2.0
 *
 * What git says of the folder that a job is started in.
 */
#ifndef OB_JOB_WORK_TREE_H
#define OB_JOB_WORK_TREE_H

#include <stdint.h>

typedef struct ob_work_tree {
    char commit[72];  /* hexadecimal; "" = there is no work tree, or no commit yet */
    char branch[256]; /* "" = none */
    int8_t dirty;     /* 1: files that git knows are different from the commit; -1: not known */
} ob_work_tree;

/* Of `folder` or the nearest one above it. OPBENCH_GIT=off: nothing is looked for. Nothing that the tree holds is obeyed:
 * neither its hooks nor its settings, which can name programs. */
void ob__work_tree_find(const char *folder, ob_work_tree *out);

#endif
