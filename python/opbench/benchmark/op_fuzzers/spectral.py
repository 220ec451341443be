# SPDX-License-Identifier: Apache-2.0
"""Tensors for Fourier transforms."""

from typing import Any

from opbench.benchmark.op_fuzzers import parts
from opbench.benchmark.utils.fuzzer import FuzzedTensor, Fuzzer

__all__ = ["SpectralOpFuzzer"]

MIN_DIM_SIZE = 16
MAX_DIM_SIZE = 16 * 1024


def _powers(base: int, most: int) -> list[int]:
    found = [1]
    while found[-1] * base <= most:
        found.append(found[-1] * base)
    return found


# Products of 2, 3 and 5, which transforms like best. The smallest size itself is not one of them, as in the original.
REGULAR_SIZES = sorted(
    a * b * c
    for a in _powers(2, MAX_DIM_SIZE)
    for b in _powers(3, MAX_DIM_SIZE // a)
    for c in _powers(5, MAX_DIM_SIZE // (a * b))
    if a * b * c > MIN_DIM_SIZE
)


class SpectralOpFuzzer(Fuzzer):
    """x of one to three dimensions, whose sizes are regular numbers with probability_regular."""

    def __init__(self, *, seed: int, dtype: Any = None, cuda: bool = False, probability_regular: float = 1.0) -> None:
        if dtype is None:
            import torch

            dtype = torch.float64
        chances = {"regular": probability_regular, "any": 1 - probability_regular}
        super().__init__(
            parameters=[parts.dimensions("ndim"), parts.sizes("regular", REGULAR_SIZES, chances, MAX_DIM_SIZE),
                        [parts.step(f"step_{i}") for i in range(3)]],
            tensors=[
                FuzzedTensor("x", size=("k0", "k1", "k2"), steps=("step_0", "step_1", "step_2"),
                             probability_contiguous=parts.PROBABILITY_CONTIGUOUS, min_elements=parts.MIN_ELEMENTS,
                             max_elements=parts.MAX_ELEMENTS, max_allocation_bytes=parts.MAX_ALLOCATION_BYTES,
                             dim_parameter="ndim", dtype=dtype, cuda=cuda)
            ],
            seed=seed,
        )
