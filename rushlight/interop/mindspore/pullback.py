"""The basis of `grad`, `vjp` and similar functions: differentiates a function of MindSpore's tensors with rushlight."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import rushlight as torch
from rushlight.func import vjp
from rushlight.interop.mindspore.common.lifting import wrapped
from rushlight.interop.mindspore.common.parameter import Parameter
from rushlight.interop.mindspore.common.tensor import Tensor
from rushlight.utils.pytree import tree_flatten, tree_unflatten


class Pullback(NamedTuple):
    """A function's outputs at some arguments, and the pullback of the differentiated ones."""

    outputs: Any
    aux: tuple[Any, ...]
    cotangents: Callable[[Any], tuple[Any, ...]]


def pull_back(
    fn: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[Any, Any],
    positions: Sequence[int],
    weights: Sequence[Parameter],
    has_aux: bool,
) -> Pullback:
    """Runs `fn`, and prepares its derivative by the arguments at `positions` and by `weights`.

    The differentiated outputs are the first with `has_aux`, else all. Arguments may be tuples and lists of tensors;
    their cotangents then have the same form.
    """
    leaves, spec = tree_flatten([opened(args, position) for position in positions])
    natives = [native(leaf) for leaf in leaves] + [weight._value for weight in weights]
    held = []

    def on_natives(*values: torch.Tensor) -> tuple[tuple[torch.Tensor, ...], Any]:
        inputs = list(args)
        new = tree_unflatten([Tensor._of(value) for value in values[: len(leaves)]], spec)
        for position, value in zip(positions, new, strict=True):
            inputs[position] = value
        with replaced(weights, values[len(leaves) :]):
            result, aux = parted(fn(*inputs, **kwargs), has_aux)
        flat, structure = tree_flatten(result)
        held.append(structure)
        outputs = tuple(native(output, "output") for output in flat)
        return outputs, tree_of_natives(aux)

    outputs, vjp_fn, aux = vjp(on_natives, *natives, has_aux=True)

    def cotangents(sens: Any) -> tuple[Any, ...]:
        grads = vjp_fn(sensitivities(sens, outputs))
        inputs = tree_unflatten([wrapped(grad) for grad in grads[: len(leaves)]], spec)
        return inputs, [wrapped(grad) for grad in grads[len(leaves) :]]

    result = tree_unflatten([wrapped(output) for output in outputs], held[0])
    return Pullback(result, tuple(map(wrapped, aux)), cotangents)


def opened(args: Sequence[Any], position: int) -> Any:
    """The argument at a position. ValueError if there is none."""
    if position >= len(args):
        raise ValueError(f"The element in grad_position must belong to [0, {len(args)}), but got {position}.")
    return args[position]


def native(value: Any, what: str = "input") -> torch.Tensor:
    """The rushlight tensor to differentiate by. TypeError for a value without derivative."""
    if not isinstance(value, Tensor):
        raise TypeError(f"grad: an {what} that is differentiated must be a Tensor, but got {type(value).__name__}.")
    if not is_differentiable(value._value):
        raise TypeError(
            f"grad: an {what} of type {value.dtype} cannot be differentiated: give it a float type, such as "
            "mindspore.float32."
        )
    return value._value


def is_differentiable(value: torch.Tensor) -> bool:
    """Whether a tensor is of a floating-point or complex dtype."""
    return value.is_floating_point() or value.is_complex()


def tree_of_natives(aux: tuple[Any, ...]) -> tuple[Any, ...]:
    """The auxiliary outputs, unwrapped."""
    leaves, spec = tree_flatten(aux)
    return tree_unflatten([leaf._value if isinstance(leaf, Tensor) else leaf for leaf in leaves], spec)


def parted(result: Any, has_aux: bool) -> tuple[Any, tuple[Any, ...]]:
    """The differentiated outputs, and the others."""
    if not has_aux:
        return result, ()
    if not isinstance(result, (tuple, list)) or len(result) < 2:
        raise ValueError("When 'has_aux' is True, origin 'fn' requires more than one outputs.")
    return result[0], tuple(result[1:])


@contextmanager
def replaced(weights: Sequence[Parameter], values: Sequence[torch.Tensor]) -> Iterator[Any]:
    """A context in which the parameters have other values."""
    before = [weight._value for weight in weights]
    for weight, value in zip(weights, values, strict=True):
        weight._value = value
    try:
        yield
    finally:
        for weight, value in zip(weights, before, strict=True):
            weight._value = value


def sensitivities(sens: Any, outputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The cotangents of the outputs: ones if `sens` is None."""
    if sens is None:
        return tuple(torch.ones_like(output) for output in outputs)
    given = [leaf._value for leaf in tree_flatten(sens)[0]]
    if [g.shape for g in given] != [output.shape for output in outputs]:
        raise ValueError(
            f"The sensitivity should have the shape of the outputs {[tuple(o.shape) for o in outputs]}, but got "
            f"{[tuple(g.shape) for g in given]}."
        )
    return tuple(given)
