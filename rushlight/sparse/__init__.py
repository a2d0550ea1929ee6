"""Sparse tensors and their functions, under PyTorch's names. See `sparse.tensor` for their structure."""

from collections.abc import Callable, Sequence
from typing import Any
from typing import Any as _Any

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.sparse import elementwise as _elementwise
from rushlight.sparse import parts as _parts
from rushlight.sparse import products as _products
from rushlight.sparse import shapes as _shapes
from rushlight.sparse.creation import spdiags
from rushlight.sparse.invariants import check_sparse_tensor_invariants
from rushlight.sparse.old_classes import *
from rushlight.sparse.old_classes import __all__ as _old_classes
from rushlight.sparse.tensor import HANDLED as _HANDLED
from rushlight.sparse.tensor import SparseTensor as _SparseTensor
from rushlight.sparse.tensor import like as _like
from rushlight.tensors import Tensor as _Tensor

__all__ = [
    "addmm",
    "as_sparse_gradcheck",
    "check_sparse_tensor_invariants",
    "log_softmax",
    "mm",
    "sampled_addmm",
    "softmax",
    "spdiags",
    "sum",
    *_old_classes,
]


def mm(mat1: _Any, mat2: _Any, reduce: str | None = None) -> _Any:
    """The product of two matrices, at least one of which is sparse; both get gradients.

    >>> import rushlight as torch
    >>> torch.sparse.mm(torch.eye(2).to_sparse(), torch.ones(2, 3))
    tensor([[1., 1., 1.],
            [1., 1., 1.]])
    """
    return _products.mm(mat1, mat2, reduce)


def addmm(mat: _Any, mat1: _Any, mat2: _Any, *, beta: float = 1.0, alpha: float = 1.0) -> _Any:
    """`beta * mat + alpha * mat1 @ mat2` with a sparse `mat1`."""
    return _products.addmm(mat, mat1, mat2, beta=beta, alpha=alpha)


def sampled_addmm(input: _Any, mat1: _Tensor, mat2: _Tensor, *, beta: float = 1.0, alpha: float = 1.0) -> _Any:
    """`beta * input + alpha * mat1 @ mat2`, computed only at the stored elements of the sparse `input`."""
    return _products.sampled_addmm(input, mat1, mat2, beta=beta, alpha=alpha)


def sum(input: _Any, dim: _Any = None, dtype: _Any = None) -> _Any:
    """The sum over all elements, or over dimensions; the result is sparse if sparse dimensions are left."""
    _parts.only_coordinates("coalesce", input)
    return _elementwise.sum(input, dim, dtype=dtype)


def softmax(input: _Any, dim: int, *, dtype: _Any = None) -> _Any:
    """The softmax along a dimension of the stored elements; the others count as -inf."""
    return _HANDLED["sparse.softmax"](input, dim, dtype)


def log_softmax(input: _Any, dim: int, *, dtype: _Any = None) -> _Any:
    """The logarithm of `softmax`."""
    return _HANDLED["sparse.log_softmax"](input, dim, dtype)


def as_sparse_gradcheck(gradcheck: _Any) -> _Any:
    """`gradcheck` for functions of sparse tensors: it perturbs only the stored elements.

    >>> import rushlight as torch
    >>> check = torch.sparse.as_sparse_gradcheck(torch.autograd.gradcheck)
    >>> x = torch.eye(2, dtype=torch.float64).to_sparse().detach().requires_grad_()
    >>> check(lambda x: torch.sparse.sum(x * x), x)
    True
    """

    def checked(func: Callable[..., Any], inputs: Sequence[Any], **kwargs: Any) -> Any:
        given = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)

        def of_values(*values: Any) -> Any:
            pairs = zip(given, values, strict=True)
            made = [_with_values(old, value) if isinstance(old, _SparseTensor) else value for old, value in pairs]
            found = func(*made)
            return found._stored if isinstance(found, _SparseTensor) else found

        plain = [
            v._stored.detach().clone().requires_grad_(v.requires_grad) if isinstance(v, _SparseTensor) else v
            for v in given
        ]
        return gradcheck(of_values, tuple(plain), **{k: v for k, v in kwargs.items() if k != "masked"})

    return checked


def _with_values(tensor: _SparseTensor, values: _Tensor) -> _SparseTensor:
    return _like(tensor, values)


_explain_misses(globals())
