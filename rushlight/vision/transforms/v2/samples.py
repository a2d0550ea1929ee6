"""Samples: images with their boxes and masks, which a transform changes alike."""

from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any

from rushlight.random import get_rng_state, set_rng_state
from rushlight.tensors import Tensor
from rushlight.utils.pytree import tree_flatten, tree_leaves, tree_unflatten
from rushlight.vision.transforms.basics import get_dimensions, get_image_size, is_picture
from rushlight.vision.tv_tensors.boxes import BoundingBoxes
from rushlight.vision.tv_tensors.kinds import Image, TVTensor, Video, wrapped

__all__ = [
    "changed_alike",
    "changing",
    "get_bounding_boxes",
    "is_image",
    "keep_classes",
    "query_chw",
    "query_size",
    "refuse",
    "whole",
]

IMAGES = (Image, Video)


def is_image(value: Any) -> bool:
    """Whether a value says that it is an image or a video."""
    return is_picture(value) or isinstance(value, IMAGES)


def changing(flat: list[Any], kinds: tuple[type, ...] = (TVTensor,)) -> list[int]:
    """The places among the inputs of what a transform changes: images, and other tensors of the given classes.

    Where nothing says that it is an image, the first plain tensor is one.
    """
    plain = [k for k, one in enumerate(flat) if isinstance(one, Tensor) and not isinstance(one, TVTensor)]
    first = [] if any(map(is_image, flat)) else plain[:1]
    return [k for k, one in enumerate(flat) if is_picture(one) or isinstance(one, kinds) or k in first]


def changed_alike(change: Callable[[Any], Any], inputs: tuple[Any, ...], kinds: tuple[type, ...]) -> Any:
    """The inputs, changed by a function that draws the same random numbers for each."""
    flat, structure = tree_flatten(whole(inputs))
    places = changing(flat, kinds)
    state = get_rng_state() if len(places) > 1 else None
    for k in places:
        if state is not None:
            set_rng_state(state)
        flat[k] = keeping_class(change)(flat[k])
    return tree_unflatten(flat, structure)


def refuse(inputs: Any, kinds: tuple[type, ...], name: str) -> None:
    """Raises TypeError for inputs of classes that a transform cannot change as it changes images."""
    for one in tree_leaves(inputs) if kinds else ():
        if isinstance(one, kinds):
            raise TypeError(f"Inputs of type {type(one).__name__} are not supported by {name}: leave them out.")


def whole(inputs: tuple[Any, ...]) -> Any:
    """What a transform was given: one input, or a tuple of several."""
    return inputs if len(inputs) > 1 else inputs[0]


def keeping_class(change: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function that gives plain tensors for images and videos give tensors of their class."""

    @wraps(change)
    def called(inpt: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(inpt, IMAGES):
            return change(inpt, *args, **kwargs)
        return wrapped(change(inpt.as_subclass(Tensor), *args, **kwargs), inpt)

    return called


def keep_classes(namespace: dict[str, Any]) -> None:
    """Makes the functions of a module keep the classes of images and videos."""
    for name, value in list(namespace.items()):
        if type(value) is FunctionType and name[0] != "_":
            namespace[name] = keeping_class(value)


def get_bounding_boxes(flat_inputs: list[Any]) -> BoundingBoxes:
    """The boxes of a sample. ValueError if there are none."""
    for one in flat_inputs:
        if isinstance(one, BoundingBoxes):
            return one
    raise ValueError("No bounding boxes were found in the sample: give tv_tensors.BoundingBoxes.")


def query_size(flat_inputs: list[Any]) -> tuple[int, int]:
    """The height and width that all images, masks and boxes of a sample have."""
    sizes = {tuple(get_image_size(flat_inputs[k])[::-1]) for k in changing(flat_inputs)}
    if len(sizes) > 1:
        raise ValueError(f"Found multiple HxW dimensions in the sample: {', '.join(map(str, sorted(sizes)))}")
    if not sizes:
        raise TypeError("No image, video, mask or bounding box was found in the sample")
    height, width = sizes.pop()
    return height, width


def query_chw(flat_inputs: list[Any]) -> tuple[int, int, int]:
    """The channels, height and width that all images of a sample have."""
    sizes = {tuple(get_dimensions(flat_inputs[k])) for k in changing(flat_inputs, IMAGES)}
    if len(sizes) > 1:
        raise ValueError(f"Found multiple CxHxW dimensions in the sample: {', '.join(map(str, sorted(sizes)))}")
    if not sizes:
        raise TypeError("No image or video was found in the sample")
    channels, height, width = sizes.pop()
    return channels, height, width
