/* SPDX-License-Identifier: Apache-2.0
 *
 * Operator rows: random numbers. Results are compared by their moments.
 */
#include "op/row_macros.h"

#define RANDOM(text, shape, cost) OB__ROW(text, "random", shape, cost, RANDOM, 0)
#define FLAT "self = zeros_like(grad)"

const ob_op_row ob__rows_random[] = {
    {RANDOM("aten::rand(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? "
            "device=None, bool? pin_memory=None) -> Tensor",
            create, draw)},
    {RANDOM("aten::randn(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? "
            "device=None, bool? pin_memory=None) -> Tensor",
            create, draw)},
    {RANDOM("aten::rand_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? "
            "device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
            like, draw),
     .derivative = ""},
    {RANDOM("aten::randn_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? "
            "device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
            like, draw),
     .derivative = ""},
    {RANDOM("aten::randint(int high, int[] size, *, ScalarType? dtype=4, Layout? layout=None, "
            "Device? device=None, bool? pin_memory=None) -> Tensor",
            create_index, draw)},
    {RANDOM("aten::randint.low(int low, int high, int[] size, *, ScalarType? dtype=4, Layout? "
            "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
            create_index, draw)},
    {RANDOM("aten::randperm(int n, *, ScalarType? dtype=4, Layout? layout=None, Device? "
            "device=None, bool? pin_memory=None) -> Tensor",
            randperm, draw)},
    {RANDOM("aten::uniform_(Tensor(a!) self, float from=0., float to=1., *, Generator? "
            "generator=None) -> Tensor(a!)",
            same, draw),
     .derivative = FLAT},
    {RANDOM("aten::normal_(Tensor(a!) self, float mean=0., float std=1., *, Generator? "
            "generator=None) -> Tensor(a!)",
            same, draw),
     .derivative = FLAT},
    {RANDOM("aten::bernoulli(Tensor self, *, Generator? generator=None) -> Tensor", same,
            elementwise_1),
     .derivative = FLAT, .constraints = OB__CONSTRAINTS(OB__PROBABILITY("self"))},
    {RANDOM("aten::bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor", same,
            draw),
     .derivative = FLAT},
    {RANDOM("aten::bernoulli_.float(Tensor(a!) self, float p=0.5, *, Generator? generator=None) -> "
            "Tensor(a!)",
            same, draw),
     .derivative = FLAT},
    {RANDOM("aten::dropout(Tensor input, float p, bool train) -> Tensor", same, elementwise_3),
     .decomposition = "result = native_dropout(input, p, True)[0] if train and p > 0 "
                      "else alias(input)"},
    {RANDOM("aten::dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)", same,
            elementwise_3)},
    {RANDOM("aten::native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)",
            native_dropout, elementwise_3),
     .derivative = "input = native_dropout_backward(grad, result_1, "
                   "(1.0 / (1.0 - p) if p < 1 else 0.0) if train else 1.0)"},
    {OB__ROW(
         "aten::native_dropout_backward(Tensor grad_output, Tensor mask, float scale) -> Tensor",
         "random", same, elementwise_2, ELEMENTWISE, 2),
     .derivative = "grad_output = native_dropout_backward(grad, mask, scale)"},
    OB__ROWS_END,
};
