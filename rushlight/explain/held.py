"""An optimizer in the ledger: its parameters, and what its steps did."""

from typing import Any

from rushlight.explain.sites import Site


class Held:
    """What is known of one optimizer."""

    def __init__(self, optimizer: Any, site: Site):
        self.optimizer = optimizer
        self.name: str = type(optimizer).__name__
        self.site = site
        self.steps = 0
        self.stamp = -1  # the sequence number of the last node at its last step
        self.step_site = None
        self.zero_site = None
        self.schedule_site: Site | None = None
        self.factors: list[Any] = []  # the functions that a schedule computes its factors with
        self.zeroed = 0
        self.stale = 0  # steps that used gradients which an earlier step had used
        self.lost = 0  # steps after the gradients had been zeroed
        self.thrown: tuple[Any, ...] = ()  # the last pass whose gradients were zeroed unused, the line, the step
        self.wasted = 0  # steps before which gradients of a pass at the same line were zeroed unused
        self.empty = 0  # steps without any gradient
        self.frozen = 0  # steps in which no parameter required grad
        self.compared = 0  # steps for which parameters were compared before and after
        self.unmoved = 0  # of these, steps with gradients that changed nothing
        self.rate: float = 0.0  # the largest learning rate of its steps
        self.faded = 0  # steps with gradients and a learning rate that has decayed to almost nothing
        self.scheduled_at: Site | None = None  # the line at which a schedule takes its steps
        self.scheduled = 0  # how many steps it took
        self.resting = 0  # steps with gradients and a learning rate of zero
        self.begun: float = 0.0  # the largest value among some parameters at the first step
        self.largest: float = 0.0  # the largest since, while it was finite
        self.passes = 0  # the number of passes before it was made

        self.cuts: dict[int, Any] = {}  # the cuts behind the losses whose gradients its steps used
        self.before: list[Any] | None = None

    def arrived(self, ledger: Any) -> int:
        """The largest number of gradients that arrived at one parameter."""
        leaves = [ledger.leaves.get(id(p)) for p in self.params]
        return max((leaf.arrivals for leaf in leaves if leaf is not None), default=0)

    @property
    def params(self) -> list[Any]:
        """All parameters."""
        return [p for group in self.optimizer.param_groups for p in group["params"]]
