"""Sparse tensors: the stored elements and their indices.

A sparse tensor holds its values as an ordinary tensor, through which gradients flow, and the indices. It is a class
that overrides functions (`rushlight.overrides`): the public functions that support sparse tensors are in `HANDLED`, by
name; others raise an error. So functions of ordinary tensors need not know of sparse ones.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

import numpy as np

import rushlight as torch
from rushlight.core.above import ABOVE, above
from rushlight.core.aliases import Array
from rushlight.core.arithmetic import Arithmetic
from rushlight.core.graph import new_tensor
from rushlight.layouts import layout as Layout
from rushlight.layouts import sparse_coo, sparse_csc, sparse_csr
from rushlight.overrides.calls import flat_values
from rushlight.overrides.listing import plain_name
from rushlight.size import Size
from rushlight.tensors import Tensor, check_grad, counted

HANDLED: dict[
    str, Callable[..., Any]
] = {}  # the name of a PyTorch function or method -> its implementation for sparse tensors
BACKENDS = {sparse_coo: "SparseCPU", sparse_csr: "SparseCsrCPU", sparse_csc: "SparseCsrCPU"}
COMPRESSED = (sparse_csr, sparse_csc)


def handles(*names: str) -> Callable[..., Any]:
    """Registers an implementation of PyTorch functions for sparse tensors."""

    def enter(function: Any) -> Any:
        HANDLED.update(dict.fromkeys(names or (function.__name__,), function))
        return function

    return enter


class SparseTensor(Tensor):
    """A tensor of which only some elements are stored; the others are 0.

    `_places` (sparse dimensions, stored elements) holds the indices and `_stored` (stored elements, dense dimensions)
    the values, in every layout: compressed indices are computed when they are asked for.
    """

    _places: np.ndarray
    _stored: Tensor
    _sizes: tuple[int, ...]
    _layout: Layout
    _is_coalesced: bool
    _assigned: "SparseTensor | None" = None  # a gradient with elements at other places

    @classmethod
    def __torch_function__(
        cls, func: Callable[..., Any], types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        handler = HANDLED.get(plain_name(func))
        if handler is not None:
            return handler(*args, **kwargs or {})
        operand = next(value for value in leaves_of(args, kwargs or {}) if isinstance(value, SparseTensor))
        raise NotImplementedError(
            f"Could not run 'aten::{plain_name(func)}' with arguments from the '{BACKENDS[operand._layout]}' backend. "
            "rushlight has no such function of sparse tensors: use to_dense() first."
        )

    def _like(self, values: Tensor) -> "SparseTensor":
        """A tensor with other values at the same indices, such as a gradient."""
        return like(self, values)

    @property
    def shape(self) -> Size:
        """The sizes, those of the sparse dimensions first."""
        return Size(self._sizes)

    @property
    def dtype(self) -> Any:
        """The dtype of the values."""
        return self._stored.dtype

    @property
    def device(self) -> Any:
        """The device: the CPU."""
        return self._stored.device

    @property
    def layout(self) -> Layout:
        """The layout: `sparse_coo`, `sparse_csr` or `sparse_csc`."""
        return self._layout

    @property
    def ndim(self) -> int:  # type: ignore[override]
        """The number of dimensions."""
        return len(self._sizes)

    @property
    def is_sparse(self) -> bool:  # type: ignore[override]
        """Whether the layout is `torch.sparse_coo`."""
        return self._layout is sparse_coo

    @property
    def is_sparse_csr(self) -> bool:  # type: ignore[override]
        """Whether the layout is `torch.sparse_csr`."""
        return self._layout is sparse_csr

    @property
    def requires_grad(self) -> bool:
        """Whether the values require grad."""
        return self._stored.requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self._stored.requires_grad = value

    @property
    def grad_fn(self) -> Any:
        """The node that made the values."""
        return self._stored.grad_fn

    @property
    def is_leaf(self) -> bool:  # type: ignore[override]
        """Whether the values are a leaf."""
        return self._stored.is_leaf

    @property  # type: ignore[override]
    def grad(self) -> "SparseTensor | None":
        """The gradient at the stored elements, once where several are at one place, added to one that was assigned."""
        if self._stored.grad is not None and self._assigned is not None:
            self._assigned, self._stored.grad = self._assigned + self._own_grad(self._stored.grad), None
        return self._own_grad(self._stored.grad) if self._assigned is None else self._assigned

    @grad.setter
    def grad(self, value: "SparseTensor | None") -> None:
        if value is not None:
            check_grad(self, value)
            if not isinstance(value, SparseTensor):
                raise RuntimeError(
                    "attempting to assign a gradient to a tensor that has data of a different type: give a sparse one"
                )
        matches = value is not None and np.array_equal(value._places, self._places)
        self._assigned = None if matches else value
        self._stored.grad = value._stored if value is not None and matches else None

    def _own_grad(self, found: Tensor | None) -> "SparseTensor | None":
        """A gradient of the stored values as one of the tensor."""
        if found is None or self._layout is not sparse_coo or self._is_coalesced:
            return None if found is None else like(self, found)
        sizes = self._sizes[: sparse_dims(self)]
        places, firsts = np.unique(positions(self._places, sizes), return_index=True)
        return sparse_of(unraveled(places, sizes), found[new_tensor(firsts)], self._sizes, sparse_coo, True)

    @property
    def grad_dtype(self) -> Any:
        """The dtype of a leaf's gradient; see `Tensor.grad_dtype`."""
        return self._stored.grad_dtype

    @property
    def data(self) -> "SparseTensor":  # type: ignore[override]
        """A tensor with the same memory, detached."""
        return like(self, self._stored.data)

    @property
    def is_meta(self) -> bool:
        """Whether the tensor has no memory."""
        return False

    @property
    def T(self) -> "SparseTensor":
        """The dimensions in reverse order."""
        return HANDLED["permute"](self, list(reversed(range(self.ndim))))

    @property
    def mT(self) -> "SparseTensor":
        """The last two dimensions exchanged."""
        return HANDLED["transpose"](self, -2, -1)

    @property
    def mH(self) -> "SparseTensor":
        """The last two dimensions exchanged, and complex values conjugated."""
        return HANDLED["adjoint"](self)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return ABOVE.sparse_text(self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return remake, (
            self._layout,
            self._places,
            self._stored.detach(),
            self._sizes,
            self._is_coalesced,
            self.requires_grad,
        )

    def _sent(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:  # for remote calls: keeps the graph
        return sparse_of, (self._places, self._stored, self._sizes, self._layout, self._is_coalesced)

    def __deepcopy__(self, memo: Any) -> Any:
        if id(self) in memo:
            return memo[id(self)]
        copy = sparse_of(
            self._places.copy(), self._stored.detach().clone(), self._sizes, self._layout, self._is_coalesced
        )
        copy.requires_grad = self.requires_grad
        memo[id(self)] = copy
        if self._stored.grad is not None:
            copy._stored.grad = deepcopy(self._stored.grad, memo)
        copy._assigned = deepcopy(self._assigned, memo)
        return copy

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Sequence[Any], **kwargs: Any) -> Any:
        if ufunc is np.add and method == "__call__" and len(inputs) == 2:
            first, second = (new_tensor(x) if isinstance(x, np.ndarray) else x for x in inputs)
            result, out = HANDLED["add"](first, second), kwargs.get("out")
            if out is None:
                return result if first is inputs[0] else result._array
            out[0][...] = result._array
            return out[0]
        raise TypeError(f"numpy.{ufunc.__name__} does not take sparse tensors: use to_dense() first.")

    def __add__(self, other: Any) -> Any:
        return other + self if isinstance(other, np.ndarray) else HANDLED["add"](self, other)

    def __iter__(self) -> Any:
        return iter(HANDLED["unbind"](self))

    def __bool__(self) -> bool:
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous: it is a sparse tensor")

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError(
            f"can't convert {self._layout} layout tensor to numpy. Use Tensor.to_dense() to convert to a strided "
            "tensor first."
        )


def leaves_of(args: Any, kwargs: Any) -> list[Any]:
    """The values of sparse tensors among the arguments, also in lists and tuples."""
    return flat_values(args, kwargs)


@above
def sparse_of(
    index: Array, values: Tensor, sizes: Sequence[int], layout: Layout = sparse_coo, coalesced: bool = False
) -> SparseTensor:
    """A sparse tensor from its parts, which are not checked."""
    tensor = Arithmetic.__new__(SparseTensor)
    tensor._places, tensor._stored, tensor._sizes = index, values, tuple(int(n) for n in sizes)
    tensor._layout, tensor._is_coalesced = layout, coalesced or layout is not sparse_coo
    return counted(tensor)


def remake(
    layout: Any, index: Any, values: Array, sizes: Sequence[int], coalesced: Any, requires_grad: Any
) -> SparseTensor:
    """Rebuilds a leaf from the result of `__reduce_ex__`."""
    tensor = sparse_of(index, values, sizes, layout, coalesced)
    tensor.requires_grad = requires_grad
    return tensor


def like(tensor: SparseTensor, values: Tensor) -> SparseTensor:
    """A sparse tensor with other values at the same indices."""
    return sparse_of(tensor._places, values, tensor._sizes, tensor._layout, tensor._is_coalesced)


def is_sparse(value: Any) -> bool:
    """Whether a value is a sparse tensor."""
    return isinstance(value, SparseTensor)


def stored(value: Any) -> Any:
    """The stored elements of a sparse tensor, any other value as it is."""
    return value._stored if is_sparse(value) else value


def sparse_dims(tensor: SparseTensor) -> int:
    """The number of sparse dimensions."""
    return tensor._places.shape[0]


def positions(index: np.ndarray, sizes: tuple[int, ...]) -> np.ndarray:
    """Indices of several dimensions as flat indices."""
    if not len(index):
        return np.zeros(index.shape[1], np.int64)
    return np.ravel_multi_index(tuple(index), sizes) if index.size else np.zeros(0, np.int64)


def unraveled(flat_index: np.ndarray, sizes: tuple[int, ...]) -> np.ndarray:
    """The inverse of `positions`."""
    if not sizes:
        return np.zeros((0, len(flat_index)), np.int64)
    return np.stack(np.unravel_index(flat_index, sizes)).astype(np.int64)


def summed_by_group(values: Tensor, groups: np.ndarray, n: int) -> Tensor:
    """The sums of values by group number, for `n` groups."""
    if values.dtype is torch.bool:
        return summed_by_group(values.int(), groups, n).bool()
    return torch.zeros(n, *values.shape[1:], dtype=values.dtype).index_add(0, new_tensor(groups), values)


def merged(tensor: SparseTensor) -> SparseTensor:
    """The tensor with sorted and unique indices: values at the same indices are added up."""
    if tensor._is_coalesced and tensor._layout is sparse_coo:
        return tensor
    sizes = tensor._sizes[: sparse_dims(tensor)]
    places, groups = np.unique(positions(tensor._places, sizes), return_inverse=True)
    values = summed_by_group(tensor._stored, groups.reshape(-1), len(places))
    return sparse_of(unraveled(places, sizes), values, tensor._sizes, sparse_coo, True)


def dense_of(tensor: Any) -> Any:
    """A sparse tensor as a dense one; any other value unchanged."""
    if not is_sparse(tensor):
        return tensor
    dims = sparse_dims(tensor)
    zeros = torch.zeros(tensor._sizes, dtype=tensor.dtype)
    if not dims:
        return tensor._stored.sum(0).to(tensor.dtype) if tensor._stored.shape[0] else zeros
    values = tensor._stored.int() if tensor.dtype is torch.bool else tensor._stored
    zeros = zeros.int() if tensor.dtype is torch.bool else zeros
    result = zeros.index_put(tuple(new_tensor(i) for i in tensor._places), values, accumulate=True)
    return result.bool() if tensor.dtype is torch.bool else result


def in_rows(tensor: SparseTensor, layout: Layout) -> SparseTensor:
    """A matrix with its elements in the order of a compressed layout."""
    merged_matrix = merged(tensor)
    if layout is sparse_coo:
        return merged_matrix
    index = merged_matrix._places
    order = np.lexsort((index[1], index[0]) if layout is sparse_csr else (index[0], index[1]))
    values = merged_matrix._stored
    if (order[1:] < order[:-1]).any():
        index, values = index[:, order], values[new_tensor(order)]
    return sparse_of(index, values, tensor._sizes, layout)


def starts(tensor: SparseTensor, dim: int) -> np.ndarray:
    """The start of each row (column) in a compressed layout, and the end of the last one."""
    counts = np.bincount(tensor._places[dim], minlength=tensor._sizes[dim])
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
