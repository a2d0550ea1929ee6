"""Functions that warp images: seen from another point, or with each place moved by itself."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.core.graph import new_tensor
from rushlight.tensors import Tensor
from rushlight.vision.transforms.basics import Image, get_image_size, is_picture, keeping_kind
from rushlight.vision.transforms.pixels import pil_to_tensor, planes, to_pil_image
from rushlight.vision.transforms.sizes import InterpolationMode
from rushlight.vision.transforms.turning import filling, grid_dtype, pillow, read_at

__all__ = ["elastic_transform", "perspective"]


@keeping_kind
def perspective(
    img: Image,
    startpoints: Sequence[Sequence[int]],
    endpoints: Sequence[Sequence[int]],
    interpolation: Any = InterpolationMode.BILINEAR,
    fill: Any = None,
) -> Image:
    """An image whose corners [top left, top right, bottom right, bottom left] are moved: four (x, y) to four others."""
    mode = InterpolationMode(interpolation)
    numbers = coefficients(startpoints, endpoints)
    if not isinstance(img, Tensor):
        from PIL import Image as Pillow

        pic, kind = pillow(img), getattr(Pillow.Resampling, mode.name)
        method = Pillow.Transform.PERSPECTIVE
        return np.asarray(pic.transform(pic.size, method, numbers.tolist(), kind, fillcolor=filling(fill, pic)))
    wide, high = get_image_size(img)
    x, y = np.meshgrid(np.arange(wide) + 0.5, np.arange(high) + 0.5)
    places = np.stack([x, y, np.ones_like(x)], -1).astype(grid_dtype(img))
    rows = np.array([*numbers, 1.0], places.dtype).reshape(3, 3)
    moved = places @ (rows[:2] / np.array([[0.5 * wide], [0.5 * high]], places.dtype)).T
    return read_at(img, new_tensor(moved / (places @ rows[2:].T) - 1.0), mode, fill)


def coefficients(startpoints: Sequence[Sequence[int]], endpoints: Sequence[Sequence[int]]) -> Any:
    """The numbers a to h of the map (x, y) -> (ax + by + c, dx + ey + f) / (gx + hy + 1) from end to start points."""
    if len(startpoints) != 4 or len(endpoints) != 4:
        raise ValueError(
            f"Please provide exactly four corners, got {len(startpoints)} startpoints and {len(endpoints)} endpoints."
        )
    rows = []
    for (x, y), (u, v) in zip(endpoints, startpoints, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
    wanted = np.array(startpoints, np.float64).reshape(8)
    return np.linalg.lstsq(np.array(rows, np.float64), wanted, rcond=None)[0].astype(np.float32)


@keeping_kind
def elastic_transform(
    img: Image, displacement: Tensor, interpolation: Any = InterpolationMode.BILINEAR, fill: Any = None
) -> Image:
    """An image read at moved places: `displacement` is (1, height, width, 2), where 2 is the width or height."""
    if not isinstance(displacement, Tensor):
        raise TypeError("Argument displacement should be a Tensor")
    tensor, back = (pil_to_tensor(img), lambda one: to_pil_image(one, img.mode)) if is_picture(img) else planes(img)
    high, wide = tensor.shape[-2:]
    if tuple(displacement.shape) != (1, high, wide, 2):
        raise ValueError(f"Argument displacement shape should be {(1, high, wide, 2)}, but given {displacement.shape}")
    rows, columns = (np.linspace((1 - n) / n, (n - 1) / n, n, dtype=np.float32) for n in (high, wide))
    grid = new_tensor(np.stack(np.meshgrid(columns, rows), -1)) + displacement[0]
    values = [fill] if isinstance(fill, (int, float)) else fill
    grid = grid.to(tensor.dtype if tensor.is_floating_point() else dtypes.float32)
    return back(read_at(tensor, grid, InterpolationMode(interpolation), values))
