"""Regions of images resized to one size: by interpolation (K. He et al., 2017), or by maxima (R. Girshick, 2015)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight import nn
from rushlight.core.graph import new_tensor
from rushlight.nn.functional import adaptive_max_pool2d
from rushlight.ops.shapes.joining import cat, stack
from rushlight.tensors import Tensor
from rushlight.vision.transforms.basics import pair

__all__ = ["RoIAlign", "RoIPool", "roi_align", "roi_pool"]

Size = int | Sequence[int]


def rows_of(boxes: Tensor | Sequence[Tensor]) -> Any:
    """Boxes as an array of the image's number and the corners; a list has the boxes of each image."""
    if isinstance(boxes, Tensor):
        if boxes.dim() != 2 or boxes.shape[1] != 5:
            raise ValueError("The boxes tensor shape is not correct as Tensor[K, 5]")
        return boxes.detach()._settled()
    parts = []
    for number, some in enumerate(boxes):
        if some.shape[-1] != 4:
            raise ValueError("The shape of the tensor in the boxes list is not correct as List[Tensor[L, 4]]")
        corners = some.detach()._settled()
        parts.append(np.concatenate([np.full((len(corners), 1), number, corners.dtype), corners], 1))
    return np.concatenate(parts)


def roi_align(
    input: Tensor,
    boxes: Tensor | Sequence[Tensor],
    output_size: Size,
    spatial_scale: float = 1.0,
    sampling_ratio: int = -1,
    aligned: bool = False,
) -> Tensor:
    """The regions of images (N, C, H, W) in boxes, resized: the mean of interpolated values in each of their bins.

    Boxes are (x1, y1, x2, y2), in a list for each image, or with its number before them; they are multiplied by
    `spatial_scale`. A bin has `sampling_ratio` values along each dimension, or as many as it has pixels. `aligned`
    has pixels' middles at half coordinates. Gradients are those of the images, not of the boxes.

    >>> import rushlight as torch
    >>> from rushlight.vision.ops import roi_align
    >>> roi_align(torch.arange(16.0).reshape(1, 1, 4, 4), [torch.tensor([[0.0, 0, 2, 2]])], 1)
    tensor([[[[5.]]]])
    """
    rows, (high, wide) = rows_of(boxes), pair(output_size)
    found = []
    for number, *corners in rows.tolist():
        left, top, right, bottom = (one * spatial_scale - (0.5 if aligned else 0.0) for one in corners)
        least = 0.0 if aligned else 1.0
        down = weights(top, max(bottom - top, least), high, input.shape[-2], sampling_ratio)
        across = weights(left, max(right - left, least), wide, input.shape[-1], sampling_ratio)
        matrices = [new_tensor(one.astype(input._array.dtype)) for one in (down, across.T)]
        found.append(matrices[0] @ input[int(number)] @ matrices[1])
    return stack(found) if found else input.new_zeros(0, input.shape[1], high, wide)


def weights(start: float, length: float, bins: int, size: int, ratio: int) -> Any:
    """The matrix that takes the mean of interpolated values in each of the bins of a stretch of a line of pixels."""
    count = ratio if ratio > 0 else max(int(np.ceil(length / bins)), 1)
    step = length / bins
    places = start + (np.arange(bins)[:, None] + (np.arange(count) + 0.5) / count) * step
    inside = (places >= -1.0) & (places <= size)
    places = np.clip(places, 0.0, size - 1.0)
    low = places.astype(int)
    part = places - low
    matrix = np.zeros((bins, size))
    rows = np.broadcast_to(np.arange(bins)[:, None], places.shape)
    np.add.at(matrix, (rows, low), inside * (1 - part) / count)
    np.add.at(matrix, (rows, np.minimum(low + 1, size - 1)), inside * part / count)
    return matrix


def roi_pool(input: Tensor, boxes: Tensor | Sequence[Tensor], output_size: Size, spatial_scale: float = 1.0) -> Tensor:
    """The regions of images (N, C, H, W) in boxes of whole pixels, resized: the maximum of each of their bins."""
    rows, (high, wide) = rows_of(boxes), pair(output_size)
    found = []
    for number, *corners in rows.tolist():
        left, top, right, bottom = (int(np.floor(one * spatial_scale + 0.5)) for one in corners)
        image = input[int(number)]
        lines = (bins_of(top, bottom, high, image.shape[-2]), bins_of(left, right, wide, image.shape[-1]))
        cells = [
            adaptive_max_pool2d(image[:, y:v, x:u], 1) if v > y and u > x else image.new_zeros(len(image), 1, 1)
            for y, v in lines[0]
            for x, u in lines[1]
        ]
        found.append(cat(cells, -1).reshape(len(image), high, wide))
    return stack(found) if found else input.new_zeros(0, input.shape[1], high, wide)


def bins_of(first: int, last: int, count: int, size: int) -> list[tuple[int, int]]:
    """The stretches of pixels of the bins from the first to the last pixel of a region."""
    step = max(last - first + 1, 1) / count
    edges = [(int(np.floor(k * step)) + first, int(np.ceil((k + 1) * step)) + first) for k in range(count)]
    return [(min(max(low, 0), size), min(max(high, 0), size)) for low, high in edges]


class RoIAlign(nn.Module):
    """`roi_align` as a module."""

    output_size: Size
    spatial_scale: float
    sampling_ratio: int
    aligned: bool

    def __init__(self, output_size: Size, spatial_scale: float, sampling_ratio: int, aligned: bool = False):
        super().__init__()
        self.output_size, self.spatial_scale = output_size, spatial_scale
        self.sampling_ratio, self.aligned = sampling_ratio, aligned

    def forward(self, input: Tensor, rois: Tensor | Sequence[Tensor]) -> Tensor:
        """The regions, resized."""
        return roi_align(input, rois, self.output_size, self.spatial_scale, self.sampling_ratio, self.aligned)

    def __repr__(self) -> str:
        names = ("output_size", "spatial_scale", "sampling_ratio", "aligned")
        return f"RoIAlign({', '.join(f'{name}={getattr(self, name)}' for name in names)})"


class RoIPool(nn.Module):
    """`roi_pool` as a module."""

    output_size: Size
    spatial_scale: float

    def __init__(self, output_size: Size, spatial_scale: float):
        super().__init__()
        self.output_size, self.spatial_scale = output_size, spatial_scale

    def forward(self, input: Tensor, rois: Tensor | Sequence[Tensor]) -> Tensor:
        """The regions, resized."""
        return roi_pool(input, rois, self.output_size, self.spatial_scale)

    def __repr__(self) -> str:
        return f"RoIPool(output_size={self.output_size}, spatial_scale={self.spatial_scale})"
