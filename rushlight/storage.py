"""The memory of tensors as an object: as bytes (`UntypedStorage`), or as elements of a dtype (`TypedStorage`)."""

from io import BytesIO
from typing import Any, ClassVar, Literal

import numpy as np

from rushlight import dtypes
from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.core.above import ABOVE
from rushlight.core.graph import new_tensor
from rushlight.core.turned import memory
from rushlight.core.windows import address, memory_of
from rushlight.devices import CPU
from rushlight.layouts import laid_over
from rushlight.ops.changes.changed_views import set_ as set_to_tensor
from rushlight.storage_casts import StorageCasts
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


def flat_memory(tensor: Tensor) -> np.ndarray:
    """The whole memory that a tensor is a part of, as a one-dimensional array."""
    tensor._settled()
    whole = memory(memory_of(tensor))
    if whole.size == 0:
        whole = memory(tensor._array)
    steps = zip(whole.shape, whole.strides, strict=True)
    count = 1 + sum((n - 1) * s for n, s in steps) // whole.itemsize if whole.size else 0
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
    device: ClassVar[Any] = CPU

    def __init__(self, *args: Any, device: Any = None, dtype: Any = None):
        given = args[0] if args else 0
        self.bytes = np.zeros(given, np.uint8) if isinstance(given, int) else np.array(list(given), np.uint8)

    @classmethod
    def _over(cls, array: np.ndarray) -> "UntypedStorage":
        """The storage for the memory of a one-dimensional array."""
        storage = cls.__new__(cls)
        storage.bytes = array.view(np.uint8)
        return storage

    @classmethod
    def from_file(cls, filename: str, shared: bool = False, nbytes: int = 0) -> "UntypedStorage":
        """The first bytes of a file, memory-mapped; with `shared` changes are written to the file, else not."""
        if nbytes == 0:
            return cls(0)
        return cls._over(np.asarray(np.memmap(filename, np.uint8, "r+" if shared else "c", shape=(nbytes,))))

    def nbytes(self) -> int:
        """The number of bytes."""
        return self.bytes.size

    def size(self) -> int:
        """The number of bytes."""
        return self.bytes.size

    def __len__(self) -> int:
        return self.bytes.size

    def data_ptr(self) -> int:
        """The address of the first byte."""
        return address(self.bytes)

    def element_size(self) -> int:
        """The size of an element in bytes: 1."""
        return 1

    def tolist(self) -> list[int]:
        """The bytes as a list of integers."""
        return self.bytes.tolist()

    def clone(self) -> "UntypedStorage":
        """A copy in new memory."""
        return self._over(self.bytes.copy())

    def copy_(self, source: "UntypedStorage", non_blocking: Any = None) -> "UntypedStorage":
        """Copies the bytes of another storage of the same size."""
        self.bytes[...] = source.bytes
        return self

    def fill_(self, value: int) -> "UntypedStorage":
        """Sets all bytes."""
        self.bytes[...] = value
        return self

    def resize_(self, size: int) -> "UntypedStorage":
        """Replaces the memory by one of another size, with the bytes that fit. Tensors keep the old memory."""
        bytes = np.zeros(size, np.uint8)
        kept = min(size, self.bytes.size)
        bytes[:kept] = self.bytes[:kept]
        self.bytes = bytes
        return self

    def _elements(self) -> np.ndarray:
        return self.bytes

    def _replace(self, elements: np.ndarray) -> None:
        self.bytes = elements

    def byteswap(self, dtype: dtypes.dtype) -> None:
        """Reverses the bytes of each element of a dtype, in place."""
        self.bytes.view(dtype._numpy).byteswap(inplace=True)

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

    def __getitem__(self, index: Any) -> Any:
        found = self.bytes[index]
        return self._over(found) if isinstance(index, slice) else int(found)

    def __setitem__(self, index: Any, value: Any) -> None:
        self.bytes[index] = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and self.bytes.tobytes() == other.bytes.tobytes()

    def __hash__(self) -> int:
        return id(self)

    def __iter__(self) -> Any:
        return iter(self.tolist())

    def __repr__(self) -> str:
        rows = "".join(f" {value}\n" for value in self.tolist())
        return f"{rows}[torch.storage.UntypedStorage(device=cpu) of size {len(self)}]"


class TypedStorage(StorageCasts):
    """The memory of a tensor as elements of its dtype, in one dimension; also the class of `torch.FloatStorage(...)`.

    >>> import rushlight as torch
    >>> torch.FloatStorage([1.0, 2.0]).tolist()
    [1.0, 2.0]
    """

    dtype: dtypes.dtype = dtypes.float32
    is_cuda = is_sparse = False
    device: ClassVar[Any] = CPU

    def __init__(self, *args: Any, wrap_storage: UntypedStorage | None = None, dtype: Any = None, device: Any = None):
        if dtype is not None:
            self.dtype = dtype
        given = args[0] if args else 0
        if wrap_storage is not None:
            self.array = wrap_storage.bytes.view(self.dtype._numpy)
        elif isinstance(given, int):
            self.array = np.zeros(given, self.dtype._numpy)
        else:
            self.array = np.array(list(given), self.dtype._numpy)

    @classmethod
    def _over(cls, array: np.ndarray) -> "TypedStorage":
        """The storage for the memory of a one-dimensional array."""
        storage = TypedStorage.__new__(TypedStorage)
        storage.array, storage.dtype = array, dtypes.FROM_NUMPY[array.dtype]
        return storage

    def untyped(self) -> UntypedStorage:
        """The same memory as bytes."""
        return UntypedStorage._over(self.array)

    def size(self) -> int:
        """The number of elements."""
        return self.array.size

    __len__ = size

    def nbytes(self) -> int:
        """The number of bytes."""
        return self.array.nbytes

    def element_size(self) -> int:
        """The size of an element in bytes."""
        return self.array.itemsize

    def data_ptr(self) -> int:
        """The address of the first element."""
        return address(self.array)

    def tolist(self) -> list[Any]:
        """The elements as a list of numbers."""
        return self.array.tolist()

    def clone(self) -> "TypedStorage":
        """A copy in new memory."""
        return self._over(self.array.copy())

    def copy_(self, source: "TypedStorage", non_blocking: Any = None) -> "TypedStorage":
        """Copies the elements of another storage of the same size."""
        self.array[...] = source.array
        return self

    def fill_(self, value: Any) -> "TypedStorage":
        """Sets all elements."""
        self.array[...] = value
        return self

    def _elements(self) -> np.ndarray:
        return self.array

    def _replace(self, elements: np.ndarray) -> None:
        self.array = elements

    def resize_(self, size: int) -> None:
        """Replaces the memory by one of another number of elements, with those that fit. Tensors keep the old one."""
        array = np.zeros(size, self.array.dtype)
        kept = min(size, self.array.size)
        array[:kept] = self.array[:kept]
        self.array = array

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
    def from_buffer(cls, *args: Any, **kwargs: Any) -> "TypedStorage":
        """The elements of a buffer, copied: `from_buffer(buffer, byte_order, count=-1, offset=0)`."""
        return cls._over(buffered(cls.dtype, *args, **kwargs))

    @classmethod
    def from_file(cls, filename: str, shared: bool, size: int) -> "TypedStorage":
        """The first elements of a file, memory-mapped; with `shared` changes are written to the file, else not."""
        bytes = UntypedStorage.from_file(filename, shared, size * cls.dtype.itemsize).bytes
        return cls._over(bytes.view(cls.dtype._numpy))

    def __getitem__(self, index: Any) -> Any:
        found = self.array[index]
        return self._over(found) if isinstance(index, slice) else found.item()

    def __setitem__(self, index: Any, value: Any) -> None:
        self.array[index] = value

    def __iter__(self) -> Any:
        return iter(self.tolist())

    def __repr__(self) -> str:
        rows = "".join(f" {value}\n" for value in self.tolist())
        return f"{rows}[torch.storage.TypedStorage(dtype={self.dtype}, device=cpu) of size {len(self)}]"


def dtype_of(kind: Any) -> dtypes.dtype:
    """The dtype that is meant by itself, by the class of a storage, or by its name. RuntimeError for another name."""
    if isinstance(kind, dtypes.dtype):
        return kind
    name = kind if isinstance(kind, str) else kind.__name__
    last = name.rpartition(".")[2].removesuffix("Storage")
    found = next((dtype for dtype, word in dtypes.TYPE_NAMES.items() if word == last), None)
    if found is None:
        raise RuntimeError(f"invalid type: {name!r} is no storage: use torch.FloatStorage, or another class")
    return found


def buffered(
    dtype: dtypes.dtype, buffer: Any, byte_order: str = "native", count: int = -1, offset: int = 0
) -> np.ndarray:
    """A copy of a buffer's elements, which are stored in a byte order. ValueError for an unknown one."""
    orders: dict[str, Literal["=", "<", ">"]] = {"native": "=", "little": "<", "big": ">"}
    if byte_order not in orders:
        raise ValueError(f"invalid byte_order '{byte_order}' (expected 'big' or 'little' or 'native')")
    stored = np.dtype(dtype._numpy).newbyteorder(orders[byte_order])
    return np.frombuffer(buffer, stored, count, offset).astype(dtype._numpy)


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
    return UntypedStorage._over(flat_memory(self))


def storage(self: Tensor) -> TypedStorage:
    """The whole memory that the tensor is a part of, as elements of its dtype."""
    return TypedStorage._over(flat_memory(self))


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
    if source.dtype is not self.dtype if hasattr(source, "dtype") else False:
        raise RuntimeError(f"Could not set tensor of type {source.dtype} to a tensor of type {self.dtype}")
    memory = source.untyped().bytes if hasattr(source, "untyped") else flat_memory(source).view(np.uint8)
    elements = memory[: memory.size - memory.size % self._array.itemsize].view(self._array.dtype)
    shape = (elements.size - storage_offset,) if size == () and stride is None else tuple(size)
    steps = tuple(stride) if stride is not None else new_tensor(np.empty(shape, self._array.dtype)).stride()
    last = storage_offset + sum((n - 1) * s for n, s in zip(shape, steps, strict=True))
    if 0 not in shape and (last >= elements.size or storage_offset < 0):
        raise RuntimeError(
            f"setStorage: sizes {list(shape)}, strides {list(steps)}, storage offset {storage_offset} require a "
            f"storage of {(last + 1) * elements.itemsize} bytes, but there are {memory.size}"
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


Storage = FloatStorage
StorageBase = UntypedStorage  # PyTorch's class below, which has no other
METHODS = {method.__name__: method for method in (untyped_storage, storage, storage_type, set_, is_set_to)}
_explain_misses(globals())
