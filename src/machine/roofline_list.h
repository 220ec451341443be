/* SPDX-License-Identifier: Apache-2.0
 *
 * What a roofline is made of.
 */
#ifndef OB_MACHINE_ROOFLINE_LIST_H
#define OB_MACHINE_ROOFLINE_LIST_H

#include "opbench/roofline.h"

/* What a backend had loaded when its ceilings were measured. */
typedef struct ob_noted_library {
    char backend[32], name[128]; /* "OpenBLAS 0.3.21" */
    char *files;                 /* malloc'ed lines: path, tab, identity */
} ob_noted_library;

struct ob_roofline {
    ob_ceiling *items;
    size_t count, capacity;
    char noted[256];
    ob_noted_library *libraries;
    size_t library_count, library_capacity;
};

/* NULL: memory is out. */
ob_roofline *ob__roofline_create(void);
/* Whether the loops of this build measured it; files of older versions do not say which did. */
bool ob__roofline_is_of_this_build(const ob_roofline *roofline);

#endif
