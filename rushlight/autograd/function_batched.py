"""Custom functions inside `vmap`: their own `vmap` rule gets the whole batch, or their operations are batched."""

from typing import Any, NamedTuple

from rushlight.core.above import above
from rushlight.core.batched import Batched, levels_of
from rushlight.core.graph import TensorBase
from rushlight.core.levels import enter, leave, place_of
from rushlight.utils.pytree import broadcast_leaves, tree_flatten, tree_unflatten

__all__ = ["VmapInfo", "apply_batched"]


class VmapInfo(NamedTuple):
    """What the `vmap` staticmethod of a custom function learns about the batch."""

    batch_size: int
    randomness: str


def innermost_level(args: Any) -> Any:
    """The innermost `vmap` level of the arguments, or None."""
    batched = [a._array for a in args if isinstance(a, TensorBase) and type(a._array) is Batched]
    return levels_of(*batched)[-1] if batched else None


def uses_own_rule(cls: Any) -> bool:
    """Whether a function has its own `vmap` rule.

    RuntimeError if it has neither that nor `generate_vmap_rule`, or both.
    """
    has_rule = cls.has_batch_rule()
    if has_rule and cls.generate_vmap_rule:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and an overridden vmap "
            "staticmethod. Please set generate_vmap_rule=False or delete the overridden vmap staticmethod to avoid "
            "ambiguity. For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"
        )
    if not has_rule and not cls.generate_vmap_rule:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please override and implement "
            "the vmap staticmethod or set generate_vmap_rule=True. For more details, please see "
            "https://pytorch.org/docs/main/notes/extending.func.html"
        )
    return has_rule


@above
def apply_batched(cls: Any, args: Any) -> Any:
    """Calls a custom function on the batch of the innermost level by its `vmap` staticmethod.

    NotImplemented if no argument is in a batch, or the function has no rule of its own.
    """
    level = innermost_level(args)
    if level is None or not uses_own_rule(cls):
        return NotImplemented
    on_level = [isinstance(a, TensorBase) and level in levels_of(a._array) for a in args]
    in_dims = tuple(place_of(a, level) if batched else None for a, batched in zip(args, on_level, strict=True))
    whole = [a if dim is None else leave(a, dim, level) for a, dim in zip(args, in_dims, strict=True)]
    result = cls.vmap(VmapInfo(level.size, level.randomness), in_dims, *whole)
    if not isinstance(result, tuple) or len(result) != 2:
        given = f"{len(result)} returns" if isinstance(result, tuple) else f"a {type(result)}"
        raise RuntimeError(
            "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure "
            f"compatible with the output. Got {given} instead"
        )
    output, out_dims = result
    outs, spec = tree_flatten(output)
    dims = broadcast_leaves(out_dims, spec)
    if dims is None:
        raise RuntimeError(
            "The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) tuple. Expected "
            f"out_dims={out_dims} to be compatible with the structure of `output`. out_dims has structure "
            f"{tree_flatten(out_dims)[1]} but output has structure {spec}."
        )
    found = [out if dim is None else entered(out, dim, level) for out, dim in zip(outs, dims, strict=True)]
    return tree_unflatten(found, spec)


def entered(output: Any, dim: int, level: Any) -> Any:
    """An output turned into examples of a level; a negative `dim` counts from the end."""
    return enter(output, dim % output.dim(), level)
