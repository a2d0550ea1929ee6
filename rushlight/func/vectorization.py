"""`vmap`: turns a function of one example into a function of a batch."""

import functools
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from rushlight.core.above import above
from rushlight.core.advice import advised
from rushlight.core.batched import ENTERED, Level, levels_of
from rushlight.core.levels import enter, leave
from rushlight.core.modes import Setting
from rushlight.ops.shapes.joining import cat
from rushlight.progress import progress
from rushlight.random import get_rng_state, set_rng_state
from rushlight.tensors import Tensor
from rushlight.utils.pytree import broadcast_leaves, tree_flatten, tree_map, tree_unflatten

__all__ = ["vmap"]

Dims = int | tuple[Any, ...] | list[Any] | dict[Any, Any] | None


@above
def vmap(
    func: Callable[..., Any],
    in_dims: Dims = 0,
    out_dims: Dims = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """A function that applies `func` to every example along a dimension of its inputs, all at once.

    `in_dims` is the batch dimension of each input (None: all examples share it), `out_dims` that of each output: an
    integer for all of them, or a prefix of the tree of inputs or outputs. Inputs and outputs are trees of tuples, lists
    and dictionaries. `randomness` is "error", "different" or "same": what random functions do for the examples.
    `chunk_size` limits the examples computed at a time, to save memory.

    Inside `func` a tensor has the shape of one example, and no values that Python code could read (`item()`, `if`).
    Gradients computed inside `func` are per example. ValueError for dimensions that do not fit the inputs or outputs,
    and for an output that is not a tensor; RuntimeError for operators whose result's shape depends on values.

    >>> import rushlight as torch
    >>> torch.vmap(torch.dot)(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.ones(2, 2))
    tensor([3., 7.])
    >>> loss = lambda w, x: (w * x).sum() ** 2
    >>> torch.vmap(torch.func.grad(loss), in_dims=(None, 0))(torch.tensor([1.0, 1.0]), torch.eye(2))
    tensor([[2., 0.],
            [0., 2.]])
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func, updated=())
    def mapped(*args: Any, **kwargs: Any) -> Any:
        check_out_dims(func, out_dims)
        leaves, spec, dims, size = checked_inputs(func, in_dims, args)
        if chunk_size is None:
            return run(func, leaves, spec, dims, size, out_dims, randomness, kwargs)
        return run_chunks(func, leaves, spec, dims, size, out_dims, randomness, chunk_size, kwargs)

    return mapped


def run(
    func: Callable[..., Any],
    leaves: Sequence[Any],
    spec: Any,
    dims: Sequence[int | None],
    size: int,
    out_dims: Any,
    randomness: str,
    kwargs: dict[str, Any],
) -> Tensor | tuple[Tensor, ...]:
    """One call of the function for all examples."""
    level = Level(size, randomness)
    inputs = [leaf if dim is None else enter(leaf, dim, level) for leaf, dim in zip(leaves, dims, strict=True)]
    with Setting(ENTERED, (*ENTERED.get(), level)):
        outputs = func(*tree_unflatten(inputs, spec), **kwargs)
    flat, spec = tree_flatten(outputs)
    dims = output_dims(func, out_dims, spec, flat)
    return tree_unflatten([unbatched(func, out, dim, level) for out, dim in zip(flat, dims, strict=True)], spec)


def run_chunks(
    func: Any,
    leaves: Any,
    spec: Any,
    dims: Any,
    size: Any,
    out_dims: Any,
    randomness: Any,
    chunk_size: Any,
    kwargs: Any,
) -> Any:
    """Calls of the function for chunks of examples, with the outputs concatenated."""
    state = get_rng_state() if randomness == "same" else None
    results = []
    parts = [*pairwise([*range(0, size, chunk_size), size])] if size else [(0, 0)]
    for start, stop in progress(parts, "chunks"):
        if state is not None:
            set_rng_state(state)
        chunk = [
            leaf if dim is None else leaf.narrow(dim, start, stop - start)
            for leaf, dim in zip(leaves, dims, strict=True)
        ]
        results.append(run(func, chunk, spec, dims, stop - start, out_dims, randomness, kwargs))
    flat = [tree_flatten(result) for result in results]
    spec = flat[0][1]
    columns = zip(*[items for items, _ in flat], output_dims(func, out_dims, spec, flat[0][0]), strict=True)
    return tree_unflatten([cat(parts, dim) for *parts, dim in columns], spec)


# checks


def name_of(func: Any) -> str:
    """A function's name in messages."""
    if hasattr(func, "__name__"):
        return func.__name__
    return f"functools.partial({name_of(func.func)}, ...)" if isinstance(func, functools.partial) else repr(func)


def check_out_dims(func: Callable[..., Any], out_dims: Any) -> None:
    """ValueError for `out_dims` that contains anything but integers and None."""

    def check(dim: Any) -> None:
        if not isinstance(dim, int) and dim is not None:
            raise ValueError(
                f"vmap({name_of(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python "
                "collection of ints representing where in the outputs the vmapped dimension should appear."
            )

    tree_map(check, out_dims)


def checked_inputs(func: Callable[..., Any], in_dims: Any, args: Sequence[Any]) -> Any:
    """The leaves of the inputs, their tree, the batch dimension of each and the number of examples."""
    call = f"vmap({name_of(func)}, in_dims={in_dims}, ...)(<inputs>)"
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"{call}: expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, "
            f"got: {type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({name_of(func)})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to "
            "vmap over a function with no inputs. The latter is unsupported."
        )
    leaves, spec = tree_flatten(args)
    dims = broadcast_leaves(in_dims, spec)
    if dims is None:
        raise ValueError(
            f"{call}: in_dims is not compatible with the structure of `inputs`. in_dims has structure "
            f"{tree_flatten(in_dims)[1]} but inputs has structure {spec}."
        )
    dims = [checked_dim(call, leaf, dim) for leaf, dim in zip(leaves, dims, strict=True)]
    return leaves, spec, dims, common_size(leaves, dims)


def checked_dim(call: str, leaf: Tensor | int, dim: int | None) -> int | None:
    """The batch dimension of an input, made nonnegative."""
    if dim is None:
        return None
    if not isinstance(dim, int):
        raise ValueError(
            f"{call}: Got in_dim={dim} for an input but in_dim must be either an integer dimension or None."
        )
    if not isinstance(leaf, Tensor):
        raise ValueError(
            f"{call}: Got in_dim={dim} for an input but the input is of type {type(leaf)}. We cannot vmap over "
            "non-Tensor arguments, please use None as the respective in_dim"
        )
    ndim = leaf.dim()
    if not -ndim <= dim < ndim:
        raise ValueError(
            advised(
                f"{call}: Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {ndim} "
                f"so expected in_dim to satisfy -{ndim} <= in_dim < {ndim}."
            )
        )
    return dim % ndim


def common_size(leaves: Any, dims: Any) -> int:
    """The number of examples."""
    sizes = [leaf.shape[dim] for leaf, dim in zip(leaves, dims, strict=True) if dim is not None]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if len(set(sizes)) > 1:
        raise ValueError(
            advised(
                f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the "
                "mapped dimension"
            )
        )
    return sizes[0]


def output_dims(func: Callable[..., Any], out_dims: Any, spec: Any, flat: Sequence[Tensor]) -> list[int]:
    """The batch dimension of each output."""
    if spec.type is None and isinstance(out_dims, tuple) and len(out_dims) == 1:
        return list(out_dims)
    dims = broadcast_leaves(out_dims, spec)
    if dims is None or (spec.type is None and isinstance(flat[0], Tensor) and not isinstance(dims[0], int | None)):
        raise ValueError(
            f"vmap({name_of(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure "
            f"of `outputs`. out_dims has structure {tree_flatten(out_dims)[1]} but outputs has structure {spec}."
        )
    return dims


def unbatched(func: Callable[..., Any], output: Any, dim: int, level: Level) -> Tensor:
    """An output with its examples as an ordinary dimension."""
    name = name_of(func)
    if dim is None:
        if isinstance(output, Tensor) and level in levels_of(output._array):
            raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
        return output
    if not isinstance(output, Tensor):
        raise ValueError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(output)}. Did you mean to set "
            "out_dims= to None for output?"
        )
    ndim = output.dim() + 1
    if not -ndim <= dim < ndim:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got {dim})")
    return leave(output, dim % ndim, level)
