"""Converting all parameters and buffers of a module and its submodules to another dtype or device."""

from collections.abc import Callable
from typing import Any, Self

from rushlight import dtypes
from rushlight.core.advice import advised
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.kinds import kind_of
from rushlight.core.lines import warn
from rushlight.core.meta import COPIED_OUT
from rushlight.devices import CPU, device
from rushlight.devices import device as Device
from rushlight.nn.modules.base.traversal import Traversal
from rushlight.ops.making.creation import empty_like
from rushlight.tensors import Tensor


class Conversion(Traversal):
    """Converts a module in place: parameters stay the same objects, with new memory."""

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Replaces every parameter, gradient and buffer by `fn` of it; parameters stay the same objects."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        for parameter in self._parameters.values():
            if parameter is not None:
                parameter._array = fn(parameter)._settled()
                if parameter.grad is not None:
                    parameter.grad._array = fn(parameter.grad)._settled()
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Converts floating-point parameters and buffers: `to(dtype)`, `to(device, dtype)`, `to(tensor)`.

        The device is "cpu" or "meta"; NotImplementedError for going back from "meta". TypeError for an integer dtype.
        With `memory_format`, parameters and buffers of 4 or 5 dimensions get that order in memory.

        >>> import rushlight as torch
        >>> torch.nn.Linear(2, 3).to(torch.float64).weight.dtype
        torch.float64
        """
        dtype, place, format = target(*args, **kwargs)
        if place is not None:
            self._apply(lambda t: on_device(t, place))
        if dtype is not None:
            self._to_dtype(dtype)
        if format is not None:
            self._apply(lambda t: t.to(memory_format=format) if t.ndim in (4, 5) else t)
        return self

    def _to_dtype(self, dtype: dtypes.dtype) -> None:
        """Converts floating-point and complex parameters and buffers."""
        if not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(
                advised(
                    "nn.Module.to only accepts floating point or complex dtypes, but got desired dtype=" + str(dtype)
                )
            )
        if dtype.is_complex:
            warn(
                "Complex modules are a new feature under active development whose design may change, and some modules "
                "might not work as expected when using complex tensors as parameters or buffers.",
            )
        self._apply(lambda t: cast(t, dtype, "fc"))

    def type(self, dst_type: dtypes.dtype) -> Self:
        """Converts all parameters and buffers, including integers, to a dtype."""
        return self._apply(lambda t: cast(t, dst_type, "biufc"))

    def float(self) -> Self:
        """Converts floating-point parameters and buffers to float32."""
        return self._apply(lambda t: cast(t, dtypes.float32, "f"))

    def double(self) -> Self:
        """Converts floating-point parameters and buffers to float64."""
        return self._apply(lambda t: cast(t, dtypes.float64, "f"))

    def half(self) -> Self:
        """Converts floating-point parameters and buffers to float16."""
        return self._apply(lambda t: cast(t, dtypes.float16, "f"))

    def bfloat16(self) -> Self:
        """Converts floating-point parameters and buffers to bfloat16."""
        return self._apply(lambda t: cast(t, dtypes.bfloat16, "f"))

    def cpu(self) -> Self:
        """Returns the module, which is on the CPU already; NotImplementedError if it is on "meta"."""
        return self._apply(lambda t: on_device(t, CPU))

    def cuda(self, device: int | device | None = None) -> Self:
        """Raises the error of `Tensor.cuda`, as there is no CUDA, unless the module has no parameters and buffers."""
        return self._apply(lambda t: t.cuda(device))

    def to_empty(self, *, device: str | device | None, recurse: bool = True) -> Self:
        """Gives all parameters and buffers new, uninitialized memory on a device."""
        return self._apply(lambda t: empty_like(t, device=device), recurse)

    def share_memory(self) -> Self:
        """Moves all parameters and buffers to shared memory; see `Tensor.share_memory_`."""
        return self._apply(lambda t: t.share_memory_())


def on_device(tensor: Tensor, device: Device) -> Tensor:
    """The tensor on a device; NotImplementedError from "meta" to the CPU, as there are no values."""
    if tensor.is_meta and device.type == "cpu":
        raise NotImplementedError(
            f"{COPIED_OUT} Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() when moving module "
            "from meta to a different device."
        )
    return tensor.to(device)


def cast(tensor: Tensor, dtype: Any, kinds: str) -> Tensor:
    """A tensor in another dtype if it is of one of the given kinds, else the tensor itself."""
    array = tensor._array
    if array is None:  # a sparse tensor
        return tensor.to(dtype) if kind_of(tensor.dtype._numpy) in kinds else tensor
    if kind_of(array.dtype) not in kinds or array.dtype == dtype._numpy:
        return tensor
    return new_tensor(array.astype(dtype._numpy))


def target(
    *args: str,
    dtype: Any = None,
    device: Any = None,
    tensor: Any = None,
    non_blocking: bool = False,
    copy: bool = False,
    memory_format: Any = None,
) -> Any:
    """The dtype, device and memory format that the arguments of `Module.to` specify, None if not given."""
    for arg in args:
        if isinstance(arg, dtypes.dtype):
            dtype = arg
        elif isinstance(arg, TensorBase):
            tensor = arg
        elif not isinstance(arg, bool):
            device = arg
    if tensor is not None:
        dtype, device = tensor.dtype, tensor.device
    return dtype, device if device is None or isinstance(device, Device) else Device(device), memory_format
