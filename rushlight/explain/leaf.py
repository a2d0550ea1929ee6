"""A leaf in the ledger, and the arrival of a gradient there."""

from typing import Any, Self
from weakref import ref

import numpy as np

from rushlight.explain.finite import is_bad, sum_of_squares
from rushlight.explain.origins import info_of
from rushlight.explain.passes import is_zero
from rushlight.explain.sites import Site
from rushlight.tensors import Tensor

ndarray = np.ndarray


class Leaf:
    """What happened to one leaf."""

    last: Site | None

    def __init__(self, tensor: Tensor, site: Site | None):
        self.ref = ref(tensor)
        self.key: int = id(tensor)
        self.shape: tuple[Any, ...] = tuple(tensor._array.shape)
        self.is_parameter: bool = type(tensor).__name__ == "Parameter"
        self.first = self.last = site  # the lines of the first and the last pass that reached it
        change = None if tensor._counter is None else tensor._counter.changed_at
        self.begun_at: Site | None = getattr(change, "site", None)  # where it got its values, if in a change
        self.size: float = float(np.abs(tensor._array).max(initial=0)) if self.begun_at is not None else 0.0
        self.arrivals = 0
        self.zeros = 0  # gradients that were all zero
        self.zeroed_by = None  # what is known of the node that made them zero
        self.zeroed_name = ""
        self.cancelled = False  # whether nonzero parts of a gradient cancelled there
        self.weightless = False  # whether the node had weights that were all zero
        self.norms: list[float] = []
        self.new = False  # a gradient has arrived since the last step
        self.used = False  # a step has used the present gradient
        self.stale = False  # and more was added to it afterwards
        self.read = False  # the program has read the gradient
        self.first_step = 0
        self.last_step = -1  # the number of steps before the last gradient arrived
        self.values: np.ndarray | None = None  # some of its values when a gradient arrived
        self.used_at: Site | None = None  # the line of the operation that the first gradient came from
        self.by_hand = 0  # gradients added to one that the program had used to update the leaf
        self.changed_at: Site | None = None
        self.read_at: Site | None = None  # the line that last read the gradient

    @property
    def tensor(self) -> Any:
        """The leaf, while it exists."""
        return self.ref()

    def is_unused(self, leaf: Tensor, steps: int) -> bool:
        """Whether a gradient arrived since the last step, is still there, and was not read."""
        return leaf._grad is not None and self.new and not self.read and self.last_step == steps

    def changed_by_hand(self, leaf: Tensor) -> bool:
        """Whether the program itself has changed the leaf since the last gradient arrived."""
        if self.values is None or np.array_equal(self.values, leaf._array.reshape(-1)[:8], equal_nan=True):
            return False
        change = None if leaf._counter is None else leaf._counter.changed_at
        self.changed_at = getattr(change, "site", None) or self.last
        return True


class Arrival:
    """A context around the arrival of a gradient at a leaf."""

    __slots__ = ("leaf", "ledger", "state")

    state: Leaf

    def __init__(self, ledger: Any, leaf: Tensor):
        self.ledger: Any = ledger
        self.leaf: Tensor = leaf

    def __enter__(self) -> Self:
        under_way = self.ledger.under_way[-1]
        state = self.state = self.ledger.leaf(self.leaf, under_way.site)
        held = self.leaf._grad
        if held is None or is_zero(held._array):
            state.stale = False
        elif state.used:
            state.stale = True
        elif state.changed_by_hand(self.leaf):
            state.by_hand += 1
        return self

    def __exit__(self, *exception: object) -> None:
        leaf, state = self.leaf, self.state
        under_way = self.ledger.under_way[-1]
        if leaf._grad is None:
            return
        state.arrivals += 1
        if state.arrivals == 1 and (info := info_of(under_way.node)) is not None:
            state.used_at = info.site
        state.new, state.used, state.last = True, False, under_way.site
        if id(leaf) not in self.ledger.owned:
            state.values = leaf._array.reshape(-1)[:8].copy()
        state.last_step = self.ledger.steps
        under_way.reached.append(state)
        array = leaf._grad._array
        if type(array) is not ndarray:
            return
        size = sum_of_squares(array)
        if size - size != 0 and is_bad(array):
            under_way.bad_leaves.append(state)
        if size == 0 and not array.any():
            under_way.zero_leaves.append((state, leaf))
        if len(state.norms) < 500:
            state.norms.append(size**0.5)
