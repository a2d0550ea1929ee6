"""Functions of `torch.nn.functional` under the module name that some saved files have for them."""

from typing import Any

from rushlight import dtypes
from rushlight.absent.misses import no_such_name as _no_such_name
from rushlight.devices import device as _device
from rushlight.nn import functional
from rushlight.tensors import Tensor


def __getattr__(name: str) -> Any:
    """The function of a name."""
    found = getattr(functional, name, None)
    if found is None:
        raise _no_such_name(__name__, name)
    return found


def _parse_to(
    *args: Any, device: Any = None, dtype: Any = None, non_blocking: bool = False, memory_format: Any = None
) -> tuple[Any, ...]:
    """The arguments of `Module.to` as a tuple: device, dtype, non_blocking, and memory format.

    >>> import rushlight as torch
    >>> torch._C._nn._parse_to("cpu", torch.float64)
    (device(type='cpu'), torch.float64, False, None)
    """
    given = list(args)
    if given and isinstance(given[0], Tensor):
        other = given.pop(0)
        device, dtype = other.device, other.dtype
    elif given and isinstance(given[0], dtypes.dtype):
        dtype = given.pop(0)
    elif given:
        device = given.pop(0)
        if given and not isinstance(given[0], bool):
            dtype = given.pop(0)
    if given:
        non_blocking = given.pop(0)
    return None if device is None else _device(device), dtype, bool(non_blocking), memory_format
