"""`torchvision.utils`: grids of images, image files, drawing boxes."""

import math
from pathlib import Path
from typing import Any, BinaryIO

from rushlight.ops.making.from_data import from_numpy
from rushlight.ops.shapes.joining import cat, stack
from rushlight.tensors import Tensor

__all__ = ["draw_bounding_boxes", "make_grid", "save_image"]


def make_grid(
    tensor: Any,
    nrow: int = 8,
    padding: int = 2,
    normalize: bool = False,
    value_range: tuple[Any, ...] | None = None,
    scale_each: bool = False,
    pad_value: float = 0.0,
) -> Tensor:
    """Images (n, channels, height, width), or a list of them, in one image as a grid with `nrow` columns.

    Gray images get three channels. With `normalize`, the values from the smallest to the largest (or `value_range`) are
    scaled to 0 to 1.

    >>> import rushlight as torch
    >>> from rushlight.vision.utils import make_grid
    >>> make_grid(torch.zeros(5, 1, 4, 4), nrow=3).shape
    torch.Size([3, 14, 20])
    """
    if not isinstance(tensor, Tensor) and not (isinstance(tensor, list) and all(isinstance(t, Tensor) for t in tensor)):
        raise TypeError(f"tensor or list of tensors expected, got {type(tensor)}")
    images = stack(tensor, 0) if isinstance(tensor, list) else tensor
    if images.dim() == 2:
        images = images.unsqueeze(0)
    if images.dim() == 3:
        images = (cat((images,) * 3, 0) if images.shape[0] == 1 else images).unsqueeze(0)
    if images.dim() == 4 and images.shape[1] == 1:
        images = cat((images,) * 3, 1)
    if normalize:
        images = normalized(images.clone(), value_range, scale_each)
    if images.shape[0] == 1:
        return images.squeeze(0)
    count, channels = images.shape[:2]
    columns = min(nrow, count)
    rows = math.ceil(count / columns)
    height, width = images.shape[2] + padding, images.shape[3] + padding
    grid = images.new_full((channels, height * rows + padding, width * columns + padding), pad_value)
    for k in range(count):
        top, left = k // columns * height + padding, k % columns * width + padding
        grid[:, top : top + height - padding, left : left + width - padding] = images[k]
    return grid


def normalized(images: Tensor, value_range: tuple[Any, ...] | None, scale_each: bool) -> Tensor:
    """Images with values scaled to 0 to 1, all together or (`scale_each`) separately."""
    if value_range is not None and not isinstance(value_range, tuple):
        raise TypeError("value_range has to be a tuple (min, max) if specified. min and max are numbers")
    for part in images if scale_each else (images,):
        low, high = (part.min().item(), part.max().item()) if value_range is None else value_range
        part.clamp_(low, high).sub_(low).div_(max(high - low, 1e-5))
    return images


def save_image(tensor: Any, fp: str | Path | BinaryIO, format: str | None = None, **kwargs: Any) -> None:
    """Writes images with values from 0 to 1 to a file, arranged by `make_grid`."""
    from PIL import Image

    grid = make_grid(tensor, **kwargs)
    pixels = (grid * 255 + 0.5).clamp(0, 255)
    Image.fromarray(pixels.permute(1, 2, 0).byte().numpy()).save(fp, format=format)


def draw_bounding_boxes(
    image: Tensor,
    boxes: Tensor,
    labels: list[Any] | None = None,
    colors: Any = None,
    fill: bool = False,
    width: int = 1,
    font: str | None = None,
    font_size: int | None = None,
) -> Tensor:
    """A uint8 image (3, height, width) with boxes (x1, y1, x2, y2) and labels drawn on it by Pillow."""
    import numpy as np
    from PIL import Image, ImageDraw, ImageFont

    if image.dim() != 3 or image.shape[0] not in (1, 3):
        raise ValueError("Pass individual images of 1 or 3 channels, not batches")
    array = image.expand(3, -1, -1).permute(1, 2, 0).byte().numpy()
    picture = Image.fromarray(np.ascontiguousarray(array))
    pen = ImageDraw.Draw(picture, "RGBA" if fill else None)
    letters = ImageFont.truetype(font, font_size or 10) if font else ImageFont.load_default()
    names = labels or [None] * len(boxes)
    if len(names) != len(boxes):
        raise ValueError(
            f"Number of boxes ({len(boxes)}) and labels ({len(names)}) mismatch. Please specify labels for each box."
        )
    for i, (box, name) in enumerate(zip(boxes.tolist(), names, strict=True)):
        color = colors[i] if isinstance(colors, list) else colors or (255, 255, 255)
        inside = (*color, 100) if fill and isinstance(color, tuple) else None
        pen.rectangle(box, width=width, outline=color, fill=inside)
        if name is not None:
            pen.text((box[0] + width, box[1] + width), name, fill=color, font=letters)
    return from_numpy(np.array(picture)).permute(2, 0, 1)
