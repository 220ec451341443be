/* SPDX-License-Identifier: Apache-2.0
 *
 * The labels that a worker puts around its timed intervals, read back.
 */
#ifndef OB_CLI_NSYS_LABEL_H
#define OB_CLI_NSYS_LABEL_H

#include <stdbool.h>
#include <stddef.h>

/* Parts of "[param|OPERATOR|CONFIG|BUILD|INPUT|TAG|PASS]"; they point into the label. */
typedef struct ob_nsys_label {
    const char *op_name, *id; /* id is "CONFIG|BUILD|INPUT" */
    size_t op_length, id_length;
} ob_nsys_label;

/* False: another range, such as one around a phase. */
bool ob__nsys_label_read(const char *text, ob_nsys_label *out);

#endif
