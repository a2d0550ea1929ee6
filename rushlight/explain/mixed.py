"""Passes for another purpose that leave gradients in parameters, to which those of the loss are added."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from rushlight.explain.leaf import Leaf
from rushlight.explain.origins import Cut
from rushlight.explain.passes import is_zero
from rushlight.explain.sites import Site


class Side(NamedTuple):
    """A pass that reached leaves without an optimizer, and also parameters that have one."""

    site: Site
    loose: list[Leaf]
    trained: Leaf

    def feeds(self, cuts: Sequence[Cut]) -> bool:
        """Whether values computed from its leaves, whose gradients were read, went through one of the cuts."""
        return any(leaf.read and leaf.key in cut.leaves for leaf in self.loose for cut in cuts)

    def is_left(self) -> bool:
        """Whether its gradients have not been zeroed."""
        parameter = self.trained.tensor
        return parameter is not None and parameter._grad is not None and not is_zero(parameter._grad._array)


class Mixed:
    """The side passes since gradients were zeroed, and those found to be mixed in: by line, how often and where."""

    def __init__(self) -> None:
        self.sides: list[Side] = []
        self.found: dict[Site, tuple[int, Site]] = {}

    def begins(self, site: Site, cuts: Sequence[Cut]) -> None:
        """Called when a pass begins from a loss with the given cuts behind it."""
        if self.sides and self.sides[-1].site is not site:
            before = [side for side in self.sides if side.is_left()]
            several = len(before) > 1 and all(side.site is before[0].site for side in before)
            if several and any(side.feeds(cuts) for side in before):
                self.found[before[0].site] = self.found.get(before[0].site, (0, site))[0] + 1, site
            self.sides = []

    def ends(self, under_way: Any, owned: set[int]) -> None:
        """Called when a pass has ended."""
        loose = [leaf for leaf in under_way.reached if leaf.key not in owned and not leaf.is_parameter]
        trained = next((leaf for leaf in under_way.reached if leaf.key in owned), None)
        if loose and trained is not None and len(self.sides) < 1000:
            self.sides.append(Side(under_way.site, loose, trained))

    def forget(self) -> None:
        """Called when gradients are zeroed."""
        self.sides = []
