"""The optimizer of PyTorch's first sharded tensors, and the parameters that are such tensors."""

from collections.abc import Iterator

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.distributed._shard.sharded_tensor import ShardedTensor  # type: ignore[attr-defined]  # made when asked for
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter

__all__ = ["named_params_with_sharded_tensor"]


def named_params_with_sharded_tensor(module: Module) -> Iterator[tuple[str, Parameter]]:
    """The parameters of a module that are such tensors, with their names.

    >>> import rushlight as torch
    >>> from rushlight.distributed._shard.sharded_optim import named_params_with_sharded_tensor
    >>> dict(named_params_with_sharded_tensor(torch.nn.Linear(2, 1)))
    {}
    """
    return ((name, own) for name, own in module.named_parameters() if isinstance(own, ShardedTensor))


_explain_misses(globals())
