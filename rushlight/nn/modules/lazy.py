"""Lazy layers, which take a size from their first input; until then their parameters have no shape and no values."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

from rushlight.dtypes import dtype as Dtype
from rushlight.nn.modules.base.making import Device
from rushlight.nn.modules.batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from rushlight.nn.modules.conv import Conv1d, Conv2d, Conv3d
from rushlight.nn.modules.conv_transpose import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from rushlight.nn.modules.instancenorm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from rushlight.nn.modules.linear import Linear
from rushlight.nn.parameter import UninitializedBuffer, UninitializedParameter, is_lazy
from rushlight.tensors import Tensor

__all__ = [
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
    "LazyLinear",
]


class LazyModuleMixin:
    """Modules with uninitialized parameters: `initialize_parameters` creates them before the first call.

    Afterwards the module has the class `cls_to_become`, if that is given. A state dict loaded before the first call
    also determines the shapes. Parameters may be passed to an optimizer before: they stay the same objects.
    """

    cls_to_become: ClassVar[type | None] = None
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def __getattr__(self, name: str) -> Any:
        return super().__getattr__(name)  # type: ignore[misc]

    def _save_to_state_dict(self, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
        """Saves uninitialized parameters as they are, since they cannot be detached."""
        super()._save_to_state_dict(destination, prefix, keep_vars=True)  # type: ignore[misc]
        if not keep_vars:
            members = {**self._parameters, **self._persistent_buffers()}
            made = {name: member for name, member in members.items() if member is not None and not is_lazy(member)}
            destination.update({prefix + name: member.detach() for name, member in made.items()})

    def _lazy_load_hook(self, state_dict: Mapping[str, Any], prefix: str, *others: Any) -> None:
        """Gives uninitialized parameters the shapes in the state dict that is about to be loaded."""
        for name, member in {**self._parameters, **self._buffers}.items():
            value = state_dict.get(prefix + name)
            if is_lazy(member) and value is not None and not is_lazy(value):
                member.materialize(value.shape)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Creates the parameters, given the arguments of the first call; for subclasses to define."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self) -> bool:
        """Whether a parameter or buffer is uninitialized."""
        return any(is_lazy(member) for member in (*self._parameters.values(), *self._buffers.values()))

    def _infer_parameters(self, module: Self, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> None:
        """The forward pre-hook that initializes the parameters at the first call."""
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {type(self).__name__} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become


class LazyLayer(LazyModuleMixin):
    """A layer one of whose sizes, the attribute named by `size_name`, is taken from its first input."""

    size_name: ClassVar[str]

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(0, *args, **kwargs)
        for name, parameter in self._parameters.items():
            if parameter is not None:
                self._parameters[name] = UninitializedParameter(dtype=parameter.dtype)
        for name, buffer in self._buffers.items():
            if buffer is not None and buffer.dim():
                self._buffers[name] = UninitializedBuffer(dtype=buffer.dtype)

    def reset_parameters(self) -> None:
        """Initializes the parameters, once they have shapes."""
        if getattr(self, self.size_name):
            super().reset_parameters()  # type: ignore[misc]

    def size_of(self, input: Tensor) -> int:
        """The size to be taken from an input."""
        raise NotImplementedError

    def shape_of(self, name: str) -> tuple[int, ...]:
        """The shape of a parameter or buffer, once the size is known."""
        raise NotImplementedError

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Creates the parameters for the first input; the layer's other arguments do not matter for their shapes."""
        if self.has_uninitialized_params():
            setattr(self, self.size_name, self.size_of(input))
            for name, member in {**self._parameters, **self._buffers}.items():
                if is_lazy(member):
                    member.materialize(self.shape_of(name))
            self.reset_parameters()
        elif not getattr(self, self.size_name):  # the parameters were loaded from a state dict
            setattr(self, self.size_name, self.size_of(input))


class LazyLinear(LazyLayer, Linear):
    """`Linear` with `in_features` taken from its first input.

    IndexError for a first input without dimensions; later inputs raise the errors of `Linear`.

    >>> import rushlight as torch
    >>> layer = torch.nn.LazyLinear(3)
    >>> layer
    LazyLinear(in_features=0, out_features=3, bias=True)
    >>> layer(torch.ones(4, 2)).shape, layer
    (torch.Size([4, 3]), Linear(in_features=2, out_features=3, bias=True))
    """

    cls_to_become: ClassVar[type | None] = Linear
    size_name = "in_features"

    def __init__(self, out_features: int, bias: bool = True, device: Device = None, dtype: Dtype | None = None):
        super().__init__(out_features, bias, device, dtype)

    def size_of(self, input: Tensor) -> int:
        """The last size of an input."""
        if not input.dim():
            raise IndexError("tuple index out of range: LazyLinear takes (*, in_features), not a single number")
        return input.shape[-1]

    def shape_of(self, name: str) -> tuple[int, ...]:
        """The shape of the weight, or of the bias."""
        return (self.out_features, self.in_features) if name == "weight" else (self.out_features,)


class LazyConv(LazyLayer):
    """A convolution with `in_channels` taken from its first input."""

    size_name = "in_channels"

    def size_of(self, input: Tensor) -> int:
        """The number of channels of an input, batched or not."""
        n = self.dims
        if input.dim() not in (n + 1, n + 2):
            raise RuntimeError(
                f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {type(self).__name__}, but got input of "
                f"size: {input.shape}"
            )
        return input.shape[-n - 1]

    def shape_of(self, name: str) -> tuple[int, ...]:
        """The shape of the weight, or of the bias."""
        if name == "bias":
            return (self.out_channels,)
        first, second = (self.out_channels, self.in_channels)
        if self.transposed:
            first, second = second, first
        return (first, second // self.groups, *self.kernel_size)


class LazyNorm(LazyLayer):
    """A normalization with `num_features` taken from its first input."""

    size_name = "num_features"

    def size_of(self, input: Tensor) -> int:
        """The number of channels of an input."""
        self._check_input_dim(input)
        return input.shape[1]

    def shape_of(self, name: str) -> tuple[int, ...]:
        """The shape (num_features,)."""
        return (self.num_features,)


class LazyInstanceNorm(LazyNorm):
    """Instance normalization with `num_features` taken from its first input."""

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Device = None,
        dtype: Dtype | None = None,
        *,
        bias: bool = True,
    ):
        super().__init__(eps, momentum, affine, track_running_stats, device, dtype, bias=bias)


def lazy(form: type, layer: type) -> type:
    """The lazy variant of a layer class."""
    name = f"Lazy{layer.__name__}"
    size, options = form.size_name, "5, kernel_size=3" if form is LazyConv else "affine=True"  # type: ignore[attr-defined]
    error = "RuntimeError" if form is LazyConv else "ValueError"
    dimensions = int(layer.__name__[-2])
    shape = (1, 2, *[4] * dimensions)
    doc = f"""`{layer.__name__}` with `{size}` taken from its first input.

    {error} for a first input with a wrong number of dimensions; later inputs raise the errors of `{layer.__name__}`.

    >>> import rushlight as torch
    >>> layer = torch.nn.{name}({options})
    >>> result = layer(torch.rand({shape}))
    >>> layer.{size}
    2
    """
    made: type[Any] = type(name, (form, layer), {"cls_to_become": layer, "__doc__": doc, "__module__": __name__})
    if "__init__" not in vars(form):
        made.__init__ = without_size(made, layer)
    return made


def without_size(kind: type[Any], layer: type) -> Callable[..., None]:
    """The `__init__` of a lazy class: it takes what the layer takes, but for the size, which is its first argument."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        super(kind, self).__init__(*args, **kwargs)

    own, _, *others = inspect.signature(layer.__init__).parameters.values()  # type: ignore[misc]
    __init__.__signature__ = inspect.Signature([own, *others])  # type: ignore[attr-defined]
    return __init__


LazyConv1d: type[Any] = lazy(LazyConv, Conv1d)
LazyConv2d: type[Any] = lazy(LazyConv, Conv2d)
LazyConv3d: type[Any] = lazy(LazyConv, Conv3d)
LazyConvTranspose1d: type[Any] = lazy(LazyConv, ConvTranspose1d)
LazyConvTranspose2d: type[Any] = lazy(LazyConv, ConvTranspose2d)
LazyConvTranspose3d: type[Any] = lazy(LazyConv, ConvTranspose3d)
LazyBatchNorm1d: type[Any] = lazy(LazyNorm, BatchNorm1d)
LazyBatchNorm2d: type[Any] = lazy(LazyNorm, BatchNorm2d)
LazyBatchNorm3d: type[Any] = lazy(LazyNorm, BatchNorm3d)
LazyInstanceNorm1d: type[Any] = lazy(LazyInstanceNorm, InstanceNorm1d)
LazyInstanceNorm2d: type[Any] = lazy(LazyInstanceNorm, InstanceNorm2d)
LazyInstanceNorm3d: type[Any] = lazy(LazyInstanceNorm, InstanceNorm3d)
