"""The common base of parallel styles."""

from abc import ABC, abstractmethod

from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.tensor.placements import Placement
from rushlight.distributed.tensor.sharded import DTensor
from rushlight.nn.modules.module import Module
from rushlight.tensors import Tensor

__all__ = ["ParallelStyle", "as_wanted", "local_or_not"]


class ParallelStyle(ABC):
    """How a module is parallelized; a subclass defines `_apply`."""

    src_data_rank: int | None = 0

    @abstractmethod
    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        """Parallelizes a module, and returns it."""


def as_wanted(value: Tensor, mesh: DeviceMesh, given: Placement, wanted: Placement | None) -> DTensor:
    """A local part or DTensor, redistributed to the wanted placement; None for no change."""
    tensor = value if isinstance(value, DTensor) else DTensor.from_local(value, mesh, (given,))
    return tensor if wanted is None else tensor.redistribute(placements=(wanted,))


def local_or_not(tensor: DTensor, local: bool) -> Tensor:
    """A DTensor, or its local part."""
    return tensor.to_local() if local else tensor
