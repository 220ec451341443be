# SPDX-License-Identifier: Apache-2.0
"""Sparse tensors for operators of one argument."""

from typing import Any

from opbench.benchmark.op_fuzzers import parts
from opbench.benchmark.utils.fuzzer import Fuzzer
from opbench.benchmark.utils.sparse_fuzzer import FuzzedSparseTensor


def sparse_tensor(name: str, size: tuple[str, ...], dtype: Any, cuda: bool) -> FuzzedSparseTensor:
    return FuzzedSparseTensor(name, size=size, dim_parameter="dim_parameter", sparse_dim="sparse_dim",
                              min_elements=parts.MIN_ELEMENTS, max_elements=parts.MAX_ELEMENTS, density="density",
                              coalesced="coalesced", dtype=dtype, cuda=cuda)


class UnaryOpSparseFuzzer(Fuzzer):
    """x of one to three dimensions, of which one to three are sparse."""

    def __init__(self, seed: Any, dtype: Any = None, cuda: bool = False) -> None:
        super().__init__(
            parameters=[parts.sparse_dimensions(), parts.usual_sizes(), parts.sparseness()],
            tensors=[sparse_tensor("x", ("k0", "k1", "k2"), dtype, cuda)],
            seed=seed,
        )
