/* SPDX-License-Identifier: Apache-2.0
 *
 * Errors in an entry: with the node's line and column and the way to it from the entry.
 */
#ifndef OB_GEN_ARG_ERROR_H
#define OB_GEN_ARG_ERROR_H

#include "opbench/json.h"
#include "opbench/text.h"

/* Where the generator is, in jq's notation (".args[0].value[2]"). Materialised entries share no
 * positions with the file, so the way is kept, not searched for. */
typedef struct ob_arg_path {
    ob_err *err;
    ob_text path;
} ob_arg_path;

/* Goes down; returns what ob__arg_path_leave wants to come back. */
size_t ob__arg_path_enter_key(ob_arg_path *place, const char *key);
size_t ob__arg_path_enter_index(ob_arg_path *place, size_t index);
void ob__arg_path_leave(ob_arg_path *place, size_t mark);

/* Fills the error; returns code. node (may be NULL) gives line and column. */
ob_status ob__arg_path_error(const ob_arg_path *place, const ob_json *node, ob_status code,
                             const char *format, ...) OB_PRINTF(4, 5);
/* Of an attribute: its name is added to the path. Missing attributes are placed at arg itself. */
ob_status ob__attr_error(ob_arg_path *place, const ob_json *arg, const char *attr, ob_status code,
                         const char *format, ...) OB_PRINTF(5, 6);

#endif
