# SPDX-License-Identifier: Apache-2.0
"""Fuzzer of torch.utils.benchmark: the same parameters and the same tensors from the same seed.

Draws are numpy's and tensors torch's, as in the original, for nothing else gives its numbers. (`opbench fuzz` has draws of its
own, which are the same on every machine and need neither.)
"""

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Optional, Union

__all__ = ["FuzzedParameter", "FuzzedTensor", "Fuzzer", "ParameterAlias"]

_DISTRIBUTIONS = ("loguniform", "uniform")
_ATTEMPTS = 1000


class FuzzedParameter:
    """A number, or one of several values, that is drawn at random.

    distribution is "loguniform" (whole numbers, from minval to maxval), "uniform" (whole numbers if both bounds are, else
    reals) or a dict of values and their probabilities, which takes no bounds. A strict parameter is not drawn again when a
    set of parameters is refused.
    """

    def __init__(
        self,
        name: str,
        minval: Optional[Union[int, float]] = None,
        maxval: Optional[Union[int, float]] = None,
        distribution: Optional[Union[str, dict[Any, float]]] = None,
        strict: bool = False,
    ) -> None:
        self._name = name
        self._minval = minval
        self._maxval = maxval
        self._distribution = self._check_distribution(distribution)
        self.strict = strict

    @property
    def name(self) -> str:
        return self._name

    def _check_distribution(self, distribution: Any) -> Any:
        if not isinstance(distribution, dict):
            assert distribution in _DISTRIBUTIONS, f"no such distribution: {distribution!r}"
            return distribution
        assert not any(p < 0 for p in distribution.values()), "Probabilities cannot be negative"
        assert abs(sum(distribution.values()) - 1) <= 1e-5, "Distribution is not normalized"
        assert self._minval is None and self._maxval is None, "a dict of values takes no minval and maxval"
        return distribution

    def sample(self, state: Any) -> Any:
        """A value, drawn from a numpy.random.RandomState."""
        if isinstance(self._distribution, dict):
            values = list(self._distribution)
            return values[state.choice(len(values), p=self._probabilities())]
        return self._loguniform(state) if self._distribution == "loguniform" else self._uniform(state)

    def _probabilities(self) -> tuple[float, ...]:
        # numpy minds a sum that is off by more than 1.5e-8; the check above allows 1e-5.
        found = tuple(self._distribution.values())
        total = math.fsum(found)
        return found if abs(total - 1) < 1e-9 else tuple(p / total for p in found)

    def _loguniform(self, state: Any) -> Union[int, float]:
        import numpy as np

        low: Any = self._minval
        high: Any = self._maxval
        value = int(2 ** state.uniform(low=np.log2(low), high=np.log2(high)))
        return low if value < low else high if value > high else value

    def _uniform(self, state: Any) -> Union[int, float]:
        if isinstance(self._minval, int) and isinstance(self._maxval, int):
            return int(state.randint(low=self._minval, high=self._maxval + 1))
        return state.uniform(low=self._minval, high=self._maxval)


class ParameterAlias:
    """As a value of a parameter: the value that another one has in the same draw."""

    def __init__(self, alias_to: str) -> None:
        self.alias_to = alias_to

    def __repr__(self) -> str:
        return f"ParameterAlias[alias_to: {self.alias_to}]"


def prod(values: Iterable[int], base: int = 1) -> int:
    """The product of whole numbers, however large."""
    return math.prod(values, start=base)


def dtype_size(dtype: Any) -> int:
    """Bytes of an element, as the original counts them: of a complex number one half."""
    import torch

    if dtype == torch.bool:
        return 1
    if dtype.is_floating_point or dtype.is_complex:
        return int(torch.finfo(dtype).bits / 8)
    return int(torch.iinfo(dtype).bits / 8)


class FuzzedTensor:
    """A tensor whose size, steps and layout in memory follow from parameters.

    Elements of size and steps are numbers or names of parameters; steps are distances of elements. Both are cut to, or filled
    with 1 up to, the value of dim_parameter. With probability_contiguous the memory is in the order of the dimensions, else in
    another one. A set of parameters that leads outside min_elements, max_elements or max_allocation_bytes is drawn again.
    roll_parameter is taken and not used, as in the original. tensor_constructor(size, dtype, **params) makes the memory.
    """

    def __init__(
        self,
        name: str,
        size: tuple[Union[str, int], ...],
        steps: Optional[tuple[Union[str, int], ...]] = None,
        probability_contiguous: float = 0.5,
        min_elements: Optional[int] = None,
        max_elements: Optional[int] = None,
        max_allocation_bytes: Optional[int] = None,
        dim_parameter: Optional[str] = None,
        roll_parameter: Optional[str] = None,
        dtype: Any = None,
        cuda: bool = False,
        tensor_constructor: Optional[Callable[..., Any]] = None,
    ) -> None:
        self._name = name
        self._size = size
        self._steps = steps
        self._probability_contiguous = probability_contiguous
        self._min_elements = min_elements
        self._max_elements = max_elements
        self._max_allocation_bytes = max_allocation_bytes
        self._dim_parameter = dim_parameter
        self._given_dtype = dtype
        self._cuda = cuda
        self._tensor_constructor = tensor_constructor

    @property
    def name(self) -> str:
        return self._name

    @property
    def _dtype(self) -> Any:
        if self._given_dtype is None:
            import torch

            return torch.float32
        return self._given_dtype

    @staticmethod
    def default_tensor_constructor(size: Any, dtype: Any, **kwargs: Any) -> Any:
        """Elements in [0, 1), integers from 1 to 126."""
        import torch

        if dtype.is_floating_point or dtype.is_complex:
            return torch.rand(size=size, dtype=dtype, device="cpu")
        return torch.randint(1, 127, size=size, dtype=dtype, device="cpu")

    def _make_tensor(self, params: dict[str, Any], state: Any) -> tuple[Any, dict[str, Any]]:
        import numpy as np

        size, steps, allocation = self._get_size_and_steps(params)
        make = self._tensor_constructor or self.default_tensor_constructor
        raw = make(size=allocation, dtype=self._dtype, **params)
        if self._cuda:
            raw = raw.cuda()
        order = np.arange(len(size))
        if state.rand() > self._probability_contiguous:
            while len(size) > 1 and np.array_equal(order, np.arange(len(size))):
                order = state.permutation(raw.dim())
            raw = raw.permute(tuple(order)).contiguous().permute(tuple(np.argsort(order)))
        tensor = raw[tuple(slice(0, n * step, step) for n, step in zip(size, steps))]
        return tensor, {
            "numel": int(tensor.numel()),
            "order": order,
            "steps": steps,
            "is_contiguous": tensor.is_contiguous(),
            "dtype": str(self._dtype),
        }

    def _get_size_and_steps(self, params: dict[str, Any]) -> tuple[tuple, tuple, tuple]:
        dim = len(self._size) if self._dim_parameter is None else params[self._dim_parameter]

        def resolve(values: Iterable[Any]) -> tuple:
            found = tuple(params.get(value, value) for value in values)[:dim]
            return found + (1,) * (dim - len(found))

        size, steps = resolve(self._size), resolve(self._steps or ())
        return size, steps, tuple(n * step for n, step in zip(size, steps))

    def satisfies_constraints(self, params: dict[str, Any]) -> bool:
        """Whether a tensor of these parameters keeps to its bounds."""
        size, _, allocation = self._get_size_and_steps(params)
        elements = prod(size)
        assert elements >= 0
        if self._max_elements is not None and elements > self._max_elements:
            return False
        if self._min_elements is not None and elements < self._min_elements:
            return False
        return (self._max_allocation_bytes is None
                or prod(allocation, base=dtype_size(self._dtype)) <= self._max_allocation_bytes)


class Fuzzer:
    """Draws sets of parameters and makes tensors of them.

    parameters and tensors are lists, whose items may be lists. Each of the constraints is called with a dict of the
    parameters, and a set that one of them refuses is drawn again. Every take() starts again from the seed; None takes one.
    """

    def __init__(
        self,
        parameters: Iterable[Any],
        tensors: Iterable[Any],
        constraints: Optional[Iterable[Callable[[dict[str, Any]], bool]]] = None,
        seed: Optional[int] = None,
    ) -> None:
        import numpy as np

        self._seed = np.random.RandomState().randint(0, 2**32, dtype="uint64") if seed is None else seed
        self._parameters = self._unpack(parameters)
        self._tensors = self._unpack(tensors)
        self._constraints = tuple(constraints or ())
        overlap = {p.name for p in self._parameters} & {t.name for t in self._tensors}
        if overlap:
            raise ValueError(f"Duplicate names in parameters and tensors: {overlap}")
        self._rejections = 0
        self._total_generated = 0

    @staticmethod
    def _unpack(values: Iterable[Any]) -> tuple:
        return tuple(item for value in values for item in ([value] if hasattr(value, "name") else value))

    def take(self, n: int) -> Iterator[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]:
        """n times tensors, their properties and the parameters, by name."""
        import numpy as np
        import torch

        state = np.random.RandomState(self._seed)
        torch.manual_seed(state.randint(low=0, high=2**63, dtype="int64"))
        for _ in range(n):
            params = self._generate(state)
            made = {t.name: t._make_tensor(params, state) for t in self._tensors}
            yield ({name: tensor for name, (tensor, _) in made.items()},
                   {name: properties for name, (_, properties) in made.items()}, params)

    @property
    def rejection_rate(self) -> float:
        """Sets that were drawn again, as a share of all."""
        return self._rejections / self._total_generated if self._total_generated else 0.0

    def _generate(self, state: Any) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        for _ in range(_ATTEMPTS):
            drawn: dict[str, Any] = {}
            for p in self._parameters:
                if p.strict and p.name in kept:
                    drawn[p.name] = kept[p.name]
                    continue
                drawn[p.name] = p.sample(state)
                if p.strict:
                    kept[p.name] = drawn[p.name]
            params = self._resolve_aliases(drawn)
            self._total_generated += 1
            if all(f(params) for f in self._constraints) and all(t.satisfies_constraints(params) for t in self._tensors):
                return params
            self._rejections += 1
        raise ValueError("Failed to generate a set of valid parameters.")

    @staticmethod
    def _resolve_aliases(params: dict[str, Any]) -> dict[str, Any]:
        params = dict(params)

        def left() -> int:
            return sum(hasattr(value, "alias_to") for value in params.values())

        count = left()
        while count:
            for name, value in params.items():
                if hasattr(value, "alias_to"):
                    params[name] = params[value.alias_to]
            if left() == count:
                raise ValueError(f"ParameterAlias cycle detected\n{params}")
            count = left()
        return params
