# SPDX-License-Identifier: Apache-2.0
"""What the op fuzzers draw from: sizes, steps, bounds. The order of parameters is the original's, and with it the draws."""

from typing import Any

from opbench.benchmark.utils.fuzzer import FuzzedParameter, ParameterAlias

MIN_DIM_SIZE = 16
MAX_DIM_SIZE = 16 * 1024**2
POW_TWO_SIZES = tuple(2**i for i in range(4, 25))
DIMS = {1: 0.3, 2: 0.4, 3: 0.3}
STEPS = {1: 0.8, 2: 0.06, 4: 0.06, 8: 0.04, 16: 0.04}
MIN_ELEMENTS = 4 * 1024
MAX_ELEMENTS = 32 * 1024**2
MAX_ALLOCATION_BYTES = 2 * 1024**3
PROBABILITY_CONTIGUOUS = 0.75


def equally_likely(values: Any) -> dict[Any, float]:
    return {value: 1.0 / len(values) for value in values}


def dimensions(name: str) -> FuzzedParameter:
    return FuzzedParameter(name, distribution=DIMS, strict=True)


def sizes(special_name: str, special: Any, chances: dict[str, float], most: int) -> list[FuzzedParameter]:
    """k0 to k2: any size, or a special one, with the chances that are given by name, in their order."""
    anything = [FuzzedParameter(f"k_any_{i}", minval=MIN_DIM_SIZE, maxval=most, distribution="loguniform") for i in range(3)]
    chosen = [FuzzedParameter(f"k_{special_name}_{i}", distribution=equally_likely(special)) for i in range(3)]
    either = [
        FuzzedParameter(f"k{i}", distribution={ParameterAlias(f"k_{name}_{i}"): p for name, p in chances.items()}, strict=True)
        for i in range(3)
    ]
    return anything + chosen + either


def usual_sizes() -> list[FuzzedParameter]:
    """Powers of two are one in five."""
    return sizes("pow2", POW_TWO_SIZES, {"any": 0.8, "pow2": 0.2}, MAX_DIM_SIZE)


def step(name: str) -> FuzzedParameter:
    return FuzzedParameter(name, distribution=STEPS)


def random_value() -> FuzzedParameter:
    """For what a program draws by itself."""
    return FuzzedParameter("random_value", minval=0, maxval=2**32 - 1, distribution="uniform")


def sparseness() -> list[FuzzedParameter]:
    return [FuzzedParameter("density", distribution={0.1: 0.4, 0.05: 0.3, 0.01: 0.3}),
            FuzzedParameter("coalesced", distribution={True: 0.5, False: 0.5}), random_value()]


def sparse_dimensions() -> list[FuzzedParameter]:
    return [dimensions("dim_parameter"), FuzzedParameter("sparse_dim", distribution={1: 0.4, 2: 0.4, 3: 0.2}, strict=True)]
