"""`torch.ops.aten`: the operators of PyTorch's dispatcher, which are the public functions of the same names.

The functions written out in this file take other arguments than the public ones, or have no public counterpart.
"""

from typing import Any

import rushlight
from rushlight.absent.misses import near_names
from rushlight.nn import functional
from rushlight.ops.aten_functions import FUNCTIONS
from rushlight.ops.overloads import OpOverloadPacket, recorded
from rushlight.ops.reductions.softmax import safe_softmax
from rushlight.ops.shapes.slicing import slice_of
from rushlight.tensors import Tensor

__all__ = ["Aten", "aten"]


def to_copy(
    self: Tensor,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
    non_blocking: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """`_to_copy`: always a copy."""
    return self.to(device=device, dtype=dtype, copy=True, memory_format=memory_format or rushlight.preserve_format)


def index(self: Tensor, indices: Any) -> Tensor:
    """Indexing by tensors; None stands for `:`."""
    return self[tuple(slice(None) if one is None else one for one in indices)]


def view_alike(self: Tensor, size: Any) -> Tensor:
    """`_unsafe_view`, as a reshape."""
    return self.reshape(size)


def alias(self: Tensor) -> Tensor:
    """A view of the whole tensor."""
    return self.view(self.shape)


OWN: dict[str, Any] = {
    "_local_scalar_dense": Tensor.item,
    "_log_softmax": lambda self, dim, half_to_float: rushlight.log_softmax(self, dim),
    "_safe_softmax": lambda self, dim, dtype=None: safe_softmax(self, dim, dtype),
    "_softmax": lambda self, dim, half_to_float: rushlight.softmax(self, dim),
    "_to_copy": to_copy,
    "_unsafe_view": view_alike,
    "_pin_memory": Tensor.pin_memory,
    "alias": alias,
    "index": index,
    "lift_fresh": lambda self: self,
    "slice": slice_of,
}
AREAS = ("linalg", "special", "fft")  # prefixes of the names of their functions


def function_of(name: str) -> Any:
    """The public function for an operator's name: of `torch`, `nn.functional` or `Tensor`; None if there is none."""
    if name in OWN or name in FUNCTIONS:
        return OWN.get(name) or FUNCTIONS[name]
    area, _, short = name.partition("_")
    if area in AREAS and hasattr(getattr(rushlight, area), short):
        return getattr(getattr(rushlight, area), short)
    return next((getattr(home, name) for home in (rushlight, functional, Tensor) if hasattr(home, name)), None)


class Aten:
    """The namespace of operators, each a packet of overloads. AttributeError for unknown names."""

    def __getattr__(self, name: str) -> OpOverloadPacket:
        overloads = recorded().get(name)
        if overloads is None:
            near = near_names(name, list(recorded()))
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            raise AttributeError(f"'_OpNamespace' 'aten' object has no attribute '{name}' in rushlight.{hint}")
        packet = OpOverloadPacket("aten", name, function_of(name), overloads)
        setattr(self, name, packet)
        return packet

    def __dir__(self) -> list[str]:
        return list(recorded())

    def __reduce__(self) -> Any:
        return getattr, (rushlight.ops, "aten")


aten: Aten = Aten()
