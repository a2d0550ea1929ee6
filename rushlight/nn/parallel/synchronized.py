"""`SyncBatchNorm`: batch normalization with the statistics of the batches of all processes."""

from typing import Any

from rushlight import distributed
from rushlight.core.above import above
from rushlight.core.kinds import is_half
from rushlight.distributed.nn.functional import all_reduce
from rushlight.dtypes import dtype as Dtype
from rushlight.nn.modules.base.making import Device
from rushlight.nn.modules.batchnorm import _BatchNorm
from rushlight.nn.modules.module import Module
from rushlight.ops.making.creation import full
from rushlight.ops.shapes.joining import cat
from rushlight.tensors import Tensor

__all__ = ["SyncBatchNorm"]


class SyncBatchNorm(_BatchNorm):
    """Batch normalization of inputs (N, C, ...) with statistics over the batches of all processes of a group.

    Without a group, with one process, and in evaluation mode it is `BatchNorm`. ValueError for inputs with fewer than
    two dimensions.

    >>> import rushlight as torch
    >>> torch.nn.SyncBatchNorm(2)(torch.tensor([[1.0, 10.0], [3.0, 30.0]])).detach()
    tensor([[-1.0000, -1.0000],
            [ 1.0000,  1.0000]])
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Device = None,
        dtype: Dtype | None = None,
        *,
        bias: bool = True,
    ):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")

    def forward(self, input: Tensor) -> Tensor:
        """Normalizes each channel to mean 0 and variance 1 over all processes; then scales and shifts.

        For float16 and bfloat16 the statistics are computed in float32.
        """
        together = distributed.is_initialized() and distributed.get_world_size(self.process_group) > 1
        if not together or not (self.training or self.running_mean is None):
            return super().forward(input)
        self._check_input_dim(input)
        dims = [0, *range(2, input.dim())]
        shape = [1, -1] + [1] * (input.dim() - 2)
        wide = input.float() if is_half(input._array.dtype) else input
        own = full((1,), input.numel() / input.shape[1], dtype=wide.dtype)
        sums = self._over_all(cat([wide.sum(dims), own]))
        count = float(sums._array[-1])
        mean = sums[:-1] / count
        centred = wide - mean.view(shape)
        variance = self._over_all((centred * centred).sum(dims)) / count
        if self.training and self.running_mean is not None:
            self._track(mean.detach(), variance.detach() * (count / max(count - 1, 1)))
        result = centred / (variance + self.eps).sqrt().view(shape)
        if self.weight is not None:
            result = result * self.weight.view(shape)
        if self.bias is not None:
            result = result + self.bias.view(shape)
        return result.to(input.dtype)

    def _over_all(self, tensor: Tensor) -> Tensor:
        """The sum over the processes, differentiable."""
        return all_reduce(tensor, group=self.process_group)

    def _track(self, mean: Tensor, variance: Tensor) -> None:
        """Updates the running statistics with those of a batch."""
        self.num_batches_tracked += 1
        share = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
        self.running_mean.lerp_(mean, share)
        self.running_var.lerp_(variance, share)

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """Replaces each BatchNorm in a module by a SyncBatchNorm with the same parameters and statistics."""
        converted = module
        if isinstance(module, _BatchNorm):
            converted = cls(
                module.num_features,
                module.eps,
                module.momentum,
                module.affine,
                module.track_running_stats,
                process_group,
                bias=module.bias is not None,
            )
            converted._parameters.update(module._parameters)
            converted._buffers.update(module._buffers)
            converted.training = module.training
        for name, child in module.named_children():
            converted.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return converted


above(SyncBatchNorm)
