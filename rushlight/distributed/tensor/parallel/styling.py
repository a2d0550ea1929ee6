"""What all styles of sharing a layer out have in common."""

from abc import ABC, abstractmethod

from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.tensor.placements import Placement
from rushlight.distributed.tensor.sharded import DTensor
from rushlight.nn.modules.module import Module
from rushlight.tensors import Tensor

__all__ = ["ParallelStyle", "as_wanted", "local_or_not"]


class ParallelStyle(ABC):
    """How a module is shared out; a subclass defines `_apply`."""

    src_data_rank: int | None = 0

    @abstractmethod
    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        """Shares out a module; gives it."""


def as_wanted(value: Tensor, mesh: DeviceMesh, given: Placement, wanted: Placement | None) -> DTensor:
    """A tensor of which each process has a part, or a DTensor, in the places that are wanted; None: as it is."""
    tensor = value if isinstance(value, DTensor) else DTensor.from_local(value, mesh, (given,))
    return tensor if wanted is None else tensor.redistribute(placements=(wanted,))


def local_or_not(tensor: DTensor, local: bool) -> Tensor:
    """A DTensor, or this process's part of it."""
    return tensor.to_local() if local else tensor
