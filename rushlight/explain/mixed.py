"""Gradients that passes for something else leave in parameters, where those of the loss are then added to them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from rushlight.explain.leaf import Leaf
from rushlight.explain.origins import Cut
from rushlight.explain.passes import is_zero
from rushlight.explain.sites import Site


class Side(NamedTuple):
    """A pass that has reached leaves of no optimizer, and parameters of one besides."""

    site: Site
    loose: list[Leaf]
    trained: Leaf

    def feeds(self, cuts: Sequence[Cut]) -> bool:
        """Whether what was made of its leaves, whose gradients were looked at, went through one of some cuts."""
        return any(leaf.read and leaf.key in cut.leaves for leaf in self.loose for cut in cuts)

    def is_left(self) -> bool:
        """Whether its gradients are still there."""
        parameter = self.trained.tensor
        return parameter is not None and parameter._grad is not None and not is_zero(parameter._grad._array)


class Mixed:
    """Such passes since gradients were zeroed, and those that were found to be mixed in: by line, how often, where."""

    def __init__(self):
        self.sides: list[Side] = []
        self.found: dict[Site, tuple[int, Site]] = {}

    def begins(self, site: Site, cuts: Sequence[Cut]) -> None:
        """A pass begins from a loss with some cuts behind it."""
        if self.sides and self.sides[-1].site is not site:
            before = [side for side in self.sides if side.is_left()]
            several = len(before) > 1 and all(side.site is before[0].site for side in before)
            if several and any(side.feeds(cuts) for side in before):
                self.found[before[0].site] = self.found.get(before[0].site, (0, site))[0] + 1, site
            self.sides = []

    def ends(self, under_way: Any, owned: set[int]) -> None:
        """A pass is over."""
        loose = [leaf for leaf in under_way.reached if leaf.key not in owned and not leaf.is_parameter]
        trained = next((leaf for leaf in under_way.reached if leaf.key in owned), None)
        if loose and trained is not None and len(self.sides) < 1000:
            self.sides.append(Side(under_way.site, loose, trained))

    def forget(self) -> None:
        """Gradients are zeroed."""
        self.sides = []
