"""Products of vectors and matrices, and the linear layer."""

import math
import sys
from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from types import FrameType
from typing import Any

import numpy as np

from rushlight.core.advice import advised
from rushlight.core.aliases import Array
from rushlight.core.arithmetic import fill
from rushlight.core.batching import elementwise, leading
from rushlight.core.graph import TensorBase, unbroadcast
from rushlight.core.operators import Operator, call
from rushlight.core.turned import turn, turning
from rushlight.dtypes import FROM_NUMPY, result_dtype
from rushlight.kernels import products as kernels
from rushlight.kernels.reductions import summed
from rushlight.ops.arguments import mismatch
from rushlight.ops.arguments.mismatch import ABSENT, BOOL, check_tensors, not_tensors, quick
from rushlight.ops.derivatives.events import Event, Turned, of_addmm, of_bmm, of_mm
from rushlight.ops.derivatives.series import rewritten
from rushlight.ops.elementwise.selection import times_each
from rushlight.ops.out import write_out
from rushlight.ops.products.batched_products import (
    layer,
    matrix_first,
    of_columns,
    of_conjugate,
    of_vectors,
    with_matrix,
    with_turned,
)
from rushlight.ops.shapes.shape import _squeezed, _unsafe_view, _unsqueeze
from rushlight.ops.table import method, operator
from rushlight.tensors import Tensor

__all__ = ["bmm", "dot", "ger", "inner", "kron", "matmul", "mm", "mv", "outer", "vdot"]


def rows(x: Array) -> Array:
    """An array or tensor as a matrix: all dimensions but the last are flattened into one."""
    return x if x.ndim == 2 else x.reshape(math.prod(x.shape[:-1]), x.shape[-1])


def product_events(name: str, flops: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """The profiler event of a product of vectors or matrices, which may be part of a `matmul`."""

    def events(*args: Any) -> list[Event]:
        inner = [Event(name, args, flops)]
        return [Event("matmul", args), *inner] if is_within_matmul() else inner

    return events


def is_within_matmul() -> bool:
    """Whether `matmul` calls the operator that is being profiled or cast: looks a few frames up the stack."""
    frame: FrameType | None = sys._getframe(2)
    for _ in range(8):
        if frame is None or frame.f_code is MATMUL:
            break
        frame = frame.f_back
    return frame is not None and frame.f_code is MATMUL


def laid(input: Array, mat2: Array, by_columns: bool) -> Array:
    """The product of two matrices, stored by rows or by columns: a gradient gets the layout of its tensor."""
    return _mm(mat2.T, input.T).T if by_columns else _mm(input, mat2)


_mm: Operator = operator(
    name="mm",
    in_steps=True,
    aten=product_events("mm", of_mm),
    slot="mm",
    batch=with_matrix,
    linear=True,
    input=lambda grad, input_by_columns, mat2: laid(grad, mat2.T, input_by_columns),
    mat2=lambda grad, input, mat2_by_columns: laid(input.T, grad, mat2_by_columns),
)(kernels.product)


@operator(
    batch=with_turned,
    linear=True,
    node="MmBackward0",
    aten=lambda input, weight: [Event("linear", (input, weight)), Event("mm", (input, Turned(weight)), of_mm)],
    input=lambda grad, weight: _mm(grad, weight),
    weight=lambda grad, input: _mm(grad.T, input),
)
def _mm_turned(input: Array, weight: Array) -> Array:
    """`input @ weight.T` for two matrices."""
    return kernels.product(input, weight.T)


@operator(
    in_steps=True,
    batch=matrix_first,
    linear=True,
    aten=product_events("mv"),
    slot="mv",
    input=lambda grad, vec: _outer(grad, vec),
    vec=lambda grad, input: _mv(input.T, grad),
)
def _mv(input: Array, vec: Array) -> Array:
    return kernels.matvec(input, vec)


@operator(
    in_steps=True,
    batch=of_columns,
    linear=True,
    node="MulBackward0",
    input=lambda grad, vec2: _mv(grad, vec2),
    vec2=lambda grad, input: _mv(grad.T, input),
)
def _outer(input: Array, vec2: Array) -> Array:
    return kernels.outer(input, vec2)


@operator(
    in_steps=True,
    batch=of_vectors,
    linear=True,
    aten=product_events("dot"),
    input=lambda grad, tensor: grad * tensor,
    tensor=lambda grad, input: grad * input,
)
def _dot(input: Array, tensor: Array) -> Array:
    return kernels.dot(input, tensor)


@operator(
    batch=of_conjugate,
    linear=True,
    holomorphic=False,
    input=lambda grad, other: np.conjugate(grad) * other,
    other=lambda grad, input: grad * input,
)
def _vdot(input: Array, other: Array) -> Array:
    return np.vdot(input, other) if input.dtype.kind == "c" else kernels.dot(input, other)


@operator(
    in_steps=True,
    batch=elementwise,
    linear=True,
    aten=product_events("bmm", of_bmm),
    input=lambda grad, mat2: _bmm(grad, mat2.mT),
    mat2=lambda grad, input: _bmm(input.mT, grad),
)
def _bmm(input: Array, mat2: Array) -> Array:
    return kernels.products(input, mat2)


@operator(
    batch=with_matrix,
    linear=True,
    node="UnsafeViewBackward0",
    aten=product_events("mm", of_mm),
    input=lambda grad, other: _folded(grad, other.T),
    other=lambda grad, input, other_by_columns: laid(rows(input).T, rows(grad), other_by_columns),
)
def _folded(input: Array, other: Array) -> Array:
    """A batch of matrices times one matrix, computed as a single matrix product."""
    return kernels.product(rows(input), other).reshape(*input.shape[:-1], other.shape[1])


@operator(
    batch=elementwise,
    linear=True,
    node="UnsafeViewBackward0",
    aten=product_events("bmm", of_bmm),
    input=lambda grad, input_shape, other: unbroadcast(_broadcast(grad, other.mT), input_shape),
    other=lambda grad, input, other_shape: unbroadcast(_broadcast(input.mT, grad), other_shape),
)
def _broadcast(input: Array, other: Array) -> Array:
    """The product of two batches of matrices whose batch dimensions are broadcast."""
    return kernels.products(input, other)


def layer_tangent(op: Any, outs: Sequence[Array], args: Any, tangents: Sequence[Array]) -> Any:
    """Forward mode of the linear layer: one product for each tangent, plus the tangent of the bias."""
    (input, weight, _), (t, tangent_of_weight, tangent_of_bias) = args, tangents
    parts = [] if t is None else [linear(t, weight)]
    if tangent_of_weight is not None:
        parts.append(linear(input, tangent_of_weight))
    if tangent_of_bias is not None:
        parts.append(tangent_of_bias)
    return [reduce(add, parts)]


@operator(
    in_steps=True,
    batch=layer,
    node="AddmmBackward0",
    aten=lambda input, weight, bias: [
        Event("linear", (input, weight, bias)),
        Event("addmm", (bias, input, Turned(weight)), of_addmm),
    ],
    tangent=layer_tangent,
    series=rewritten(lambda input, weight, bias: input @ weight.mT + bias),
    bias=lambda grad, bias_shape: unbroadcast(grad, bias_shape),
    input=lambda grad, weight: _mm(grad, weight) if grad.ndim == 2 else _folded(grad, weight),
    weight=lambda grad, input: _mm(grad.T, input) if grad.ndim == 2 else _mm(rows(grad).T, rows(input)),
)
def _linear(input: Array, weight: Array, bias: Array) -> Array:
    """`input @ weight.T + bias` for an input with any number of dimensions."""
    if input.ndim == 2:
        return kernels.add_row(kernels.multiplied(input, weight.T), bias)
    return kernels.add_row(kernels.multiplied(rows(input), weight.T), bias).reshape(*input.shape[:-1], weight.shape[0])


def in_pairs(x: Array, ndim: int, inner: bool) -> Array:
    """A factor of a Kronecker product, with a dimension of size 1 before each of its last `ndim`, or behind each."""
    start, shape = x.ndim - ndim, x.shape
    return x.reshape([*shape[:start], *[size for n in shape[start:] for size in ((1, n) if inner else (n, 1))]])


def kron_shape(x: Array, y: Array, ndim: int) -> tuple[int, ...]:
    """The shape of a Kronecker product of factors with as many dimensions, `ndim` of them in pairs."""
    start = x.ndim - ndim
    sizes = [n * m for n, m in zip(x.shape[start:], y.shape[start:], strict=True)]
    return (*np.broadcast_shapes(x.shape[:start], y.shape[:start]), *sizes)


def factor_cotangent(grad: Array, shape: Sequence[int], other: Array, ndim: int, inner: bool) -> Any:
    """The gradient of one factor of a Kronecker product, whose shape is given: `inner` if it is the second."""
    factor, start = in_pairs(other, ndim, not inner), grad.ndim - ndim
    pairs = zip(shape[start:], other.shape[start:], strict=True)
    apart = grad.reshape([*shape[:start], *[size for n, m in pairs for size in ((m, n) if inner else (n, m))]])
    return summed(apart * factor, tuple(range(start + 1 - inner, start + 2 * ndim, 2)))


@operator(
    layout="as computed",
    batch=leading,
    linear=True,
    node="UnsafeViewBackward0",
    input=lambda grad, input_shape, other, ndim: factor_cotangent(grad, input_shape, other, ndim, False),
    other=lambda grad, input, other_shape, ndim: factor_cotangent(grad, other_shape, input, ndim, True),
)
def _kron(input: Array, other: Array, ndim: int) -> Array:
    """The Kronecker products over the last `ndim` dimensions, of which both operands have as many."""
    pairs = times_each(in_pairs(input, ndim, False), in_pairs(other, ndim, True))
    return pairs.reshape(kron_shape(input, other, ndim))


@method
@quick
def mm(input: Tensor = ABSENT, mat2: Tensor = ABSENT, *, out: Tensor | None = None, **named: Any) -> Tensor:
    """The product of two matrices of the same dtype: (n, k) and (k, m) give (n, m).

    RuntimeError for other shapes or different dtypes, NotImplementedError for bool.

    >>> import rushlight as torch
    >>> torch.mm(torch.tensor([[1, 2], [3, 4]]), torch.tensor([[1, 0], [1, 1]]))
    tensor([[3, 2],
            [7, 4]])
    """
    if named or not (isinstance(input, TensorBase) and isinstance(mat2, TensorBase)):
        return not_tensors(mm, {**named, "out": out}, input=input, mat2=mat2)
    x, y = input._array, mat2._array
    if x.ndim != 2 or y.ndim != 2:
        raise RuntimeError(advised(f"{'self' if x.ndim != 2 else 'mat2'} must be a matrix"))
    result = tried(_mm, mismatch.matrices, input, mat2)
    return result if out is None else write_out("mm", out, result, input, mat2)


def tried(op: Any, check: Callable[..., Any], input: Tensor, other: Tensor) -> Tensor:
    """Calls an operator on two tensors; if it fails, `check` raises PyTorch's error for dtypes or shapes."""
    x, y = input._array, other._array
    if x.dtype is not y.dtype or x.dtype is BOOL:
        check(x, y)
    try:
        return call(op, (input, other))
    except ValueError as error:
        failure = error
    check(x, y)  # after the `except`, so that NumPy's error is not shown as its cause
    raise failure


@method
@quick
def mv(input: Tensor = ABSENT, vec: Tensor = ABSENT, *, out: Tensor | None = None, **named: Any) -> Tensor:
    """The product of a matrix (n, m) and a vector (m) of the same dtype: a vector (n).

    RuntimeError for other shapes or different dtypes, NotImplementedError for bool.

    >>> import rushlight as torch
    >>> torch.mv(torch.tensor([[1, 2], [3, 4]]), torch.tensor([1, 1]))
    tensor([3, 7])
    """
    if named or not (isinstance(input, TensorBase) and isinstance(vec, TensorBase)):
        return not_tensors(mv, {**named, "out": out}, input=input, vec=vec)
    if input._array.ndim != 2 or vec._array.ndim != 1:
        mismatch.matrix_and_vector(input._array, vec._array)
    result = tried(_mv, mismatch.matrix_and_vector, input, vec)
    return result if out is None else write_out("mv", out, result, input, vec)


@method
@quick
def dot(input: Tensor = ABSENT, tensor: Tensor = ABSENT, *, out: Tensor | None = None, **named: Any) -> Tensor:
    """The dot product of two vectors of the same length and dtype.

    RuntimeError for other shapes or different dtypes, NotImplementedError for bool.

    >>> import rushlight as torch
    >>> torch.dot(torch.tensor([2, 3]), torch.tensor([2, 1]))
    tensor(7)
    """
    if named or not (isinstance(input, TensorBase) and isinstance(tensor, TensorBase)):
        return not_tensors(dot, {**named, "out": out}, input=input, tensor=tensor)
    if input._array.ndim != 1 or tensor._array.ndim != 1:
        mismatch.vectors(input._array, tensor._array)
    result = dot_of(input, tensor)
    return result if out is None else write_out("dot", out, result, input, tensor)


def dot_of(input: Tensor, tensor: Tensor) -> Tensor:
    """The dot product of two vectors; RuntimeError if they do not match."""
    result: Tensor = tried(_dot, mismatch.vectors, input, tensor)
    if is_conjugate(input) and is_conjugate(tensor):
        conjugated_twice(result)
    return result


def is_conjugate(tensor: Tensor) -> bool:
    """Whether a tensor lazily conjugates its memory."""
    return turning(tensor._array)[0]


def conjugated_twice(result: Tensor) -> None:
    """Stores a result as the lazy conjugate of its conjugate, which PyTorch computes of conjugates."""
    if type(result._array) is np.ndarray:
        result._array = turn(np.asarray(np.conj(result._array)), True, False)


@method
def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The dot product of two vectors, with the first one conjugated if it is complex.

    RuntimeError for other shapes or different dtypes, NotImplementedError for bool.

    >>> import rushlight as torch
    >>> torch.vdot(torch.tensor([1 + 2j]), torch.tensor([3 + 1j]))
    tensor(5.-5.j)
    """
    check_tensors("vdot", input=input, other=other)
    mismatch.vectors(input._array, other._array)
    result = _vdot(input, other)
    if is_conjugate(other) and not is_conjugate(input):
        conjugated_twice(result)
    return result if out is None else write_out("vdot", out, result, input, other)


@method
@quick
def bmm(input: Tensor = ABSENT, mat2: Tensor = ABSENT, *, out: Tensor | None = None, **named: Any) -> Tensor:
    """The products of the matrices of two batches: (b, n, k) and (b, k, m) give (b, n, m).

    RuntimeError for other shapes or different dtypes, NotImplementedError for bool.

    >>> import rushlight as torch
    >>> torch.bmm(torch.ones(5, 2, 3), torch.ones(5, 3, 4)).shape
    torch.Size([5, 2, 4])
    """
    if named or not (isinstance(input, TensorBase) and isinstance(mat2, TensorBase)):
        return not_tensors(bmm, {**named, "out": out}, input=input, mat2=mat2)
    x, y = input._array, mat2._array
    if x.ndim != 3 or y.ndim != 3 or len(x) != len(y):
        mismatch.batches(x, y)
    result = tried(_bmm, mismatch.batches, input, mat2)
    return result if out is None else write_out("bmm", out, result, input, mat2)


@method
@quick
def matmul(input: Tensor = ABSENT, other: Tensor = ABSENT, *, out: Tensor | None = None, **named: Any) -> Tensor:
    """The product of vectors, matrices, or batches of matrices.

    Two vectors give their dot product. A vector as the first operand is taken as a row, as the second as a column. With
    more than two dimensions, the last two are those of the matrices and the others are broadcast. RuntimeError for
    shapes or dtypes that do not match and for tensors without dimensions; NotImplementedError for bool.

    >>> import rushlight as torch
    >>> torch.matmul(torch.tensor([[1, 2], [3, 4]]), torch.tensor([1, 1]))
    tensor([3, 7])
    >>> torch.matmul(torch.ones(5, 1, 2, 3), torch.ones(4, 3, 6)).shape
    torch.Size([5, 4, 2, 6])
    """
    if named or not (isinstance(input, TensorBase) and isinstance(other, TensorBase)):
        return not_tensors(matmul, {**named, "out": out}, input=input, other=other)
    x, y = input._array, other._array
    if x.ndim == 2 and y.ndim == 2:
        result = tried(_mm, mismatch.matrices, input, other)
    elif x.ndim < 2 or y.ndim < 2:
        result = with_vector(input, other, x, y)
    else:
        op = _folded if y.ndim == 2 else _bmm if x.shape[:-2] == y.shape[:-2] else _broadcast
        result = tried(op, mismatch.broadcast_matrices, input, other)
    return result if out is None else write_out("matmul", out, result, input, other)


MATMUL = matmul.__code__  # the function's own code, even if calls to it are overridden


def with_vector(input: Tensor, other: Tensor, x: Array, y: Array) -> Tensor:
    """`matmul` if one operand is a vector."""
    mismatch.refuse_dims("matmul", x, y)
    if x.ndim == y.ndim:
        return dot_of(input, other)
    if y.ndim == 1:
        product = tried(_mv, mismatch.matrix_and_vector, input if x.ndim == 2 else rows(input), other)
        return product if x.ndim == 2 else _unsafe_view(product, x.shape[:-1])
    product = matmul(_unsqueeze(input, 0), other)
    shape = y.shape[:-2] + y.shape[-1:]
    if y.ndim > 2:
        return _unsafe_view(product, shape)
    result = _squeezed(product, shape)
    result._bump()  # as in PyTorch, which removes the dimension in place
    return result


@quick
def linear(
    input: Tensor = ABSENT,
    weight: Tensor = ABSENT,
    bias: Tensor | None = None,
    *,
    out: Tensor | None = None,
    **named: Any,
) -> Tensor:
    """`input @ weight.T + bias`: the linear layer.

    `input` is (*, in_features), `weight` (out_features, in_features) or (in_features), `bias` (out_features); the
    result is (*, out_features). RuntimeError for shapes or dtypes that do not match.

    >>> import rushlight as torch
    >>> torch.nn.functional.linear(torch.ones(1, 3), torch.ones(2, 3), torch.tensor([0.0, 1.0]))
    tensor([[3., 4.]])
    """
    if named or not (isinstance(input, TensorBase) and isinstance(weight, TensorBase)):
        return not_tensors(linear, {**named, "bias": bias, "out": out}, input=input, weight=weight)
    if out is not None:
        return write_out("linear", out, linear(input, weight, bias), input, weight, bias)
    x, w = input._array, weight._array
    if bias is None:
        if x.ndim == w.ndim == 2:
            return tried(_mm_turned, lambda x, w: mismatch.matrices(x, w.T), input, weight)
        mismatch.refuse_dims("linear", x, w)
        return matmul(input, weight.t())
    b = bias._array
    if x.ndim == 0 or w.ndim != 2 or x.dtype is not w.dtype or b.dtype is not w.dtype or w.dtype is BOOL:
        check_linear(x, w, b)
    try:
        return call(_linear, (input, weight, bias))
    except ValueError as error:
        wrong = error
    check_linear(x, w, b)  # after the `except`, so that NumPy's error is not shown as its cause
    raise wrong


def check_linear(x: Array, w: Array, b: Array) -> None:
    """Raises the errors of `linear` with a bias."""
    mismatch.refuse_dims("linear", x, w)
    mismatch.added_matrices(b, rows(x), w.T)


@method
def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Dot products over the last dimensions: (*, n) and (+, n) give (*, +). If one is a scalar, `input * other`.

    RuntimeError if the last dimensions differ.

    >>> import rushlight as torch
    >>> torch.inner(torch.tensor([1, 2, 3]), torch.tensor([0, 2, 1]))
    tensor(7)
    """
    check_tensors("inner", input=input, other=other)
    x, y = input._array.shape, other._array.shape
    if not x or not y:
        result = input * other
    elif x[-1] != y[-1]:
        raise RuntimeError(
            f"inner() the last dimension must match on both input tensors but got shapes {list(x)} and {list(y)}"
        )
    else:
        mismatch.same_contracted(input._array, other._array)
        if len(x) == len(y) == 1:
            result = dot(input, other)
        else:
            result = mm(rows(input), rows(other).T)
            result = result if len(x) == len(y) == 2 else result.reshape(x[:-1] + y[:-1])
    return result if out is None else write_out("inner", out, result, input, other)


@method
def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The outer product: each element of a vector (n) times each element of another (m), a matrix (n, m).

    RuntimeError for tensors that are not vectors.

    >>> import rushlight as torch
    >>> torch.outer(torch.tensor([1, 2]), torch.tensor([3, 4, 5]))
    tensor([[ 3,  4,  5],
            [ 6,  8, 10]])
    """
    check_tensors("outer", input=input, vec2=vec2)
    x, y = input._array.ndim, vec2._array.ndim
    if x != 1 or y != 1:
        name, found = ("self", x) if x != 1 else ("vec2", y)
        raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {found}-D")
    same = input._array.dtype is vec2._array.dtype
    result = call(_outer, (input, vec2)) if same else input.reshape(-1, 1) * vec2
    return result if out is None else write_out("outer", out, result, input, vec2)


@method
def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The older name of `outer`.

    >>> import rushlight as torch
    >>> torch.ger(torch.tensor([1, 2]), torch.tensor([3, 4]))
    tensor([[3, 4],
            [6, 8]])
    """
    return outer(input, vec2, out=out)


@method
def kron(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Kronecker product: each element of `input` times all of `other`, in blocks, over any number of dimensions.

    >>> import rushlight as torch
    >>> torch.kron(torch.eye(2), torch.tensor([[1.0, 2.0]]))
    tensor([[1., 2., 0., 0.],
            [0., 0., 1., 2.]])
    """
    check_tensors("kron", input=input, other=other)
    first, second = input, other
    if input._array.dtype is not other._array.dtype:
        common = FROM_NUMPY[result_dtype(input, other)]
        first, second = input.to(common), other.to(common)
    x, y = first._array.ndim, second._array.ndim
    if x != y:
        first, second = (t.reshape((1,) * (max(x, y) - t._array.ndim) + t._array.shape) for t in (first, second))
    result = call(_kron, (first, second, max(x, y)))
    return result if out is None else write_out("kron", out, result, input, other)


fill("matmul", matmul)
