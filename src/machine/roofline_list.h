/* SPDX-License-Identifier: Apache-2.0
 *
 * What a roofline is made of.
 */
#ifndef OB_MACHINE_ROOFLINE_LIST_H
#define OB_MACHINE_ROOFLINE_LIST_H

#include "opbench/roofline.h"

struct ob_roofline {
    ob_ceiling *items;
    size_t count, capacity;
    char noted[256];
};

/* NULL: memory is out. */
ob_roofline *ob__roofline_create(void);

#endif
