"""Averages of a model's parameters during training: stochastic weight averaging and exponential moving averages."""

import math
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from itertools import chain
from typing import Any

from rushlight.autograd import no_grad
from rushlight.nn.modules.batchnorm import _BatchNorm
from rushlight.nn.modules.module import Module
from rushlight.ops.making.from_data import tensor
from rushlight.optim.lr_scheduler.scheduler import LRScheduler, one_for_each
from rushlight.optim.optimizer import Optimizer
from rushlight.tensors import Tensor

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]

Average = Callable[[Tensor, Tensor, Any], Tensor]
Averages = Callable[[Sequence[Tensor], Sequence[Tensor], Any], None]


def check_decay(decay: float) -> None:
    """Raises ValueError for a decay outside [0, 1]."""
    if not 0.0 <= decay <= 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def for_each(average: Average) -> Averages:
    """A function of two lists of tensors that replaces each tensor of the first by the average."""

    def update(averaged: Sequence[Tensor], current: Sequence[Tensor], number: Any) -> None:
        with no_grad():
            for mean, value in zip(averaged, current, strict=True):
                mean.copy_(average(mean, value, number))

    return update


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """The exponential moving average: decay * mean + (1 - decay) * value."""
    check_decay(decay)

    def ema_update(ema_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        with no_grad():
            return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Average:
    """The mean of all values so far."""

    def swa_update(averaged_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        with no_grad():
            return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def get_ema_multi_avg_fn(decay: float = 0.999) -> Averages:
    """`get_ema_avg_fn` for lists of tensors, which are changed in place."""
    return for_each(get_ema_avg_fn(decay))


def get_swa_multi_avg_fn() -> Averages:
    """`get_swa_avg_fn` for lists of tensors, which are changed in place."""
    return for_each(get_swa_avg_fn())


class AveragedModel(Module):
    """A copy of a model whose parameters are averages of the model's parameters at each `update_parameters`.

    By default the mean of all, else as `avg_fn` or `multi_avg_fn` define. Buffers are averaged with `use_buffers`, else
    copied.

    >>> import rushlight as torch
    >>> model = torch.nn.Linear(1, 1, bias=False)
    >>> averaged = torch.optim.swa_utils.AveragedModel(model)
    >>> for value in (1.0, 2.0, 6.0):
    ...     _ = torch.nn.init.constant_(model.weight, value)
    ...     averaged.update_parameters(model)
    >>> averaged(torch.ones(1)).item()
    3.0
    """

    use_buffers: bool

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: Averages | None = None,
        use_buffers: bool = False,
    ):
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module: Module = deepcopy(model) if device is None else deepcopy(model).to(device)
        self.register_buffer("n_averaged", tensor(0))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The result of the averaged model."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Includes the model's present parameters in the averages."""
        averaged = [p.detach() for p in self._averaged_of(self.module)]
        current = [p.detach() for p in self._averaged_of(model)]
        if self.n_averaged == 0:
            copy_all(averaged, current)
        else:
            update = self.multi_avg_fn or for_each(self.avg_fn or get_swa_avg_fn())
            update(averaged, current, self.n_averaged)
        if not self.use_buffers:
            copy_all([b.detach() for b in self.module.buffers()], [b.detach() for b in model.buffers()])
        self.n_averaged += 1

    def _averaged_of(self, model: Module) -> Iterable[Tensor]:
        """The tensors of a model that are averaged."""
        return chain(model.parameters(), model.buffers()) if self.use_buffers else model.parameters()


def copy_all(targets: Sequence[Tensor], values: Sequence[Tensor]) -> None:
    """Copies tensors into other tensors."""
    for target, value in zip(targets, values, strict=True):
        target.copy_(value)


def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Recomputes the running statistics of a model's batch normalizations, over all batches of `loader`.

    If a batch is a list or a tuple, its first item is the model's input.
    """
    norms = {module: module.momentum for module in model.modules() if isinstance(module, _BatchNorm)}
    if not norms:
        return
    was_training = model.training
    for module in norms:
        module.reset_running_stats()
        module.momentum = None
    model.train()
    with no_grad():
        for batch in loader:
            inputs = batch[0] if isinstance(batch, (list, tuple)) else batch
            model(inputs if device is None else inputs.to(device))
    for module, momentum in norms.items():
        module.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """Moves the present learning rates to `swa_lr` in `anneal_epochs`, along a cosine ("cos") or linearly ("linear").

    >>> import rushlight as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)
    >>> scheduler = torch.optim.swa_utils.SWALR(optimizer, 0.5, anneal_epochs=2, anneal_strategy="linear")
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.75]
    """

    anneal_epochs: int

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: Any,
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ):
        for rate, group in zip(one_for_each("swa_lr", optimizer, swa_lr), optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self._anneal_strategy, self.anneal_epochs = anneal_strategy, anneal_epochs
        super().__init__(optimizer, last_epoch)

    def anneal_func(self, t: float) -> float:
        """The progress from 0 to 1 for a fraction `t` of the time."""
        return t if self._anneal_strategy == "linear" else (1 - math.cos(math.pi * t)) / 2

    def get_lr(self) -> list[Any]:
        """The learning rates at `last_epoch`."""
        self._warn_outside_step()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = (self.anneal_func(min(1, max(0, s / max(1, self.anneal_epochs)))) for s in (step - 1, step))
        rates = []
        for group in self.optimizer.param_groups:
            lr, goal = group["lr"], group["swa_lr"]
            first = goal if before == 1 else (lr - before * goal) / (1 - before)
            rates.append(goal * now + first * (1 - now))
        return rates
