"""`TVTensor` and its classes for images, videos and masks."""

from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any, Self, cast

from rushlight._C import DisableTorchFunctionSubclass
from rushlight.ops.making.from_data import as_tensor
from rushlight.overrides.listing import plain_name
from rushlight.tensors import Tensor
from rushlight.vision.transforms.basics import is_picture
from rushlight.vision.transforms.pixels import pil_to_tensor
from rushlight.vision.transforms.sizes import InterpolationMode

__all__ = ["Image", "Mask", "TVTensor", "Video", "set_return_type", "wrap"]

KEPT = {"clone", "to", "detach", "requires_grad_"}  # methods with results of the tensor's class; others' are plain
_keeps = False  # whether all functions have results of the class


class TVTensor(Tensor):
    """Base class: a tensor with a class of its own; functions of it, except copies, return plain tensors."""

    def __new__(cls, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool | None = None) -> Self:
        """An object of the class with the data of a tensor, an array, a list or a PIL image."""
        given = pil_to_tensor(data) if is_picture(data) else data
        needs_grad = isinstance(given, Tensor) and given.requires_grad if requires_grad is None else requires_grad
        tensor = as_tensor(given, dtype=dtype, device=device).requires_grad_(needs_grad)
        return cls.of(cls.checked(tensor))

    @classmethod
    def checked(cls, tensor: Tensor) -> Tensor:
        """For subclasses: the tensor with the dimensions of the class. ValueError if it has others."""
        return tensor

    @classmethod
    def wrap(cls, tensor: Tensor, like: Any, **attributes: Any) -> Self:
        """For subclasses: a tensor as one of the class, with the attributes of another one, or others."""
        return cls.of(tensor)

    @classmethod
    def of(cls, tensor: Tensor) -> Self:
        """A tensor, plain or of such a class, as one of the class, without attributes."""
        with DisableTorchFunctionSubclass():
            return cast("Self", tensor.as_subclass(cls))

    @classmethod
    def __torch_function__(
        cls, func: Callable[..., Any], types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if not all(issubclass(cls, kind) for kind in types):
            return NotImplemented
        with DisableTorchFunctionSubclass():
            found = func(*args, **kwargs or {})
        like = next((value for value in args if isinstance(value, cls)), None)
        if like is not None and (_keeps or (plain_name(func) in KEPT and like is args[0])):
            return wrapped(found, like)
        return found.as_subclass(Tensor) if isinstance(found, cls) else found

    def changed_by(self, function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
        """The tensor changed by a function of images."""
        return wrapped(function(self.as_subclass(Tensor), *args, **kwargs), self)

    def __deepcopy__(self, memo: Any) -> Self:
        return cast("Self", self.detach().clone().requires_grad_(self.requires_grad))


class Image(TVTensor):
    """An image (..., channels, height, width).

    >>> import rushlight as torch
    >>> from rushlight.vision.tv_tensors import Image
    >>> image = Image([[0.0, 1.0]])
    >>> image.shape, type(image.clone()).__name__, type(image + 1).__name__
    (torch.Size([1, 1, 2]), 'Image', 'Tensor')
    """

    @classmethod
    def checked(cls, tensor: Tensor) -> Tensor:
        """The tensor, with a dimension for channels."""
        if tensor.ndim < 2:
            raise ValueError(f"An image has two dimensions at least: (height, width), not {tensor.ndim}.")
        return tensor.unsqueeze(0) if tensor.ndim == 2 else tensor


class Video(TVTensor):
    """A video (..., time, channels, height, width)."""

    @classmethod
    def checked(cls, tensor: Tensor) -> Tensor:
        """The tensor."""
        if tensor.ndim < 4:
            raise ValueError(f"A video has four dimensions: (time, channels, height, width), not {tensor.ndim}.")
        return tensor


class Mask(TVTensor):
    """Masks (..., height, width): where objects are, or of which class pixels are. Their values are never mixed."""

    def changed_by(self, function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
        """The masks changed as an image is, with the values of the nearest pixels."""
        bound = signature(function).bind(self.as_subclass(Tensor), *args, **kwargs)
        image = next(iter(bound.arguments))
        if "interpolation" in signature(function).parameters:
            bound.arguments["interpolation"] = InterpolationMode.NEAREST
        if self.ndim == 2:
            bound.arguments[image] = bound.arguments[image].unsqueeze(0)
            return wrap(function(*bound.args, **bound.kwargs).squeeze(0), like=self)
        return wrap(function(*bound.args, **bound.kwargs), like=self)


def wrap(wrappee: Tensor, *, like: TVTensor, **kwargs: Any) -> Any:
    """A tensor as one of the class of another, with its attributes, or others."""
    return type(like).wrap(wrappee, like, **kwargs)


def wrapped(found: Any, like: TVTensor) -> Any:
    """A result with its plain tensors as those of a class."""
    if isinstance(found, (tuple, list)):
        return type(found)(wrapped(part, like) for part in found)
    return wrap(found, like=like) if isinstance(found, Tensor) and not isinstance(found, type(like)) else found


class set_return_type:
    """Sets whether functions of these tensors return plain tensors ("Tensor") or the class ("TVTensor").

    As a context it sets this inside.
    """

    def __init__(self, return_type: str):
        global _keeps
        kinds = {"tensor": False, "tvtensor": True}
        if return_type.lower() not in kinds:
            raise ValueError(f"return_type must be Tensor or TVTensor, got {return_type}.")
        self._before = _keeps
        _keeps = kinds[return_type.lower()]

    def __enter__(self) -> None:
        """Nothing: the type is set already."""

    def __exit__(self, *exception: object) -> None:
        global _keeps
        _keeps = self._before
