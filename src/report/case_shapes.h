/* SPDX-License-Identifier: Apache-2.0
 *
 * Shapes and dtypes of a case's tensors, in columns of their own.
 */
#ifndef OB_REPORT_CASE_SHAPES_H
#define OB_REPORT_CASE_SHAPES_H

#include "opbench/record.h"

/* "64x2048 2048x2048", "scalar" for a tensor without dimensions: the tensors of the input in their order. Appends nothing
 * where there are none. False when memory is out. */
bool ob__append_shapes(ob_text *out, const ob_record_result *result);
/* "float float", as the config calls them. */
bool ob__append_dtypes(ob_text *out, const ob_record_result *result);

#endif
