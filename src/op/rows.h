/* SPDX-License-Identifier: Apache-2.0
 *
 * The core's operator rows. Each group is a const table in rows_<group>.c, ended by a row whose
 * schema is NULL; row_groups.def lists the groups, and that list is the only place to touch when a
 * group is added. The order of groups, and of rows in a group, is the order in which overloads are
 * tried.
 */
#ifndef OB_OP_ROWS_H
#define OB_OP_ROWS_H

#include "opbench/op.h"

#define OB_ROW_GROUP(group) extern const ob_op_row ob__rows_##group[];
#include "op/row_groups.def"
#undef OB_ROW_GROUP

#endif
