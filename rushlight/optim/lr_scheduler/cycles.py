"""Cyclic schedulers, some of which also set the momentum."""

import math
from collections.abc import Callable
from types import FunctionType
from typing import Any

from rushlight.core.advice import advised
from rushlight.optim.lr_scheduler.scheduler import LRScheduler, one_for_each, require_optimizer, set_value
from rushlight.optim.optimizer import Optimizer

__all__ = ["CosineAnnealingWarmRestarts", "CyclicLR", "OneCycleLR"]


class _WithMomentum(LRScheduler):
    """Base class of schedulers that can also set the momentum (for Adam, the first of `betas`)."""

    use_beta1: bool
    base_momentums: list[Any]
    max_momentums: list[Any]

    def _begin_momentum(self, optimizer: Optimizer, base_momentum: Any, max_momentum: Any, last_epoch: int) -> None:
        """Sets the momentum to its maximum. ValueError for an optimizer without momentum."""
        if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        self.use_beta1 = "betas" in optimizer.defaults
        self.base_momentums = one_for_each("base_momentum", optimizer, base_momentum)
        self.max_momentums = one_for_each("max_momentum", optimizer, max_momentum)
        if last_epoch == -1:
            for low, high, group in zip(self.base_momentums, self.max_momentums, optimizer.param_groups, strict=True):
                self._set_momentum(group, high)
                group["max_momentum"], group["base_momentum"] = high, low

    def _set_momentum(self, group: dict[str, Any], momentum: Any) -> None:
        """Sets a group's momentum."""
        if self.use_beta1:
            group["betas"] = (momentum, *group["betas"][1:])
        else:
            group["momentum"] = momentum


class CyclicLR(_WithMomentum):
    """Moves the learning rate from `base_lr` to `max_lr` and back, repeatedly.

    It rises for `step_size_up` steps and falls for `step_size_down` (by default as many). The amplitude is constant
    ("triangular"), halved with each cycle ("triangular2"), multiplied by `gamma` with each step ("exp_range"), or given
    by `scale_fn` of the number of the cycle or of the step (`scale_mode` "cycle" or "iterations"). With
    `cycle_momentum`, the momentum moves in the opposite direction.

    Source: L. Smith, "Cyclical learning rates for training neural networks", 2015.

    >>> import rushlight as torch
    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.CyclicLR(optimizer, 0.1, max_lr=0.5, step_size_up=2, cycle_momentum=False)
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(round(optimizer.param_groups[0]["lr"], 4))
    ...     optimizer.step()
    ...     scheduler.step()
    >>> rates
    [0.1, 0.3, 0.5, 0.3]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: Any,
        max_lr: Any,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.8,
        max_momentum: Any = 0.9,
        last_epoch: int = -1,
    ):
        require_optimizer(optimizer)
        base_lrs = one_for_each("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for lr, group in zip(base_lrs, optimizer.param_groups, strict=True):
                set_value(group, "lr", lr)
        self.max_lrs: list[Any] = one_for_each("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        self.total_size: float = up + (up if step_size_down is None else float(step_size_down))
        self.step_ratio: float = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        if scale_fn is None:
            scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.scale_mode = scale_mode
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._begin_momentum(optimizer, base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def scale_fn(self, x: float) -> float:
        """The amplitude of a cycle, or at a step, relative to the first."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "exp_range":
            return self.gamma**x
        return 1 / 2.0 ** (x - 1) if self.mode == "triangular2" else 1.0

    def get_lr(self) -> list[Any]:
        """The learning rates of this step; sets the momentum."""
        self._warn_outside_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            for low, high, group in zip(
                self.base_momentums, self.max_momentums, self.optimizer.param_groups, strict=True
            ):
                self._set_momentum(group, high - (high - low) * height * scale)
        return [low + (high - low) * height * scale for low, high in zip(self.base_lrs, self.max_lrs, strict=True)]

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimizer; of `scale_fn`, only the attributes if it is an object."""
        function = self._scale_fn_custom
        plain = function is None or isinstance(function, FunctionType)
        return {**super().state_dict(), "_scale_fn_custom": None if plain else dict(function.__dict__)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restores what `state_dict` returned."""
        super().load_state_dict({key: value for key, value in state_dict.items() if key != "_scale_fn_custom"})
        if state_dict["_scale_fn_custom"] is not None:
            self._scale_fn_custom.__dict__.update(state_dict["_scale_fn_custom"])


class CosineAnnealingWarmRestarts(LRScheduler):
    """Lowers the learning rate to `eta_min` along half a cosine in `T_0` epochs, then restarts, and so on.

    Each cycle is `T_mult` times as long as the previous one. Source: I. Loshchilov, F. Hutter, "SGDR: stochastic
    gradient descent with warm restarts", 2016. ValueError unless T_0 and T_mult are positive integers.

    >>> import rushlight as torch
    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(round(optimizer.param_groups[0]["lr"], 4))
    ...     optimizer.step()
    ...     scheduler.step()
    >>> rates
    [1.0, 0.5, 1.0, 0.5]
    """

    last_epoch: int
    T_i: int

    def __init__(self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1):
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The learning rates on the cosine of the present cycle, one for each group."""
        self._warn_outside_step()
        height = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (lr - self.eta_min) * height for lr in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Sets the learning rates for the next epoch, or for a given one, which may be fractional."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        else:
            self._go_to(epoch)
        self.last_epoch = math.floor(epoch)
        self._get_lr_called_within_step = True
        self._set(self.get_lr())
        self._get_lr_called_within_step = False

    def _go_to(self, epoch: float) -> None:
        """Computes the cycle that an epoch belongs to."""
        if epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            n = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**n - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**n


class OneCycleLR(_WithMomentum):
    """Raises the learning rate to `max_lr` once, then lowers it far down, in a given number of steps.

    It starts at max_lr / div_factor, reaches max_lr after the fraction `pct_start` of the steps, and ends at the
    initial value / final_div_factor; with `three_phase` it returns to the initial value in between. It changes along
    cosines or linearly ("linear"). With `cycle_momentum`, the momentum moves in the opposite direction.

    Source: L. Smith, N. Topin, "Super-convergence: very fast training of neural networks using large learning rates",
    2017. ValueError for options out of range, and for more steps than specified.

    >>> import rushlight as torch
    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1.0, total_steps=5)
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(round(optimizer.param_groups[0]["lr"], 4))
    ...     optimizer.step()
    ...     scheduler.step()
    >>> rates
    [0.04, 0.9505, 0.6113, 0.1883]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: Any,
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.85,
        max_momentum: Any = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ):
        require_optimizer(optimizer)
        self.total_steps: int = number_of_steps(total_steps, epochs, steps_per_epoch)
        if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type = anneal_strategy
        self._schedule_phases = phases(self.total_steps, pct_start, three_phase)
        if last_epoch == -1:
            highest = one_for_each("max_lr", optimizer, max_lr)
            for lr, group in zip(highest, optimizer.param_groups, strict=True):
                group["initial_lr"], group["max_lr"] = lr / div_factor, lr
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._begin_momentum(optimizer, base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    def _between(self, start: Any, end: Any, share: float) -> Any:
        """Interpolates between `start` and `end`; `share` goes from 0 to 1."""
        if self._anneal_func_type == "linear":
            return (end - start) * share + start
        return end + (start - end) / 2 * (math.cos(math.pi * share) + 1)

    def get_lr(self) -> list[Any]:
        """The learning rates of this step; sets the momentum."""
        self._warn_outside_step()
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The specified number of total steps is {self.total_steps}")
        begin = 0.0
        for phase in self._schedule_phases:
            if step <= phase["end_step"] or phase is self._schedule_phases[-1]:
                break
            begin = phase["end_step"]
        share = (step - begin) / (phase["end_step"] - begin)
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(self._between(group[phase["start_lr"]], group[phase["end_lr"]], share))
            if self.cycle_momentum:
                start, end = group[phase["start_momentum"]], group[phase["end_momentum"]]
                self._set_momentum(group, self._between(start, end, share))
        return rates


def number_of_steps(total_steps: Any, epochs: Any, steps_per_epoch: Any) -> int:
    """The total number of steps, also from epochs and steps per epoch. ValueError unless they are positive integers."""
    if total_steps is None and (epochs is None or steps_per_epoch is None):
        raise ValueError(advised("You must define either total_steps OR (epochs AND steps_per_epoch)"))
    given = (
        {"total_steps": total_steps}
        if total_steps is not None
        else {
            "epochs": epochs,
            "steps_per_epoch": steps_per_epoch,
        }
    )
    for name, value in given.items():
        if not isinstance(value, int) or value <= 0:
            raise ValueError(f"Expected positive integer {name}, but got {value}")
    return math.prod(given.values())


def phases(total: int, share: float, three: bool) -> list[dict[str, Any]]:
    """The phases of the cycle: the step at which each ends, and the group options that it interpolates between."""
    way = ["initial_lr", "max_lr", "initial_lr", "min_lr"] if three else ["initial_lr", "max_lr", "min_lr"]
    momentum = ["max_momentum", "base_momentum", "max_momentum", "max_momentum"]
    ends = [share * total - 1, *[2 * share * total - 2] * three, total - 1]
    return [
        {
            "end_step": end,
            "start_lr": way[i],
            "end_lr": way[i + 1],
            "start_momentum": momentum[i],
            "end_momentum": momentum[i + 1],
        }
        for i, end in enumerate(ends)
    ]
