/* SPDX-License-Identifier: Apache-2.0
 *
 * The argument types of a config, as rows (opbench/arg.h). Attributes that are not named here are kept
 * in the case and ignored.
 */
#include "config/check_value.h"
#include "opbench/arg.h"

#define ATTRS(...)                                                                                 \
    (const ob_arg_attr[])                                                                          \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            .name = NULL                                                                           \
        }                                                                                          \
    }
#define CHOICE(attr, texts)                                                                        \
    {                                                                                              \
        .name = (attr), .kind = OB_ATTR_STRING, .required = true, .choices = (texts)               \
    }
#define OPTIONAL_CHOICE(attr, texts)                                                               \
    {                                                                                              \
        .name = (attr), .kind = OB_ATTR_STRING, .choices = (texts)                                 \
    }
#define ATTR(attr, attr_kind, is_required)                                                         \
    {                                                                                              \
        .name = (attr), .kind = OB_ATTR_##attr_kind, .required = (is_required)                     \
    }

static const ob_arg_type TYPES[] = {
    {.name = "tensor",
     .attrs = ATTRS(
         ATTR("dtype", DTYPE, true), ATTR("shape", SHAPE, true), ATTR("requires_grad", FLAG, false),
         ATTR("device", DEVICE, false), ATTR("strides", STRIDES, false), ATTR("value", ANY, false),
         ATTR("value_range", REAL_PAIR, false),
         OPTIONAL_CHOICE("memory_format", "contiguous_format|channels_last|channels_last_3d"),
         OPTIONAL_CHOICE("layout", "strided|sparse_coo|sparse_csr|sparse_csc|mkldnn"),
         ATTR("sparse_dim", INT, false), ATTR("nnz", INT, false), ATTR("density", REAL, false),
         ATTR("coalesced", BOOL, false)),
     .check = ob__check_tensor,
     .help = "tensor of dtype and shape, filled by the generator"},
    {.name = "int",
     .attrs = ATTRS(ATTR("value", INT, false), ATTR("value_range", INT_PAIR, false)),
     .one_of = "value|value_range",
     .help = "whole number, given or drawn from value_range (inclusive)"},
    {.name = "long",
     .attrs = ATTRS(ATTR("value", INT, false), ATTR("value_range", INT_PAIR, false)),
     .one_of = "value|value_range",
     .help = "the same as int"},
    {.name = "float",
     .attrs = ATTRS(ATTR("value", REAL, false), ATTR("value_range", REAL_PAIR, false)),
     .one_of = "value|value_range",
     .help = "number, given or drawn from value_range"},
    {.name = "double",
     .attrs = ATTRS(ATTR("value", REAL, false), ATTR("value_range", REAL_PAIR, false)),
     .one_of = "value|value_range",
     .help = "the same as float"},
    {.name = "bool", .attrs = ATTRS(ATTR("value", BOOL, true)), .help = "true or false"},
    {.name = "str",
     .attrs = ATTRS(ATTR("value", STRING, false)),
     .help = "text; empty if not given"},
    {.name = "none", .attrs = ATTRS(ATTR("value", IGNORED, false)), .help = "no value"},
    {.name = "device", .attrs = ATTRS(ATTR("value", DEVICE, true)), .help = "device, like cuda:0"},
    {.name = "genericlist", .attrs = ATTRS(ATTR("value", ARGS, true)), .help = "list of arguments"},
    {.name = "tuple", .attrs = ATTRS(ATTR("value", ARGS, true)), .help = "tuple of arguments"},
    {.name = "ScalarType",
     .attrs = ATTRS(ATTR("value", DTYPE, true)),
     .help = "dtype as a value (the argument dtype= of an operator)"},
    {.name = "Layout",
     .attrs = ATTRS(
         CHOICE("value", "strided|sparse_coo|sparse_csr|sparse_csc|sparse_bsr|sparse_bsc|mkldnn")),
     .help = "strided, sparse_coo, sparse_csr, sparse_csc, sparse_bsr, sparse_bsc or mkldnn"},
    {.name = "MemoryFormat",
     .attrs =
         ATTRS(CHOICE("value", "contiguous_format|preserve_format|channels_last|channels_last_3d")),
     .help = "contiguous_format, preserve_format, channels_last or channels_last_3d"},
};

const ob_arg_type *ob_arg_types(size_t *count)
{
    *count = sizeof TYPES / sizeof *TYPES;
    return TYPES;
}
