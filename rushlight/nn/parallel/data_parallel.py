"""`DataParallel`, which in PyTorch divides batches among the GPUs of one process; here it calls the module itself."""

from typing import Any

from rushlight.devices import check_device
from rushlight.nn.modules.module import Module

__all__ = ["DataParallel"]


class DataParallel(Module):
    """Wraps a module as `module` and calls it unchanged: the CPU is one device, whose cores are used anyway.

    RuntimeError for GPUs among `device_ids`. For several processes use `DistributedDataParallel`.

    >>> import rushlight as torch
    >>> model = torch.nn.DataParallel(torch.nn.Linear(2, 1))
    >>> list(model.state_dict())
    ['module.weight', 'module.bias']
    """

    def __init__(self, module: Module, device_ids: list[Any] | None = None, output_device: Any = None, dim: int = 0):
        super().__init__()
        for device in device_ids or []:
            check_device(device)
        self.module = module
        self.dim = dim
        self.device_ids: list[Any] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The result of the wrapped module."""
        return self.module(*inputs, **kwargs)
