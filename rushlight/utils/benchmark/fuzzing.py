"""`Fuzzer`: tensors of random sizes and layouts, for measurements over many shapes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from math import log2, prod
from typing import Any

import numpy as np
from numpy.random import RandomState

import rushlight as torch
from rushlight.tensors import Tensor

__all__ = ["FuzzedParameter", "FuzzedTensor", "Fuzzer", "ParameterAlias"]

TRIALS = 1000  # draws of parameters until some satisfy all constraints


class ParameterAlias:
    """Says that a parameter has the value of another: a choice of a parameter's distribution."""

    def __init__(self, alias_to: str):
        self.alias_to = alias_to

    def __repr__(self) -> str:
        return f"ParameterAlias[alias_to: {self.alias_to}]"


class FuzzedParameter:
    """A number to draw: from `minval` to `maxval`, "uniform" or "loguniform", or from a dict of probabilities.

    A strict one is drawn once, and not again when the parameters do not satisfy the constraints.
    """

    def __init__(
        self,
        name: str,
        minval: float | None = None,
        maxval: float | None = None,
        distribution: str | dict[Any, float] | None = None,
        strict: bool = False,
    ):
        self.name, self.strict = name, strict
        self._minval, self._maxval, self._distribution = minval, maxval, distribution
        if not isinstance(distribution, dict):
            if distribution not in ("loguniform", "uniform"):
                raise AssertionError(f"Unknown distribution: {distribution}. It is uniform, loguniform, or a dict.")
            return
        if any(probability < 0 for probability in distribution.values()):
            raise AssertionError("Probabilities cannot be negative")
        for bound in ("minval", "maxval"):
            if getattr(self, f"_{bound}") is not None:
                raise AssertionError(f"When passing a custom distribution, '{bound}' must be None")

    def sample(self, state: RandomState) -> Any:
        """Draws a value."""
        low, high = self._minval, self._maxval
        if isinstance(self._distribution, dict):
            choices = list(self._distribution)
            return choices[state.choice(np.arange(len(choices)), p=tuple(self._distribution.values()))]
        if low is None or high is None:
            raise AssertionError(f"The parameter {self.name} needs minval and maxval.")
        if self._distribution == "loguniform":
            return min(max(int(2 ** state.uniform(low=log2(low), high=log2(high))), low), high)
        if isinstance(low, int) and isinstance(high, int):
            return int(state.randint(low=low, high=high + 1))
        return state.uniform(low=low, high=high)


class FuzzedTensor:
    """A tensor to make: its sizes are numbers or names of parameters, and so are the steps of the slice that it is.

    With a probability of 1 - `probability_contiguous` its dimensions lie in memory in another order. Parameters for
    which it has less than `min_elements`, more than `max_elements`, or memory of more than `max_allocation_bytes` are
    drawn again. `dim_parameter` names the parameter with the number of its dimensions.
    """

    def __init__(
        self,
        name: str,
        size: tuple[str | int, ...],
        steps: tuple[str | int, ...] | None = None,
        probability_contiguous: float = 0.5,
        min_elements: int | None = None,
        max_elements: int | None = None,
        max_allocation_bytes: int | None = None,
        dim_parameter: str | None = None,
        roll_parameter: str | None = None,
        dtype: Any = torch.float32,
        cuda: bool = False,
        tensor_constructor: Callable[..., Tensor] | None = None,
    ):
        self.name = name
        self._size, self._steps, self._dim = size, steps or (), dim_parameter
        self._probability_contiguous, self._dtype, self._cuda = probability_contiguous, dtype, cuda
        self._least, self._most, self._memory = min_elements, max_elements, max_allocation_bytes
        self._make = tensor_constructor or self.default_tensor_constructor

    @staticmethod
    def default_tensor_constructor(size: Sequence[int], dtype: Any, **kwargs: Any) -> Tensor:
        """Random numbers: from 0 to 1, or whole ones from 1 to 126."""
        if dtype.is_floating_point or dtype.is_complex:
            return torch.rand(size=size, dtype=dtype)
        return torch.randint(1, 127, size=size, dtype=dtype)

    def _sizes_and_steps(self, params: dict[str, Any]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The sizes, and the steps along them."""
        dims = len(self._size) if self._dim is None else params[self._dim]

        def resolved(values: Sequence[Any]) -> tuple[int, ...]:
            return tuple(params.get(value, value) for value in values[:dims]) + (1,) * (dims - len(values))

        return resolved(self._size), resolved(self._steps)

    def satisfies_constraints(self, params: dict[str, Any]) -> bool:
        """Whether the tensor is neither too small nor too large."""
        sizes, steps = self._sizes_and_steps(params)
        elements = prod(sizes)
        memory = elements * prod(steps) * self._dtype.itemsize
        return (
            (self._most is None or elements <= self._most)
            and (self._least is None or elements >= self._least)
            and (self._memory is None or memory <= self._memory)
        )

    def _make_tensor(self, params: dict[str, Any], state: RandomState) -> tuple[Tensor, dict[str, Any]]:
        """The tensor, and a description of it."""
        sizes, steps = self._sizes_and_steps(params)
        whole = self._make(
            size=tuple(n * step for n, step in zip(sizes, steps, strict=True)), dtype=self._dtype, **params
        )
        whole = whole.cuda() if self._cuda else whole
        order = np.arange(len(sizes))
        if state.rand() > self._probability_contiguous:
            while len(sizes) > 1 and np.all(order == np.arange(len(sizes))):
                order = state.permutation(len(sizes))
            whole = whole.permute(*order.tolist()).contiguous().permute(*np.argsort(order).tolist())
        tensor = whole[tuple(slice(0, n * step, step) for n, step in zip(sizes, steps, strict=True))]
        return tensor, {
            "numel": tensor.numel(),
            "order": order,
            "steps": steps,
            "is_contiguous": tensor.is_contiguous(),
            "dtype": str(self._dtype),
        }


class Fuzzer:
    """Draws parameters, and makes tensors by them; `take` gives as many as asked for, the same ones for the same seed.

    >>> from rushlight.utils.benchmark import FuzzedParameter, FuzzedTensor, Fuzzer
    >>> rows = FuzzedParameter("rows", minval=2, maxval=9, distribution="uniform")
    >>> fuzzer = Fuzzer([rows], [FuzzedTensor("x", size=("rows", 3))], seed=0)
    >>> [tensors["x"].shape == (params["rows"], 3) for tensors, properties, params in fuzzer.take(2)]
    [True, True]
    """

    def __init__(
        self,
        parameters: Sequence[FuzzedParameter | Sequence[FuzzedParameter]],
        tensors: Sequence[FuzzedTensor | Sequence[FuzzedTensor]],
        constraints: Sequence[Callable[[dict[str, Any]], bool]] | None = None,
        seed: int | None = None,
    ):
        self._seed = int(RandomState().randint(0, 2**32 - 1, dtype=np.int64)) if seed is None else seed
        self._parameters: list[FuzzedParameter] = unpacked(parameters)
        self._tensors: list[FuzzedTensor] = unpacked(tensors)
        self._constraints = constraints or ()
        self._rejections = self._total_generated = 0
        common = {one.name for one in self._parameters} & {one.name for one in self._tensors}
        if common:
            raise ValueError(f"Duplicate names in parameters and tensors: {common}")

    @property
    def rejection_rate(self) -> float:
        """Which share of the drawn parameters did not satisfy the constraints."""
        return self._rejections / self._total_generated if self._total_generated else 0.0

    def take(self, n: int) -> Iterator[tuple[dict[str, Tensor], dict[str, dict[str, Any]], dict[str, Any]]]:
        """Yields `n` times tensors, their descriptions, and the parameters, each by name; sets torch's seed."""
        state = RandomState(self._seed)
        torch.manual_seed(int(state.randint(low=0, high=2**63, dtype=np.int64)))
        for _ in range(n):
            params = self._generate(state)
            made = {tensor.name: tensor._make_tensor(params, state) for tensor in self._tensors}
            tensors = {name: tensor for name, (tensor, _) in made.items()}
            properties = {name: told for name, (_, told) in made.items()}
            yield tensors, properties, params

    def _generate(self, state: RandomState) -> dict[str, Any]:
        """Parameters that satisfy the constraints."""
        kept: dict[str, Any] = {}
        for _ in range(TRIALS):
            drawn = {}
            for one in self._parameters:
                drawn[one.name] = kept[one.name] if one.name in kept else one.sample(state)
                if one.strict:
                    kept[one.name] = drawn[one.name]
            params = resolved_aliases(drawn)
            self._total_generated += 1
            if all(holds(params) for holds in self._constraints) and all(
                tensor.satisfies_constraints(params) for tensor in self._tensors
            ):
                return params
            self._rejections += 1
        raise ValueError(f"Failed to generate a set of valid parameters in {TRIALS} trials: relax the constraints.")


def unpacked(values: Iterable[Any]) -> list[Any]:
    """The elements of a list, and those of lists in it."""
    return list(chain.from_iterable(value if isinstance(value, Sequence) else [value] for value in values))


def resolved_aliases(params: dict[str, Any]) -> dict[str, Any]:
    """The parameters with the values that aliases stand for. ValueError for those that stand for each other."""
    found = {}
    for name, value in params.items():
        seen = [name]
        while isinstance(value, ParameterAlias):
            if value.alias_to in seen:
                raise ValueError(f"ParameterAlias cycle detected\n{params}")
            seen.append(value.alias_to)
            value = params[value.alias_to]
        found[name] = value
    return found
