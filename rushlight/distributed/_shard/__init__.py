"""PyTorch's first sharded tensors, which its DTensors have replaced: only names, for programs that import them."""

from typing import Any, NoReturn

__all__ = ["shard_module"]


def shard_module(module: Any, plan: Any, src_rank: int = 0, process_group: Any = None) -> NoReturn:
    """Raises NotImplementedError: `parallelize_module` shards the layers of a module.

    >>> from rushlight.distributed._shard import shard_module
    >>> shard_module(None, None)
    Traceback (most recent call last):
        ...
    NotImplementedError: shard_module is not supported: use torch.distributed.tensor.parallel.parallelize_module.
    """
    raise NotImplementedError(
        "shard_module is not supported: use torch.distributed.tensor.parallel.parallelize_module."
    )
