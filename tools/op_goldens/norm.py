# SPDX-License-Identifier: Apache-2.0
"""Normalisations and softmax."""


def cases(m):
    import torch
    eps = 0.00390625
    for sizes, shape in (((3, 4), [4]), ((2, 3, 4), [3, 4]), ((2, 3, 40), [40]), ((5, 1), [1]), ((4,), [4]), ((2, 530), [530])):
        w = lambda: m.t(*shape)
        yield m.case("aten::native_layer_norm", [m.t(*sizes), shape, w(), w(), eps])
        yield m.case("aten::native_layer_norm", [m.t(*sizes), shape, None, None, eps])
    yield m.case("aten::native_layer_norm", [m.t(0, 4), [4], m.t(4), m.t(4), eps], grads=False)
    yield m.case("aten::native_layer_norm", [m.view(m.t(4, 3), lambda x: x.t()), [4], m.t(4), m.t(4), eps])
    yield m.case("aten::layer_norm", [m.t(2, 3, 4), [4], m.t(4), None, eps])
    for sizes in ((3, 2), (4, 3, 5), (2, 3, 4, 5), (2, 2, 2, 3, 2)):
        c = sizes[1]
        running = lambda: [m.t(c, grad=False), m.positive(c, grad=False)]
        yield m.case("aten::native_batch_norm", [m.t(*sizes), m.t(c), m.t(c)] + running() + [True, 0.125, eps])
        yield m.case("aten::native_batch_norm", [m.t(*sizes), m.t(c), m.t(c)] + running() + [False, 0.125, eps])
        yield m.case("aten::native_batch_norm", [m.t(*sizes), None, None, None, None, True, 0.125, eps])
    yield m.case("aten::batch_norm", [m.t(4, 3, 5), m.t(3), m.t(3), m.t(3, grad=False), m.positive(3, grad=False), True, 0.1, eps, False])
    yield m.case("aten::batch_norm", [m.view(m.t(4, 5, 3), lambda x: x.transpose(1, 2)), m.t(3), m.t(3), None, None, True, 0.1, eps, False])
    yield m.case("aten::native_group_norm", [m.t(2, 6, 4), m.t(6), m.t(6), 2, 6, 4, 3, eps])
    yield m.case("aten::native_group_norm", [m.t(2, 6, 2, 2), None, None, 2, 6, 4, 2, eps])
    yield m.case("aten::group_norm", [m.t(2, 6, 5), 3, m.t(6), m.t(6), eps])
    yield m.case("aten::group_norm", [m.t(3, 4), 2, m.t(4), m.t(4), eps])
    yield m.case("aten::instance_norm", [m.t(2, 3, 5), m.t(3), m.t(3), None, None, True, 0.1, eps, False])
    for op in ("_softmax", "_log_softmax"):
        for sizes, dim in (((3, 4), 1), ((3, 4), 0), ((2, 3, 4), 1), ((2, 3, 4), -1), ((7,), 0), ((2, 300), 1), ((3, 70), 0), ((2, 0), 1), ((1, 1), 1), ((), 0)):
            yield m.case(f"aten::{op}", [m.t(*sizes), dim, False])
        yield m.case(f"aten::{op}", [m.view(m.t(4, 3), lambda x: x.t()), 1, False])
        yield m.case(f"aten::{op}", [torch.tensor([[1.0, -1000.0], [1000.0, 999.0]], dtype=torch.float64), 1, False], dtypes=["f32"])
        yield m.case(f"aten::{op}", [torch.tensor([[1.0, float("-inf"), 0.5]], dtype=torch.float64), 1, False])
        yield m.case(f"aten::{op}_backward_data", [m.t(3, 4, grad=False), m.t(3, 4, low=-2, high=0, grad=False), 0, torch.float64], dtypes=[])
    yield m.case("aten::softmax.int", [m.t(3, 4), 1])
    yield m.case("aten::log_softmax.int", [m.t(3, 4), -1])
