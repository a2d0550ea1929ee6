"""Lowering the learning rate when a metric no longer improves."""

import math
from collections.abc import Sequence
from typing import Any

from rushlight.core.lines import warn
from rushlight.optim.lr_scheduler.scheduler import EPOCH_GIVEN, LRScheduler, require_optimizer, set_value, values_of
from rushlight.optim.optimizer import Optimizer

__all__ = ["ReduceLROnPlateau"]


class ReduceLROnPlateau(LRScheduler):
    """Multiplies the learning rate by `factor` when a metric has not improved for more than `patience` epochs.

    `mode` is "min" if the metric should fall, "max" if it should rise. The metric has improved if it is better than the
    best value by more than `threshold`, relative to that value ("rel") or absolute ("abs"). After each reduction,
    `cooldown` epochs are not counted. Learning rates stay at or above `min_lr`, one for all groups or a list; changes
    smaller than `eps` are not made.

    >>> import rushlight as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
    >>> for loss in (3.0, 2.0, 2.0, 2.0):
    ...     scheduler.step(loss)
    >>> scheduler.get_last_lr()
    [0.1]
    """

    last_epoch: int
    best: float
    cooldown_counter: int
    num_bad_epochs: int
    min_lrs: list[Any]

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | list[float] = 0,
        eps: float = 1e-8,
    ):
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        require_optimizer(optimizer)
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        self.optimizer = optimizer
        self.factor = factor
        self.patience = patience
        self.cooldown = cooldown
        self.eps = eps
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self.mode_worse: float = math.inf if mode == "min" else -math.inf
        self._set_lowest(min_lr)
        self.last_epoch = 0
        self._last_lr = values_of(optimizer, "lr")
        self._reset()

    def _set_lowest(self, min_lr: float | Sequence[float]) -> None:
        """Sets the minimum learning rates."""
        groups = len(self.optimizer.param_groups)
        if isinstance(min_lr, (list, tuple)):
            if len(min_lr) != groups:
                raise ValueError(f"expected {groups} min_lrs, got {len(min_lr)}")
            self.default_min_lr, self.min_lrs = None, list(min_lr)
        else:
            self.default_min_lr, self.min_lrs = min_lr, [min_lr] * groups

    def _reset(self) -> None:
        """Resets the counters and the best metric."""
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]  # as in PyTorch
        """Takes the metric of the next epoch, and reduces the learning rates if it is time."""
        current = float(metrics)
        if epoch is not None:
            warn(EPOCH_GIVEN)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self._is_better(current, self.best):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr()
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = values_of(self.optimizer, "lr")

    def _reduce_lr(self) -> None:
        """Multiplies the learning rates by the factor."""
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"The number of param groups in the `optimizer` ({len(groups)}) differs from when "
                    f"`ReduceLROnPlateau` was initialized ({len(self.min_lrs)}), usually due to a new param group "
                    "being added to the optimizer. Please modify the `min_lrs` field to match the length of the "
                    "`optimizer` param groups."
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, lowest in zip(groups, self.min_lrs, strict=True):
            old = float(group["lr"])
            new = max(old * self.factor, lowest)
            if old - new > self.eps:
                set_value(group, "lr", new)

    @property
    def in_cooldown(self) -> bool:
        """Whether epochs are not counted now, after a reduction."""
        return self.cooldown_counter > 0

    def _is_better(self, value: float, best: float) -> bool:
        """Whether a metric is better than the best one by more than the threshold."""
        sign = -1 if self.mode == "min" else 1
        limit = best * (1 + sign * self.threshold) if self.threshold_mode == "rel" else best + sign * self.threshold
        return value < limit if self.mode == "min" else value > limit
