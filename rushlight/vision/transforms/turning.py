"""Functions that rotate, move, scale and shear images: each result is read from the image at places of a matrix."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.core.graph import new_tensor
from rushlight.nn.functional import grid_sample
from rushlight.ops.shapes.joining import cat
from rushlight.tensors import Tensor
from rushlight.vision.transforms.basics import Image, get_image_size, keeping_kind
from rushlight.vision.transforms.pixels import to_pil_image
from rushlight.vision.transforms.sizes import InterpolationMode

__all__ = ["affine", "rotate"]


@keeping_kind
def rotate(
    img: Image,
    angle: float,
    interpolation: Any = InterpolationMode.NEAREST,
    expand: bool = False,
    center: Any = None,
    fill: Any = None,
) -> Image:
    """An image rotated counterclockwise, in degrees, around its middle or a `center` (x, y).

    With `expand`, the result is as large as the rotated image; `fill` is the value of what lies outside of the image.
    """
    mode = InterpolationMode(interpolation)
    if isinstance(img, Tensor):
        matrix = inverse(from_middle(img, center), -angle, (0, 0), 1.0, (0, 0))
        return sampled(img, matrix, mode, room(matrix, img) if expand else img.shape[-2:], fill)
    from PIL import Image as Pillow

    pic = pillow(img)
    kind = getattr(Pillow.Resampling, mode.name)
    return np.asarray(pic.rotate(angle, kind, expand, center, fillcolor=filling(fill, pic)))


@keeping_kind
def affine(
    img: Image,
    angle: float,
    translate: Sequence[int],
    scale: float,
    shear: Any,
    interpolation: Any = InterpolationMode.NEAREST,
    fill: Any = None,
    center: Any = None,
) -> Image:
    """An image rotated clockwise, in degrees, moved, scaled and sheared; its middle, or a `center` (x, y), stays."""
    mode = InterpolationMode(interpolation)
    shears = (shear, 0.0) if isinstance(shear, (int, float)) else (shear[0], shear[-1])
    if isinstance(img, Tensor):
        matrix = inverse(from_middle(img, center), angle, translate, scale, shears)
        return sampled(img, matrix, mode, img.shape[-2:], fill)
    from PIL import Image as Pillow

    wide, high = get_image_size(img)
    middle = (wide * 0.5, high * 0.5) if center is None else center
    matrix = inverse(middle, angle, translate, scale, shears)
    pic, kind = pillow(img), getattr(Pillow.Resampling, mode.name)
    return np.asarray(pic.transform(pic.size, Pillow.Transform.AFFINE, matrix, kind, fillcolor=filling(fill, pic)))


def pillow(img: Image) -> Any:
    """An image as a PIL image."""
    return to_pil_image(img) if isinstance(img, np.ndarray) else img


def filling(fill: Any, pic: Any) -> Any:
    """The value of a pixel, one for all bands or one for each, as a PIL image takes it."""
    bands = len(pic.getbands())
    values = list(fill) if isinstance(fill, (list, tuple)) else [fill or 0]
    whole = [value if pic.mode == "F" else int(value) for value in (values * bands if len(values) == 1 else values)]
    return tuple(whole) if bands > 1 else whole[0]


def from_middle(img: Tensor, center: Any) -> tuple[float, float]:
    """A point as seen from the middle of an image."""
    if center is None:
        return 0.0, 0.0
    wide, high = get_image_size(img)
    return center[0] - wide * 0.5, center[1] - high * 0.5


def inverse(
    center: Sequence[float], angle: float, translate: Sequence[float], scale: float, shear: Sequence[float]
) -> list[float]:
    """The first two rows of the matrix from places in the result to places in the image."""
    turn, across, down = math.radians(angle), math.radians(shear[0]), math.radians(shear[1])
    a = math.cos(turn - down) / math.cos(down)
    b = -math.cos(turn - down) * math.tan(across) / math.cos(down) - math.sin(turn)
    c = math.sin(turn - down) / math.cos(down)
    d = -math.sin(turn - down) * math.tan(across) / math.cos(down) + math.cos(turn)
    rows = [d / scale, -b / scale, 0.0, -c / scale, a / scale, 0.0]
    (x, y), (right, lower) = center, translate
    rows[2] = rows[0] * (-x - right) + rows[1] * (-y - lower) + x
    rows[5] = rows[3] * (-x - right) + rows[4] * (-y - lower) + y
    return rows


def room(matrix: Sequence[float], img: Tensor) -> tuple[int, int]:
    """The height and width of the smallest image that holds the corners of a moved one."""
    wide, high = get_image_size(img)
    corners = np.array([[x, y, 1.0] for x in (-0.5 * wide, 0.5 * wide) for y in (-0.5 * high, 0.5 * high)])
    moved = corners.astype(np.float32) @ np.array(matrix, np.float32).reshape(2, 3).T
    moved += np.array([wide * 0.5, high * 0.5], np.float32)
    least, most = (np.trunc(part / 1e-4) * 1e-4 for part in (moved.min(0), moved.max(0)))
    width, height = (np.ceil(most) - np.floor(least)).astype(int).tolist()
    return height, width


def sampled(img: Tensor, matrix: Sequence[float], mode: InterpolationMode, size: Sequence[int], fill: Any) -> Tensor:
    """A tensor (..., height, width) read at the places that a matrix gives for a result of a size."""
    wide, high = get_image_size(img)
    rows, columns = (np.arange(n) + 0.5 * (1 - n) for n in size)
    places = np.stack([*np.meshgrid(columns, rows), np.ones(tuple(size))], -1).astype(grid_dtype(img))
    theta = np.array(matrix, places.dtype).reshape(2, 3) / np.array([[0.5 * wide], [0.5 * high]], places.dtype)
    return read_at(img, new_tensor(places @ theta.T), mode, fill)


def grid_dtype(img: Tensor) -> Any:
    """The type of the places that an image is read at."""
    return img._array.dtype if img.is_floating_point() else np.float32


def read_at(img: Tensor, grid: Tensor, mode: InterpolationMode, fill: Any) -> Tensor:
    """A tensor (..., height, width) read at places (height, width, 2), from -1 to 1.

    ValueError unless the interpolation is nearest or bilinear.
    """
    if mode not in (InterpolationMode.NEAREST, InterpolationMode.BILINEAR):
        raise ValueError(f"The interpolation {mode.value} is for Pillow's images: tensors take nearest and bilinear.")
    real = img if img.is_floating_point() else img.to(dtypes.float32)
    batch = real.reshape(-1, *real.shape[-3:])
    if fill is not None:
        batch = cat([batch, batch.new_ones(len(batch), 1, *batch.shape[-2:])], 1)
    found = grid_sample(batch, grid.expand(len(batch), *grid.shape), mode.value, "zeros", align_corners=False)
    if fill is not None:
        found = filled(found[:, :-1], found[:, -1:], fill, mode)
    found = found if img.is_floating_point() else found.round().to(img.dtype)
    return found.reshape(*img.shape[:-2], *grid.shape[:2])


def filled(found: Tensor, inside: Tensor, fill: Any, mode: InterpolationMode) -> Tensor:
    """An image with a value outside of a mask, for all channels or one for each."""
    values = fill if isinstance(fill, (list, tuple)) else [fill]
    value = new_tensor(np.array(values, found._array.dtype).reshape(1, -1, 1, 1)).expand_as(found)
    if mode is InterpolationMode.NEAREST:
        return found.where(inside >= 0.5, value)
    return found * inside + (1.0 - inside) * value
