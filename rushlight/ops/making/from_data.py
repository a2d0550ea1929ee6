"""Tensors from data: nested lists and numbers, NumPy arrays, buffers, other tensors."""

import os
from typing import Any, Literal, Unpack

import numpy as np

from rushlight import dtypes
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.lines import warn
from rushlight.layouts import empty_array, preserve_format
from rushlight.ops.arguments.options import Options, created, numpy_type, require_grad
from rushlight.ops.making.capsules import is_capsule, memory_exported, of_capsule
from rushlight.ops.making.nested import array_of
from rushlight.settings import warn_once
from rushlight.storage_elements import StorageElements
from rushlight.tensors import Tensor

__all__ = ["as_tensor", "asarray", "from_file", "from_numpy", "frombuffer", "tensor"]

BYTE_ORDER = (
    "given numpy array has byte order different from the native byte order. Conversion between byte orders is "
    "currently not supported. Convert it first: array.astype(array.dtype.newbyteorder('='))."
)
NEGATIVE_STRIDE = (
    "At least one stride in the given numpy array is negative, and tensors with negative strides are not currently "
    "supported. (You can probably work around this by making a copy of your array with array.copy().)"
)
ODD_STRIDE = (
    "given numpy array strides not a multiple of the element byte size. Copy the numpy array to reallocate the memory."
)
COPY_OF_TENSOR = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor)."
)
READ_ONLY = (
    "The given buffer is not writable, and PyTorch does not support non-writable tensors. This means you can write to "
    "the underlying (supposedly non-writable) buffer using the tensor. You may want to copy the buffer to protect its "
    "data or make it writable before converting it to a tensor."
)
NOT_WRITABLE = (
    "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means writing to "
    "this tensor will result in an error. You may want to copy the array before converting it to a tensor."
)
PLAIN = frozenset({bool, int, float, complex, list, tuple})  # classes of data that is taken as it is


def tensor(data: Any, *, dtype: dtypes.dtype | None = None, **options: Unpack[Options]) -> Tensor:
    """A new tensor with a copy of `data`: a number, nested sequences of numbers, a NumPy array or a tensor.

    Without `dtype`, Python floats get the default dtype, integers int64, bools bool, and complex numbers the complex
    dtype of the same precision as the default; NumPy values keep their dtype. Raises ValueError or TypeError for ragged
    sequences, TypeError for strings and RuntimeError for other objects and for values that `dtype` cannot hold.

    >>> import rushlight as torch
    >>> torch.tensor([[1, 2], [3, 4]]), torch.tensor(2.5, requires_grad=True)
    (tensor([[1, 2],
            [3, 4]]), tensor(2.5000, requires_grad=True))
    """
    if isinstance(data, TensorBase):
        warn(COPY_OF_TENSOR)
    d = None if dtype is None else numpy_type("tensor", dtype)
    return created("tensor", new_array(data, d), options)


def as_tensor(data: Any, dtype: dtypes.dtype | None = None, device: Any = None) -> Tensor:
    """Data as a tensor, without copying if possible: a tensor is returned itself, a NumPy array's memory is shared.

    >>> import rushlight as torch
    >>> x = torch.ones(2)
    >>> torch.as_tensor(x) is x
    True
    """
    if isinstance(data, TensorBase):
        return data.to(device=device, dtype=data.dtype if dtype is None else dtype)
    options: Options = {} if device is None else {"device": device}
    d = None if dtype is None else numpy_type("as_tensor", dtype)
    source = data if isinstance(data, np.ndarray) else exported(data)
    if source is not None:
        return created("as_tensor", cast(shared(source), d), options)
    return created("as_tensor", new_array(data, d), options)


UNSPECIFIED = (
    "torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False. Pass "
    "requires_grad=False explicitly to get the old behavior and silence this warning."
)


def asarray(
    obj: Any,
    *,
    dtype: dtypes.dtype | None = None,
    device: Any = None,
    copy: bool | None = None,
    requires_grad: bool | None = None,
) -> Tensor:
    """Data as a tensor that shares its memory if `copy` is False, and if possible when `copy` is None.

    Takes what `as_tensor` takes, and objects with a buffer or with `__dlpack__`. A tensor stays in its graph unless
    `requires_grad` is given, which makes the result a leaf. ValueError if `copy=False` but a copy is needed.

    >>> import numpy as np, rushlight as torch
    >>> torch.asarray(np.arange(3.0), dtype=torch.float32)
    tensor([0., 1., 2.])
    """
    source = as_source(obj, dtype)
    if source is None:
        if copy is False and isinstance(obj, np.generic):
            raise RuntimeError(
                "can't alias NumPy scalars. Either remove copy=False or transform it in a ndarray: numpy.asarray(obj)."
            )
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        source, copy = new_tensor(new_array(obj, None if dtype is None else numpy_type("asarray", dtype))), False
    elif copy is False and dtype is not None and dtype is not source.dtype:
        asked, held = dtypes.TYPE_NAMES[dtype], dtypes.TYPE_NAMES[source.dtype]
        raise ValueError(f"can't alias tensor with dtype '{held}' into dtype '{asked}'.")
    result = source.to(device=device, dtype=source.dtype if dtype is None else dtype, copy=bool(copy))
    if requires_grad is None and isinstance(obj, Tensor) and obj.requires_grad:
        warn_once(UNSPECIFIED)
    if requires_grad is not None:
        result = result.detach()
        if requires_grad:
            require_grad(result)
    return result


def as_source(obj: Any, dtype: dtypes.dtype | None) -> Tensor | None:
    """A tensor that shares the memory of an object, or None if it does not export any; bytes are read as `dtype`."""
    if isinstance(obj, Tensor):
        return obj
    if isinstance(obj, np.ndarray):
        return new_tensor(shared(obj))
    if (source := exported(obj)) is not None:
        return new_tensor(source)
    if not isinstance(obj, np.generic) and has_buffer(obj):
        return new_tensor(of_buffer(obj, numpy_type("asarray", dtype)))
    return None


def exported(obj: Any) -> np.ndarray | None:
    """The memory that an object exports by DLPack: a capsule, or an object with `__dlpack__`; None for all others."""
    if is_capsule(obj):
        return of_capsule(obj)
    return shared(memory_exported(obj)) if hasattr(obj, "__dlpack__") else None


def from_numpy(ndarray: np.ndarray) -> Tensor:
    """A tensor that shares the memory of a NumPy array: a change to one changes the other.

    TypeError for other objects and for unsupported dtypes, ValueError for a foreign byte order and for negative
    strides. Warns if the array is read-only.

    >>> import numpy as np, rushlight as torch
    >>> array = np.zeros(2)
    >>> x = torch.from_numpy(array)
    >>> array[0] = 5
    >>> x
    tensor([5., 0.], dtype=torch.float64)
    """
    if not isinstance(ndarray, np.ndarray):
        kind = "Tensor" if isinstance(ndarray, TensorBase) else type_name(type(ndarray))
        raise TypeError(f"expected np.ndarray (got {kind})")
    array = shared(ndarray)
    if not array.flags.writeable:
        warn(NOT_WRITABLE)
    return new_tensor(array)


def frombuffer(
    buffer: Any, *, dtype: dtypes.dtype, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Tensor:
    """A one-dimensional tensor that shares the memory of a buffer, from `offset` bytes on.

    ValueError if the buffer does not hold `count` elements.

    >>> import rushlight as torch
    >>> torch.frombuffer(bytearray([1, 2, 3]), dtype=torch.uint8, offset=1)
    tensor([2, 3], dtype=torch.uint8)
    """
    array = of_buffer(buffer, numpy_type("frombuffer", dtype), count, offset)
    return created("frombuffer", array, {"requires_grad": requires_grad})


def from_file(
    filename: str | os.PathLike[str],
    shared: bool | None = None,
    size: int | None = 0,
    *,
    dtype: dtypes.dtype | None = None,
    **options: Unpack[Options],
) -> Tensor:
    """A one-dimensional tensor of the first `size` elements of a file, memory-mapped.

    With `shared` the file is made or lengthened if need be, and changes are written to it. RuntimeError for a file that
    is not there, or too short, without.

    >>> import pathlib, tempfile, rushlight as torch
    >>> path = pathlib.Path(tempfile.mkdtemp(), "numbers")
    >>> _ = torch.from_file(path, shared=True, size=2).fill_(1)
    >>> path.read_bytes().hex(), torch.from_file(path, size=2)
    ('0000803f0000803f', tensor([1., 1.]))
    """
    d = numpy_type("from_file", dtype or dtypes.get_default_dtype())
    if not isinstance(size, int | None):
        raise TypeError(f"from_file(): argument 'size' must be int, not {type_name(type(size))}")
    count = size or 0
    length = count * d.itemsize
    if not length:
        return created("from_file", np.empty(0, d), options)
    if shared:
        with open(filename, "ab") as file:
            file.truncate(max(file.tell(), length))
    elif not os.path.exists(filename):
        raise RuntimeError(f"unable to open file <{filename}> in read-only mode: No such file or directory (2)")
    elif os.path.getsize(filename) < length:
        there = os.path.getsize(filename)
        raise RuntimeError(f"file <{filename}> size <{there}> is smaller than the required mapping size <{length}>")
    mode: Literal["r+", "c"] = "r+" if shared else "c"
    return created("from_file", np.asarray(np.memmap(filename, d, mode, shape=(count,))), options)


def has_buffer(obj: Any) -> bool:
    """Whether an object exports its memory: bytes, arrays of `array` and `ctypes`, memory maps."""
    try:
        memoryview(obj)
    except TypeError:
        return False
    return True


def of_buffer(buffer: Any, dtype: np.dtype, count: int = -1, offset: int = 0) -> np.ndarray:
    """The array that reads the memory of a buffer. ValueError, in PyTorch's words, if that is impossible."""
    try:
        view = memoryview(buffer)
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    length, size = view.nbytes, dtype.itemsize
    if length <= 0 or count == 0:
        raise ValueError(f"both buffer length ({length}) and count ({count}) must not be 0")
    if not 0 <= offset < length:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({length} bytes) minus 1"
        )
    rest = length - offset
    if count < 0 and rest % size:
        raise ValueError(
            f"buffer length ({rest} bytes) after offset ({offset} bytes) must be a multiple of element size ({size})"
        )
    if count * size > rest:
        raise ValueError(
            f"requested buffer length ({count} * {size} bytes) after offset ({offset} bytes) must not be greater than "
            f"actual buffer length ({length} bytes)"
        )
    if view.readonly:
        warn(READ_ONLY)
    return np.frombuffer(buffer, dtype, max(count, -1), offset)


def data_like(self: Tensor, data: Any, *, dtype: dtypes.dtype | None = None, **options: Unpack[Options]) -> Tensor:
    """`torch.tensor` with this tensor's dtype unless another is given."""
    if isinstance(data, TensorBase):
        warn(COPY_OF_TENSOR)
    return created("new_tensor", new_array(data, numpy_type("new_tensor", dtype, self._array.dtype)), options)


def shared(array: np.ndarray) -> np.ndarray:
    """A NumPy array as tensors store it: a plain ndarray whose dtype is NumPy's one instance of that dtype."""
    if not array.dtype.isnative:
        raise ValueError(BYTE_ORDER)
    if array.dtype not in dtypes.FROM_NUMPY:
        raise dtypes.no_tensor_of(array.dtype)
    for stride in array.strides:
        if stride < 0:
            raise ValueError(NEGATIVE_STRIDE)
        if stride % array.itemsize:
            raise ValueError(ODD_STRIDE)
    return dtypes.canonical(array if type(array) is np.ndarray else np.asarray(array))


def cast(array: np.ndarray, dtype: np.dtype | None) -> np.ndarray:
    """An array cast to another dtype, or the array itself."""
    return array if dtype is None or array.dtype is dtype else array.astype(dtype)


def new_array(data: Any, dtype: np.dtype | None) -> np.ndarray:
    """A new array with the values of `data`, or a storage's own; its dtype is inferred if none is given."""
    if type(data) in PLAIN:
        return array_of(data, dtype)
    if isinstance(data, TensorBase):
        array = data._settled()
        return np.array(array, dtype) if type(array) is not np.ndarray else copied(array, dtype)
    if isinstance(data, np.ndarray):
        return np.array(shared(data), dtype)
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    if isinstance(data, StorageElements):
        return data._as(dtype)
    if hasattr(data, "__array__") and not isinstance(data, np.generic):
        return np.array(shared(np.asarray(data)), dtype)
    if (source := exported(data)) is not None:
        return np.array(source, dtype)
    return array_of(data, dtype)


def copied(array: np.ndarray, dtype: np.dtype | None) -> np.ndarray:
    """A copy of a tensor's array with its strides' order."""
    made = empty_array(array, dtype or array.dtype, preserve_format)
    made[...] = array
    return made


def type_name(kind: type) -> str:
    """The name of a class as C code prints it: with its module, unless it is a built-in."""
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


Tensor.new_tensor = data_like
