"""The base class of schedulers, and helpers that get and set the learning rates of an optimizer."""

from collections.abc import Sequence
from typing import Any

from rushlight.core.advice import advised
from rushlight.core.graph import TensorBase
from rushlight.core.lines import warn
from rushlight.optim.optimizer import Optimizer

__all__ = ["LRScheduler"]

EPOCH_GIVEN = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed "
    "form is used instead of the new chainable form, where available."
)
STEP_OVERRIDDEN = (
    "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. Please, make "
    "sure to call `optimizer.step()` before `lr_scheduler.step()`. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)
WRONG_ORDER = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call "
    "them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in "
    "PyTorch skipping the first value of the learning rate schedule. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)


def require_optimizer(optimizer: Any) -> None:
    """Raises PyTorch's TypeError for an argument that is not an optimizer."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(advised(f"{type(optimizer).__name__} is not an Optimizer"))


def values_of(optimizer: Optimizer, key: str) -> list[Any]:
    """The value of an option in all groups; tensors are copied."""
    values = [group[key] for group in optimizer.param_groups]
    return [value.clone() if isinstance(value, TensorBase) else value for value in values]


def set_value(group: dict[str, Any], key: str, value: Any) -> None:
    """Sets an option of a group; if it is a tensor, its value is set in place."""
    if isinstance(group[key], TensorBase):
        group[key].fill_(value.item() if isinstance(value, TensorBase) else value)
    else:
        group[key] = value


def one_for_each(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """An option as a list with one value for each group, from one value for all or from such a list.

    ValueError for a list of another length.
    """
    groups = optimizer.param_groups
    if not isinstance(value, (list, tuple)):
        return [value] * len(groups)
    if len(value) != len(groups):
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, param_groups "
            f"has {len(groups)}."
        )
    return list(value)


class LRScheduler:
    """The base class of schedulers, which set the learning rates of an optimizer's groups at every `step`.

    A subclass defines `get_lr`, the learning rates of all groups at `last_epoch`. To resume a schedule, pass the last
    epoch as `last_epoch`; -1 starts it.

    >>> import rushlight as torch
    >>> class Halved(torch.optim.lr_scheduler.LRScheduler):
    ...     def get_lr(self):
    ...         return [base / 2**self.last_epoch for base in self.base_lrs]
    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = Halved(optimizer)
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    last_epoch: int

    _get_lr_called_within_step = False
    _is_initial = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1):
        require_optimizer(optimizer)
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                lr = group["lr"]
                group.setdefault("initial_lr", lr.clone() if isinstance(lr, TensorBase) else lr)
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when resuming scheduler with last_epoch "
                    ">= 0. Load the optimizer's state_dict() first, or set initial_lr in every group."
                )
        self.base_lrs: list[Any] = values_of(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        self._initial_step()

    def _initial_step(self) -> None:
        """Sets the initial learning rates."""
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimizer."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restores what `state_dict` returned."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """The learning rates that the scheduler set last."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """The learning rates at `last_epoch`; for subclasses to define. To read the present ones, use `get_last_lr`."""
        raise NotImplementedError

    def _warn_outside_step(self) -> None:
        """Warns users who call `get_lr` themselves, outside of `step`."""
        if not self._get_lr_called_within_step:
            warn("To get the last learning rate computed by the scheduler, please use `get_last_lr()`.")

    def step(self, epoch: int | None = None) -> None:
        """Sets the learning rates for the next epoch (or iteration); call it after `optimizer.step()`."""
        if self._step_count == 1:
            if "step" in self.optimizer.__dict__:
                warn(STEP_OVERRIDDEN)
            elif not getattr(self.optimizer, "_opt_called", False):
                warn(WRONG_ORDER)
        self._step_count += 1
        if epoch is not None:
            warn(EPOCH_GIVEN)
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        """Advances to the next epoch, or to a given one, and sets its learning rates."""
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        closed_form = getattr(self, "_get_closed_form_lr", None)
        self._get_lr_called_within_step = True
        try:
            rates = self.get_lr() if epoch is None or closed_form is None else closed_form()
        finally:
            self._get_lr_called_within_step = False
        self._set(rates)

    def _set(self, rates: Sequence[Any]) -> None:
        """Sets the learning rates of all groups."""
        for group, lr in zip(self.optimizer.param_groups, rates, strict=True):
            set_value(group, "lr", lr)
        self._last_lr = values_of(self.optimizer, "lr")

    def _scaled(self, factor: float) -> list[Any]:
        """The present learning rates times a factor."""
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def _unchanged(self) -> list[Any]:
        """The present learning rates."""
        return values_of(self.optimizer, "lr")
