# SPDX-License-Identifier: Apache-2.0
"""Tensors for operators of one argument."""

from typing import Any

from opbench.benchmark.op_fuzzers import parts
from opbench.benchmark.utils.fuzzer import FuzzedTensor, Fuzzer


class UnaryOpFuzzer(Fuzzer):
    """x of one to three dimensions, k0 to k2, with steps."""

    def __init__(self, seed: Any, dtype: Any = None, cuda: bool = False) -> None:
        super().__init__(
            parameters=[parts.dimensions("dim"), parts.usual_sizes(), [parts.step(f"x_step_{i}") for i in range(3)],
                        parts.random_value()],
            tensors=[
                FuzzedTensor("x", size=("k0", "k1", "k2"), steps=("x_step_0", "x_step_1", "x_step_2"),
                             probability_contiguous=parts.PROBABILITY_CONTIGUOUS, min_elements=parts.MIN_ELEMENTS,
                             max_elements=parts.MAX_ELEMENTS, max_allocation_bytes=parts.MAX_ALLOCATION_BYTES,
                             dim_parameter="dim", dtype=dtype, cuda=cuda)
            ],
            seed=seed,
        )
