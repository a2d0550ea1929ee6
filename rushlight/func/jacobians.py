"""`jacrev`, `jacfwd` and `hessian`: full derivatives, computed for a batch of basis vectors at a time."""

import functools
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from rushlight.core.graph import new_tensor
from rushlight.func.arguments import Argnums, beyond_inference, check_real, chosen
from rushlight.func.forward import jvp_by
from rushlight.func.gradients import vjp_by
from rushlight.func.vectorization import vmap
from rushlight.ops.shapes.joining import cat
from rushlight.progress import progress
from rushlight.tensors import Tensor
from rushlight.utils.pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten

__all__ = ["hessian", "jacfwd", "jacrev"]


def jacrev(
    func: Callable[..., Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:
    """A function that computes the Jacobian of `func` with respect to an argument, by reverse mode: one batched pass.

    It has the shape (*output, *argument), in the structure of the output, and inside that the structure of the
    arguments if `argnums` is a tuple or an argument is a tree. `chunk_size` limits the rows computed at a time, to save
    memory. With `has_aux`, `func` returns (output, aux). Faster than `jacfwd` if there are fewer outputs than inputs.

    ValueError for a chunk size below 1, RuntimeError for complex inputs and outputs.

    >>> import rushlight as torch
    >>> torch.func.jacrev(lambda x: x * x)(torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @beyond_inference
    @functools.wraps(func, updated=())
    def jacobian(*args: Any) -> Any:
        check_real("jacrev", args, "inputs")
        output, vjp_fn, *aux = vjp_by(func, args, argnums, has_aux)
        outputs, structure = tree_flatten(output)
        check_real("jacrev", outputs, "outputs")
        inputs, spec = tree_flatten(chosen(args, argnums))
        sizes = [out.numel() for out in outputs]
        rows = jacobian_rows(vjp_fn, outputs, structure, sizes, chunk_size)
        columns = [split_rows(row, x, outputs, sizes) for row, x in zip(rows, inputs, strict=True)]
        blocks = [tree_unflatten(list(parts), spec) for parts in zip(*columns, strict=True)]
        result = tree_unflatten(blocks, structure)
        return (result, aux[0]) if has_aux else result

    return jacobian


def jacobian_rows(
    vjp_fn: Callable[..., Any], outputs: Sequence[Tensor], structure: Any, sizes: Sequence[int], chunk_size: Any
) -> list[Tensor]:
    """The vector-Jacobian products with all basis vectors: for each input, one row for each element of the outputs."""
    total = sum(sizes)
    chunk = min(chunk_size or total, total) or 1
    found = []
    for start in progress(range(0, total, chunk), "rows") if total else (0,):
        basis = standard_basis(outputs, sizes, start, min(start + chunk, total))
        found.append(tree_leaves(vmap(vjp_fn)(tree_unflatten(basis, structure))))
    if len(found) == 1:
        return found[0]
    return [cat(parts) for parts in zip(*found, strict=True)]


def standard_basis(tensors: Sequence[Tensor], sizes: Sequence[int], start: int, stop: int) -> list[Tensor]:
    """The rows from `start` to `stop` of the identity over all elements, in the shapes and dtypes of the tensors."""
    basis = []
    for tensor, size, end in zip(tensors, sizes, accumulate(sizes), strict=True):
        block = np.eye(stop - start, size, start - (end - size), dtype=tensor._array.dtype)
        basis.append(new_tensor(block.reshape(stop - start, *tensor._array.shape)))
    return basis


def split_rows(rows: Tensor, input: Tensor, outputs: Any, sizes: Any) -> list[Tensor]:
    """The rows of a Jacobian split by output: (*output, *input) each."""
    parts = rows.split(sizes) if len(sizes) > 1 else (rows,)
    return [part.reshape((*out.shape, *input.shape)) for part, out in zip(parts, outputs, strict=True)]


def jacfwd(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Callable[..., Any]:
    """A function that computes the Jacobian of `func` with respect to an argument, by forward mode: one batched pass.

    Shape and structure are those of `jacrev`. Faster than `jacrev` if there are fewer inputs than outputs. `randomness`
    is that of `vmap`. RuntimeError for complex inputs and outputs.

    >>> import rushlight as torch
    >>> torch.func.jacfwd(lambda x: x * x)(torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """

    @beyond_inference
    @functools.wraps(func, updated=())
    def jacobian(*args: Any) -> Any:
        check_real("jacfwd", args, "inputs")
        inputs, spec = tree_flatten(chosen(args, argnums))
        sizes = [x.numel() for x in inputs]
        basis = tree_unflatten(standard_basis(inputs, sizes, 0, sum(sizes)), spec)
        held = []

        def push_forward(directions: Any) -> Any:
            output, products, *aux = jvp_by(func, args, directions, argnums, False, has_aux)
            check_real("jacfwd", output, "outputs")
            held.extend(aux)
            return products

        columns = vmap(push_forward, out_dims=-1, randomness=randomness)(basis)
        result = tree_map(lambda column: split_columns(column, inputs, sizes, spec), columns)
        return (result, held[0]) if has_aux else result

    return jacobian


def split_columns(columns: Tensor, inputs: Any, sizes: Any, spec: Any) -> Tensor:
    """The columns of a Jacobian split by input: (*output, *input) each, in the structure of the inputs."""
    parts = columns.split(sizes, -1) if len(sizes) > 1 else (columns,)
    shape = columns.shape[:-1]
    return tree_unflatten([part.reshape((*shape, *x.shape)) for part, x in zip(parts, inputs, strict=True)], spec)


def hessian(func: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """A function that computes the Hessian of `func` with respect to an argument: `jacfwd(jacrev(func))`.

    >>> import rushlight as torch
    >>> torch.func.hessian(lambda x: (x**3).sum())(torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)
