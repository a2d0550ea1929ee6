"""An optimizer in the ledger: what it holds, and how its steps went."""

from typing import Any

from rushlight.explain.sites import Site


class Held:
    """What is known of an optimizer."""

    def __init__(self, optimizer: Any, site: Site):
        self.optimizer = optimizer
        self.name: str = type(optimizer).__name__
        self.site = site
        self.steps = 0
        self.stamp = -1  # the number of the last node that there was at its last step
        self.step_site = None
        self.zero_site = None
        self.schedule_site: Site | None = None
        self.factors: list[Any] = []  # the functions that a schedule takes its factors from
        self.zeroed = 0
        self.stale = 0  # steps with gradients that were used before
        self.lost = 0  # steps after gradients had been zeroed
        self.thrown: tuple[Any, ...] = ()  # the pass whose gradients were zeroed unused, the line that did so, the step
        self.wasted = 0  # steps before which gradients of a pass at the same line had been zeroed unused
        self.empty = 0  # steps without any gradient
        self.frozen = 0  # steps with no parameter that requires grad
        self.compared = 0  # steps before and after which parameters were compared
        self.unmoved = 0  # those of them that changed nothing though there were gradients
        self.rate = 0.0  # the largest learning rate of its steps
        self.faded = 0  # steps with gradients and hardly anything left of that
        self.scheduled_at: Site | None = None  # the line at which a schedule takes its steps
        self.scheduled = 0  # how many it took
        self.resting = 0  # steps with gradients and a learning rate of zero
        self.begun = 0.0  # the largest of some parameters at the first step
        self.largest = 0.0  # and since, while it was finite
        self.passes = 0  # how many passes there had been when it was made

        self.cuts: dict[int, Any] = {}  # those behind the losses whose gradients its steps used
        self.before: list[Any] | None = None

    def arrived(self, ledger: Any) -> int:
        """How many gradients the parameters got at most."""
        leaves = [ledger.leaves.get(id(p)) for p in self.params]
        return max((leaf.arrivals for leaf in leaves if leaf is not None), default=0)

    @property
    def params(self) -> list[Any]:
        """All parameters."""
        return [p for group in self.optimizer.param_groups for p in group["params"]]
