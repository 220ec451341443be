/* SPDX-License-Identifier: Apache-2.0
 *
 * Operator rows: one elementwise operator over lists of tensors, as optimisers use them.
 */
#include "op/row_macros.h"

#define EACH(text, shape, cost)                                                                    \
    {                                                                                              \
        OB__ROW(text, "foreach", shape, cost, ELEMENTWISE, 2)                                      \
    }
#define EACH_EXACT(text, shape, cost)                                                              \
    {                                                                                              \
        OB__ROW(text, "foreach", shape, cost, EXACT, 0)                                            \
    }

const ob_op_row ob__rows_foreach[] = {
    EACH("aten::_foreach_add.List(Tensor[] self, Tensor[] other, *, Scalar alpha=1) -> Tensor[]",
         foreach, elementwise_1),
    EACH("aten::_foreach_add.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]", foreach,
         elementwise_1),
    EACH("aten::_foreach_add.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]", foreach,
         elementwise_1),
    EACH("aten::_foreach_add_.List(Tensor(a!)[] self, Tensor[] other, *, Scalar alpha=1) -> ()",
         foreach_inplace, elementwise_1),
    EACH("aten::_foreach_add_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()", foreach_inplace,
         elementwise_1),
    EACH("aten::_foreach_add_.ScalarList(Tensor(a!)[] self, Scalar[] scalars) -> ()",
         foreach_inplace, elementwise_1),
    EACH("aten::_foreach_sub.List(Tensor[] self, Tensor[] other, *, Scalar alpha=1) -> Tensor[]",
         foreach, elementwise_1),
    EACH("aten::_foreach_sub.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]", foreach,
         elementwise_1),
    EACH("aten::_foreach_sub.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]", foreach,
         elementwise_1),
    EACH("aten::_foreach_sub_.List(Tensor(a!)[] self, Tensor[] other, *, Scalar alpha=1) -> ()",
         foreach_inplace, elementwise_1),
    EACH("aten::_foreach_sub_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()", foreach_inplace,
         elementwise_1),
    EACH("aten::_foreach_sub_.ScalarList(Tensor(a!)[] self, Scalar[] scalars) -> ()",
         foreach_inplace, elementwise_1),
    EACH("aten::_foreach_mul.List(Tensor[] self, Tensor[] other) -> Tensor[]", foreach,
         elementwise_1),
    EACH("aten::_foreach_mul.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]", foreach,
         elementwise_1),
    EACH("aten::_foreach_mul.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]", foreach,
         elementwise_1),
    EACH("aten::_foreach_mul_.List(Tensor(a!)[] self, Tensor[] other) -> ()", foreach_inplace,
         elementwise_1),
    EACH("aten::_foreach_mul_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()", foreach_inplace,
         elementwise_1),
    EACH("aten::_foreach_mul_.ScalarList(Tensor(a!)[] self, Scalar[] scalars) -> ()",
         foreach_inplace, elementwise_1),
    EACH("aten::_foreach_div.List(Tensor[] self, Tensor[] other) -> Tensor[]", foreach_float,
         elementwise_1),
    EACH("aten::_foreach_div.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]", foreach_float,
         elementwise_1),
    EACH("aten::_foreach_div.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]",
         foreach_float, elementwise_1),
    EACH("aten::_foreach_div_.List(Tensor(a!)[] self, Tensor[] other) -> ()", foreach_inplace,
         elementwise_1),
    EACH("aten::_foreach_div_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()", foreach_inplace,
         elementwise_1),
    EACH("aten::_foreach_div_.ScalarList(Tensor(a!)[] self, Scalar[] scalars) -> ()",
         foreach_inplace, elementwise_1),
    EACH("aten::_foreach_addcmul.Scalar(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar "
         "value=1) -> Tensor[]",
         foreach, elementwise_3),
    EACH("aten::_foreach_addcmul.ScalarList(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, "
         "Scalar[] scalars) -> Tensor[]",
         foreach, elementwise_3),
    EACH("aten::_foreach_addcmul_.Scalar(Tensor(a!)[] self, Tensor[] tensor1, Tensor[] tensor2, "
         "Scalar value=1) -> ()",
         foreach_inplace, elementwise_3),
    EACH("aten::_foreach_addcmul_.ScalarList(Tensor(a!)[] self, Tensor[] tensor1, Tensor[] "
         "tensor2, Scalar[] scalars) -> ()",
         foreach_inplace, elementwise_3),
    EACH("aten::_foreach_addcdiv.Scalar(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar "
         "value=1) -> Tensor[]",
         foreach, elementwise_3),
    EACH("aten::_foreach_addcdiv.ScalarList(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, "
         "Scalar[] scalars) -> Tensor[]",
         foreach, elementwise_3),
    EACH("aten::_foreach_addcdiv_.Scalar(Tensor(a!)[] self, Tensor[] tensor1, Tensor[] tensor2, "
         "Scalar value=1) -> ()",
         foreach_inplace, elementwise_3),
    EACH("aten::_foreach_addcdiv_.ScalarList(Tensor(a!)[] self, Tensor[] tensor1, Tensor[] "
         "tensor2, Scalar[] scalars) -> ()",
         foreach_inplace, elementwise_3),
    {OB__ROW("aten::_foreach_sqrt(Tensor[] self) -> Tensor[]", "foreach", foreach_float,
             elementwise_1, ELEMENTWISE, 2),
     .constraints = OB__CONSTRAINTS(OB__POSITIVE("self"))},
    {OB__ROW("aten::_foreach_sqrt_(Tensor(a!)[] self) -> ()", "foreach", foreach_inplace,
             elementwise_1, ELEMENTWISE, 2),
     .constraints = OB__CONSTRAINTS(OB__POSITIVE("self"))},
    EACH_EXACT("aten::_foreach_neg(Tensor[] self) -> Tensor[]", foreach, elementwise_1),
    EACH_EXACT("aten::_foreach_neg_(Tensor(a!)[] self) -> ()", foreach_inplace, elementwise_1),
    EACH_EXACT("aten::_foreach_zero_(Tensor(a!)[] self) -> ()", foreach_inplace, write),
    {OB__ROW("aten::_foreach_norm.Scalar(Tensor[] self, Scalar ord=2) -> Tensor[]", "foreach",
             foreach_norm, reduce_2, REDUCTION, 2)},
    OB__ROWS_END,
};
