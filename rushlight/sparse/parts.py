"""The parts of sparse tensors (indices, values), their properties, and conversion between layouts."""

from collections.abc import Callable
from typing import Any

import numpy as np

import rushlight as torch
from rushlight.core.above import above
from rushlight.core.batched import Batched
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.layouts import Name, sparse_coo, sparse_csc, sparse_csr, strided
from rushlight.layouts import layout as Layout
from rushlight.refusals.numbers import as_numbers
from rushlight.sparse.creation import refuse_blocks
from rushlight.sparse.tensor import (
    HANDLED,
    SparseTensor,
    dense_of,
    handles,
    in_rows,
    is_sparse,
    like,
    merged,
    sparse_dims,
    sparse_of,
    starts,
    stored,
)
from rushlight.tensors import Tensor

WORDS: dict[Name, str] = {
    strided: "Strided",
    sparse_coo: "Sparse",
    sparse_csr: "SparseCsr",
    sparse_csc: "SparseCsc",
}


@above
def sparse_parts(tensor: SparseTensor) -> dict[str, Tensor]:
    """The tensors that a sparse tensor consists of, by their names in its layout."""
    if tensor._layout is sparse_coo:
        return {"indices": new_tensor(tensor._places), "values": tensor._stored}
    by_row = tensor._layout is sparse_csr
    first, other = (0, 1) if by_row else (1, 0)
    names = ("crow_indices", "col_indices") if by_row else ("ccol_indices", "row_indices")
    compressed, plain = new_tensor(starts(tensor, first)), new_tensor(tensor._places[other])
    return {names[0]: compressed, names[1]: plain, "values": tensor._stored}


def part(name: str, expected: str) -> Callable[..., Any]:
    """Registers the method that returns a part; RuntimeError for layouts without it."""

    def method(self: Any) -> Tensor:
        if not is_sparse(self) or name not in sparse_parts(self):
            raise RuntimeError(f"{name} expected sparse {expected} layout but got {WORDS[self.layout]}")
        if self._layout is sparse_coo and not self._is_coalesced:
            raise RuntimeError(f"Cannot get {name} on an uncoalesced tensor, please call .coalesce() first")
        return sparse_parts(self)[name]

    return handles(name)(method)


for _name, _expected in (
    ("indices", "coordinate tensor"),
    ("values", "tensor"),
    ("crow_indices", "row compressed tensor"),
    ("col_indices", "row compressed tensor"),
    ("ccol_indices", "column compressed tensor"),
    ("row_indices", "column compressed tensor"),
):
    part(_name, _expected)


@handles("_indices")
def raw_indices(self: SparseTensor) -> Tensor:
    """The indices, coalesced or not."""
    return sparse_parts(self)["indices"]


@handles("_values")
def raw_values(self: SparseTensor) -> Tensor:
    """The values, coalesced or not."""
    return self._stored


@handles("_nnz")
def stored_elements(self: SparseTensor) -> int:
    """The number of stored elements."""
    if not is_sparse(self):
        raise NotImplementedError("Could not run 'aten::_nnz' with arguments from the 'CPU' backend: use to_sparse()")
    return self._places.shape[1]


@handles("sparse_dim")
def sparse_dim(self: Any) -> int:
    """The number of sparse dimensions."""
    return sparse_dims(self) if is_sparse(self) else 0


@handles("dense_dim")
def dense_dim(self: Any) -> int:
    """The number of dense dimensions, those of the values."""
    return self._stored.dim() - 1 if is_sparse(self) else self.dim()


@handles("is_coalesced")
def is_coalesced(self: Any) -> bool:
    """Whether the indices are sorted and unique. RuntimeError for layouts other than `sparse_coo`."""
    only_coordinates("is_coalesced", self)
    return self._is_coalesced


@handles("coalesce")
def coalesce(self: Any) -> SparseTensor:
    """The tensor with sorted and unique indices: values at the same indices are added up."""
    only_coordinates("coalesce", self)
    return merged(self)


def only_coordinates(name: str, tensor: Any) -> None:
    """Raises RuntimeError for layouts other than `sparse_coo`."""
    if tensor.layout is not sparse_coo:
        raise RuntimeError(f"{name} expected sparse coordinate tensor layout but got {WORDS[tensor.layout]}")


@handles("size")
def size(self: SparseTensor, dim: int | None = None) -> Any:
    """The shape, or the size of one dimension."""
    return self.shape if dim is None else self.shape[dim]


ANSWERS: dict[str, Callable[..., Any]] = {
    "dim": lambda self: self.ndim,
    "ndimension": lambda self: self.ndim,
    "numel": lambda self: int(np.prod(self._sizes, dtype=np.int64)),
    "__len__": lambda self: self._sizes[0],
    "element_size": lambda self: self._stored.element_size(),
    "is_floating_point": lambda self: self.dtype.is_floating_point,
    "is_complex": lambda self: self.dtype.is_complex,
    "is_contiguous": lambda self, memory_format=None: False,
    "stride": lambda self, dim=None: (0,) * self.ndim if dim is None else 0,
    "type": lambda self, dtype=None, **kwargs: (
        self._stored.type().replace("torch.", "torch.sparse.")
        if dtype is None
        else like(self, self._stored.type(dtype))
    ),
    "is_inference": lambda self: self._stored.is_inference(),
    "is_same_size": lambda self, other: tuple(self.shape) == tuple(other.shape),
    "__format__": lambda self, spec: repr(self),
    "get_device": lambda self: -1,
}
HANDLED.update(ANSWERS)


@handles("to_dense")
def to_dense(self: Any, dtype: Any = None, *, masked_grad: bool | None = None) -> Tensor:
    """The tensor as a dense one; gradients flow back to the stored elements."""
    result = dense_of(self)
    return result if dtype is None else result.to(dtype)


def is_layout(tensor: SparseTensor, wanted: Layout) -> SparseTensor:
    """A sparse tensor in another layout."""
    if wanted is tensor._layout:
        return tensor
    if wanted is sparse_coo:
        coordinates = sparse_of(tensor._places, tensor._stored, tensor._sizes)
        return merged(coordinates) if tensor._layout is sparse_csc else like_coordinates(coordinates)
    if sparse_dims(tensor) != 2 or len(tensor._sizes) != 2:
        raise RuntimeError(
            f"only matrices have the layout {wanted} in rushlight, not tensors of shape {list(tensor.shape)}"
        )
    return in_rows(sparse_of(tensor._places, tensor._stored, tensor._sizes, sparse_coo, tensor._is_coalesced), wanted)


def like_coordinates(tensor: SparseTensor) -> SparseTensor:
    """A compressed matrix in COO layout; it counts as coalesced if the columns of each row are sorted."""
    flat = tensor._places[0] * max(tensor._sizes[1], 1) + tensor._places[1]
    return sparse_of(tensor._places, tensor._stored, tensor._sizes, sparse_coo, bool((np.diff(flat) > 0).all()))


@handles("to_sparse")
def to_sparse(
    self: Any, sparse_dim: Any = None, *, layout: Any = None, blocksize: Any = None, dense_dim: Any = None
) -> Tensor:
    """The tensor as a sparse one; of a dense one the nonzero elements, with `sparse_dim` sparse dimensions.

    >>> import rushlight as torch
    >>> torch.tensor([[0.0, 5.0]]).to_sparse().indices()
    tensor([[0],
            [1]])
    """
    if type(self._array) is Batched:
        raise NotImplementedError("rushlight makes no sparse tensors inside vmap: call to_sparse outside of it.")
    if isinstance(sparse_dim, TensorBase):
        (_, sparse_dim), _ = as_numbers("Tensor.to_sparse", (self, sparse_dim), {})
    if isinstance(sparse_dim, Layout):
        sparse_dim, layout = None, sparse_dim
    wanted = layout or sparse_coo
    if wanted not in WORDS:
        refuse_blocks(wanted)
    if is_sparse(self):
        return is_layout(self, wanted)
    if wanted is strided:
        return self
    dims = self.dim() if sparse_dim is None else sparse_dim
    if not 0 <= dims <= self.dim() or (dims == 0 and self.dim()):
        raise RuntimeError(
            f"sparse_dim must be in (0, {self.dim()}], but got {dims}: it is the number of dimensions with indices"
        )
    array = self.detach()._settled()
    found = array != 0
    found = found.any(axis=tuple(range(dims, array.ndim))) if dims < array.ndim else found
    index = np.stack(np.nonzero(found)) if dims else np.zeros((0, int(bool(found))), np.int64)
    values = self[tuple(new_tensor(i) for i in index)] if dims else self.reshape(1)[: index.shape[1]]
    made = sparse_of(index.astype(np.int64), values, tuple(self.shape), sparse_coo, True)
    return is_layout(made, wanted)


@handles("to_sparse_csr")
def to_sparse_csr(self: Any, dense_dim: Any = None) -> SparseTensor:
    """The matrix with compressed rows (CSR)."""
    return to_sparse(self, layout=sparse_csr)


@handles("to_sparse_csc")
def to_sparse_csc(self: Any, dense_dim: Any = None) -> SparseTensor:
    """The matrix with compressed columns (CSC)."""
    return to_sparse(self, layout=sparse_csc)


@handles("to_sparse_coo")
def to_sparse_coo(self: Any) -> SparseTensor:
    """The tensor in COO layout."""
    return to_sparse(self)


@handles("sparse_mask")
def sparse_mask(self: Any, mask: SparseTensor) -> SparseTensor:
    """The elements at the indices that `mask` stores."""
    if tuple(self.shape) != tuple(mask.shape):
        raise RuntimeError(
            "sparse_mask(): operands have incompatible sizes; self has size "
            f"{list(self.shape)} but mask has size {list(mask.shape)}"
        )
    return like(mask, dense_of(self)[tuple(new_tensor(i) for i in mask._places)])


@handles("item")
def item(self: SparseTensor) -> Any:
    """The only element, as a number."""
    return dense_of(self).item()


@handles("tolist", "data_ptr", "storage", "untyped_storage")
def no_memory(self: SparseTensor, *args: Any, **kwargs: Any) -> None:
    """Raises RuntimeError: a sparse tensor has no single storage."""
    raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage: use to_dense() first")


@handles("reshape", "reshape_as", "flatten")
def reshape(self: SparseTensor, *args: Any, **kwargs: Any) -> None:
    """Raises RuntimeError: sparse tensors cannot be reshaped."""
    raise RuntimeError("reshape is not implemented for sparse tensors: use to_dense() first")


@handles("numpy")
def numpy(self: SparseTensor, *args: Any, **kwargs: Any) -> None:
    """Raises TypeError: a sparse tensor cannot be converted to an array."""
    raise TypeError(f"can't convert {WORDS[self._layout]} layout tensor to numpy. Use Tensor.to_dense() first.")


for _name in (
    "detach",
    "clone",
    "resolve_conj",
    "resolve_neg",
    "requires_grad_",
    "double",
    "float",
    "half",
    "bfloat16",
    "int",
    "long",
    "short",
    "bool",
    "to",
    "cpu",
    "retain_grad",
    "register_hook",
    "share_memory_",
    "pin_memory",
):

    def _on_values(self: Any, *args: Any, _name: str = _name, **kwargs: Any) -> Any:
        others = map(stored, args)
        result = getattr(self._stored, _name)(*others, **kwargs)
        if result is self._stored:
            return self
        return like(self, result) if isinstance(result, torch.Tensor) else result

    HANDLED[_name] = _on_values


@handles("backward")
def backward(self: SparseTensor, gradient: Any = None, *args: Any, **kwargs: Any) -> None:
    """Computes the gradients; of `gradient` those elements count at whose indices the tensor stores some."""
    torch.autograd.backward(self, gradient, *args, **kwargs)


@handles("zeros_like", "empty_like")
def zeros_like(input: SparseTensor, *, dtype: Any = None, memory_format: Any = None, **kwargs: Any) -> SparseTensor:
    """A sparse tensor of the same shape without stored elements."""
    if memory_format is not None:
        raise RuntimeError("memory format option is only supported by strided tensors")
    values = torch.zeros(0, *input._stored.shape[1:], dtype=dtype or input.dtype)
    return sparse_of(np.zeros((sparse_dims(input), 0), np.int64), values, input._sizes, input._layout)
