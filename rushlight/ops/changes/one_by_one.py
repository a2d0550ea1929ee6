"""Changing elements by Python functions, one call for each: `apply_`, `map_` and `map2_`. Loaded when first used."""

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.autograd.grad_mode import no_grad
from rushlight.ops.arguments.mismatch import check_tensors
from rushlight.ops.making.from_data import tensor as made_of
from rushlight.ops.table import method
from rushlight.tensors import Tensor

__all__: list[str] = []


@method
def apply_(self: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Replaces each element of a tensor of any shape by what a function of a Python number returns for it.

    It takes a call for each element: operators of whole tensors are far faster, and have derivatives. RuntimeError if
    the tensor requires grad; TypeError for what cannot be called.

    >>> import rushlight as torch
    >>> torch.arange(4).apply_(lambda n: n * n)
    tensor([0, 1, 4, 9])
    """
    return replace("apply_", callable, self)


@method
def map_(self: Tensor, tensor: Tensor, callable: Callable[[Any, Any], Any]) -> Tensor:
    """Replaces each element by what a function returns for it and the other tensor's element, which broadcasts.

    Shape: that of the tensor itself, any. RuntimeError if one requires grad, or for shapes that do not fit; TypeError
    for another dtype.

    >>> import rushlight as torch
    >>> torch.arange(3).map_(torch.tensor([5]), max)
    tensor([5, 5, 5])
    """
    check_tensors("map_", tensor=tensor)
    return replace("map_", callable, self, tensor)


@method
def map2_(self: Tensor, x: Tensor, y: Tensor, callable: Callable[[Any, Any, Any], Any]) -> Tensor:
    """Replaces each element by what a function returns for it and the elements of two others, which broadcast.

    Shape: that of the tensor itself, any. RuntimeError if one requires grad, or for shapes that do not fit; TypeError
    for another dtype.

    >>> import rushlight as torch
    >>> torch.ones(2).map2_(torch.arange(2.0), torch.full((2,), 3.0), lambda a, b, c: a + b * c)
    tensor([1., 4.])
    """
    check_tensors("map2_", x=x, y=y)
    return replace("map2_", callable, self, x, y)


def replace(name: str, function: Callable[..., Any], *tensors: Tensor) -> Tensor:
    """Writes a function's values into the first of some tensors."""
    first, *others = tensors
    if any(tensor.requires_grad for tensor in tensors):
        raise RuntimeError(
            f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead. "
            "The function of Python numbers has no derivative: write it with operators of tensors where it needs one."
        )
    for other in others:
        if other.dtype is not first.dtype:
            raise TypeError(f"{name}: expected a tensor of {first.dtype} for 'other' (got {other.dtype})")
    if first.is_meta:
        return first
    with no_grad():
        columns = [tensor.expand(first.shape).reshape(-1).tolist() for tensor in tensors]
        values = [function(*row) for row in zip(*columns, strict=True)]
        for value in values:
            if isinstance(value, Sequence):
                raise TypeError(
                    f"must be real number, not {type(value).__name__}: {name} writes what the function returns"
                )
        return first.copy_(made_of(values, dtype=first.dtype).reshape(first.shape))
