# SPDX-License-Identifier: Apache-2.0
"""Tensors for operators of two arguments."""

from typing import Any

from opbench.benchmark.op_fuzzers import parts
from opbench.benchmark.utils.fuzzer import FuzzedParameter, FuzzedTensor, Fuzzer, ParameterAlias


class BinaryOpFuzzer(Fuzzer):
    """x as in UnaryOpFuzzer, and y of the same size or with dimensions of 1, to be broadcast."""

    def __init__(self, seed: Any, dtype: Any = None, cuda: bool = False) -> None:
        like_x = [FuzzedParameter(f"y_k{i}", distribution={ParameterAlias(f"k{i}"): 0.8, 1: 0.2}, strict=True)
                  for i in range(3)]
        steps = [parts.step(f"{name}_step_{i}") for i in range(3) for name in ("x", "y")]
        common = {"probability_contiguous": parts.PROBABILITY_CONTIGUOUS, "dim_parameter": "dim", "dtype": dtype, "cuda": cuda,
                  "max_allocation_bytes": parts.MAX_ALLOCATION_BYTES,
                  # Of y too: the original draws y_step_0 to 2 and does not use them.
                  "steps": ("x_step_0", "x_step_1", "x_step_2")}
        super().__init__(
            parameters=[parts.dimensions("dim"), parts.usual_sizes(), like_x, steps, parts.random_value()],
            tensors=[
                FuzzedTensor("x", size=("k0", "k1", "k2"), min_elements=parts.MIN_ELEMENTS, max_elements=parts.MAX_ELEMENTS,
                             **common),
                FuzzedTensor("y", size=("y_k0", "y_k1", "y_k2"), **common),
            ],
            seed=seed,
        )
