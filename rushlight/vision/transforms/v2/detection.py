"""Transforms of boxes, and of images with boxes."""
# ruff: noqa: D102 (a transform does what its class says)

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.core.graph import new_tensor
from rushlight.ops.randomness.random_tensors import rand, randint, randperm
from rushlight.tensors import Tensor
from rushlight.utils.pytree import tree_flatten, tree_unflatten
from rushlight.vision.ops.boxes import box_iou
from rushlight.vision.transforms.pixel_changes import uniform
from rushlight.vision.transforms.sizes import InterpolationMode
from rushlight.vision.transforms.v2 import functional
from rushlight.vision.transforms.v2.base import Transform
from rushlight.vision.transforms.v2.functional.boxes import are_valid
from rushlight.vision.transforms.v2.samples import IMAGES, get_bounding_boxes, query_chw, query_size, whole
from rushlight.vision.tv_tensors.boxes import BoundingBoxes, BoundingBoxFormat, converted
from rushlight.vision.tv_tensors.kinds import Mask, wrap

__all__ = [
    "ClampBoundingBoxes",
    "ConvertBoundingBoxFormat",
    "RandomChannelPermutation",
    "RandomIoUCrop",
    "RandomPhotometricDistort",
    "RandomResize",
    "RandomShortestSize",
    "RandomZoomOut",
    "SanitizeBoundingBoxes",
    "ScaleJitter",
    "SetClampingMode",
]


def between(low: float, high: float, n: int = 1) -> Any:
    """Random numbers between two bounds, drawn as torchvision draws them."""
    return (low + (high - low) * rand(n)).numpy()


class OfBoxes(Transform):
    """Base class of transforms that change boxes alone."""

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        return {}

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return self.changed(inpt) if isinstance(inpt, BoundingBoxes) else inpt

    def changed(self, boxes: BoundingBoxes) -> Any:
        """For subclasses: the changed boxes."""
        raise NotImplementedError


class ConvertBoundingBoxFormat(OfBoxes):
    """Converts boxes to another format."""

    def __init__(self, format: str | BoundingBoxFormat):
        super().__init__()
        self.format = format

    def changed(self, boxes: BoundingBoxes) -> Any:
        return functional.convert_bounding_box_format(boxes, new_format=self.format)


class ClampBoundingBoxes(OfBoxes):
    """Cuts boxes at the edges of their image."""

    def __init__(self, clamping_mode: str | None = "auto"):
        super().__init__()
        self.clamping_mode = clamping_mode

    def changed(self, boxes: BoundingBoxes) -> Any:
        return functional.clamp_bounding_boxes(boxes, clamping_mode=self.clamping_mode)


class SetClampingMode(OfBoxes):
    """Sets whether later changes cut boxes at the edges of their image: "soft", "hard" or None."""

    def __init__(self, clamping_mode: str | None):
        super().__init__()
        self.clamping_mode = clamping_mode

    def changed(self, boxes: BoundingBoxes) -> Any:
        return wrap(boxes.clone(), like=boxes, clamping_mode=self.clamping_mode)


class SanitizeBoundingBoxes(Transform):
    """Removes boxes that are too small or reach out of the image, with their labels and masks.

    The labels are those under "labels" in the dict that is the input, or the second of the inputs; or `labels_getter`
    finds them in the input: one tensor, or several. None if there are none.
    """

    def __init__(
        self,
        min_size: float = 1.0,
        min_area: float = 1.0,
        labels_getter: Callable[[Any], Any] | str | None = "default",
    ):
        super().__init__()
        if min_size < 1 or min_area < 1:
            raise ValueError(f"min_size and min_area must be >= 1, got {min_size} and {min_area}.")
        self.min_size, self.min_area, self.labels_getter = min_size, min_area, labels_getter

    def forward(self, *inputs: Any) -> Any:
        given = whole(inputs)
        getter = labels_of if self.labels_getter == "default" else self.labels_getter
        found = getter(given) if callable(getter) else ()
        labels = [found] if isinstance(found, Tensor) else list(found or ())
        flat, structure = tree_flatten(given)
        boxes = get_bounding_boxes(flat)
        for label in labels:
            if not isinstance(label, Tensor):
                raise ValueError(f"The labels in the input must be a tensor or None, got {type(label)} instead.")
            if len(label) != len(boxes):
                raise ValueError(f"Number of boxes ({len(boxes)}) must match the number of labels ({len(label)}).")
        valid = are_valid(boxes, self.min_size, self.min_area)
        for k, one in enumerate(flat):
            if any(one is label for label in labels):
                flat[k] = one[valid]
            elif isinstance(one, BoundingBoxes) or (isinstance(one, Mask) and one.ndim == 3 and len(one) == len(valid)):
                flat[k] = wrap(one[valid], like=one)
        return tree_unflatten(flat, structure)


def labels_of(given: Any) -> Any:
    """The labels in an input. ValueError if it has none."""
    second = given[1] if isinstance(given, (tuple, list)) else given
    if isinstance(second, Tensor):
        return second
    names = list(second) if isinstance(second, dict) else []
    for name in sorted(names, key=lambda name: str(name).lower() != "labels"):
        if "label" in str(name).lower():
            return second[name]
    raise ValueError(
        "Could not infer where the labels are in the sample. Try passing a callable as the labels_getter parameter? "
        "If there are no labels in the sample by design, pass labels_getter=None."
    )


class RandomZoomOut(Transform):
    """Pads images by a random amount, with probability `p`: sides get up to `side_range` times as long."""

    def __init__(self, fill: Any = 0, side_range: Sequence[float] = (1.0, 4.0), p: float = 0.5):
        super().__init__()
        if side_range[0] < 1.0 or side_range[0] > side_range[1]:
            raise ValueError(f"Invalid side range provided {side_range}.")
        self.fill, self.side_range, self.p = fill, side_range, p

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        if float(rand(1)) >= self.p:
            return {}
        high, wide = query_size(flat_inputs)
        ratio = between(self.side_range[0], self.side_range[1])[0]
        width, height = int(wide * ratio), int(high * ratio)
        across, down = rand(2).numpy()
        left, top = int((width - wide) * across), int((height - high) * down)
        return {"padding": [left, top, width - left - wide, height - top - high]}

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        fill = self.fill.get(type(inpt), 0) if isinstance(self.fill, dict) else self.fill
        return functional.pad(inpt, params["padding"], fill) if params else inpt


class RandomIoUCrop(Transform):
    """Crops a random rectangle that overlaps some box enough (W. Liu et al., 2016).

    Boxes whose center is outside become 0: `SanitizeBoundingBoxes` removes them.
    """

    def __init__(
        self,
        min_scale: float = 0.3,
        max_scale: float = 1.0,
        min_aspect_ratio: float = 0.5,
        max_aspect_ratio: float = 2.0,
        sampler_options: list[float] | None = None,
        trials: int = 40,
    ):
        super().__init__()
        self.min_scale, self.max_scale, self.trials = min_scale, max_scale, trials
        self.min_aspect_ratio, self.max_aspect_ratio = min_aspect_ratio, max_aspect_ratio
        self.options = [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0] if sampler_options is None else sampler_options

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        size, boxes = query_size(flat_inputs), get_bounding_boxes(flat_inputs)
        corners = converted(boxes.as_subclass(Tensor), boxes.format, BoundingBoxFormat.XYXY)
        while True:
            least = self.options[int(randint(0, len(self.options), size=(1,)))]
            if least >= 1.0:  # the image as it is
                return {}
            for _ in range(self.trials):
                found = self.tried(size, corners, least)
                if found is not None:
                    return found

    def tried(self, size: tuple[int, int], corners: Tensor, least: float) -> dict[str, Any] | None:
        """A random rectangle; None if it has a wrong shape, or does not overlap a box enough."""
        high, wide = size
        across, down = between(self.min_scale, self.max_scale, 2)
        width, height = int(wide * across), int(high * down)
        if not self.min_aspect_ratio <= width / height <= self.max_aspect_ratio:
            return None
        across, down = rand(2).numpy()
        left, top = int((wide - width) * across), int((high - height) * down)
        if not width or not height:
            return None
        right, bottom = left + width, top + height
        x, y = 0.5 * (corners[..., 0] + corners[..., 2]), 0.5 * (corners[..., 1] + corners[..., 3])
        inside = (left < x) & (x < right) & (top < y) & (y < bottom)
        if not bool(inside.any()):
            return None
        rectangle = new_tensor(np.array([[left, top, right, bottom]], corners._array.dtype))
        if float(box_iou(corners[inside], rectangle).max()) < least:
            return None
        return {"place": (top, left, height, width), "inside": inside}

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        if not params:
            return inpt
        output = functional.crop(inpt, *params["place"])
        if isinstance(output, BoundingBoxes):
            return wrap(output.masked_fill(~params["inside"][:, None], 0), like=output)
        return output


class Resizing(Transform):
    """Base class of transforms that resize to a size that they draw."""

    def __init__(self, interpolation: Any = InterpolationMode.BILINEAR, antialias: bool | None = True):
        super().__init__()
        self.interpolation, self.antialias = interpolation, antialias

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return functional.resize(inpt, params["size"], self.interpolation, antialias=self.antialias)


class ScaleJitter(Resizing):
    """Resizes images to a random part, of `scale_range`, of the largest size that fits into `target_size`."""

    def __init__(
        self,
        target_size: tuple[int, int],
        scale_range: tuple[float, float] = (0.1, 2.0),
        interpolation: Any = InterpolationMode.BILINEAR,
        antialias: bool | None = True,
    ):
        super().__init__(interpolation, antialias)
        self.target_size, self.scale_range = target_size, scale_range

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        high, wide = query_size(flat_inputs)
        ratio = min(self.target_size[1] / high, self.target_size[0] / wide) * between(*self.scale_range)[0]
        return {"size": (int(high * ratio), int(wide * ratio))}


class RandomShortestSize(Resizing):
    """Resizes images so that the shorter side is one of `min_size`, and the longer one at most `max_size`."""

    def __init__(
        self,
        min_size: int | Sequence[int],
        max_size: int | None = None,
        interpolation: Any = InterpolationMode.BILINEAR,
        antialias: bool | None = True,
    ):
        super().__init__(interpolation, antialias)
        self.min_size = [min_size] if isinstance(min_size, int) else list(min_size)
        self.max_size = max_size

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        high, wide = query_size(flat_inputs)
        ratio = self.min_size[int(randint(len(self.min_size), ()))] / min(high, wide)
        if self.max_size is not None:
            ratio = min(ratio, self.max_size / max(high, wide))
        return {"size": (int(high * ratio), int(wide * ratio))}


class RandomResize(Resizing):
    """Resizes images so that the shorter side is between `min_size` and `max_size`."""

    def __init__(
        self,
        min_size: int,
        max_size: int,
        interpolation: Any = InterpolationMode.BILINEAR,
        antialias: bool | None = True,
    ):
        super().__init__(interpolation, antialias)
        self.min_size, self.max_size = min_size, max_size

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        return {"size": [int(randint(self.min_size, self.max_size, ()))]}


class RandomChannelPermutation(Transform):
    """Puts the channels of images in a random order."""

    kinds = IMAGES

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        return {"permutation": randperm(query_chw(flat_inputs)[0])}

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return functional.permute_channels(inpt, params["permutation"])


class RandomPhotometricDistort(Transform):
    """Changes brightness, contrast, saturation, hue and the order of channels, each with probability `p`."""

    kinds = IMAGES

    def __init__(
        self,
        brightness: tuple[float, float] = (0.875, 1.125),
        contrast: tuple[float, float] = (0.5, 1.5),
        saturation: tuple[float, float] = (0.5, 1.5),
        hue: tuple[float, float] = (-0.05, 0.05),
        p: float = 0.5,
    ):
        super().__init__()
        self.brightness, self.contrast, self.saturation, self.hue, self.p = brightness, contrast, saturation, hue, p

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        channels = query_chw(flat_inputs)[0]
        factors: dict[str, Any] = {}
        for name in ("brightness", "contrast", "saturation", "hue"):
            chosen = float(rand(1)) < self.p
            factors[name] = uniform(*getattr(self, name)) if chosen else None
        early = float(rand(())) < 0.5
        order = randperm(channels) if float(rand(1)) < self.p else None
        names = (
            ["brightness", "contrast", "saturation", "hue"]
            if early
            else ["brightness", "saturation", "hue", "contrast"]
        )
        return {"factors": [(name, factors[name]) for name in names if factors[name] is not None], "order": order}

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        for name, factor in params["factors"]:
            inpt = getattr(functional, f"adjust_{name}")(inpt, factor)
        return inpt if params["order"] is None else functional.permute_channels(inpt, params["order"])
