/* SPDX-License-Identifier: Apache-2.0
 *
 * Operator rows: one elementwise operator over lists of tensors, as optimisers use them.
 */
#include "op/row_macros.h"

#define EACH(text, shape, cost) OB__ROW(text, "foreach", shape, cost, ELEMENTWISE, 2)
#define EACH_EXACT(text, shape, cost) OB__ROW(text, "foreach", shape, cost, EXACT, 0)
#define EACH_POSITIVE(text, shape, cost)                                                           \
    EACH(text, shape, cost), .constraints = OB__CONSTRAINTS(OB__POSITIVE("self"))

/* As OB__PAIR; the in-place form returns nothing. */
#define BOTH_WAYS(name, overload, more, row, ...)                                                  \
    {row("aten::_foreach_" name overload "(Tensor[] self" more ") -> Tensor[]", __VA_ARGS__)},     \
    {                                                                                              \
        row("aten::_foreach_" name "_" overload "(Tensor(a!)[] self" more ") -> ()", __VA_ARGS__)  \
    }
#define BINARY(name, alpha, shape)                                                                 \
    BOTH_WAYS(name, ".List", ", Tensor[] other" alpha, EACH, shape, elementwise_1),                \
        BOTH_WAYS(name, ".Scalar", ", Scalar scalar", EACH, shape, elementwise_1),                 \
        BOTH_WAYS(name, ".ScalarList", ", Scalar[] scalars", EACH, shape, elementwise_1)
#define TENSORS ", Tensor[] tensor1, Tensor[] tensor2"
#define TERNARY(name)                                                                              \
    BOTH_WAYS(name, ".Scalar", TENSORS ", Scalar value=1", EACH, foreach, elementwise_3),          \
        BOTH_WAYS(name, ".ScalarList", TENSORS ", Scalar[] scalars", EACH, foreach, elementwise_3)

const ob_op_row ob__rows_foreach[] = {
    BINARY("add", ", *, Scalar alpha=1", foreach),
    BINARY("sub", ", *, Scalar alpha=1", foreach),
    BINARY("mul", "", foreach),
    BINARY("div", "", foreach_float),
    TERNARY("addcmul"),
    TERNARY("addcdiv"),
    BOTH_WAYS("sqrt", "", "", EACH_POSITIVE, foreach_float, elementwise_1),
    BOTH_WAYS("neg", "", "", EACH_EXACT, foreach, elementwise_1),
    {EACH_EXACT("aten::_foreach_zero_(Tensor(a!)[] self) -> ()", foreach, write)},
    {OB__ROW("aten::_foreach_norm.Scalar(Tensor[] self, Scalar ord=2) -> Tensor[]", "foreach",
             foreach_norm, reduce_2, REDUCTION, 2)},
    OB__ROWS_END,
};
