"""The memory of tensors as an object: as bytes (`UntypedStorage`), or as elements of a dtype (`TypedStorage`)."""

from collections.abc import Sequence
from io import BytesIO
from os import PathLike
from typing import Any, Self

import numpy as np

from rushlight import dtypes
from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.core.above import ABOVE
from rushlight.core.graph import new_tensor
from rushlight.core.meta import is_meta
from rushlight.core.turned import memory
from rushlight.core.windows import address, memory_of
from rushlight.devices import CPU, device_of
from rushlight.layouts import laid_over
from rushlight.ops.changes.changed_views import set_ as set_to_tensor
from rushlight.storage_casts import StorageCasts
from rushlight.storage_elements import buffered, dtype_of, made, nothing, read_as
from rushlight.tensors import Tensor, share_memory

__all__ = ["TypedStorage", "UntypedStorage", "is_storage"]


def is_storage(obj: object, /) -> bool:
    """Whether an object is a storage.

    >>> import rushlight as torch
    >>> torch.is_storage(torch.ones(1).untyped_storage()), torch.is_storage(torch.ones(1))
    (True, False)
    """
    return isinstance(obj, TypedStorage | UntypedStorage)


def _load_from_bytes(b: bytes) -> Any:
    """The storage in the bytes of a file: pickles of PyTorch's tensors hold their memory so."""
    return ABOVE.load(BytesIO(b), weights_only=False)


def extent(shape: Sequence[int], steps: Sequence[int]) -> int:
    """How many elements lie between the first and the last, both included."""
    return 0 if 0 in shape else 1 + sum((n - 1) * step for n, step in zip(shape, steps, strict=True))


def flat_memory(tensor: Tensor) -> np.ndarray:
    """The whole memory that a tensor is a part of, as a one-dimensional array."""
    if is_meta(tensor._array):
        return nothing(extent(tensor.shape, tensor.stride()), tensor._array.dtype)
    tensor._settled()
    whole = memory(memory_of(tensor))
    if whole.size == 0:
        whole = memory(tensor._array)
    count = extent(whole.shape, [step // whole.itemsize for step in whole.strides])
    flat = laid_over(whole, (count,), (whole.itemsize,))
    return flat if flat.nbytes % tensor._array.itemsize else flat.view(tensor._array.dtype)


class UntypedStorage(StorageCasts):
    """The bytes of a tensor's memory. Changes are seen by all tensors that share it.

    >>> import rushlight as torch
    >>> memory = torch.tensor([1.0, 2.0]).untyped_storage()
    >>> memory.nbytes(), memory[3]
    (8, 63)
    """

    is_cuda = is_sparse = is_hpu = False

    def __init__(self, *args: Any, device: Any = None, dtype: Any = None):
        self.device = CPU if device is None else device_of(device)
        self.array = made(self._given(args), np.dtype(np.uint8), self.device)

    @classmethod
    def _over(cls, array: np.ndarray, device: Any = CPU) -> Self:
        storage = cls.__new__(cls)
        storage.array, storage.device = read_as(array, np.dtype(np.uint8)), device
        return storage

    @classmethod
    def from_buffer(cls, *args: Any, dtype: Any = None, **kwargs: Any) -> "UntypedStorage":
        """The bytes of a buffer's elements, copied: `from_buffer(buffer, byte_order, count=-1, offset=0, dtype=...)`.

        They are in this machine's byte order then. RuntimeError without `dtype`.
        """
        if dtype is None:
            raise RuntimeError("argument 'dtype' cannot be None. Say what the buffer's elements are.")
        return cls._over(buffered(dtype, *args, **kwargs))

    @classmethod
    def from_file(cls, filename: str | PathLike[str], shared: bool = False, nbytes: int = 0) -> "UntypedStorage":
        """The first bytes of a file, memory-mapped; with `shared` changes are written to the file, else not."""
        if nbytes == 0:
            return cls(0)
        return cls._over(np.asarray(np.memmap(filename, np.uint8, "r+" if shared else "c", shape=(nbytes,))))

    def resize_(self, size: int) -> "UntypedStorage":
        """Replaces the memory by one of another size, with the bytes that fit. Tensors keep the old memory."""
        self._resize(size)
        return self

    def byteswap(self, dtype: dtypes.dtype) -> None:
        """Reverses the bytes of each element of a dtype, in place."""
        self._values().view(dtype._numpy).byteswap(inplace=True)

    def mps(self) -> "UntypedStorage":
        """Always raises RuntimeError: there is only the CPU."""
        return self.to(device="mps")

    def type(self, dtype: str | None = None, non_blocking: bool = False) -> Any:
        """The name of the class; for the name of a typed storage, that with the elements converted."""
        return "torch.storage.UntypedStorage" if dtype is None else self._to(dtype_of(dtype))

    def untyped(self) -> "UntypedStorage":
        """Returns the storage."""
        return self

    def __sizeof__(self) -> Any:
        return 32 + self.nbytes()  # as in PyTorch: the object and its memory

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and self.array.tobytes() == other.array.tobytes()

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return self._text("UntypedStorage(")


class StorageOfType(type):
    """The metaclass of typed storages: any one of the dtype counts as an instance of a class such as `FloatStorage`."""

    dtype: dtypes.dtype

    def __instancecheck__(cls, instance: Any) -> Any:
        by_dtype = type(instance) is TypedStorage and cls.__base__ is TypedStorage
        return instance.dtype is cls.dtype if by_dtype else super().__instancecheck__(instance)


class TypedStorage(StorageCasts, metaclass=StorageOfType):
    """The memory of a tensor as elements of its dtype, in one dimension; also the class of `torch.FloatStorage(...)`.

    >>> import rushlight as torch
    >>> torch.FloatStorage([1.0, 2.0]).tolist()
    [1.0, 2.0]
    """

    dtype: dtypes.dtype = dtypes.float32
    is_cuda = is_sparse = False

    def __init__(self, *args: Any, wrap_storage: UntypedStorage | None = None, dtype: Any = None, device: Any = None):
        if device is not None and type(self) is not TypedStorage:
            raise RuntimeError(
                f"{type(self)}.__new__ received an invalid combination of arguments. Keyword argument 'device' cannot "
                "be specified. torch.TypedStorage takes it, with dtype=."
            )
        if dtype is not None:
            self.dtype = dtype
        if wrap_storage is not None:
            self.array, self.device = wrap_storage._as(self.dtype._numpy), wrap_storage.device
        else:
            self.device = CPU if device is None else device_of(device)
            self.array = made(self._given(args), self.dtype._numpy, self.device)

    @classmethod
    def _over(cls, array: np.ndarray, device: Any = CPU) -> "TypedStorage":
        storage = TypedStorage.__new__(TypedStorage)
        storage.array, storage.dtype, storage.device = array, dtypes.FROM_NUMPY[array.dtype], device
        return storage

    def untyped(self) -> UntypedStorage:
        """The same memory as bytes."""
        return UntypedStorage._over(self.array, self.device)

    def resize_(self, size: int) -> None:
        """Replaces the memory by one of another number of elements, with those that fit. Tensors keep the old one."""
        self._resize(size)

    def pickle_storage_type(self) -> str:
        """The name of the class for the storage's dtype."""
        return f"{dtypes.TYPE_NAMES[self.dtype]}Storage"

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """The name of the storage's class; for a name or a dtype, the storage with its elements converted."""
        if dtype is None:
            return f"torch.{self.pickle_storage_type()}"
        wanted = dtype_of(dtype)
        return self if wanted is self.dtype else self._to(wanted)

    @classmethod
    def from_buffer(cls, *args: Any, dtype: Any = None, **kwargs: Any) -> "TypedStorage":
        """The elements of a buffer, copied: `from_buffer(buffer, byte_order, count=-1, offset=0)`.

        `TypedStorage` itself takes a `dtype` too; RuntimeError for one with a class that has its own.
        """
        if dtype is not None and cls is not TypedStorage:
            raise RuntimeError(
                "from_buffer: 'dtype' can only be specified in UntypedStorage.from_buffer and TypedStorage.from_buffer"
            )
        return cls._over(buffered(cls.dtype if dtype is None else dtype, *args, **kwargs))

    @classmethod
    def from_file(cls, filename: str | PathLike[str], shared: bool, size: int) -> "TypedStorage":
        """The first elements of a file, memory-mapped; with `shared` changes are written to the file, else not."""
        return cls(wrap_storage=UntypedStorage.from_file(filename, shared, size * cls.dtype.itemsize))

    def __repr__(self) -> str:
        return self._text(f"TypedStorage(dtype={self.dtype}, ")


class BFloat16Storage(TypedStorage):
    """A storage of `torch.bfloat16`.

    >>> import rushlight as torch
    >>> torch.BFloat16Storage([1.0, 2.5]).tolist(), torch.BFloat16Storage.dtype
    ([1.0, 2.5], torch.bfloat16)
    """

    dtype: dtypes.dtype = dtypes.bfloat16


class BoolStorage(TypedStorage):
    """A storage of `torch.bool`.

    >>> import rushlight as torch
    >>> torch.BoolStorage([True, False]).tolist(), torch.BoolStorage.dtype
    ([True, False], torch.bool)
    """

    dtype: dtypes.dtype = dtypes.bool


class ByteStorage(TypedStorage):
    """A storage of `torch.uint8`.

    >>> import rushlight as torch
    >>> torch.ByteStorage([1, 255]).tolist(), torch.ByteStorage.dtype
    ([1, 255], torch.uint8)
    """

    dtype: dtypes.dtype = dtypes.uint8


class CharStorage(TypedStorage):
    """A storage of `torch.int8`.

    >>> import rushlight as torch
    >>> torch.CharStorage([1, -1]).tolist(), torch.CharStorage.dtype
    ([1, -1], torch.int8)
    """

    dtype: dtypes.dtype = dtypes.int8


class ComplexDoubleStorage(TypedStorage):
    """A storage of `torch.complex128`.

    >>> import rushlight as torch
    >>> torch.ComplexDoubleStorage([1.0, 2j]).tolist(), torch.ComplexDoubleStorage.dtype
    ([(1+0j), 2j], torch.complex128)
    """

    dtype: dtypes.dtype = dtypes.complex128


class ComplexFloatStorage(TypedStorage):
    """A storage of `torch.complex64`.

    >>> import rushlight as torch
    >>> torch.ComplexFloatStorage([1.0, 2j]).tolist(), torch.ComplexFloatStorage.dtype
    ([(1+0j), 2j], torch.complex64)
    """

    dtype: dtypes.dtype = dtypes.complex64


class DoubleStorage(TypedStorage):
    """A storage of `torch.float64`.

    >>> import rushlight as torch
    >>> torch.DoubleStorage([1.0, 2.5]).tolist(), torch.DoubleStorage.dtype
    ([1.0, 2.5], torch.float64)
    """

    dtype: dtypes.dtype = dtypes.float64


class FloatStorage(TypedStorage):
    """A storage of `torch.float32`.

    >>> import rushlight as torch
    >>> torch.FloatStorage([1.0, 2.5]).tolist(), torch.FloatStorage.dtype
    ([1.0, 2.5], torch.float32)
    """

    dtype: dtypes.dtype = dtypes.float32


class HalfStorage(TypedStorage):
    """A storage of `torch.float16`.

    >>> import rushlight as torch
    >>> torch.HalfStorage([1.0, 2.5]).tolist(), torch.HalfStorage.dtype
    ([1.0, 2.5], torch.float16)
    """

    dtype: dtypes.dtype = dtypes.float16


class IntStorage(TypedStorage):
    """A storage of `torch.int32`.

    >>> import rushlight as torch
    >>> torch.IntStorage([1, 2]).tolist(), torch.IntStorage.dtype
    ([1, 2], torch.int32)
    """

    dtype: dtypes.dtype = dtypes.int32


class LongStorage(TypedStorage):
    """A storage of `torch.int64`.

    >>> import rushlight as torch
    >>> torch.LongStorage([1, 2]).tolist(), torch.LongStorage.dtype
    ([1, 2], torch.int64)
    """

    dtype: dtypes.dtype = dtypes.int64


class ShortStorage(TypedStorage):
    """A storage of `torch.int16`.

    >>> import rushlight as torch
    >>> torch.ShortStorage([1, 2]).tolist(), torch.ShortStorage.dtype
    ([1, 2], torch.int16)
    """

    dtype: dtypes.dtype = dtypes.int16


def untyped_storage(self: Tensor) -> UntypedStorage:
    """The whole memory that the tensor is a part of, as bytes."""
    return UntypedStorage._over(flat_memory(self), self.device)


def storage(self: Tensor) -> TypedStorage:
    """The whole memory that the tensor is a part of, as elements of its dtype."""
    return TypedStorage._over(flat_memory(self), self.device)


def storage_type(self: Tensor) -> type:
    """The class of the tensor's storage."""
    return globals()[f"{dtypes.TYPE_NAMES[self.dtype]}Storage"]


def set_(self: Tensor, source: Any = None, storage_offset: int = 0, size: Any = (), stride: Any = None) -> Tensor:
    """Replaces the tensor's memory: by empty memory, that of a tensor, or a part of a storage.

    RuntimeError for another dtype, and for a part that exceeds the storage.

    >>> import rushlight as torch
    >>> memory = torch.arange(6.0).untyped_storage()
    >>> torch.empty(0).set_(memory, 1, (2, 2), (2, 1))
    tensor([[1., 2.],
            [3., 4.]])
    """
    if source is None or isinstance(source, Tensor):
        return set_to_tensor(self, source, storage_offset, None if size == () else size, stride)
    elements = source._as(self._array.dtype)
    shape = (elements.size - storage_offset,) if size == () and stride is None else tuple(size)
    steps = tuple(stride) if stride is not None else new_tensor(np.empty(shape, self._array.dtype)).stride()
    last = storage_offset + sum((n - 1) * s for n, s in zip(shape, steps, strict=True))
    if 0 not in shape and (last >= elements.size or storage_offset < 0):
        raise RuntimeError(
            f"setStorage: sizes {list(shape)}, strides {list(steps)}, storage offset {storage_offset} require a "
            f"storage of {(last + 1) * elements.itemsize} bytes, but there are {source.nbytes()}"
        )
    start = 0 if 0 in shape else storage_offset
    array = laid_over(elements[start:], shape, tuple(s * elements.itemsize for s in steps))
    part = new_tensor(array)
    share_memory(part, new_tensor(elements))
    set_to_tensor(self, part)
    self._memory = elements
    return self


def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Whether two tensors have the same memory, shape and strides."""
    a, b = self._settled(), tensor._settled()
    return a.shape == b.shape and a.strides == b.strides and address(a) == address(b)


def of_default_dtype() -> type[TypedStorage]:
    """The class of storages of the default dtype: `torch.Storage`."""
    found: type[TypedStorage] = globals()[f"{dtypes.TYPE_NAMES[dtypes.get_default_dtype()]}Storage"]
    return found


Storage = FloatStorage
StorageBase = UntypedStorage  # PyTorch's class below, which has no other
METHODS = {method.__name__: method for method in (untyped_storage, storage, storage_type, set_, is_set_to)}
_explain_misses(globals())
