/* SPDX-License-Identifier: Apache-2.0
 *
 * The operators that a backend brings beyond the core's rows (libtorch: thousands), as a table of
 * their own. Of such an operator only the schema is known: arguments are bound by it, outputs, cost and
 * derivative are the backend's affair.
 */
#ifndef OB_RUN_BACKEND_OPS_H
#define OB_RUN_BACKEND_OPS_H

#include "opbench/plugin.h"

typedef struct ob_backend_ops ob_backend_ops;

/* Makes *ops if it is NULL (thousands of schemas: some ten milliseconds, so only when a case needs it)
 * and gives its table, which lives as long. The backend must have `schemas`. */
ob_status ob__backend_ops_table(ob_backend_ops **ops, const ob_backend_desc *desc,
                                ob_backend *backend, const ob_op_table **table, ob_err *err);
void ob__backend_ops_destroy(ob_backend_ops *ops); /* NULL is allowed */

#endif
