# SPDX-License-Identifier: Apache-2.0
"""Sparse tensors for operators of two arguments."""

from typing import Any

from opbench.benchmark.op_fuzzers import parts
from opbench.benchmark.op_fuzzers.sparse_unary import sparse_tensor
from opbench.benchmark.utils.fuzzer import FuzzedParameter, Fuzzer, ParameterAlias


class BinaryOpSparseFuzzer(Fuzzer):
    """x and y of the same size."""

    def __init__(self, seed: Any, dtype: Any = None, cuda: bool = False) -> None:
        like_x = [FuzzedParameter(f"y_k{i}", distribution={ParameterAlias(f"k{i}"): 1.0}, strict=True) for i in range(3)]
        super().__init__(
            parameters=[parts.sparse_dimensions(), parts.usual_sizes(), like_x, parts.sparseness()],
            tensors=[sparse_tensor("x", ("k0", "k1", "k2"), dtype, cuda),
                     sparse_tensor("y", ("y_k0", "y_k1", "y_k2"), dtype, cuda)],
            seed=seed,
        )
