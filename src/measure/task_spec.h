/* SPDX-License-Identifier: Apache-2.0
 *
 * An order of tasks, for grouping equal ones, and their copies.
 */
#ifndef OB_MEASURE_TASK_SPEC_H
#define OB_MEASURE_TASK_SPEC_H

#include "base/arena.h"
#include "opbench/measure.h"

/* 0: equal in the sense of ob_task_spec_equal. */
int ob__task_spec_compare(const ob_task_spec *a, const ob_task_spec *b);
/* False when memory is out. */
bool ob__task_spec_copy(ob_arena *arena, const ob_task_spec *from, ob_task_spec *to);

#endif
