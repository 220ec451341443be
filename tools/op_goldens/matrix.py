# SPDX-License-Identifier: Apache-2.0
"""The matrix family: shapes, transposed, sliced and expanded operands, empty ones, integers. Elements of expanded
operands cannot be moved one by one, so those have no finite differences (kink)."""


def cases(m):
    turned = lambda x: x.t()
    for a, b, c in ((2, 3, 4), (1, 1, 1), (5, 7, 3), (1, 4, 1), (4, 1, 4), (0, 3, 2), (2, 0, 3), (2, 3, 0)):
        yield m.case("aten::mm", [m.t(a, b), m.t(b, c)])
    yield m.case("aten::mm", [m.view(m.t(3, 2), turned), m.t(3, 4)])
    yield m.case("aten::mm", [m.t(2, 3), m.view(m.t(4, 3), turned)])
    yield m.case("aten::mm", [m.view(m.t(3, 2), turned), m.view(m.t(4, 3), turned)])
    yield m.case("aten::mm", [m.view(m.t(4, 6), lambda x: x[1:3, 1:4]), m.view(m.t(6, 8), lambda x: x[::2, ::2])])
    yield m.case("aten::mm", [m.view(m.t(1, 3), lambda x: x.expand(2, 3)), m.view(m.t(3, 1), lambda x: x.expand(3, 4))], kink=True)
    for kind in ("int64", "int32", "int8", "uint8"):
        import torch
        dtype = getattr(torch, kind)
        yield m.case("aten::mm", [m.i(2, 3, dtype=dtype), m.i(3, 4, dtype=dtype)], dtypes=[])
    yield m.case("aten::bmm", [m.t(2, 3, 4), m.t(2, 4, 2)])
    yield m.case("aten::bmm", [m.t(0, 3, 4), m.t(0, 4, 2)])
    yield m.case("aten::bmm", [m.view(m.t(2, 4, 3), lambda x: x.transpose(1, 2)), m.view(m.t(4, 2), lambda x: x.expand(2, 4, 2))], kink=True)
    yield m.case("aten::bmm", [m.view(m.t(3, 2, 4), lambda x: x.transpose(0, 1)), m.t(2, 4, 3)])
    for size in ((2, 4), (4,), (1, 4), (2, 1), (1,), ()):
        yield m.case("aten::addmm", [m.t(*size), m.t(2, 3), m.t(3, 4)])
    yield m.case("aten::addmm", [m.t(2, 4), m.t(2, 3), m.t(3, 4)], {"beta": 0.5, "alpha": -2})
    yield m.case("aten::addmm", [m.t(4), m.t(2, 0), m.t(0, 4)], {"beta": 2})
    yield m.case("aten::addmm", [m.t(2, 4), m.t(2, 3), m.view(m.t(4, 3), turned)], {"alpha": 0.5})
    yield m.case("aten::addmm", [m.i(2, 4), m.i(2, 3), m.i(3, 4)], {"beta": 3, "alpha": 2}, dtypes=[])
    yield m.case("aten::addmm_", [m.t(2, 4), m.t(2, 3), m.t(3, 4)], {"beta": 0.5, "alpha": 2})
    yield m.case("aten::baddbmm", [m.t(2, 3, 2), m.t(2, 3, 4), m.t(2, 4, 2)], {"beta": 0.25, "alpha": 4})
    yield m.case("aten::baddbmm", [m.t(1, 1, 2), m.t(2, 3, 4), m.t(2, 4, 2)])
    yield m.case("aten::baddbmm_", [m.t(2, 3, 2), m.t(2, 3, 4), m.t(2, 4, 2)])
    yield m.case("aten::addbmm", [m.t(3, 2), m.t(2, 3, 4), m.t(2, 4, 2)], {"beta": 2, "alpha": 0.5})
    yield m.case("aten::addbmm", [m.t(3, 2), m.t(0, 3, 4), m.t(0, 4, 2)], {"beta": 2})
    yield m.case("aten::mv", [m.t(3, 4), m.t(4)])
    yield m.case("aten::mv", [m.view(m.t(4, 3), turned), m.view(m.t(8), lambda x: x[::2])])
    yield m.case("aten::mv", [m.t(3, 0), m.t(0)])
    yield m.case("aten::mv", [m.t(2, 3), m.view(m.t(1), lambda x: x.expand(3))], kink=True)
    yield m.case("aten::addmv", [m.t(3), m.t(3, 4), m.t(4)], {"beta": 0.5, "alpha": 2})
    yield m.case("aten::addmv", [m.t(1), m.t(3, 4), m.t(4)])
    yield m.case("aten::dot", [m.t(5), m.t(5)])
    yield m.case("aten::dot", [m.t(0), m.t(0)])
    yield m.case("aten::dot", [m.view(m.t(10), lambda x: x[::2]), m.t(5)])
    yield m.case("aten::dot", [m.i(5), m.i(5)], dtypes=[])
    yield m.case("aten::outer", [m.t(3), m.t(2)])
    yield m.case("aten::outer", [m.i(3), m.i(2)], dtypes=[])
    yield m.case("aten::addr", [m.t(3, 2), m.t(3), m.t(2)], {"beta": 0.5, "alpha": 2})
    for a, b in (((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 2)), ((4, 2, 3), (3,)),
                 ((4, 2, 3), (3, 2)), ((3,), (4, 3, 2)), ((4, 2, 3), (4, 3, 2)), ((2, 1, 2, 3), (4, 3, 2))):
        yield m.case("aten::matmul", [m.t(*a), m.t(*b)])
    yield m.case("aten::linear", [m.t(2, 3), m.t(4, 3), m.t(4)])
    yield m.case("aten::linear", [m.t(2, 3), m.t(4, 3)])
    yield m.case("aten::linear", [m.t(2, 5, 3), m.t(4, 3), m.t(4)])
    yield m.case("aten::linear", [m.t(3), m.t(4, 3), m.t(4)])
    yield m.case("aten::_scaled_dot_product_attention", [m.t(2, 3, 4), m.t(2, 5, 4), m.t(2, 5, 4)], skip=(1,))
    yield m.case("aten::_scaled_dot_product_attention", [m.t(2, 3, 4), m.t(2, 3, 4), m.t(2, 3, 4), None, 0.0, True, True], skip=(1,), dtypes=["f32"])
