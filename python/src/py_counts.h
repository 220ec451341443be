/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of instruction counts between Python and the library.
 */
#ifndef OPBENCH_PY_COUNTS_H
#define OPBENCH_PY_COUNTS_H

#include "py_core.h"

#include "opbench/count.h"

#include <string.h>

/* From a sequence of (count, function); the caller destroys it. */
ob_counts *ob__py_get_counts(PyObject *module, PyObject *rows, bool inclusive);
/* A tuple of (count, function); of NULL an empty one. */
PyObject *ob__py_make_rows(const ob_counts *counts);

#endif
