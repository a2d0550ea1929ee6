"""Reordering dimensions: views that transpose, permute and move them; and subclasses of tensors."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.core.advice import advised
from rushlight.core.aliases import Array
from rushlight.core.arithmetic import Arithmetic
from rushlight.core.batching import by, leading
from rushlight.core.graph import FIELDS
from rushlight.core.lines import warn
from rushlight.ops.arguments.dims import sequence, wrap_dim
from rushlight.ops.table import alias, method, operator
from rushlight.tensors import Tensor, counted

__all__ = ["adjoint", "moveaxis", "movedim", "permute", "swapaxes", "swapdims", "t", "transpose"]


_alias = operator(name="alias", view=True, batch=leading, input=lambda grad: grad)(lambda input: input[...])


def as_subclass(self: Tensor, cls: type) -> Tensor:
    """The same tensor, with its graph, as an instance of a subclass of Tensor. TypeError for other classes.

    >>> import rushlight as torch
    >>> class Length(torch.Tensor):
    ...     pass
    >>> type(torch.ones(2).as_subclass(Length) + 1).__name__
    'Length'
    """
    if not (isinstance(cls, type) and issubclass(cls, Tensor)):
        raise TypeError(
            "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. Make sure your "
            f"class inherits from Tensor: {cls!r} does not."
        )
    return of_class(_alias(self), cls)


def of_class(tensor: Tensor, cls: type) -> Tensor:
    """A new tensor as an instance of a subclass of Tensor; of one with `__slots__` another object with its fields."""
    try:
        tensor.__class__ = cls
    except TypeError:
        made: Any = Arithmetic.__new__(cls)
        for field in FIELDS.intersection(dir(tensor)):
            setattr(made, field, getattr(tensor, field))
        return counted(made)
    return counted(tensor)


def make_subclass(cls: type, data: Tensor, require_grad: bool = False) -> Tensor:
    """A leaf tensor of a subclass of Tensor that shares the memory of `data`."""
    return of_class(data.detach().requires_grad_(require_grad), cls)


Tensor.as_subclass = as_subclass
Tensor._make_subclass = staticmethod(make_subclass)


@operator(batch=leading, view=True, input=lambda grad, dim0, dim1: np.swapaxes(grad, dim0, dim1))
def _transpose(input: Array, dim0: int, dim1: int) -> Array:
    return input.swapaxes(dim0, dim1)


@operator(name="transpose_scalar", batch=leading, node="TransposeBackward0", view=True, input=lambda grad: grad)
def _transpose_scalar(input: Array) -> Array:
    return input[...]


@method
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """A view with two dimensions swapped.

    >>> import rushlight as torch
    >>> torch.transpose(torch.tensor([[1, 2], [3, 4]]), 0, 1)
    tensor([[1, 3],
            [2, 4]])
    """
    ndim = input._array.ndim
    dim0, dim1 = wrap_dim(dim0, ndim), wrap_dim(dim1, ndim)
    return _transpose(input, dim0, dim1) if ndim else _transpose_scalar(input)


swapaxes: Callable[..., Any] = alias("swapaxes", transpose)
swapdims: Callable[..., Any] = alias("swapdims", transpose)


def permute_batch(n: int, input: Array, dims: Sequence[int]) -> Array:
    """The batch rule of `permute`."""
    return input.transpose(*range(n), *[dim % len(dims) + n for dim in dims])


@operator(
    saved_as={"dims": "dims"},
    view=True,
    input=lambda grad, dims: np.transpose(grad, inverse(dims)),
    batch=by(permute_batch),
)
def _permute(input: Array, dims: Sequence[int]) -> Array:
    return input.transpose(dims)


def inverse(dims: Sequence[int]) -> tuple[int, ...]:
    """The inverse of a permutation."""
    places = [0] * len(dims)
    for place, dim in enumerate(dims):
        places[dim] = place
    return tuple(places)


@method
def permute(input: Tensor, *order: int | Sequence[int], dims: Sequence[int] | None = None) -> Tensor:
    """A view with the dimensions in another order.

    RuntimeError if a dimension is missing or occurs twice.

    >>> import rushlight as torch
    >>> torch.permute(torch.zeros(2, 3, 5), (2, 0, 1)).shape
    torch.Size([5, 2, 3])
    """
    order, ndim = sequence("permute", "dims", order, dims), input._array.ndim
    if len(order) != ndim:
        said = (
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {ndim} is not equal to len(dims) = {len(order)}"
        )
        raise RuntimeError(advised(said))
    order = tuple([wrap_dim(dim, ndim) for dim in order])
    if len(set(order)) < ndim:
        raise RuntimeError(advised("permute(): duplicate dims are not allowed."))
    return _permute(input, order)


@method
def movedim(input: Tensor, source: int | Sequence[int], destination: int | Sequence[int]) -> Tensor:
    """A view with some dimensions moved to other positions; the others keep their order.

    >>> import rushlight as torch
    >>> torch.movedim(torch.zeros(2, 3, 5), 0, -1).shape
    torch.Size([3, 5, 2])
    """
    ndim = input._array.ndim
    sources, destinations = ([d] if isinstance(d, int) else list(d) for d in (source, destination))
    if len(sources) != len(destinations):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({sources} dims) should contain the same number "
            f"of dims as destination ({destinations} dims)"
        )
    for name, dims in (("source", sources), ("destination", destinations)):
        dims[:] = [wrap_dim(dim, ndim) for dim in dims]
        if len(set(dims)) < len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({dims})")
    if ndim == 0:
        return _alias(input)
    order = [dim for dim in range(ndim) if dim not in sources]
    for place, dim in sorted(zip(destinations, sources, strict=True)):
        order.insert(place, dim)
    return _permute(input, tuple(order))


moveaxis: Callable[..., Any] = alias("moveaxis", movedim)


@operator(
    aten=("t", "transpose"),
    name="t",
    view=True,
    node="TBackward0",
    input=lambda grad: np.transpose(grad),
    batch=by(lambda n, input: input.swapaxes(-1, -2) if input.ndim == n + 2 else input[...]),
)
def _t(input: Array) -> Array:
    return input.T


@method
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix, as a view; vectors and scalars are unchanged. RuntimeError for more dimensions.

    >>> import rushlight as torch
    >>> torch.t(torch.tensor([[1, 2], [3, 4]]))
    tensor([[1, 3],
            [2, 4]])
    """
    check_matrix("t", input)
    return _t(input)


def check_matrix(name: str, input: Tensor) -> None:
    """Raises RuntimeError for more than two dimensions."""
    if input._array.ndim > 2:
        raise RuntimeError(f"{name}() expects a tensor with <= 2 dimensions, but self is {input._array.ndim}D")


@method
def adjoint(input: Tensor) -> Tensor:
    """The conjugate transpose of the last two dimensions.

    >>> import rushlight as torch
    >>> torch.adjoint(torch.zeros(2, 3, 5)).shape
    torch.Size([2, 5, 3])
    """
    return conjugate_transpose(input, "adjoint()")


def conjugate_transpose(input: Tensor, name: str) -> Tensor:
    """The last two dimensions swapped, and complex elements conjugated."""
    if not input._array.ndim:
        whole = name if name.endswith(")") else f"Tensor.{name}"
        warn(f"{whole} is deprecated on 0-D tensors. Consider using x.conj().")
        return input.conj()
    result = matrix_transpose(input, name)
    return result.conj() if input._array.dtype.kind == "c" else result


def matrix_transpose(input: Tensor, name: str) -> Tensor:
    """The last two dimensions swapped; RuntimeError for a vector."""
    ndim = input._array.ndim
    if ndim == 0:
        warn(f"Tensor.{name} is deprecated on 0-D tensors. This function is the identity in these cases.")
        return input
    if ndim == 1:
        raise RuntimeError(f"tensor.{name} is only supported on matrices or batches of matrices. Got 1-D tensor.")
    return _transpose(input, ndim - 2, ndim - 1)


def hermitian(self: Tensor) -> Tensor:
    """The conjugate transpose of a matrix."""
    if self._array.ndim not in (0, 2):
        raise RuntimeError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {self._array.ndim}-D tensor."
            + (" For batches of matrices, consider using tensor.mH" if self._array.ndim > 2 else "")
        )
    return conjugate_transpose(self, "H")


def reversed_dimensions(self: Any) -> Tensor:
    """A view with the dimensions reversed; warns as PyTorch does unless it is a matrix."""
    ndim = self._array.ndim
    if ndim == 0:
        warn("Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases.")
    elif ndim != 2:
        warn(NO_MATRIX)
    return _permute(self, tuple(reversed(range(ndim))))


NO_MATRIX = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an "
    "error in a future release. Consider `x.mT` to transpose batches of matrices or `x.permute(*torch.arange(x.ndim - "
    "1, -1, -1))` to reverse the dimensions of a tensor."
)
Tensor.T = property(reversed_dimensions)
Tensor.mT = property(lambda self: matrix_transpose(self, "mT"), doc="A view with the last two dimensions exchanged.")
Tensor.mH = property(lambda self: conjugate_transpose(self, "mH"), doc="The adjoint: `x.mT.conj()`.")
Tensor.H = property(hermitian)
