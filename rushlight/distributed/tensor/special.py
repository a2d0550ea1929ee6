"""Functions of DTensors that need more than computing on local parts."""

from collections.abc import Callable
from typing import Any

import rushlight as torch
from rushlight.distributed.tensor.placements import Partial, Placement, Replicate, Shard
from rushlight.distributed.tensor.sharded import DTensor, of_local
from rushlight.distributed.tensor.spread import Spread
from rushlight.size import Size
from rushlight.tensors import Tensor

__all__ = ["SPECIAL"]

SPECIAL: dict[str, Callable[..., Any]] = {}


def special(*names: str) -> Callable[..., Any]:
    """Registers the implementation of some functions for DTensors."""

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        SPECIAL.update(dict.fromkeys(names, function))
        return function

    return enter


@special("size")
def size(self: DTensor, dim: int | None = None) -> Any:
    """The shape of the whole tensor, or the size of a dimension."""
    return self.shape if dim is None else self.shape[dim]


@special("numel", "nelement")
def numel(self: DTensor) -> int:
    """The number of elements of the whole tensor."""
    return self.shape.numel()


@special("__len__")
def length(self: DTensor) -> int:
    """The size of the first dimension."""
    return self.shape[0]


@special("stride")
def stride(self: DTensor, dim: int | None = None) -> Any:
    """The strides that the whole tensor would have if contiguous."""
    strides = [1]
    for n in reversed(self.shape[1:]):
        strides.insert(0, strides[0] * max(n, 1))
    strides = strides[: len(self.shape)]
    return tuple(strides) if dim is None else strides[dim]


@special("backward")
def backward(self: DTensor, gradient: Any = None, *args: Any, **kwargs: Any) -> None:
    """Runs backward from a replicated tensor."""
    whole = self.redistribute(placements=[Replicate()] * self.device_mesh.ndim)
    if isinstance(gradient, DTensor):
        gradient = gradient.full_tensor()
    whole.to_local().backward(gradient, *args, **kwargs)


@special("register_hook")
def register_hook(self: DTensor, hook: Callable[..., Any]) -> Any:
    """A hook that gets the gradient in the tensor's placement, and may return another."""

    def on_part(grad: Tensor) -> Tensor | None:
        given = hook(grad if isinstance(grad, DTensor) else self.alike(grad._array))
        return given.to_local() if isinstance(given, DTensor) else given

    return torch.Tensor.register_hook.__wrapped__(self, on_part)  # type: ignore[attr-defined]


@special("mean")
def mean(input: DTensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum divided by the number of elements."""
    if dtype is not None:
        input = input.to(dtype)  # type: ignore[assignment]
    if not input.is_floating_point() and not input.is_complex():
        return torch.mean(input.full_tensor(), dim, keepdim)  # raises the proper error
    total = torch.sum(input, dim, keepdim)
    return total / (input.numel() / max(total.numel(), 1))


@special("embedding")
def embedding(
    input: Any,
    weight: DTensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Rows of a table that is sharded along its rows or columns."""
    if not isinstance(weight, DTensor):
        raise RuntimeError(
            "embedding: got mixed torch.Tensor and DTensor, need to convert the weight to a DTensor too."
        )
    mesh = weight.device_mesh
    everywhere = (Replicate(),) * mesh.ndim
    if mesh.ndim != 1 or max_norm is not None or scale_grad_by_freq or sparse:
        raise NotImplementedError(
            "embedding of DTensors is there on meshes of one dimension, without max_norm, scale_grad_by_freq and "
            "sparse: use full_tensor()."
        )
    places = input.full_tensor() if isinstance(input, DTensor) else input
    table, placement = weight.to_local(), weight.placements[0]
    shape = Size((*places.shape, weight.shape[1]))
    if not placement.is_shard(0):
        cut: tuple[Placement, ...] = (Shard(places.dim()),) if placement.is_shard() else everywhere
        return of_local(torch.nn.functional.embedding(places, table, padding_idx), Spread(mesh, cut, shape))
    first, last = weight.spread.part(0)
    here = (places >= first) & (places < last)
    if padding_idx is not None:
        padding_idx %= weight.shape[0]
        padding_idx = padding_idx - first if first <= padding_idx < last else None
    rows = torch.zeros_like(places) if first == last else torch.where(here, places - first, 0)
    if first == last:
        return of_local(table.new_zeros(shape) + table.sum(), Spread(mesh, (Partial(),), shape))
    found = torch.nn.functional.embedding(rows, table, padding_idx) * here.unsqueeze(-1)
    return of_local(found, Spread(mesh, (Partial(),), shape))


@special("__setitem__")
def assigned(self: DTensor, key: Any, value: Any) -> None:
    """Raises NotImplementedError: an index into the whole tensor does not name parts."""
    raise NotImplementedError(
        "assigning to parts of a DTensor is not supported: use to_local(), or copy_ to all of it."
    )
