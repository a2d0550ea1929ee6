"""Sums of products over chosen dimensions: `einsum`, `tensordot`, `bilinear`, and chains of matrix products."""

import itertools
import math
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from rushlight import dtypes
from rushlight.core.aliases import Array
from rushlight.core.graph import TensorBase, unbroadcast
from rushlight.core.placing import RULES
from rushlight.kernels.products import product as product_of_two
from rushlight.kernels.products import products
from rushlight.ops.arguments import mismatch
from rushlight.ops.arguments.dims import INTEGERS, size_of
from rushlight.ops.arguments.mismatch import check_tensors
from rushlight.ops.out import write_out
from rushlight.ops.products import equations
from rushlight.ops.products.batched_products import of_dims, of_letters
from rushlight.ops.products.einsum_layout import contracted, of_factor, sloped
from rushlight.ops.products.products import _mm
from rushlight.ops.shapes.dimensions import permute
from rushlight.ops.shapes.slicing import diagonal
from rushlight.ops.table import operator
from rushlight.settings import warn_once
from rushlight.tensors import Tensor

__all__ = ["chain_matmul", "einsum", "tensordot"]

RULES.update({"contracted": contracted, "sloped": sloped})
RULES.update({"left factor": partial(of_factor, True), "right factor": partial(of_factor, False)})
SMALL = 4096  # up to this many multiplications, NumPy's plain loop is faster than a search for the best order


def einsum_cotangents(
    grad: Array,
    operands: Sequence[Array],
    operands_shape: Sequence[Sequence[int]],
    subscripts: Sequence[str],
    output: str,
    needs: Sequence[bool],
) -> list[Array]:
    """The gradient of each operand of an einsum: the einsum of the other operands and the result's gradient."""
    return [
        einsum_cotangent(grad, operands, shape, subscripts, output, i) if needed else None
        for i, (shape, needed) in enumerate(zip(operands_shape, needs, strict=True))
    ]


def einsum_cotangent(
    grad: Array, operands: Sequence[Array], shape: Sequence[int], subscripts: Sequence[str], output: str, i: int
) -> Array:
    """The gradient of operand `i`.

    An index that occurs twice in the operand is restored by an identity matrix. An index that occurs nowhere else, or
    only with size 1, is restored by ones.
    """
    factors = [grad, *(x for j, x in enumerate(operands) if j != i)]
    terms = [output, *(term for j, term in enumerate(subscripts) if j != i)]
    unused = equations.unused(output, *subscripts)
    target = ""
    for letter, n in zip(subscripts[i], shape, strict=True):
        if letter in target:
            factors.append(np.eye(n, dtype=operands[i].dtype, like=operands[i]))
            terms.append(letter + (fresh := next(unused)))
            target += fresh
            continue
        if not any(letter in term and x.shape[term.index(letter)] == n for x, term in zip(factors, terms, strict=True)):
            factors.append(np.ones_like(operands[i], shape=(n,)))
            terms.append(letter)
        target += letter
    return unbroadcast(_einsum(factors, tuple(terms), target), shape)


@operator(
    batch=of_letters,
    layout="contracted",
    joint=einsum_cotangents,
    inputs=("operands",),
    lists=("operands",),
    slopes={"operands": "sloped"},
)
def _einsum(operands: Sequence[Array], subscripts: Sequence[str], output: str) -> Array:
    """An einsum with a parsed equation: `subscripts` has the letters of each operand, `output` those of the result."""
    sizes = dict(zip("".join(subscripts), itertools.chain(*[x.shape for x in operands]), strict=True))
    equation = f"{','.join(subscripts)}->{output}"
    if len(operands) == 1:
        return np.copy(np.einsum(equation, *operands))
    if len(operands) == 2 and sums_nothing(tuple([x.shape for x in operands]), tuple(subscripts), output):
        return np.multiply(*map(aligned, operands, subscripts, (output, output)))
    if math.prod(sizes.values()) <= SMALL:
        return np.einsum(equation, *operands)
    if len(operands) == 2 and (found := multiplied(operands, subscripts, output)) is not None:
        return found
    return np.einsum(equation, *operands, optimize=True)


class Pairing(NamedTuple):
    """How two operands are multiplied as batches of matrices: the order of their dimensions, and of the result's.

    The dimensions of the batch come first, as many as `batch`; those that are summed are the last of the first operand.
    """

    first: tuple[int, ...]
    second: tuple[int, ...]
    result: tuple[int, ...]
    batch: int
    summed: int


def multiplied(operands: Sequence[Array], subscripts: Sequence[str], output: str) -> Array | None:
    """The einsum of two arrays by products of matrices; None where it is not one."""
    x, y = operands
    pairing = paired(*subscripts, output)
    if pairing is None or type(x) is not np.ndarray or type(y) is not np.ndarray:
        return None
    x, y = x.transpose(pairing.first), y.transpose(pairing.second)
    batch, summed = pairing.batch, pairing.summed
    outer, rows, middle, columns = x.shape[:batch], x.shape[batch:-summed], x.shape[-summed:], y.shape[batch + summed :]
    if y.shape[: batch + summed] != outer + middle:
        return None  # a dimension of size 1 is broadcast
    matrices = x.reshape(math.prod(outer), math.prod(rows), math.prod(middle))
    others = y.reshape(len(matrices), matrices.shape[2], math.prod(columns))
    if matrices.shape[1] == others.shape[2] == 1:
        found = np.einsum("bi,bi->b", matrices[:, 0], others[..., 0])
    elif len(matrices) == 1:
        found = product_of_two(matrices[0], others[0])
    else:
        found = products(*[np.ascontiguousarray(one) if 0 in one.strides else one for one in (matrices, others)])
    return found.reshape(outer + rows + columns).transpose(pairing.result)


@lru_cache
def paired(first: str, second: str, output: str) -> Pairing | None:
    """How an einsum of two operands is a product of matrices; None where a letter is summed in only one of them."""
    summed = [letter for letter in first if letter in second and letter not in output]
    alone = (set(first) ^ set(second)) - set(output)
    if not summed or alone or len(set(first)) < len(first) or len(set(second)) < len(second):
        return None
    batch = [letter for letter in output if letter in first and letter in second]
    rows = [letter for letter in output if letter not in second]
    columns = [letter for letter in output if letter not in first]
    made = [*batch, *rows, *columns]
    return Pairing(
        tuple([first.index(letter) for letter in (*batch, *rows, *summed)]),
        tuple([second.index(letter) for letter in (*batch, *summed, *columns)]),
        tuple([made.index(letter) for letter in output]),
        len(batch),
        len(summed),
    )


@lru_cache
def sums_nothing(shapes: tuple[tuple[int, ...], ...], subscripts: tuple[str, ...], output: str) -> bool:
    """Whether an einsum only multiplies: no letter occurs twice in an operand, and what is summed has one element."""
    return all(
        len(set(term)) == len(term) and all(n == 1 or letter in output for letter, n in zip(term, shape, strict=True))
        for shape, term in zip(shapes, subscripts, strict=True)
    )


def aligned(x: Array, term: str, output: str) -> Array:
    """A view of an operand with the dimensions of the result: of size 1 where it has no such letter."""
    order, key = places(term, output)
    return x.transpose(order)[key]


@lru_cache
def places(term: str, output: str) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """The order of an operand's dimensions, those that the result lacks first, and the key that leaves those out."""
    order = tuple(sorted(range(len(term)), key=lambda i: output.find(term[i])))
    lacking = sum(letter not in output for letter in term)
    return order, (0,) * lacking + tuple(slice(None) if letter in term else None for letter in output)


def arranged(input: Tensor, term: str, output: str) -> Tensor:
    """A view with the dimensions in the order of the result, a diagonal for a letter that occurs more than once."""
    letters = list(term)
    for letter in output:
        while letters.count(letter) > 1:
            first = letters.index(letter)
            second = letters.index(letter, first + 1)
            input = diagonal(input, 0, first, second)
            letters = [*letters[:first], *letters[first + 1 : second], *letters[second + 1 :], letter]
    return permute(input, [letters.index(letter) for letter in output])


def einsum(*args: Any) -> Tensor:
    """Sums of products of tensors, in Einstein's summation notation.

    `einsum(equation, *operands)`: in `"bij,bjk->bik"` each letter names a dimension. Operands are multiplied along
    dimensions with the same letter, and letters absent from the result are summed over. Without `->`, the result has
    the letters that occur once, in alphabetical order. `...` stands for any further dimensions, which are broadcast.
    If one operand's dimensions are only reordered, or its diagonal is taken, the result is a view.
    Also `einsum(operand, [0, 1], operand, [1, 2], [0, 2])`, with numbers for letters. RuntimeError for an equation that
    does not fit the operands.

    >>> import rushlight as torch
    >>> torch.einsum("ij,j->i", torch.tensor([[1, 2], [3, 4]]), torch.tensor([1, 10]))
    tensor([21, 43])
    """
    equation, operands = equations.arguments(args)
    arrays = [x._array for x in operands]
    subscripts, output = equations.parse(equation, tuple([x.shape for x in arrays]))
    for x in arrays:
        mismatch.same_scalars(arrays[0], x)
    letters = "".join(subscripts)
    summed = set(letters) - set(output)
    if len(operands) == 1 and not summed:
        return arranged(operands[0], subscripts[0], output)
    if arrays[0].dtype.kind in "biu" and (len(operands) == 1 or any(alone(summed, subscripts, arrays))):
        operands = [x.to(dtypes.int64) for x in operands]  # what is summed without a product is a wider integer
    elif any(letters.count(letter) > 1 for letter in summed):
        mismatch.refuse_bool("bmm", arrays[0])
    return _einsum(operands, subscripts, output)


def alone(letters: Collection[str], subscripts: Sequence[str], arrays: Sequence[Array]) -> Iterator[bool]:
    """For each operand, whether one of some dimensions has elements to sum in it, and is in no other operand."""
    for term, array in zip(subscripts, arrays, strict=True):
        own = {letter for letter in letters if sum(letter in other for other in subscripts) == 1}
        yield any(letter in own and n != 1 for letter, n in zip(term, array.shape, strict=True))


@operator(
    batch=of_dims,
    linear=True,
    input=lambda grad, input_shape, other, dims, dims_other: tensordot_cotangent(
        grad, other, len(input_shape), dims, dims_other
    ),
    other=lambda grad, input, other_shape, dims, dims_other: tensordot_cotangent(
        swapped(grad, input.ndim - len(dims)), input, len(other_shape), dims_other, dims
    ),
    slopes={"input": "left factor", "other": "right factor"},
)
def _tensordot(input: Array, other: Array, dims: Sequence[int], dims_other: Sequence[int]) -> Array:
    return np.tensordot(input, other, (dims, dims_other))


def swapped(grad: Array, n: int) -> Array:
    """A view with the first `n` dimensions moved to the end."""
    return np.transpose(grad, (*range(n, grad.ndim), *range(n)))


def tensordot_cotangent(grad: Array, other: Array, ndim: int, dims: Sequence[int], dims_other: Sequence[int]) -> Array:
    """The gradient of an operand with `ndim` dimensions.

    In `grad`, its own free dimensions come first, those of the other operand last.
    """
    free = [d for d in range(ndim) if d not in dims]
    free_other = [d for d in range(other.ndim) if d not in dims_other]
    product = _tensordot(grad, other, tuple(range(len(free), grad.ndim)), tuple(free_other))
    contracted = [dims[dims_other.index(d)] for d in sorted(dims_other)]
    return np.transpose(product, tuple(int(d) for d in np.argsort([*free, *contracted])))


def tensordot(a: Tensor, b: Tensor, dims: Sequence[Sequence[int]] | int = 2, out: Tensor | None = None) -> Tensor:
    """The sum of products of two tensors over some of their dimensions.

    `dims` is a number n, for the last n dimensions of `a` and the first n of `b`, or two lists of dimensions. The
    result has the remaining dimensions of `a`, then those of `b`. RuntimeError if the sizes differ.

    >>> import rushlight as torch
    >>> torch.tensordot(torch.ones(3, 4, 5), torch.ones(4, 3, 2), dims=([1, 0], [0, 1])).shape
    torch.Size([5, 2])
    """
    check_tensors("tensordot", a=a, b=b)
    dims_a, dims_b = contracted_dims(dims, a._array, b._array)
    for i, j in zip(dims_a, dims_b, strict=True):
        n, m = a._array.shape[i], b._array.shape[j]
        if n == 1 != m:
            b = b.sum(j, keepdim=True, dtype=b.dtype)
        elif m == 1 != n:
            a = a.sum(i, keepdim=True, dtype=a.dtype)
        elif n != m:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {n} in dim {i} and second has "
                f"size {m} "
                f"in dim {j}"
            )
    mismatch.same_contracted(a._array, b._array)
    mismatch.refuse_bool("dot", a._array)
    wrapped = [tuple(d % x._array.ndim for d in dims) for x, dims in ((a, dims_a), (b, dims_b))]
    result = _tensordot(a, b, *wrapped)
    return result if out is None else write_out("tensordot", out, result, a, b)


def contracted_dims(dims: Sequence[Sequence[int]] | int, a: Array, b: Array) -> tuple[Sequence[int], ...]:
    """The two lists of dimensions that `tensordot` sums over."""
    if isinstance(dims, TensorBase):
        dims = dims.tolist() if dims.numel() > 1 else int(dims)
    if isinstance(dims, INTEGERS):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.ndim, b.ndim):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        return list(range(-dims, 0)), list(range(dims))
    first, second = ([d] if isinstance(d, int) else list(d) for d in dims)
    if len(first) != len(second):
        raise RuntimeError("both dimension lists should have same length")
    return first, second


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`x1 @ weight[k] @ x2 + bias[k]` for each k: the bilinear layer.

    `input1` is (*, n), `input2` (*, m), `weight` (out, n, m), `bias` (out); the result is (*, out). RuntimeError for
    shapes that do not match.

    >>> import rushlight as torch
    >>> torch.nn.functional.bilinear(torch.ones(5, 2), torch.ones(5, 3), torch.ones(4, 2, 3)).shape
    torch.Size([5, 4])
    """
    check_tensors("bilinear", input1=input1, input2=input2, weight=weight)
    x, y, w = input1._array.shape, input2._array.shape, weight._array.shape
    if len(x) != len(y):
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {len(x)} and {len(y)}")
    for i, (n, m) in enumerate(zip(x[:-1], y[:-1], strict=True)):
        if n != m:
            raise RuntimeError(f"bilinear(): input batch dimensions do not match at dim {i}: got {n} and {m}")
    for k, shape in ((1, x), (2, y)):
        if shape[-1] != w[k]:
            raise RuntimeError(
                f"bilinear(): input{k} size does not match weight size: got {shape[-1]} but expected {w[k]}"
            )
    rows = input2 @ weight.reshape(-1, w[2]).mT  # products of input2 with all rows of all matrices
    result = einsum("...ki,...i->...k", rows.reshape(*x[:-1], *w[:2]), input1)
    if bias is None:
        return result
    if bias._array.shape != w[:1]:
        raise RuntimeError(
            f"bilinear(): bias size does not match weight size: got {size_of(bias._array.shape, 0)} but expected {w[0]}"
        )
    return result + bias


def in_order(matrices: Sequence[Tensor], order: Any) -> Tensor:
    """The product of matrices in an order from `order_of`."""
    if type(order) is not tuple:
        return matrices[order]
    return _mm(in_order(matrices, order[0]), in_order(matrices, order[1]))


@lru_cache(maxsize=64)
def order_of(shapes: tuple[tuple[int, ...], ...]) -> Any:
    """The order of a product with the fewest multiplications, as pairs of pairs or of places: ((0, 1), 2).

    RuntimeError for shapes that do not match.
    """
    for i, (x, y) in enumerate(itertools.pairwise(shapes)):
        if x[-1] != y[0]:
            raise RuntimeError(
                f"multi_dot(): tensors {i} and {i + 1} with shapes {list(x)} and {list(y)} cannot be multiplied"
            )
    rows, columns = (shapes[0][0] if len(shapes[0]) == 2 else 1), (shapes[-1][1] if len(shapes[-1]) == 2 else 1)
    cuts = best_cuts((rows, *[y[0] for y in shapes[1:]], columns))
    return pairs_of(cuts, 0, len(shapes) - 1)


def pairs_of(cuts: Any, i: int, j: int) -> Any:
    """The order of the product of the matrices i to j, split where `best_cuts` says."""
    return i if i == j else (pairs_of(cuts, i, cuts[i, j]), pairs_of(cuts, cuts[i, j] + 1, j))


def best_cuts(sizes: tuple[int, ...]) -> Any:
    """For each i and j, where to split the product of the matrices i to j; the k-th matrix has `sizes[k]` rows.

    Cormen, Leiserson, Rivest, Stein, "Introduction to Algorithms", 15.2.
    """
    n = len(sizes) - 1
    costs, cuts = {(i, i): 0 for i in range(n)}, {}
    for length in range(1, n):
        for i in range(n - length):
            j = i + length

            def through(k: int, i: int = i, j: int = j) -> int:
                return costs[i, k] + costs[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1]

            cuts[i, j] = min(range(i, j)[:: -1 if n == 3 else 1], key=through)  # of three as PyTorch does
            costs[i, j] = through(cuts[i, j])
    return cuts


def multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The product of two or more matrices, in the order with the fewest multiplications.

    The first tensor may be a vector (a row), and so may the last (a column). RuntimeError for fewer than two tensors
    and for shapes that do not match.

    >>> import rushlight as torch
    >>> torch.linalg.multi_dot([torch.ones(2, 3), torch.ones(3, 4), torch.ones(4)])
    tensor([12., 12.])
    """
    matrices = tensors = list(tensors)
    if not are_alike(tensors):
        check_chain(tensors)
        matrices = as_matrices(tensors)
    result = in_order(matrices, order_of(tuple([x._array.shape for x in tensors])))
    if matrices is not tensors:
        result = result.reshape(tensors[0]._array.shape[:-1] + tensors[-1]._array.shape[1:])
    return result if out is None else write_out("multi_dot", out, result, *tensors)


def are_alike(tensors: Sequence[Tensor]) -> bool:
    """Whether there are at least two tensors, all of them matrices of one dtype."""
    dtypes = [x._array.dtype for x in tensors if x._array.ndim == 2]
    return len(dtypes) == len(tensors) > 1 and dtypes.count(dtypes[0]) == len(dtypes)


def as_matrices(tensors: Sequence[Tensor]) -> list[Tensor]:
    """The tensors of a chain, of which a vector at the beginning is a row, one at the end a column."""
    first, *between, last = tensors
    first = first.reshape(1, -1) if first._array.ndim == 1 else first
    return [first, *between, last.reshape(-1, 1) if last._array.ndim == 1 else last]


def check_chain(tensors: Sequence[Tensor]) -> None:
    """Raises the errors of `multi_dot`, except those about sizes."""
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    for i, x in enumerate(tensors):
        end = i in (0, len(tensors) - 1)
        if x._array.ndim != 2 and not (end and x._array.ndim == 1):
            which = f"tensor {i} must be 2D" if not end else f"the {'last' if i else 'first'} tensor must be 1D or 2D"
            raise RuntimeError(f"multi_dot(): {which} but got {x._array.ndim}D")
        if x._array.dtype != tensors[0]._array.dtype:
            raise RuntimeError(
                f"multi_dot(): all tensors must have be the same dtype but tensor 0 is {tensors[0].dtype} "
                "and "
                f"tensor {i} {x.dtype}"
            )


def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    """The older form of `linalg.multi_dot`: the product of matrices given one by one.

    >>> import rushlight as torch
    >>> torch.chain_matmul(torch.ones(2, 3), torch.ones(3, 4), torch.ones(4, 5)).shape
    torch.Size([2, 5])
    """
    warn_once(
        "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use torch.linalg.multi_dot "
        "instead, which accepts a list of two or more tensors rather than multiple parameters."
    )
    return matrices[0].clone() if len(matrices) == 1 else multi_dot(matrices, out=out)
