/* SPDX-License-Identifier: Apache-2.0
 *
 * What views need of a result and a record does not say outright: shapes and dtypes, and the times of statements.
 */
#ifndef OB_REPORT_CASE_SHAPES_H
#define OB_REPORT_CASE_SHAPES_H

#include "opbench/record.h"

/* "64x2048 2048x2048", "scalar" for a tensor without dimensions: the tensors of the input in their order. Appends nothing
 * where there are none. False when memory is out. */
bool ob__append_shapes(ob_text *out, const ob_record_result *result);
/* "float float", as the config calls them. */
bool ob__append_dtypes(ob_text *out, const ob_record_result *result);

/* Statements and snippets have blocks of iterations alone: times per iteration made of them stand in *out as those of the forward
 * pass. Others are copied as they are. *owned is to be freed behind *out. False when memory is out. */
bool ob__result_with_times(const ob_record_result *result, ob_record_result *out, double **owned);

#endif
