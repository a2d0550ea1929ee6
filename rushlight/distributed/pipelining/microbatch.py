"""Microbatches: arguments and targets are split along a dimension, results are concatenated."""

from collections.abc import Sequence
from typing import Any

from rushlight.ops.shapes.joining import cat
from rushlight.ops.shapes.splitting import tensor_split
from rushlight.tensors import Tensor
from rushlight.utils._pytree import tree_flatten, tree_unflatten

__all__ = ["TensorChunkSpec", "arguments_of_parts", "merged", "parts_of"]


class TensorChunkSpec:
    """The dimension along which a tensor is split.

    >>> TensorChunkSpec(1).split_dim
    1
    """

    def __init__(self, split_dim: int) -> None:
        self.split_dim = split_dim

    def __repr__(self) -> str:
        return f"TensorChunkSpec({self.split_dim})"

    @staticmethod
    def from_tuple(chunk_dims: Sequence[int]) -> tuple["TensorChunkSpec", ...]:
        """A tuple of specs, one for each given dimension."""
        return tuple(TensorChunkSpec(dim) for dim in chunk_dims)

    @staticmethod
    def from_dict(chunk_dims: dict[str, int]) -> dict[str, "TensorChunkSpec"]:
        """A dictionary of specs, one for each given dimension."""
        return {name: TensorChunkSpec(dim) for name, dim in chunk_dims.items()}


def parts_of(value: Any, number: int, spec: TensorChunkSpec | None = None) -> list[Any]:
    """Splits the tensors in a value along a dimension, by default 0; other values are repeated."""
    values, shape = tree_flatten(value)
    dim = 0 if spec is None else spec.split_dim
    cut = [tensor_parts(item, number, dim) if isinstance(item, Tensor) else [item] * number for item in values]
    return [tree_unflatten([item[i] for item in cut], shape) for i in range(number)]


def tensor_parts(tensor: Tensor, number: int, dim: int) -> Sequence[Tensor]:
    """The parts of a tensor. ValueError if it has fewer elements along the dimension than parts."""
    if tensor.size(dim) < number:
        raise ValueError(
            f"Tensor size {tensor.size(dim)} is smaller than num_chunks: dimension {dim} of an argument or target of "
            f"shape {tuple(tensor.shape)} cannot be cut into {number} parts. Give larger batches, or fewer parts."
        )
    return tensor_split(tensor, number, dim)


def arguments_of_parts(
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    number: int,
    args_spec: Sequence[TensorChunkSpec] | None = None,
    kwargs_spec: dict[str, TensorChunkSpec] | None = None,
) -> tuple[list[tuple[Any, ...]], list[dict[str, Any]]]:
    """The arguments of each microbatch."""
    specs: Sequence[TensorChunkSpec | None] = args_spec or [None] * len(args)
    places = [parts_of(arg, number, spec) for arg, spec in zip(args, specs, strict=True)]
    names = {name: parts_of(value, number, (kwargs_spec or {}).get(name)) for name, value in kwargs.items()}
    by_name = [{name: parts[i] for name, parts in names.items()} for i in range(number)]
    return [tuple(parts[i] for parts in places) for i in range(number)], by_name


def merged(parts: Sequence[Any], spec: Any = None) -> Any:
    """The results of all microbatches concatenated along a dimension, by default 0."""
    flat, shapes = zip(*(tree_flatten(part) for part in parts), strict=True)
    specs = tree_flatten(spec)[0] if spec is not None else [TensorChunkSpec(0)] * len(flat[0])
    joined = [
        cat(values, dim=spec.split_dim) if isinstance(values[0], Tensor) else values[0]
        for values, spec in zip(zip(*flat, strict=True), specs, strict=True)
    ]
    return tree_unflatten(joined, shapes[0])
