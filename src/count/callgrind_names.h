/* SPDX-License-Identifier: Apache-2.0
 *
 * Names in callgrind's files are written once, as "(12) name", and later as "(12)". Objects, files
 * and functions are numbered apart.
 */
#ifndef OB_COUNT_CALLGRIND_NAMES_H
#define OB_COUNT_CALLGRIND_NAMES_H

#include "base/arena.h"
#include "count/counts_file.h"
#include "op/name_index.h"

typedef struct ob_callgrind_names {
    ob_arena arena;
    ob__name_index index; /* kind and number -> place in texts */
    const char **texts;
    size_t size, capacity;
} ob_callgrind_names;

typedef enum ob_callgrind_kind {
    OB_CALLGRIND_OBJECT = 'o',
    OB_CALLGRIND_FILE = 'f',
    OB_CALLGRIND_FUNCTION = 'n',
} ob_callgrind_kind;

void ob__callgrind_names_init(ob_callgrind_names *names);
void ob__callgrind_names_fini(ob_callgrind_names *names);
/* What stands behind "fn=" and its like as a name; it lives as long as names. */
ob_status ob__callgrind_name(ob_callgrind_names *names, ob_callgrind_kind kind,
                             const ob_count_line *value, const char **out, ob_err *err);

#endif
