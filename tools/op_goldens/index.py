# SPDX-License-Identifier: Apache-2.0
"""Reading and writing by index, embeddings and bags."""


def cases(m):
    import torch
    order = lambda n: torch.randperm(n, generator=m.generator)
    for dim in (0, 1, -1):
        yield m.case("aten::gather", [m.t(3, 4, 2), dim, m.i(2, 3, 2, high=1)])
    yield m.case("aten::gather", [m.view(m.t(4, 3), lambda x: x.t()), 1, m.view(m.i(5, 3, high=3), lambda x: x.t())])
    yield m.case("aten::gather", [m.i(3, 4), 1, m.i(3, 2, high=3)], dtypes=[])
    yield m.case("aten::gather", [m.t(), 0, m.i(high=0)])
    yield m.case("aten::gather", [m.t(3, 4), 0, m.i(0, 4)])
    for dim, n in ((0, 3), (1, 4), (2, 2)):
        yield m.case("aten::index_select", [m.t(3, 4, 2), dim, m.i(5, high=n - 1)])
        yield m.case("aten::index_select", [m.t(3, 4, 2), dim, m.i(5, high=n - 1, dtype=torch.int32)])
    yield m.case("aten::index_select", [m.t(3), 0, m.i(high=2)])
    yield m.case("aten::index_select", [m.view(m.t(4, 3), lambda x: x.t()), 1, m.i(2, high=3)])
    yield m.case("aten::index_select", [m.b(3, 4), 1, m.i(2, high=3)], dtypes=[])
    yield m.case("aten::index_select", [m.t(3, 4), 1, m.i(0)])
    yield m.case("aten::index.Tensor", [m.t(3, 4, 2), [m.i(2, 2, low=-3, high=2)]])
    yield m.case("aten::index.Tensor", [m.t(3, 4, 2), [None, m.i(3, high=3)]])
    yield m.case("aten::index.Tensor", [m.t(3, 4, 2), [m.i(2, 1, high=2), m.i(3, high=3)]])
    yield m.case("aten::index.Tensor", [m.t(3, 4, 2), [m.i(2, high=2), None, m.i(2, high=1)]])
    yield m.case("aten::index.Tensor", [m.t(3, 4, 2), [m.i(2, high=2), m.i(2, high=3), m.i(2, high=1)]])
    yield m.case("aten::index.Tensor", [m.i(3, 4), [m.i(high=2)]], dtypes=[])
    yield m.case("aten::index_add", [m.t(3, 4), 0, m.i(5, high=2), m.t(5, 4)], {"alpha": 2})
    yield m.case("aten::index_add", [m.t(3, 4), 1, m.i(2, high=3), m.t(3, 2)])
    yield m.case("aten::index_add", [m.i(3, 4), 0, m.i(5, high=2), m.i(5, 4)], {"alpha": 3}, dtypes=[])
    yield m.case("aten::index_add_", [m.t(3, 4), 0, m.i(5, high=2), m.t(5, 4)])
    yield m.case("aten::index_fill.int_Scalar", [m.t(3, 4), 1, m.i(2, high=3), 1.5])
    yield m.case("aten::index_put", [m.t(3, 4), [order(3)[:2]], m.t(2, 4)])
    yield m.case("aten::index_put", [m.t(3, 4), [order(3)[:2], order(4)[:2]], m.t(2)])
    yield m.case("aten::index_put", [m.t(3, 4), [order(3)[:2]], m.t(4)])
    yield m.case("aten::index_put", [m.t(3, 4), [m.i(5, high=2)], m.t(5, 4), True])
    yield m.case("aten::index_put", [m.t(3, 4, 2), [m.i(5, high=2), None, m.i(5, high=1)], m.t(5, 4), True])
    yield m.case("aten::index_put_", [m.t(3, 4), [m.i(5, low=-3, high=2)], m.t(5, 1), True])
    rows = torch.stack([order(4) for _ in range(3)])
    yield m.case("aten::scatter.src", [m.t(3, 4), 1, rows, m.t(3, 4)])
    yield m.case("aten::scatter.src", [m.t(3, 4), 1, rows[:2, :3], m.t(2, 3)])
    yield m.case("aten::scatter.value", [m.t(3, 4), 1, rows[:2, :3], 0.5])
    yield m.case("aten::scatter_.src", [m.t(3, 4), 1, rows, m.t(3, 4)])
    yield m.case("aten::scatter_.value", [m.t(3, 4), 1, rows[:, :2], 2])
    yield m.case("aten::scatter_add", [m.t(3, 4), 0, m.i(2, 4, high=2), m.t(2, 4)])
    yield m.case("aten::scatter_add", [m.t(3, 4), 1, m.i(3, 6, high=3), m.t(3, 6)])
    yield m.case("aten::scatter_add", [m.i(3, 4), 1, m.i(3, 6, high=3), m.i(3, 6)], dtypes=[])
    yield m.case("aten::scatter_add_", [m.t(3, 4), 1, m.i(3, 6, high=3), m.t(3, 6)])

    for sizes in ((4,), (2, 3), (), (0,)):
        yield m.case("aten::embedding", [m.t(5, 3), m.i(*sizes, high=4)])
    yield m.case("aten::embedding", [m.t(5, 3), m.i(6, high=4), 2, True], kink=True)  # the padding has none
    yield m.case("aten::embedding", [m.t(5, 3), m.i(6, high=4, dtype=torch.int32)])
    yield m.case("aten::embedding", [m.view(m.t(3, 5), lambda x: x.t()), m.i(4, high=4)])
    yield m.case("aten::embedding_dense_backward", [m.t(6, 3, grad=False), m.i(6, high=4), 5, 1, True])
    offsets = lambda *x: torch.tensor(x)
    for mode in (0, 1, 2):
        bag = [m.distinct(6, 4), m.i(7, high=5), offsets(0, 3, 3, 4)]
        yield m.case("aten::_embedding_bag", bag + [False, mode], skip=(1, 2, 3))
        yield m.case("aten::_embedding_bag", bag + [False, mode, False, None, False, 3], skip=(1, 2, 3))
        yield m.case("aten::embedding_bag", bag + [False, mode], skip=(1, 2, 3))
    bag = [m.distinct(6, 4), m.i(7, high=5), offsets(0, 3, 3, 4)]
    yield m.case("aten::_embedding_bag", bag + [False, 0, False, m.t(7)], skip=(1, 2, 3), dtypes=["f32"])
    # PyTorch divides by the frequency of another row here, so its gradient is no reference.
    yield m.case("aten::_embedding_bag", bag + [True, 0], skip=(1, 2, 3), grads=False)
    yield m.case("aten::_embedding_bag", [m.t(6, 4), m.i(7, high=5), offsets(0, 3, 3, 7), False, 1, False, None, True], skip=(1, 2, 3))
    yield m.case("aten::_embedding_bag_forward_only", [m.t(6, 4, grad=False)] + bag[1:] + [False, 1], skip=(1, 2, 3))
    yield m.case("aten::one_hot", [m.i(2, 3, high=3), 4], dtypes=[])
