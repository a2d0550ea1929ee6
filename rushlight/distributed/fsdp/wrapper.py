"""`FullyShardedDataParallel`, for programs that look for an accelerator."""

from typing import Any

from rushlight.nn.modules.module import Module

__all__ = ["FullyShardedDataParallel"]


class FullyShardedDataParallel(Module):
    """PyTorch's first way to share out a module, which needs an accelerator: RuntimeError, as in its build for CPUs.

    `fully_shard`, which is PyTorch's second, does it on CPUs. With `device_id="cpu"`, which PyTorch takes, it is
    NotImplementedError.
    """

    def __init__(self, module: Module, *args: Any, device_id: Any = None, **kwargs: Any):
        super().__init__()
        if device_id is not None and "cpu" in str(device_id):
            raise NotImplementedError(
                "FullyShardedDataParallel is not supported on CPUs: use torch.distributed.fsdp.fully_shard on "
                "the blocks of the module, then on the module."
            )
        raise RuntimeError(
            "FSDP needs a non-CPU accelerator device, but no accelerator device is detected. "
            "torch.distributed.fsdp.fully_shard works on CPUs: call it on the blocks of the module, then on the module."
        )
