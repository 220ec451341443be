# SPDX-License-Identifier: Apache-2.0
"""Losses with every reduction."""


def cases(m):
    import torch
    p = lambda *s: m.t(*s, low=0.0625, high=0.9375)
    for reduction in (0, 1, 2):
        yield m.case("aten::mse_loss", [m.t(3, 4), m.t(3, 4), reduction])
        yield m.case("aten::smooth_l1_loss", [m.t(3, 4), m.t(3, 4), reduction, 0.75], kink=True)
        yield m.case("aten::huber_loss", [m.t(3, 4), m.t(3, 4), reduction, 0.75], kink=True)
        yield m.case("aten::l1_loss", [m.t(3, 4), m.t(3, 4), reduction], kink=True)
        yield m.case("aten::binary_cross_entropy", [p(3, 4), m.t(3, 4, low=0, high=1, grad=False), None, reduction])
        yield m.case("aten::binary_cross_entropy", [p(3, 4), p(3, 4), m.positive(4, grad=False), reduction])
        yield m.case("aten::binary_cross_entropy_with_logits", [m.t(3, 4), m.t(3, 4, low=0, high=1, grad=False), None, None, reduction])
        yield m.case("aten::kl_div", [m.t(3, 4, high=0), p(3, 4), reduction])
        weight = m.positive(4, grad=False)
        for ignore in (-100, 2):
            yield m.case("aten::nll_loss_forward", [m.t(6, 4), m.i(6, high=3), None, reduction, ignore])
            yield m.case("aten::nll_loss_forward", [m.t(6, 4), m.i(6, high=3), weight, reduction, ignore])
            yield m.case("aten::nll_loss2d_forward", [m.t(2, 4, 2, 3), m.i(2, 2, 3, high=3), weight, reduction, ignore])
            yield m.case("aten::cross_entropy_loss", [m.t(6, 4), m.i(6, high=3), weight, reduction, ignore], dtypes=["f32"])
        yield m.case("aten::nll_loss_nd", [m.t(2, 4, 3), m.i(2, 3, high=3), None, reduction, -100])
        yield m.case("aten::cross_entropy_loss", [m.t(2, 4, 3), m.i(2, 3, high=3), None, reduction, -100, 0.125], dtypes=["f32"])
        yield m.case("aten::cross_entropy_loss", [m.t(3, 4), p(3, 4), None, reduction, -100], dtypes=["f32"])
    yield m.case("aten::mse_loss", [m.t(3, 4), m.t(4), 2], grads=False)
    yield m.case("aten::mse_loss", [m.t(0, 4), m.t(0, 4), 2])
    yield m.case("aten::mse_loss", [m.view(m.t(4, 3), lambda x: x.t()), m.t(3, 4), 1])
    yield m.case("aten::nll_loss_forward", [m.t(4), m.i(high=3), None, 1, -100])
