"""The legacy constructors, which take sizes or data: `Tensor(2, 3)`, `FloatTensor([1, 2])`, `x.new(2)`."""

import math
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.devices import device as Device
from rushlight.ops.arguments.mismatch import C_NAMES
from rushlight.ops.arguments.options import sizes
from rushlight.ops.making.from_data import new_array, type_name
from rushlight.ops.making.nested import is_sequence
from rushlight.size import Size
from rushlight.storage_elements import StorageElements
from rushlight.tensors import Tensor, use_constructor

__all__: list[str] = []


def constructed(
    dtype: np.dtype, *given: Any, device: Any = None, size: Any = None, data: Any = None, cast: bool = True
) -> np.ndarray:
    """The array of a legacy constructor: uninitialized for sizes (one by one or as a `Size`), else with the data.

    The memory of a tensor or a storage is shared; with `cast`, it has to have the right dtype. TypeError for other
    arguments.
    """
    if device is not None and len(given) == 1 and isinstance(given[0], TensorBase):
        raise RuntimeError(
            "Legacy tensor constructor of the form torch.Tensor(tensor, device=device) is not supported.  Use "
            "torch.tensor(...) or torch.as_tensor(...) instead."
        )
    if device is not None and (kind := Device(device).type) != "cpu":
        raise RuntimeError(f"legacy constructor expects device type: cpu but device type: {kind} was passed")
    if size is not None or data is not None:
        given = (Size(size) if data is None else data,)
    if len(given) == 1 and isinstance(given[0], Size):
        return np.empty(sizes("new", (tuple(given[0]),)), dtype)
    if len(given) > 1 and not (is_size(given[0]) or holds_size(given[0])):
        kinds = ", ".join([type_name(type(value)) for value in given])
        raise TypeError(
            f"new() received an invalid combination of arguments - got ({kinds}), but expected sizes, one by one or as "
            "a torch.Size, or data alone, or a tensor or a storage"
        )
    if len(given) != 1 or is_size(given[0]):
        return np.empty(sizes("new", (given,)) if given else 0, dtype)
    source = given[0]
    if isinstance(source, TensorBase):
        if cast and source._array.dtype != dtype:
            raise TypeError(f"expected {options_of(dtype)} (got {options_of(source._array.dtype)})")
        return source._settled()
    if isinstance(source, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(source).__name__}'")
    if not isinstance(source, (np.ndarray, StorageElements)) and not is_sequence(source):
        raise TypeError(f"new(): data must be a sequence (got {type_name(type(source))})")
    return new_array(source, dtype)


def is_size(value: Any) -> bool:
    """Whether a value is an integer but not a bool."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def holds_size(value: Any) -> bool:
    """Whether a value is a tensor or an array of one integer."""
    one = isinstance(value, (TensorBase, np.ndarray)) and math.prod(value.shape) == 1
    return one and value.dtype.kind in "iu"


def options_of(dtype: np.dtype) -> str:
    """A dtype as the error messages of legacy constructors name it."""
    return f"TensorOptions(dtype={C_NAMES.get(dtype.name, dtype.name)}, device=cpu)"


def new(self: Tensor, *given: Any, **options: Any) -> Tensor:
    """A tensor of the same dtype from sizes (uninitialized) or from data. Legacy; see `new_tensor`.

    >>> import rushlight as torch
    >>> x = torch.zeros(2, 3)
    >>> x.new(x.size()).shape, x.new([1, 2])
    (torch.Size([2, 3]), tensor([1., 2.]))
    """
    return new_tensor(constructed(self._array.dtype, *given, **options))


Tensor.new = new
use_constructor(lambda *given, **options: constructed(dtypes.get_default_dtype()._numpy, *given, cast=False, **options))
