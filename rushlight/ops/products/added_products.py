"""Products of matrices and vectors that are scaled and added to a tensor: `beta * input + alpha * product`."""

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.graph import TensorBase, unbroadcast
from rushlight.core.operators import call
from rushlight.dtypes import FROM_NUMPY, result_dtype
from rushlight.kernels import products as kernels
from rushlight.ops.arguments import mismatch
from rushlight.ops.arguments.mismatch import ABSENT, check_tensors, not_tensors, quick
from rushlight.ops.derivatives.events import of_addmm, of_baddbmm
from rushlight.ops.derivatives.series import rewritten
from rushlight.ops.out import write_out
from rushlight.ops.products.batched_products import of_matrices, outer, plus, summed, times, turned
from rushlight.ops.products.products import _bmm, _mm, _mv, _outer
from rushlight.ops.table import in_place, method, operator
from rushlight.refusals.numbers import as_numbers
from rushlight.tensors import Tensor

__all__ = ["addbmm", "addmm", "addmv", "addr", "baddbmm"]


def scaled_by(x: Array, factor: complex) -> Array:
    """`x * factor`, or `x` itself if the factor is 1."""
    return x if factor == 1 else x * factor


def scaled_tangent(op: Any, outs: Sequence[Array], args: Any, tangents: Sequence[Array]) -> Any:
    """Forward mode: the sum of the products with one factor replaced by its tangent, plus the tangent of the input."""
    input, first, second, beta, alpha = args
    parts = [] if tangents[0] is None else [tangents[0] * beta]
    if tangents[1] is not None:
        parts.append(op(input, tangents[1], second, 0, alpha))
    if tangents[2] is not None:
        parts.append(op(input, first, tangents[2], 0, alpha))
    return [reduce(add, parts)]


def by_parts(input: Array, first: Any, second: Any, beta: Any, alpha: Any) -> Any:
    """The product and the input, each times its factor."""
    return input * beta + first @ second * alpha


def added(
    name: str,
    product: Any,
    batch: Callable[..., Any],
    first: Any,
    second: Callable[..., Any],
    plain: Callable[..., Any] | None = None,
    **options: Any,
) -> Any:
    """Registers `beta * input + alpha * product(first, second)`, given the derivatives of the product.

    `plain` computes all at once where both factors are 1.
    """

    def forward(input: Array, first: Array, second: Array, beta: float, alpha: float) -> Array:
        if plain is not None and beta == alpha == 1:
            return plain(input, first, second)
        result = product(first, second)
        if alpha != 1:
            result *= result.dtype.type(alpha)
        if beta == 0:
            return result
        result += input if beta == 1 else input * result.dtype.type(beta)
        return result

    return operator(
        name=name,
        batch=plus(batch),
        tangent=scaled_tangent,
        **options,
        input=lambda grad, input_shape, beta: scaled_by(unbroadcast(grad, input_shape), beta),
        first=lambda grad, second, alpha: scaled_by(first(grad, second), alpha),
        second=lambda grad, first, alpha: scaled_by(second(grad, first), alpha),
    )(forward)


def batch_sum(batch1: Array, batch2: Array) -> Array:
    """The sum over a batch of products of (n, k) and (k, m) matrices, computed as a single product."""
    b, n, k = batch1.shape
    return kernels.product(batch1.transpose(1, 0, 2).reshape(n, b * k), batch2.reshape(b * k, batch2.shape[2]))


_addmm = added(
    "addmm",
    np.dot,
    times,
    lambda grad, mat2: _mm(grad, mat2.T),
    lambda grad, mat1: _mm(mat1.T, grad),
    in_steps=True,
    series=rewritten(by_parts),
    flops=of_addmm,
    saved_as={"first": "mat1", "second": "mat2"},
)
_addmv = added(
    "addmv",
    kernels.matvec,
    lambda mat, vec, levels: times(vec, turned(mat), levels),
    lambda grad, vec: _outer(grad, vec),
    lambda grad, mat: _mv(mat.T, grad),
    series=rewritten(by_parts),
)
_addr = added(
    "addr",
    np.multiply.outer,
    outer,
    lambda grad, vec2: _mv(grad, vec2),
    lambda grad, vec1: _mv(grad.T, vec1),
    plain=kernels.add_outer,
    layout="like first",
)
_baddbmm = added(
    "baddbmm",
    kernels.products,
    of_matrices,
    lambda grad, b: _bmm(grad, b.mT),
    lambda grad, b: _bmm(b.mT, grad),
    series=rewritten(by_parts),
    flops=of_baddbmm,
)
_addbmm = added(
    "addbmm", batch_sum, summed, lambda grad, b: np.matmul(grad, b.mT), lambda grad, b: np.matmul(b.mT, grad)
)


def tried(
    op: Any,
    check: Callable[..., Any],
    ndim: int,
    input: Tensor,
    mat: Tensor,
    second: Tensor,
    beta: complex,
    alpha: complex,
) -> Tensor:
    """Calls an operator whose last tensor must have `ndim` dimensions; if it fails, `check` raises PyTorch's error."""
    x, a, b = input._array, mat._array, second._array
    if a.ndim != 2 or b.ndim != ndim or not x.dtype is a.dtype is b.dtype or a.dtype is mismatch.BOOL:
        check(x, a, b)
    try:
        return call(op, (input, mat, second, beta, alpha))
    except ValueError as error:
        wrong = error
    check(x, a, b)  # after the `except`, so that NumPy's error is not shown as its cause
    raise wrong


@in_place
@method
@quick
def addmm(
    input: Tensor = ABSENT,
    mat1: Tensor = ABSENT,
    mat2: Tensor = ABSENT,
    /,
    *more: Any,
    beta: float = 1,
    alpha: float = 1,
    out: Tensor | None = None,
    **named: Any,  # the operands too: in the order of PyTorch's first years a number is before them
) -> Tensor:
    """`beta * input + alpha * mat1 @ mat2`; `input` is broadcast, and ignored if `beta` is 0.

    RuntimeError for shapes or dtypes that do not match, NotImplementedError for bool.

    >>> import rushlight as torch
    >>> torch.addmm(torch.ones(2), torch.ones(2, 3), torch.ones(3, 2), alpha=2)
    tensor([[7., 7.],
            [7., 7.]])
    """
    tensors = isinstance(input, TensorBase) and isinstance(mat1, TensorBase) and isinstance(mat2, TensorBase)
    if isinstance(beta, TensorBase) or isinstance(alpha, TensorBase):
        factors = {name: value for name, value in (("beta", beta), ("alpha", alpha)) if isinstance(value, TensorBase)}
        args, options = as_numbers(".addmm", (input, mat1, mat2, *more), {**factors, **named})
        return addmm(*args, **{"beta": beta, "alpha": alpha, "out": out, **options})
    if named or more or not tensors:
        numbers = {name: value for name, value in (("beta", beta), ("alpha", alpha)) if value != 1}
        options = {**named, **numbers, "out": out}
        return not_tensors(addmm, options, *more, input=input, mat1=mat1, mat2=mat2)
    result = tried(_addmm, mismatch.added_matrices, 2, input, mat1, mat2, beta, alpha)
    return result if out is None else write_out("addmm", out, result, input, mat1, mat2)


@in_place
@method
def addmv(
    input: Tensor, mat: Tensor, vec: Tensor, *, beta: float = 1, alpha: float = 1, out: Tensor | None = None
) -> Tensor:
    """`beta * input + alpha * mat @ vec`; `input` is broadcast, and ignored if `beta` is 0.

    RuntimeError for shapes or dtypes that do not match, NotImplementedError for bool.

    >>> import rushlight as torch
    >>> torch.addmv(torch.ones(2), torch.ones(2, 3), torch.ones(3))
    tensor([4., 4.])
    """
    check_tensors("addmv", input=input, mat=mat, vec=vec)
    result = tried(_addmv, mismatch.added_vector, 1, input, mat, vec, beta, alpha)
    return result if out is None else write_out("addmv", out, result, input, mat, vec)


@in_place
@method
def addr(
    input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: float = 1, alpha: float = 1, out: Tensor | None = None
) -> Tensor:
    """`beta * input + alpha * outer(vec1, vec2)`; `input` is broadcast, and ignored if `beta` is 0.

    RuntimeError for shapes that do not match. Dtypes are promoted.

    >>> import rushlight as torch
    >>> torch.addr(torch.zeros(2, 2), torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
    tensor([[3., 4.],
            [6., 8.]])
    """
    check_tensors("addr", input=input, vec1=vec1, vec2=vec2)
    for name, vector in (("vec1", vec1), ("vec2", vec2)):
        if vector._array.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {vector._array.ndim}-D")
    mismatch.check_expandable(input._array, (vec1._array.size, vec2._array.size))
    three = input, vec1, vec2
    if not input._array.dtype == vec1._array.dtype == vec2._array.dtype:
        common = FROM_NUMPY[result_dtype(*three)]
        three = input.to(common), vec1.to(common), vec2.to(common)
    result = _addr(*three, beta, alpha)
    return result if out is None else write_out("addr", out, result, input, vec1, vec2)


@in_place
@method
def addbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1, out: Tensor | None = None
) -> Tensor:
    """`beta * input + alpha * (sum of batch1[i] @ batch2[i])`; `input` is ignored if `beta` is 0.

    (b, n, k) and (b, k, m) give (n, m), to which `input` is broadcast. RuntimeError for shapes or dtypes that do not
    match, NotImplementedError for bool.

    >>> import rushlight as torch
    >>> torch.addbmm(torch.ones(1, 1), torch.ones(5, 1, 3), torch.ones(5, 3, 1))
    tensor([[16.]])
    """
    check_tensors("addbmm", input=input, batch1=batch1, batch2=batch2)
    mismatch.summed_batches(batch1._array, batch2._array, input._array)
    result = _addbmm(input, batch1, batch2, beta, alpha)
    return result if out is None else write_out("addbmm", out, result, input, batch1, batch2)


@in_place
@method
def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1, out: Tensor | None = None
) -> Tensor:
    """`beta * input + alpha * batch1[i] @ batch2[i]` for each i; `input` is ignored if `beta` is 0.

    (b, n, k) and (b, k, m) give (b, n, m), to which `input` is broadcast. RuntimeError for shapes or dtypes that do not
    match, NotImplementedError for bool.

    >>> import rushlight as torch
    >>> torch.baddbmm(torch.ones(1, 1), torch.ones(2, 1, 3), torch.ones(2, 3, 1))
    tensor([[[4.]],
    <BLANKLINE>
            [[4.]]])
    """
    check_tensors("baddbmm", input=input, batch1=batch1, batch2=batch2)
    mismatch.batches(batch1._array, batch2._array, input._array)
    result = _baddbmm(input, batch1, batch2, beta, alpha)
    return result if out is None else write_out("baddbmm", out, result, input, batch1, batch2)
