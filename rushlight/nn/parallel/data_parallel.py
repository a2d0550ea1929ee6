"""`DataParallel`: PyTorch's split of a batch over the GPUs of one process, which is the module itself on a CPU."""

from typing import Any

from rushlight.devices import check_device
from rushlight.nn.modules.module import Module

__all__ = ["DataParallel"]


class DataParallel(Module):
    """A module under the name `module`, called as it is: a CPU is one device, and kernels share its cores already.

    RuntimeError for GPUs among `device_ids`. For several processes take `DistributedDataParallel`.

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
        """What the module gives."""
        return self.module(*inputs, **kwargs)
