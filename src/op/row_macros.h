/* SPDX-License-Identifier: Apache-2.0
 *
 * How the rows of rows_<group>.c are written. The first fields of every row come from OB__ROW, the
 * others (derivative, decomposition, constraints) follow by name:
 *   {OB__ROW("aten::mm(...) -> Tensor", "matrix", mm, matrix, REDUCTION, 2),
 *    .derivative = "self = mm(grad, t(mat2)); mat2 = mm(t(self), grad)"},
 *
 * Derivatives are those of real numbers. An operator that PyTorch builds from others has a
 * decomposition and takes its derivative from there. An in-place operator's derivative cannot use
 * the value of self before the call, so it is written with result.
 */
#ifndef OB_OP_ROW_MACROS_H
#define OB_OP_ROW_MACROS_H

#include "op/cost.h"
#include "op/rows.h"
#include "op/shape_rules.h"

#define OB__ROW(text, group, shape_rule, cost_rule, tolerance_kind, tolerance_factor)              \
    .schema = (text), .category = (group), .shape = ob__shape_##shape_rule,                        \
    .cost = ob__cost_##cost_rule,                                                                  \
    .tolerance = {.kind = OB_TOL_##tolerance_kind, .factor = (tolerance_factor)}

/* Two rows: "aten::add.Tensor" and its in-place form "aten::add_.Tensor", which writes self. Its schema says so by (a!), and
 * shape rules go by that. `more` is what follows self among the arguments, with its comma; then the derivative, and the
 * macro of a row with all that it takes after the schema:
 *   OB__PAIR("mul", ".Scalar", ", Scalar other", "self = mul(grad, other)", ARITH, promote, elementwise_1), */
#define OB__PAIR(name, overload, more, both, ...)                                                  \
    OB__PAIR_OF(name, overload, more, both, both, __VA_ARGS__)
/* Where the in-place form has another derivative, or none. */
#define OB__PAIR_OF(name, overload, more, usual, in_place, row, ...)                               \
    {row("aten::" name overload "(Tensor self" more ") -> Tensor", __VA_ARGS__),                   \
     .derivative = (usual)},                                                                       \
    {                                                                                              \
        row("aten::" name "_" overload "(Tensor(a!) self" more ") -> Tensor(a!)", __VA_ARGS__),    \
            .derivative = (in_place)                                                               \
    }

/* The end of a table. */
#define OB__ROWS_END                                                                               \
    {                                                                                              \
        .schema = NULL                                                                             \
    }

/* Lists of one or two constraints. */
#define OB__CONSTRAINTS(...)                                                                       \
    (const ob_constraint[])                                                                        \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            .arg = NULL                                                                            \
        }                                                                                          \
    }
#define OB__POSITIVE(name)                                                                         \
    {                                                                                              \
        .arg = (name), .kind = OB_CONSTRAINT_POSITIVE                                              \
    }
#define OB__PROBABILITY(name)                                                                      \
    {                                                                                              \
        .arg = (name), .kind = OB_CONSTRAINT_PROBABILITY                                           \
    }
#define OB__NONZERO(name)                                                                          \
    {                                                                                              \
        .arg = (name), .kind = OB_CONSTRAINT_NONZERO                                               \
    }
/* name indexes dimension number `number` of table. */
#define OB__INDEX(name, table, number)                                                             \
    {                                                                                              \
        .arg = (name), .kind = OB_CONSTRAINT_INDEX, .of = (table), .dim = (number)                 \
    }
/* The argument "dim" says which dimension. */
#define OB__INDEX_DIM(name, table)                                                                 \
    {                                                                                              \
        .arg = (name), .kind = OB_CONSTRAINT_INDEX, .of = (table), .dim_arg = "dim"                \
    }
#define OB__OFFSETS(name, table)                                                                   \
    {                                                                                              \
        .arg = (name), .kind = OB_CONSTRAINT_OFFSETS, .of = (table)                                \
    }

#endif
