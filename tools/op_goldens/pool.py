# SPDX-License-Identifier: Apache-2.0
"""Pools with fixed and adaptive windows, resizing and padding."""


def cases(m):
    import torch
    big = lambda: m.distinct(2, 3, 6, 7)
    for args in ([[2, 2]], [[3, 2], [2, 1]], [[3, 3], [2, 2], [1, 1]], [[2, 3], [1, 2], [1, 1], [2, 1]],
                 [[3, 3], [2, 2], [1, 1], [1, 1], True], [[2, 2], []]):
        yield m.case("aten::max_pool2d_with_indices", [big()] + args)
        yield m.case("aten::max_pool2d", [big()] + args)
    yield m.case("aten::max_pool2d_with_indices", [m.distinct(3, 4, 5), [2, 2]])
    yield m.case("aten::max_pool2d_with_indices", [torch.tensor([[[[1.0, float("nan")], [2.0, 0.5]]]], dtype=torch.float64), [2, 2]])
    yield m.case("aten::max_pool2d_with_indices", [m.view(m.distinct(2, 6, 7, 3), lambda x: x.permute(0, 3, 1, 2)), [2, 2]])
    yield m.case("aten::max_pool2d_with_indices_backward", [m.t(1, 2, 2, 2, grad=False), m.t(1, 2, 4, 4, grad=False), [2, 2], [2, 2], [0, 0], [1, 1], False, m.i(1, 2, 2, 2, high=15)])
    yield m.case("aten::max_pool3d_with_indices", [m.distinct(1, 2, 4, 4, 5), [2, 2, 2], [1, 2, 2], [1, 1, 0]])
    yield m.case("aten::max_pool3d", [m.distinct(1, 2, 4, 4, 5), [2, 2, 2]])
    yield m.case("aten::max_pool1d", [m.distinct(2, 3, 8), [3], [2], [1]])
    yield m.case("aten::max_pool1d_with_indices", [m.distinct(2, 3, 8), [3], [], [1], [2]])
    for args in ([[2, 2]], [[3, 2], [2, 1], [1, 1]], [[3, 3], [2, 2], [1, 1], True], [[3, 3], [2, 2], [1, 1], False, False],
                 [[3, 3], [2, 2], [1, 1], True, False], [[2, 2], [2, 2], [0, 0], False, True, 3]):
        yield m.case("aten::avg_pool2d", [m.t(2, 3, 6, 7)] + args)
    yield m.case("aten::avg_pool2d", [m.t(3, 4, 4), [2, 2]])
    yield m.case("aten::avg_pool3d", [m.t(1, 2, 4, 4, 5), [2, 2, 2], [1, 2, 2], [1, 1, 0]])
    yield m.case("aten::avg_pool3d", [m.t(1, 2, 4, 4, 5), [3, 2, 2], [2, 2, 2], [1, 0, 1], True, False])
    yield m.case("aten::avg_pool1d", [m.t(2, 3, 8), [3], [2], [1]])
    yield m.case("aten::avg_pool2d_backward", [m.t(1, 2, 2, 2, grad=False), m.t(1, 2, 4, 4, grad=False), [2, 2], [2, 2], [0, 0], False, True, None])
    for sizes in ([1, 1], [2, 3], [5, 7], [3, 1], [8, 9]):
        yield m.case("aten::adaptive_avg_pool2d", [m.t(2, 3, 5, 7), sizes])
        yield m.case("aten::_adaptive_avg_pool2d", [m.t(2, 3, 5, 7), sizes])
    yield m.case("aten::_adaptive_avg_pool2d", [m.t(3, 5, 7), [2, 2]])
    yield m.case("aten::adaptive_avg_pool1d", [m.t(2, 3, 7), [3]])
    yield m.case("aten::adaptive_avg_pool3d", [m.t(1, 2, 4, 5, 6), [2, 3, 4]])
    yield m.case("aten::adaptive_max_pool2d", [m.distinct(2, 3, 5, 7), [2, 3]])
    for sizes in ([6, 8], [3, 4], [5, 9], [2, 3], [7, 3]):
        yield m.case("aten::upsample_nearest2d", [m.t(2, 3, 3, 4), sizes])
    yield m.case("aten::upsample_nearest2d", [m.t(2, 3, 3, 4), [7, 10], 2.5, 2.5])
    yield m.case("aten::upsample_nearest2d.vec", [m.t(2, 3, 3, 4), None, [2.0, 3.0]])
    for pad in ([1, 2], [0, 1, 2, 0], [-1, 2], [-1, -1, 1, 0], [1, 1, 0, 2, 3, 0]):
        yield m.case("aten::constant_pad_nd", [m.t(2, 3, 4), pad])
    yield m.case("aten::constant_pad_nd", [m.t(2, 3), [1, 1], 2.5])
    yield m.case("aten::constant_pad_nd", [m.i(2, 3), [1, 1], 7], dtypes=[])
    yield m.case("aten::constant_pad_nd", [m.view(m.t(3, 2), lambda x: x.t()), [1, 0, 2, 1], 0.5])
    yield m.case("aten::pad", [m.t(2, 3), [1, 2]])
    yield m.case("aten::pixel_shuffle", [m.t(2, 8, 3, 2), 2])
