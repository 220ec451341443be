# SPDX-License-Identifier: Apache-2.0
"""Convolutions of 1 to 3 dimensions: stride, padding, dilation, groups, transposed, strided memory."""


def conv(m, x, w, bias=True, stride=1, padding=0, dilation=1, transposed=False, extra=0, groups=1):
    n = len(x) - 2
    out = w[1] * groups if transposed else w[0]
    every = lambda v: list(v) if isinstance(v, tuple) else [v] * n
    return m.case("aten::convolution", [m.t(*x), m.t(*w), m.t(out) if bias else None, every(stride), every(padding),
                                        every(dilation), transposed, every(extra), groups])


def cases(m):
    yield conv(m, (2, 3, 7), (4, 3, 3))
    yield conv(m, (2, 3, 7), (4, 3, 3), bias=False, stride=2, padding=1)
    yield conv(m, (1, 4, 9), (4, 1, 3), padding=2, dilation=2, groups=4)
    yield conv(m, (2, 3, 5, 6), (4, 3, 3, 2))
    yield conv(m, (2, 3, 5, 6), (4, 3, 1, 1))
    yield conv(m, (2, 3, 5, 6), (4, 3, 1, 1), stride=2)
    yield conv(m, (2, 3, 5, 6), (4, 3, 1, 1), padding=1)
    yield conv(m, (2, 4, 5, 6), (6, 2, 3, 3), stride=(2, 1), padding=(1, 2), groups=2)
    yield conv(m, (1, 2, 7, 7), (2, 2, 3, 3), dilation=(2, 3), padding=3, stride=2)
    yield conv(m, (0, 3, 5, 6), (4, 3, 3, 2))
    yield conv(m, (1, 1, 1, 1), (1, 1, 1, 1))
    yield conv(m, (1, 1, 2, 2), (1, 1, 3, 3), padding=3, stride=3)
    yield conv(m, (1, 2, 3, 4, 5), (3, 2, 2, 2, 2), stride=(1, 2, 1), padding=(1, 0, 1))
    yield conv(m, (1, 4, 3, 3, 3), (4, 2, 1, 2, 3), groups=2, bias=False)
    yield conv(m, (2, 3, 5), (3, 4, 3), transposed=True)
    yield conv(m, (2, 3, 4, 5), (3, 2, 3, 3), transposed=True, stride=2, padding=1, extra=1)
    yield conv(m, (1, 4, 3, 3), (4, 2, 3, 2), transposed=True, stride=(2, 3), dilation=(2, 1), groups=2, bias=False)
    yield conv(m, (1, 2, 2, 3, 2), (2, 1, 2, 2, 2), transposed=True, stride=2, groups=2)
    yield m.case("aten::convolution", [m.view(m.t(2, 6, 5, 3), lambda x: x.permute(0, 3, 1, 2)), m.view(m.t(3, 4, 3, 2), lambda x: x.transpose(0, 1)), m.t(4), [1, 1], [0, 1], [1, 1], False, [0, 0], 1])
    yield m.case("aten::conv1d", [m.t(2, 3, 7), m.t(4, 3, 3), m.t(4)])
    yield m.case("aten::conv1d", [m.t(3, 7), m.t(4, 3, 3), m.t(4), [2], [1]])
    yield m.case("aten::conv2d", [m.t(2, 3, 5, 6), m.t(4, 3, 3, 2), m.t(4), [1, 2], [1, 0], [1, 1], 1])
    yield m.case("aten::conv2d", [m.t(3, 5, 6), m.t(4, 3, 3, 2)])
    yield m.case("aten::conv3d", [m.t(1, 2, 3, 4, 4), m.t(3, 2, 2, 2, 2), m.t(3)])
    yield m.case("aten::conv2d.padding", [m.t(2, 3, 5, 6), m.t(4, 3, 3, 2), m.t(4), [1, 1], "same"])
    yield m.case("aten::conv1d.padding", [m.t(2, 3, 5), m.t(4, 3, 4), m.t(4), [1], "same"])
    yield m.case("aten::conv2d.padding", [m.t(2, 3, 5, 6), m.t(4, 3, 3, 2), m.t(4), [1, 1], "valid"])
    yield m.case("aten::conv_transpose1d", [m.t(2, 3, 5), m.t(3, 2, 3), m.t(2), [2], [1], [1]])
    yield m.case("aten::conv_transpose2d.input", [m.t(2, 3, 4, 4), m.t(3, 2, 2, 2), m.t(2), [2, 2]])
    yield m.case("aten::conv_transpose3d.input", [m.t(1, 2, 2, 3, 2), m.t(2, 2, 2, 2, 2), m.t(2), [2, 1, 2]])
    for mask in ([True, True, True], [True, False, False], [False, True, False], [False, False, True]):
        yield m.case("aten::convolution_backward", [m.t(2, 4, 3, 5, grad=False), m.t(2, 3, 5, 6, grad=False), m.t(4, 3, 3, 2, grad=False), [4], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, mask])
