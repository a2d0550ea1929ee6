"""Padding with constants, reflections, repeated edges or elements from the other end; negative widths crop."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batching import by
from rushlight.core.operators import Operator
from rushlight.kernels.padding import LONG, added_back, as_places, picked, surrounded
from rushlight.ops.arguments.promotion import missing
from rushlight.ops.changes.filling import checked_number
from rushlight.ops.table import method, operator
from rushlight.tensors import Tensor

__all__ = ["constant_pad_nd"]


NUMBERS = frozenset((int,))


def pad_batch(n: int, input: Array, widths: Any, value: int) -> Array:
    """The batch rule of `constant_pad_nd`."""
    return _constant_pad.forward(input, ((0, 0),) * n + widths, value)


@operator(
    layout="padded",
    batch=by(pad_batch),
    input=lambda grad, widths: _constant_pad(grad, opposite(widths), 0),
    name="constant_pad_nd",
)
def _constant_pad(input: Array, widths: Sequence[tuple[int, int]], value: complex) -> Array:
    if (found := surrounded(input, widths, value)) is not None:
        return found
    shape = [n + before + after for n, (before, after) in zip(input.shape, widths, strict=True)]
    out = np.full(shape, value, input.dtype, like=input)
    out[inside(shape, widths)] = input[inside(input.shape, opposite(widths))]
    return out


def inside(shape: Sequence[int], widths: Sequence[Sequence[int]]) -> tuple[slice, ...]:
    """The key that selects the original elements of a tensor padded with positive widths."""
    return tuple([slice(max(before, 0), n - max(after, 0)) for n, (before, after) in zip(shape, widths, strict=True)])


def opposite(widths: Sequence[Sequence[int]]) -> tuple[Sequence[int], ...]:
    """The negated widths, which undo the padding."""
    return tuple([(-before, -after) for before, after in widths])


@method
def constant_pad_nd(input: Tensor, pad: tuple[int, ...], value: complex = 0) -> Tensor:
    """A copy padded with a constant; `pad` has the widths before and after the last dimension, then the one before.

    Negative widths crop. RuntimeError for an odd number of widths or too many.

    >>> import rushlight as torch
    >>> torch.constant_pad_nd(torch.tensor([1, 2]), (1, 0))
    tensor([0, 1, 2])
    """
    array = input._array
    if len(pad) > 2 * array.ndim:
        raise RuntimeError(
            "Length of pad should be no more than twice the number of dimensions of the input. Pad length is "
            f"{len(pad)} while the input has {array.ndim} dimensions."
        )
    return padded(input, pad, value)


def padded(input: Tensor, pad: Sequence[int], value: Any) -> Tensor:
    """A copy padded with a constant, with the error messages of `pad`."""
    array = input._array
    again = type(pad) is tuple and NUMBERS.issuperset(map(type, pad))
    widths = (widths_again if again else checked_widths)(pad, array.shape)
    return _constant_pad(input, widths, checked_number(value, array.dtype))


def checked_widths(pad: Sequence[int], shape: Sequence[int]) -> tuple[Sequence[int], ...]:
    """`widths_of` that leave something of each dimension."""
    widths = widths_of(pad, shape)
    for n, (before, after) in zip(shape, widths, strict=True):
        if n + min(before, 0) + min(after, 0) < 0:
            raise RuntimeError("narrow(): length must be non-negative.")
    return widths


widths_again: Callable[..., Any] = lru_cache(maxsize=256)(checked_widths)  # of numbers


def widths_of(pad: Sequence[int], shape: Sequence[int]) -> tuple[Sequence[int], ...]:
    """The widths before and after each dimension."""
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) > 2 * len(shape):
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(pad)} and input of dimension {len(shape)}"
        )
    pairs = list(zip(pad[::2], pad[1::2], strict=True))
    widths = ((0, 0),) * (len(shape) - len(pairs)) + tuple(reversed(pairs))
    return widths


# padding with the tensor's own elements


def unpad_batch(n: int, input: Array, shape: Sequence[int], places: Any) -> Any:
    """The batch rule of `_unpad`."""
    return _unpad.forward(input, (*input.shape[:n], *shape), places)


@operator(
    aten=(),
    batch=by(unpad_batch),
    linear=True,
    input=lambda grad, places: PADS["replicate", 1](grad, places),
    node="PadBackward0",
)
def _unpad(input: Array, shape: Sequence[int], places: Sequence[Array]) -> Array:
    """Adds padding that was taken from the tensor's elements back to these: the adjoint of such padding."""
    return added_back(input, shape, places)


def enter(mode: Any, node: str, aten: str) -> Any:
    """Registers the operator of one padding mode. Its nodes are named after the number of dimensions, as in PyTorch."""
    cotangent = lambda grad, input_shape, places: _unpad(grad, input_shape, places)
    return operator(
        layout="contiguous" if mode == "circular" else "channels last",
        batch=by(lambda n, input, places: picked(input, places)),
        linear=True,
        name=f"{mode}_pad",
        node=node,
        aten=aten,
        input=cotangent,
    )(picked)


KERNELS = {"reflect": "reflection", "replicate": "replication"}  # PyTorch's, which take no bool
PADS: dict[tuple[str, int], Operator] = {
    **{
        (mode, n): enter(f"{mode}{n}d", f"{kernel.capitalize()}Pad{n}DBackward0", f"{kernel}_pad{n}d")
        for mode, kernel in KERNELS.items()
        for n in (1, 2, 3)
    },
    **{("circular", n): enter(f"circular{n}d", "CopySlices", "_pad_circular") for n in (1, 2, 3)},
}


def reflected(n: int, before: int, after: int, described: Any) -> Array:
    """The indices of reflection padding, in which the edges are not repeated."""
    if max(before, after) >= n:
        raise RuntimeError(
            f"Argument #4: Padding size should be less than the corresponding input dimension, but got: padding "
            f"({before}, {after}) at dimension {described[0]} of input {list(described[1])}"
        )
    places = np.arange(-before, n + after)
    if before > 0:
        places[:before] *= -1
    if after > 0:
        places[-after:] = 2 * (n - 1) - places[-after:]
    return places


def replicated(n: int, before: int, after: int, described: Sequence[Any]) -> Array:
    """The indices of replication padding, which repeats the edges."""
    return np.clip(np.arange(-before, n + after), 0, n - 1)


def circled(n: int, before: int, after: int, described: Sequence[Any]) -> Array:
    """The indices of circular padding, which continues at the other end."""
    if max(before, after) > n:
        raise RuntimeError("Padding value causes wrapping around more than once.")
    kept = np.arange(n)[max(-before, 0) : n - max(-after, 0)]
    return kept[np.arange(-max(before, 0), kept.size + max(after, 0)) % max(kept.size, 1)]


PLACES: dict[str, Callable[..., Any]] = {"reflect": reflected, "replicate": replicated, "circular": circled}


def pad(input: Tensor, pad: tuple[int, ...], mode: str = "constant", value: float | None = None) -> Tensor:
    """A padded copy: with a constant `value` (0), or with the tensor's own elements according to `mode`.

    `pad` has the widths before and after the last dimension, then the one before, and so on; negative widths crop.
    "reflect" mirrors, "replicate" repeats the edges, "circular" continues at the other end. These modes pad the last 1,
    2 or 3 dimensions of a tensor that has one or two more (samples and channels); NotImplementedError otherwise.

    >>> import rushlight as torch
    >>> x = torch.tensor([[1.0, 2.0, 3.0]])
    >>> torch.nn.functional.pad(x, (1, 1)), torch.nn.functional.pad(x, (2, 0), mode="reflect")
    (tensor([[0., 1., 2., 3., 0.]]), tensor([[3., 2., 1., 2., 3.]]))
    """
    widths = tuple(pad)
    if mode == "constant":
        return padded(input, widths, 0 if value is None else value)
    if len(widths) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if value:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if mode not in PLACES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    shape = input._array.shape
    dims = len(widths) // 2
    short = max(shape[-dims:], default=LONG) < LONG and NUMBERS.issuperset(map(type, widths))
    find = places_again if short else places_around
    places = find(mode, shape, widths)
    if mode in KERNELS and input._array.dtype == bool:
        raise missing(f"{KERNELS[mode]}_pad{dims}d", input._array.dtype)
    return PADS[mode, dims](input, places)


def places_around(mode: str, shape: tuple[int, ...], widths: tuple[int, ...]) -> tuple[Array, ...]:
    """The indices of the elements of a padded tensor in the original one; raises PyTorch's errors."""
    dims = len(widths) // 2
    around = widths_of(widths, shape)[-dims:]
    if dims not in (1, 2, 3) or not dims < len(shape) <= dims + 2:
        raise NotImplementedError(UNSUPPORTED.format(len(widths), len(shape)))
    if mode != "circular" and 0 in shape[len(shape) == dims + 2 :]:
        raise RuntimeError(
            f"Expected {dims + 1}D or {dims + 2}D (batch mode) tensor with possibly 0 batch size and other non-zero "
            f"dimensions for input, but got: {list(shape)}"
        )
    check_cropping(mode, shape[-dims:], around)
    first = len(shape) - dims
    return tuple([as_places(PLACES[mode](shape[i], a, b, (i, shape))) for i, (a, b) in enumerate(around, first)])


places_again: Callable[..., Any] = lru_cache(maxsize=256)(places_around)  # of short tuples


def check_cropping(mode: str, shape: Sequence[int], widths: Sequence[Sequence[int]]) -> None:
    """Raises RuntimeError if negative widths crop more than there is, or a whole dimension."""
    sizes = [n + before + after for n, (before, after) in zip(shape, widths, strict=True)]
    if mode == "circular":
        if min(sizes) < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
    elif min(sizes) < 0 or (len(sizes) == 1 and sizes[0] == 0):
        names = "DHW"[-len(sizes) :]
        before, after = (" ".join(f"{a}: {n}" for a, n in zip(names, found, strict=True)) for found in (shape, sizes))
        raise RuntimeError(f"input ({before}) is too small. Calculated output {after}")


UNSUPPORTED = """Padding size {} is not supported for {}D input tensor.
Supported combinations for non-constant padding:
  - 2D or 3D input: padding size = 2 (pads last dimension)
  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)
  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"""
