/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensor arguments: {"type": "tensor", "dtype": ..., "shape": ..., ...} to a tensor with data.
 */
#ifndef OB_GEN_TENSOR_ARG_H
#define OB_GEN_TENSOR_ARG_H

#include "gen/arg_error.h"
#include "opbench/rng.h"
#include "opbench/value.h"

/* In host memory. *out is NONE on failure. */
ob_status ob__make_tensor(const ob_json *arg, ob_rng *rng, ob_value *out, ob_arg_path *place);
/* The same without data, a meta tensor. OB_ERR_UNSUPPORTED: it is sparse. */
ob_status ob__describe_tensor(const ob_json *arg, ob_value *out, ob_arg_path *place);

#endif
