"""Sampling images at the points of a grid, and affine grids: the spatial transformer of Jaderberg et al. (2015).

The computation is composed of differentiable operators, so that image and grid get gradients of any order. For two
dimensions and the usual modes a kernel computes the values and the first-order gradients.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache, reduce
from itertools import product
from math import prod
from types import ModuleType
from typing import Any

import numpy as np

from rushlight.autograd.differentiate import grad as differentiate
from rushlight.autograd.grad_mode import enable_grad
from rushlight.core.aliases import Array
from rushlight.core.arrays import is_array
from rushlight.core.batching import leading, on_batched
from rushlight.core.graph import new_tensor
from rushlight.core.interpreters import STACK
from rushlight.core.lines import warn
from rushlight.dtypes import TYPE_NAMES
from rushlight.kernels.compiled import load
from rushlight.kernels.products import products
from rushlight.nn.functional.batching import as_samples
from rushlight.ops.arguments.dims import size_of
from rushlight.ops.making.ranges import evenly
from rushlight.ops.picking.gather import _gather
from rushlight.ops.table import operator
from rushlight.tensors import Tensor

__all__ = [
    "GRID_SAMPLE_INTERPOLATION_MODES",
    "GRID_SAMPLE_PADDING_MODES",
    "affine_grid",
    "grid_sample",
    "grid_sampler",
    "grid_sampler_2d",
    "grid_sampler_3d",
]

MODES = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")
QUICK = MODES[:2]  # the modes that the kernel supports
fast: ModuleType | None = load("sampling")
PAIRS = {"f": np.complex64, "d": np.complex128}  # of numbers, by their types
GRID_SAMPLE_INTERPOLATION_MODES = {name: number for number, name in enumerate(MODES)}
GRID_SAMPLE_PADDING_MODES = {name: number for number, name in enumerate(PADDINGS)}

ALIGNMENT = (
    "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
    "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details."
)


@operator(aten=(), batch=on_batched, input=lambda grad, slope: grad * slope)
def _moved(input: Array, values: Array, slope: Array) -> Array:
    """Returns `values` in place of `input`, with derivative `slope`: for coordinates that are clipped or reflected."""
    return values


def in_pixels(x: Tensor, size: int, align_corners: bool) -> Tensor:
    """Coordinates from -1 to 1 as pixel coordinates."""
    return (x + 1) * ((size - 1) / 2) if align_corners else ((x + 1) * size - 1) / 2


def reflected(x: Array, size: int, align_corners: bool) -> Array | tuple[Array, ...]:
    """Coordinates (an array) reflected at the borders into the image, and the sign of the derivative of each."""
    low, high = (0.0, size - 1.0) if align_corners else (-0.5, size - 0.5)
    if high == low:
        return np.zeros_like(x), np.zeros_like(x)
    distance = np.abs(x - low)
    flips, rest = np.floor_divide(distance, high - low), np.remainder(distance, high - low)
    back = flips % 2 == 1
    sign = np.where(x < low, -1, 1) * np.where(back, -1, 1)
    return np.where(back, high - rest, rest + low).astype(x.dtype), sign.astype(x.dtype)


def kept_inside(x: Array, size: int, padding_mode: str, align_corners: bool) -> Array | tuple[Array, ...]:
    """Coordinates (an array) moved into the image according to the padding mode, and their derivative."""
    slope = np.ones_like(x)
    if padding_mode == "reflection":
        x, slope = reflected(x, size, align_corners)
    inside = (x > 0) & (x < size - 1)
    return np.minimum(np.maximum(x, 0), size - 1), np.where(inside, slope, 0).astype(slope.dtype)


def cubic_weights(t: Any) -> Any:
    """The four weights of cubic interpolation at a fraction t."""
    a = -0.75
    near: Callable[[Any], Any] = lambda x: ((a + 2) * x - (a + 3)) * x * x + 1
    far: Callable[[Any], Any] = lambda x: ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return [far(t + 1), near(t), near(1 - t), far(2 - t)]


def taps_along(
    x: Tensor, size: int, mode: str, padding_mode: str, align_corners: bool
) -> list[Sequence[Array]] | Array:
    """The indices (arrays) that an interpolation along one dimension reads, each with its weight (a tensor)."""
    x = in_pixels(x, size, align_corners)
    if padding_mode != "zeros" and mode != "bicubic":
        x = _moved(x, *kept_inside(x._array, size, padding_mode, align_corners))
    at = x._array
    if mode == "nearest":
        return [(np.rint(at), None)]
    low = np.floor(at)
    t = x - new_tensor(low)
    if mode == "bilinear":
        return [(low, 1 - t), (low + 1, t)]
    places = [low + k for k in (-1, 0, 1, 2)]
    if padding_mode != "zeros":
        places = [kept_inside(place, size, padding_mode, align_corners)[0] for place in places]
    return list(zip(places, cubic_weights(t), strict=True))


def picked(input: Tensor, places: Sequence[Array]) -> Tensor:
    """The elements of (N, C, *spatial) at indices (arrays (N, ...) for each dimension); 0 outside."""
    spatial = input.shape[2:]
    samples, channels = input.shape[:2]
    inside = reduce(np.logical_and, [(p >= 0) & (p < n) for p, n in zip(places, spatial, strict=True)])
    whole = [np.where(inside, p, 0).astype(np.int64) for p in places]
    flat: Any = 0
    for place, size in zip(whole, spatial, strict=True):
        flat = flat * size + place
    flat = flat.reshape(samples, 1, prod(flat.shape[1:]))
    index = np.broadcast_to(flat, (samples, channels, flat.shape[-1]))
    values = _gather(input.reshape(samples, channels, prod(spatial)), 2, index)
    values = values.reshape(samples, channels, *inside.shape[1:])
    return values if inside.all() else values * new_tensor(inside[:, None].astype(input._array.dtype))


def weighted(input: Tensor, taps: Sequence[Sequence[Array]] | Array) -> Tensor:
    """The weighted sum of the elements at the given indices along each dimension."""
    values = picked(input, [place for place, _ in taps])
    for _, weight in taps:
        values = values if weight is None else values * weight.unsqueeze(1)
    return values


def fit_together(input: Tensor, grid: Tensor, mode: str, padding_mode: str) -> bool:
    """Whether images (N, C, H, W) and a grid fit each other in the usual way, so that no error can be raised."""
    x, g = input._array, grid._array
    if mode not in MODES or padding_mode not in PADDINGS or not x.ndim == g.ndim == 4 or x.dtype is not g.dtype:
        return False
    return x.dtype.kind == "f" and x.shape[0] == g.shape[0] and g.shape[3] == 2 and 0 not in x.shape


def check_grid(input: Tensor, grid: Tensor, mode: str, padding_mode: str) -> None:
    """Raises PyTorch's errors for operands and options that do not match."""
    if mode not in ("bilinear", "nearest", "bicubic"):
        raise ValueError(
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'"
        )
    if padding_mode not in ("zeros", "border", "reflection"):
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', "
            f"but got: '{padding_mode}'"
        )
    x, g = list(input.shape), list(grid.shape)
    sizes = f"but got input with sizes {x} and grid with sizes {g}"
    if size_of(x, 0) != size_of(g, 0):
        raise RuntimeError(f"grid_sampler(): expected grid and input to have same batch size, {sizes}")
    if g[-1] != len(x) - 2:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {len(x) - 2} in last dimension, but got grid with sizes {g}"
        )
    if 0 in x[2:]:
        raise RuntimeError(
            "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes "
            f"{x} with dimension {x.index(0, 2)} being empty"
        )
    wanted = 4 if len(x) == 4 else 5
    if len(x) != wanted or len(g) != wanted:
        raise RuntimeError(f"grid_sampler(): expected {wanted}D input and grid with same number of dimensions, {sizes}")
    if mode == "bicubic" and wanted != 4:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    if input._array.dtype != grid._array.dtype:
        have, other = (TYPE_NAMES[t.dtype] for t in (input, grid))
        raise RuntimeError(f"expected scalar type {have} but found {other}")
    if not input.is_floating_point():
        raise NotImplementedError(
            f"\"grid_sampler_{len(x) - 2}d_cpu_kernel_impl\" not implemented for '{TYPE_NAMES[input.dtype]}'"
        )


def grid_sample(
    input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Tensor:
    """Samples images (N, C, H, W) at the points of `grid` (N, H', W', 2), or (N, C, D, H, W) at (N, D', H', W', 3).

    A point is (x, y) or (x, y, z) from -1 to 1; these are the centres of the outermost pixels with `align_corners`,
    else their outer edges. `mode` is "bilinear", "nearest" or "bicubic" (for 4-D inputs). `padding_mode` says what is
    outside the image: "zeros", "border" or "reflection". ValueError or RuntimeError for operands that do not match.

    >>> import rushlight as torch
    >>> image, point = torch.tensor([[[[0.0, 2.0]]]]), torch.tensor([[[[0.0, 0.0]]]])
    >>> torch.nn.functional.grid_sample(image, point, align_corners=False)
    tensor([[[[1.]]]])
    """
    if not fit_together(input, grid, mode, padding_mode):
        check_grid(input, grid, mode, padding_mode)
    if align_corners is None:
        warn(ALIGNMENT)
    if has_kernel(input, grid, mode):
        return _grid_sampler_2d(input, grid, MODES.index(mode), PADDINGS.index(padding_mode), bool(align_corners))
    return composed(input, grid, mode, padding_mode, bool(align_corners))


def composed(input: Tensor, grid: Tensor, mode: str, padding_mode: str, align_corners: bool) -> Tensor:
    """`grid_sample` composed of differentiable operators."""
    sizes = input.shape[2:]
    coordinates = [grid.select(-1, d) for d in reversed(range(len(sizes)))]  # in a grid, x comes before y
    lines = [taps_along(x, size, mode, padding_mode, align_corners) for x, size in zip(coordinates, sizes, strict=True)]
    first, *others = [weighted(input, taps) for taps in product(*lines)]
    return sum(others, start=first)


def has_kernel(input: Tensor, grid: Tensor, mode: str) -> bool:
    """Whether the kernel can be used: for a supported mode, and plain arrays that are not traced."""
    if fast is None or STACK.depth or mode not in QUICK or len(input.shape) != 4:
        return False
    return type(input._array) is type(grid._array) is np.ndarray and input._array.dtype.itemsize > 2


def sampled_cotangents(
    grad: Any, input: Any, grid: Any, interpolation_mode: int, padding_mode: int, align_corners: bool, needs: Any
) -> Any:
    """The gradients of image and grid: by the kernel if possible, else composed of differentiable operators."""
    if is_array(grad):
        found = fast and fast.returned(grad, input, grid, interpolation_mode, padding_mode, align_corners, *needs)
        if found:
            return found
        leaves = new_tensor(input).requires_grad_(needs[0]), new_tensor(grid).requires_grad_(needs[1])
        options = interpolation_mode, padding_mode, align_corners
        cotangents = sampled_cotangents(new_tensor(grad), leaves[0], leaves[1], *options, needs)
        return [None if x is None else x._array for x in cotangents]
    with enable_grad():
        result = composed(input, grid, MODES[interpolation_mode], PADDINGS[padding_mode], align_corners)
        wanted = [x for x, need in zip((input, grid), needs, strict=True) if need]
        found = iter(differentiate(result, wanted, grad, create_graph=True, materialize_grads=True))
    return [next(found) if need else None for need in needs]


@operator(joint=sampled_cotangents, inputs=("input", "grid"), batch=as_samples)
def _grid_sampler_2d(
    input: Array, grid: Array, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Array:
    found = fast and fast.sampled(input, grid, interpolation_mode, padding_mode, align_corners)
    if found is not None:
        return found
    tensors = new_tensor(input), new_tensor(grid)
    return composed(*tensors, MODES[interpolation_mode], PADDINGS[padding_mode], align_corners)._array


def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """`grid_sample` with its modes as numbers: 0 bilinear, 1 nearest, 2 bicubic; 0 zeros, 1 border, 2 reflection.

    >>> import rushlight as torch
    >>> image, point = torch.tensor([[[[0.0, 2.0]]]]), torch.tensor([[[[0.0, 0.0]]]])
    >>> torch.grid_sampler(image, point, 0, 0, False)
    tensor([[[[1.]]]])
    """
    return grid_sample(input, grid, MODES[interpolation_mode], PADDINGS[padding_mode], align_corners)


grid_sampler_2d = grid_sampler_3d = grid_sampler


def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """The grid (N, H, W, 2) or (N, D, H, W, 3) for `grid_sample` that applies affine transformations `theta`.

    `size` is that of the sampled images, (N, C, H, W) or (N, C, D, H, W); `theta` is (N, 2, 3) or (N, 3, 4). ValueError
    or NotImplementedError for arguments that do not match.

    >>> import rushlight as torch
    >>> torch.nn.functional.affine_grid(torch.eye(2, 3).unsqueeze(0), (1, 1, 1, 2), align_corners=False)
    tensor([[[[-0.5000,  0.0000],
              [ 0.5000,  0.0000]]]])
    """
    if align_corners is None:
        warn(ALIGNMENT)
    check_affine(theta, size, align_corners)
    return _affine_grid_generator(theta, tuple(size[2:]), bool(align_corners), theta._array.dtype)


@lru_cache(maxsize=64)
def coordinates(n: int, align_corners: bool, dtype: np.dtype) -> np.ndarray:
    """The coordinates of n pixels in a line that goes from -1 to 1, to the ends of the line or the last pixels.

    They are rounded as PyTorch's: at the identity, `grid_sample` has other derivatives on either side of each point.
    """
    line = evenly(-1.0, 1.0, n, dtype) if n > 1 else np.zeros(1, dtype)
    return line if align_corners else line * dtype.type(n - 1) / dtype.type(n)


@lru_cache(maxsize=64)
def weights(n: int, align_corners: bool, dtype: np.dtype) -> np.ndarray:
    """Ones, and the coordinates, of n pixels in a line."""
    return np.stack([np.ones(n, dtype), coordinates(n, align_corners, dtype)])


def moved_back(grad: Array, space: Sequence[int], align_corners: bool, dtype: np.dtype[Any]) -> Any:
    """The gradient of the matrices: the sum of those of the points, and sums weighted with each coordinate."""
    batch, rest, columns = grad.shape[: -len(space) - 1], grad, []
    numbers = prod(space) * len(space)
    for n in space:
        numbers //= n
        lines, of_line = rest.reshape(*batch, n, numbers), weights(n, align_corners, dtype)
        both = products(of_line, lines) if type(lines) is np.ndarray else np.matmul(of_line, lines)
        rest, weighted = both[..., 0, :], both[..., 1, :]
        columns.append(np.add.reduce(weighted.reshape(*batch, numbers // len(space), len(space)), axis=-2))
    return np.stack([*reversed(columns), rest], -1)


@operator(linear=True, batch=leading, theta=moved_back)
def _affine_grid_generator(theta: Array, space: Sequence[int], align_corners: bool, dtype: np.dtype[Any]) -> Array:
    batch, dims = theta.shape[:-2], len(space)
    grid = theta[..., -1].reshape(*batch, *(1,) * dims, dims)
    for i, n in enumerate(space):
        along = theta[..., dims - 1 - i].reshape(*batch, *(1,) * dims, dims)
        line = coordinates(n, align_corners, dtype).reshape(n, *(1,) * (dims - i))
        grid = sum_of_points(grid, along * line)
    return grid


def sum_of_points(x: Array, y: Array) -> Array:
    """x + y for arrays of points: pairs of numbers are added as complex ones, in fewer steps."""
    pair = PAIRS.get(x.dtype.char) if x.shape[-1] == 2 and type(x) is np.ndarray else None
    if pair is None or not x.flags.c_contiguous:
        return x + y
    return (x.view(pair) + y.view(pair)).view(x.dtype)


def check_affine(theta: Any, size: Any, align_corners: Any) -> None:
    """Raises PyTorch's errors for matrices and sizes that do not match."""
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    if len(size) not in (4, 5):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. "
            f"Got size {size}."
        )
    dims = len(size) - 2
    if theta.ndim != 3 or tuple(theta.shape[-2:]) != (dims, dims + 1):
        raise ValueError(
            f"Expected a batch of {dims}D affine matrices of shape Nx{dims}x{dims + 1} for size {size}. "
            f"Got {theta.shape}."
        )
    if align_corners and min(size[2:]) == 1:
        warn(
            "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This "
            "is not an intended use case of affine_grid. See the documentation of affine_grid for details.",
        )
    elif min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    if theta.shape[0] != size[0]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{size[0]}, {dims + 1}] but got: "
            f"[{theta.shape[0]}, {dims + 1}]."
        )
