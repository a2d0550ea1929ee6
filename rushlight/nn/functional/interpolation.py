"""Resizing images: nearest neighbour, linear, cubic and Lanczos interpolation, and averages.

Each is linear and separable: along each dimension it is a product with a sparse matrix (see `sampling`).
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.kinds import kind_of
from rushlight.core.lines import warn
from rushlight.dtypes import FROM_NUMPY, TYPE_NAMES
from rushlight.nn.functional.adaptive_pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d
from rushlight.nn.functional.sampling import enter_map, mapped, mapped_bytes, matrix
from rushlight.nn.functional.sizes import are_plain, hashable
from rushlight.tensors import Tensor

__all__ = ["interpolate", "upsample", "upsample_bilinear", "upsample_nearest"]

AREA = {3: adaptive_avg_pool1d, 4: adaptive_avg_pool2d, 5: adaptive_avg_pool3d}
SPACE = {"linear": 1, "bilinear": 2, "trilinear": 3, "bicubic": 2, "lanczos": 2}  # spatial dimensions of each mode
BYTES = ("nearest", "nearest-exact", "bilinear", "bicubic", "lanczos")  # modes that accept uint8 pixels


def nearest(size: int, count: int, scale: float | None, exact: bool) -> Array:
    """The index of the element for each of `count` output positions, computed in float32 as in PyTorch.

    PyTorch's mode "nearest" ignores the scale if the size stays the same or doubles.
    """
    if not exact and count in (size, 2 * size):
        return np.arange(count) // (count // size)
    ratio = np.float32(1 / scale if scale else size / count)
    places = np.arange(count, dtype=np.float32) + np.float32(0.5 if exact else 0)
    return np.minimum(np.floor(places * ratio).astype(np.int64), size - 1)


def step_of(size: int, count: int, scale: float | None, align_corners: bool) -> float:
    """The distance between neighbouring output positions, in input pixels."""
    if align_corners:
        return (size - 1) / (count - 1) if count > 1 else 0.0
    return 1 / scale if scale else size / count


def source(size: int, count: int, scale: float | None, align_corners: bool) -> Array:
    """The coordinate of each of `count` output positions among `size` input pixels."""
    step = step_of(size, count, scale, align_corners)
    return np.arange(count) * step if align_corners else (np.arange(count) + 0.5) * step - 0.5


def linear(x: Array) -> Array:
    """The triangle filter."""
    return np.maximum(1 - np.abs(x), 0)


def cubic(x: Array, a: float = -0.75) -> Array:
    """The cubic convolution filter of Keys (1981)."""
    x = np.abs(x)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    return np.where(x < 1, near, np.where(x < 2, (((x - 5) * x + 8) * x - 4) * a, 0))


def lanczos(x: Array) -> Any:
    """The Lanczos filter, a windowed sinc with three lobes."""
    return np.where(np.abs(x) < 3, np.sinc(x) * np.sinc(x / 3), 0)


FILTERS: dict[str, tuple[Callable[..., Any], int]] = {"linear": (linear, 1), "cubic": (cubic, 2)}
SMOOTH: dict[str, tuple[Callable[..., Any], int]] = {
    "linear": (linear, 1),
    "cubic": (lambda x: cubic(x, -0.5), 2),
    "lanczos": (lanczos, 3),
}


@lru_cache(maxsize=256)
def resizing(kind: str, size: int, count: int, scale: float | None, align_corners: bool, antialias: bool) -> Any:
    """The matrix (count, size) of the interpolation along one dimension."""
    rows = np.arange(count)
    if kind.startswith("nearest"):
        return matrix(rows, nearest(size, count, scale, kind == "nearest-exact"), 1.0, (count, size))
    if count == size and (antialias or kind == "linear"):
        return matrix(rows, rows, 1.0, (count, size))  # independent of the scale, as in PyTorch
    if antialias:
        return smoothing(kind, size, count, scale, align_corners)
    weigh, reach = FILTERS[kind]
    at = source(size, count, scale, align_corners)
    at = np.maximum(at, 0) if kind == "linear" else at
    places = np.floor(at).astype(np.int64)[:, None] + np.arange(1 - reach, 1 + reach)
    weights = weigh(at[:, None] - places)
    return matrix(rows[:, None], places.clip(0, size - 1), weights, (count, size))


def smoothing(kind: str, size: int, count: int, scale: Any, align_corners: bool) -> Any:
    """The same with antialiasing: the filter is as wide as the step between output positions."""
    weigh, reach = SMOOTH[kind]
    step = step_of(size, count, scale, align_corners)
    wide = max(step, 1.0)
    middle = step * (np.arange(count) + 0.5)
    first = np.maximum((middle - reach * wide + 0.5).astype(np.int64), 0)
    last = np.minimum((middle + reach * wide + 0.5).astype(np.int64), size)
    places = first[:, None] + np.arange((last - first).max())
    weights = weigh((places - middle[:, None] + 0.5) / wide) * (places < last[:, None])
    weights /= weights.sum(1, keepdims=True)
    return matrix(np.arange(count)[:, None], np.minimum(places, size - 1), weights, (count, size))


def resize_operators() -> Any:
    """Registers an operator for each mode and number of dimensions, under PyTorch's names."""
    names = {
        (mode, dims): f"{mode.title().replace('-', '')}{dims}D"
        for mode in ("nearest", "nearest-exact")
        for dims in (1, 2, 3)
    }
    names |= {(mode, dims): f"{mode.title()}{dims}D" for mode, dims in SPACE.items() if mode != "lanczos"}
    names |= {(f"{mode}-aa", 2): f"{mode.title()}2DAa" for mode in ("bilinear", "bicubic", "lanczos")}
    return {
        key: enter_map(
            f"upsample_{name.lower()}",
            f"Upsample{name}Backward0",
            aten=aten_of(*key),
            of_bytes=mapped if key[0].startswith("nearest") else mapped_bytes,
        )
        for key, name in names.items()
    }


def aten_of(mode: str, dims: int) -> str:
    """PyTorch's name for an operator that resizes."""
    filter, _, variant = mode.partition("-")
    if variant == "exact":
        return f"_upsample_{filter}_exact{dims}d"
    return f"_upsample_{filter}{dims}d_aa" if variant else f"upsample_{filter}{dims}d"


RESIZE = resize_operators()


def sizes_of(space: tuple[int, ...], size: Any, scale_factor: Any, recompute: Any) -> Any:
    """The output sizes, and the scales that determine the positions (None: the ratio of the sizes)."""
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    name, given = ("size", size) if scale_factor is None else ("scale_factor", scale_factor)
    many = isinstance(given, (list, tuple))
    if many and len(given) != len(space):
        other = "output size of" if name == "size" else "scale_factor of shape"
        raise ValueError(
            f"Input and {'output' if name == 'size' else name} must have the same number of spatial dimensions, but "
            f"got input with spatial dimensions of {list(space)} and {other} {given}. Please provide input tensor in "
            f"(N, C, d1, d2, ...,dK) format and {name} with a number for each of d1, d2, ...,dK."
        )
    each = tuple(given) if many else (given,) * len(space)
    if scale_factor is None:
        if recompute:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        return tuple(int(n) for n in each), (None,) * len(space)
    return tuple(int(n * s) for n, s in zip(space, each, strict=True)), (None,) * len(space) if recompute else each


def check_corners(mode: str, align_corners: bool | None) -> None:
    """Raises ValueError for `align_corners` in a mode that does not have it."""
    if mode in ("nearest", "nearest-exact", "area") and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )


def check_mode(ndim: int, mode: str, align_corners: bool | None, antialias: bool) -> None:
    """Raises PyTorch's errors for an unknown mode, or one that does not fit the input or the options."""
    known = mode in SPACE or mode in ("nearest", "nearest-exact", "area")
    if antialias and not (mode in ("bilinear", "bicubic", "lanczos") and ndim == 4):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input"
        )
    if mode == "lanczos" and not antialias:
        raise ValueError("Lanczos mode requires antialias=True")
    if mode == "lanczos" and align_corners:
        raise ValueError("Lanczos mode does not support align_corners=True")
    if known and ndim in (3, 4, 5) and SPACE.get(mode, ndim - 2) != ndim - 2 and mode != "bicubic":
        raise NotImplementedError(f"Got {ndim}D input, but {mode} mode needs {SPACE[mode] + 2}D input")
    if not known or ndim not in (3, 4, 5) or (mode == "bicubic" and ndim != 4):
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {ndim}D) for the modes: nearest | "
            f"linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {mode})"
        )


def check_interpolation_input(shape: tuple[int, ...], dtype: np.dtype, sizes: Any, mode: str) -> None:
    """Raises PyTorch's errors for an image without elements, or of an unsupported dtype."""
    if min(*shape[2:], *sizes) <= 0:
        names = ("D", "H", "W")[5 - len(shape) :]
        have, want = (
            ", ".join(f"{d}: {n}" for d, n in zip(names, numbers, strict=True)) for numbers in (shape[2:], sizes)
        )
        raise RuntimeError(f"Input and output sizes should be greater than 0, but got input ({have}) output ({want})")
    if shape[1] == 0:
        raise RuntimeError(f"Non-empty {len(shape)}D data tensor expected but got a tensor with sizes {list(shape)}")
    if kind_of(dtype) != "f" and not (dtype == np.uint8 and mode in BYTES):
        name = f"upsample_{mode.replace('-', '_')}{len(shape) - 2}d"
        raise NotImplementedError(f"\"{name}\" not implemented for '{TYPE_NAMES[FROM_NUMPY[dtype]]}'")


@lru_cache(maxsize=256, typed=True)
def planned(
    shape: tuple[int, ...],
    dtype: np.dtype,
    size: Any,
    scale_factor: Any,
    mode: str,
    align_corners: bool | None,
    recompute: bool | None,
    antialias: bool,
) -> tuple[Any, Any]:
    """The function that resizes an input of a shape, and its maps, or sizes for areas; errors for what does not fit."""
    check_corners(mode, align_corners)
    sizes, scales = sizes_of(shape[2:], size, scale_factor, recompute)
    check_mode(len(shape), mode, align_corners, antialias)
    if mode == "area":
        return AREA[len(shape)], sizes
    check_interpolation_input(shape, dtype, sizes, mode)
    kind = mode.removeprefix("bi").removeprefix("tri")
    lines = zip(shape[2:], sizes, scales, strict=True)
    maps = tuple(resizing(kind, *line, bool(align_corners), antialias) for line in lines)
    return RESIZE[f"{mode}-aa" if antialias else mode, len(shape) - 2], maps


def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Resizes (N, C, L), (N, C, H, W) or (N, C, D, H, W) to a size or by a scale factor.

    `mode` is "nearest" (with the rounding of older libraries), "nearest-exact", "area", or "linear", "bilinear",
    "trilinear", "bicubic" and "lanczos", each for its number of dimensions. `align_corners` aligns the centres of the
    outermost pixels, instead of their outer edges; `antialias` widens the filter when the image gets smaller;
    `recompute_scale_factor` computes the scale from the sizes. uint8 images are rounded after each dimension, as in
    PyTorch. ValueError, NotImplementedError or RuntimeError for arguments that do not match.

    >>> import rushlight as torch
    >>> torch.nn.functional.interpolate(torch.tensor([[[1.0, 3.0]]]), scale_factor=2, mode="linear")
    tensor([[[1.0000, 1.5000, 2.5000, 3.0000]]])
    """
    size, scale_factor = hashable(size, scale_factor)
    plan = planned if are_plain(size, scale_factor, align_corners) else planned.__wrapped__
    array = input._array
    resize, how = plan(
        array.shape, array.dtype, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias
    )
    return resize(input, how)


def deprecated(name: str) -> None:
    """PyTorch's warning for the old names of `interpolate`."""
    warn(f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead.")


def upsample(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """The old name of `interpolate`; warns.

    >>> import rushlight as torch
    >>> torch.nn.functional.upsample(torch.tensor([[[1.0, 2.0]]]), scale_factor=2)
    tensor([[[1., 1., 2., 2.]]])
    """
    deprecated("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(
    input: Tensor, size: int | Sequence[int] | None = None, scale_factor: float | Sequence[float] | None = None
) -> Tensor:
    """`interpolate` with mode "nearest", with a warning.

    >>> import rushlight as torch
    >>> torch.nn.functional.upsample_nearest(torch.tensor([[[[0.0, 3.0]]]]), scale_factor=2)
    tensor([[[[0., 0., 3., 3.],
              [0., 0., 3., 3.]]]])
    """
    deprecated("upsample_nearest")
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(
    input: Tensor, size: int | Sequence[int] | None = None, scale_factor: float | Sequence[float] | None = None
) -> Tensor:
    """`interpolate` with mode "bilinear" and aligned corners, with a warning.

    >>> import rushlight as torch
    >>> torch.nn.functional.upsample_bilinear(torch.tensor([[[[0.0, 3.0]]]]), scale_factor=2)
    tensor([[[[0., 1., 2., 3.],
              [0., 1., 2., 3.]]]])
    """
    deprecated("upsample_bilinear")
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)
