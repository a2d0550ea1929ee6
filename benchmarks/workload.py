"""The class of workloads, and their initial numbers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

Arrays = list[np.ndarray]
Step = Callable[[], Sequence[object]]  # does the work once; gives a loss, its gradients, or the weights after an update
Form = Callable[[object, Arrays, Arrays], Step]  # from a contender's module, the inputs and the weights


@dataclass(frozen=True, eq=False)
class Workload:
    """One piece of work, with the form that prepares it for each contender that can do it.

    `data` makes the inputs and the initial weights, the same numbers for all. `per_step` is what one step is divided by
    (operations, say) and `bound` the largest ratio to PyTorch that we allow ourselves. Workloads are sent to other
    processes, so forms and data are functions of a module, or `partial` ones.
    """

    name: str
    forms: dict[str, Form]
    data: Callable[[], tuple[Arrays, Arrays]]
    per_step: int = 1
    bound: float | None = None


def normal(generator: np.random.Generator, *shape: int, over: float = 1.0) -> np.ndarray:
    """Normal numbers in float32, divided by a number."""
    return generator.standard_normal(shape, np.float32) / np.float32(over)


def uniform(generator: np.random.Generator, *shape: int, over: float = 1.0) -> np.ndarray:
    """Numbers between -1 and 1 in float32, divided by a number: PyTorch's first weights of layers."""
    return (generator.random(shape, np.float32) * 2 - 1) / np.float32(over)


def linear_weights(generator: np.random.Generator, *widths: int) -> Arrays:
    """Weights and biases of linear layers one after the other, as PyTorch shapes them."""
    pairs = pairwise(widths)
    return [uniform(generator, *shape, over=i**0.5) for i, o in pairs for shape in ((o, i), (o,))]
