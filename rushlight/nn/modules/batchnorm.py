"""Batch normalization layers, and the running statistics that they share with instance normalization."""

from collections.abc import Callable
from typing import Any, ClassVar

from rushlight.absent.misses import no_such_name
from rushlight.core.above import ABOVE
from rushlight.core.advice import advised
from rushlight.core.aliases import Array
from rushlight.core.interpreters import noted
from rushlight.dtypes import dtype as Dtype
from rushlight.dtypes import int64
from rushlight.nn import functional as F
from rushlight.nn import init
from rushlight.nn.modules.base.making import Device, as_text, empty, uninitialized
from rushlight.nn.modules.module import Module
from rushlight.ops.making.creation import zeros
from rushlight.tensors import Tensor

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d"]


class _NormBase(Module):
    """Base class of normalization by channel, with optional weights and running statistics."""

    _version = 2
    input_dims: ClassVar[tuple[int, ...]]

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Device = None,
        dtype: Dtype | None = None,
        *,
        bias: bool = True,
    ):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        for name, present in (("weight", affine), ("bias", affine and bias)):
            self.register_parameter(name, uninitialized(num_features, device, dtype) if present else None)
        for name in ("running_mean", "running_var"):
            self.register_buffer(name, empty(num_features, device, dtype) if track_running_stats else None)
        count = zeros((), dtype=int64, device=device) if track_running_stats else None
        self.register_buffer("num_batches_tracked", count)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Resets the running statistics: means to 0, variances to 1."""
        if self.track_running_stats:
            init.zeros_(self.running_mean)
            init.ones_(self.running_var)
            init.zeros_(self.num_batches_tracked)

    def reset_parameters(self) -> None:
        """Sets the weights to 1 and the biases to 0, and resets the running statistics."""
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def _check_input_dim(self, input: Tensor) -> None:
        """Raises ValueError for an input with the wrong number of dimensions."""
        if input.ndim not in self.input_dims:
            expected = " or ".join(f"{n}D" for n in self.input_dims)
            raise ValueError(advised(f"expected {expected} input (got {input.ndim}D input)"))

    def extra_repr(self) -> str:
        """The number of features, and the options."""
        options = as_text(self, "eps", "momentum", "affine")
        return f"{self.num_features}, {options}, bias={self.bias is not None}, {as_text(self, 'track_running_stats')}"

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Also loads state dicts of version 1, which do not have `num_batches_tracked`."""
        key = prefix + "num_batches_tracked"
        if (local_metadata.get("version") or 1) < 2 and self.track_running_stats and key not in state_dict:
            state_dict[key] = self.num_batches_tracked
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


def add_one(array: Array) -> None:
    """Increments a counter in place."""
    array += 1


advance: Callable[..., Any] = noted(add_one, changes=(0,))


class _BatchNorm(_NormBase):
    """Base class of batch normalization layers."""

    def forward(self, input: Tensor) -> Tensor:
        """The normalized input; in training with the batch's statistics, which update the running ones."""
        self._check_input_dim(input)
        momentum = 0.0 if self.momentum is None else self.momentum
        count = self.num_batches_tracked
        if self.training and count is not None and not count.is_meta:
            advance(count._array)
            count._bump()
            if self.momentum is None:
                momentum = 1 / float(count)
        training, tracked = self.training, self.track_running_stats
        mean, var = (self.running_mean, self.running_var) if tracked or not training else (None, None)
        training = training or (mean is None and var is None)
        return F.batch_norm(input, mean, var, self.weight, self.bias, training, momentum, self.eps)


class BatchNorm1d(_BatchNorm):
    """Normalizes each channel of (N, C) or (N, C, L) to mean 0 and variance 1, then scales and shifts it.

    In evaluation mode, running statistics are used instead of the batch's. `momentum` is the weight of the latest batch
    in them (None: all batches count equally). Source: S. Ioffe, C. Szegedy, "Batch normalization", 2015.

    ValueError for inputs of other numbers of dimensions, and in training for a single value in a channel; RuntimeError
    for another number of channels.

    >>> import rushlight as torch
    >>> norm = torch.nn.BatchNorm1d(2)
    >>> norm(torch.tensor([[1.0, 10.0], [3.0, 30.0]])).detach()
    tensor([[-1.0000, -1.0000],
            [ 1.0000,  1.0000]])
    """

    input_dims: ClassVar[tuple[int, ...]] = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalization of images (N, C, H, W); see `BatchNorm1d`.

    ValueError for inputs of other numbers of dimensions, and in training for a single value in a channel; RuntimeError
    for another number of channels.

    >>> import rushlight as torch
    >>> norm = torch.nn.BatchNorm2d(3)
    >>> norm(torch.rand(8, 3, 5, 5)).shape, norm.running_mean.shape
    (torch.Size([8, 3, 5, 5]), torch.Size([3]))
    """

    input_dims: ClassVar[tuple[int, ...]] = (4,)


class BatchNorm3d(_BatchNorm):
    """Batch normalization of volumes (N, C, D, H, W); see `BatchNorm1d`.

    ValueError for inputs of other numbers of dimensions, and in training for a single value in a channel; RuntimeError
    for another number of channels.

    >>> import rushlight as torch
    >>> norm = torch.nn.BatchNorm3d(3)
    >>> norm(torch.rand(8, 3, 2, 5, 5)).shape, norm.running_mean.shape
    (torch.Size([8, 3, 2, 5, 5]), torch.Size([3]))
    """

    input_dims: ClassVar[tuple[int, ...]] = (5,)


def __getattr__(name: str) -> Any:
    """Loads `SyncBatchNorm`, which needs `torch.distributed`, on first use."""
    if name == "SyncBatchNorm":
        return ABOVE.SyncBatchNorm
    raise no_such_name(__name__, name)
