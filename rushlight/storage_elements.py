"""The array that a storage is: where it comes from, as which elements it is read, and what is done with these."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, Self

import numpy as np

from rushlight import dtypes
from rushlight.core.windows import address
from rushlight.devices import CPU, META

__all__ = ["StorageElements"]

FORMS = """{}.__new__ received an invalid combination of arguments. Expected one of:
 * no arguments
 * (int size)
 * (Sequence data)
 * (*, UntypedStorage wrap_storage)
{}"""
NO_VALUES = "Not available for 'meta' device type. A storage on the device meta has a size, but no values."


class StorageElements:
    """A storage as an array of its elements, in one dimension."""

    array: np.ndarray
    device: Any = CPU

    @classmethod
    def _over(cls, array: np.ndarray, device: Any = CPU) -> Self:
        """The storage for the memory of a one-dimensional array."""
        raise NotImplementedError

    def _given(self, args: tuple[Any, ...]) -> Any:
        """What a constructor is to make a storage of: the number of elements, or a sequence of them."""
        if len(args) > 1:
            raise RuntimeError(FORMS.format(type(self), "Too many positional arguments"))
        given = args[0] if args else 0
        if isinstance(given, str):
            raise TypeError("new(): invalid data type 'str'")
        if not isinstance(given, (int, np.integer, Sequence)):
            raise TypeError(FORMS.format(type(self), f"Argument type not recognized: {type(given)}"))
        return given

    @property
    def filename(self) -> str | None:
        """The file whose bytes the storage shares, memory-mapped; None if there is none."""
        owner: Any = self.array
        while owner is not None and not isinstance(owner, np.memmap):
            owner = getattr(owner, "base", None)
        return str(owner.filename) if owner is not None and owner.mode == "r+" else None

    def _values(self) -> np.ndarray:
        """The elements. NotImplementedError on the device meta, where there are none."""
        if self.device is META:
            raise NotImplementedError(NO_VALUES)
        return self.array

    def _as(self, dtype: np.dtype | None) -> np.ndarray:
        """The memory as elements of a dtype. RuntimeError if the storage has a dtype, and it is another one."""
        own = getattr(self, "dtype", None)
        if dtype is None:
            dtype = np.dtype(np.int64) if own is None else dtypes.get_default_dtype()._numpy
        if own is not None and own._numpy != dtype:
            wanted, given = (dtypes.TYPE_NAMES[d] for d in (dtypes.FROM_NUMPY[dtype], own))
            raise RuntimeError(
                f"Expected a Storage of type {wanted} or an UntypedStorage, but got type {given} for argument 1 "
                f"'storage'. Give dtype={own}, or convert the storage: storage.type('torch.{wanted}Storage')."
            )
        return read_as(self.array, dtype)

    def size(self) -> int:
        """The number of elements; those of an untyped storage are bytes."""
        return self.array.size

    def __len__(self) -> int:
        return self.array.size

    def nbytes(self) -> int:
        """The number of bytes."""
        return self.array.nbytes

    def element_size(self) -> int:
        """The size of an element in bytes."""
        return self.array.itemsize

    def data_ptr(self) -> int:
        """The address of the first element: 0 on the device meta."""
        return 0 if self.device is META else address(self.array)

    def tolist(self) -> list[Any]:
        """The elements as a list of numbers."""
        return self._values().tolist()

    def clone(self) -> Self:
        """A copy in new memory."""
        return self if self.device is META else self._over(self.array.copy())

    def copy_(self, source: Self, non_blocking: Any = None) -> Self:
        """Copies the elements of another storage of the same size."""
        self[:] = source.array
        return self

    def fill_(self, value: Any) -> Self:
        """Sets all elements."""
        self[:] = value
        return self

    def _resize(self, size: int) -> None:
        """Replaces the memory by one of another number of elements, with those that fit."""
        array = made(size, self.array.dtype, self.device)
        if self.device is not META:
            kept = min(size, self.array.size)
            array[:kept] = self.array[:kept]
        self.array = array

    def __getitem__(self, index: Any) -> Any:
        found = self._values()[index]
        return self._over(found) if isinstance(index, slice) else found.item()

    def __setitem__(self, index: Any, value: Any) -> None:
        if self.device is not META:
            self.array[index] = value

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def __sizeof__(self) -> Any:
        return object.__sizeof__(self) + self.nbytes()

    def _text(self, kind: str) -> str:
        """The elements, one in a row, and a line that says what they are."""
        rows = "...\n" if self.device is META else "".join(f" {value}\n" for value in self.tolist())
        return f"{rows}[torch.storage.{kind}device={self.device}) of size {len(self)}]"


def nothing(count: int, dtype: np.dtype) -> np.ndarray:
    """An array without memory of its own, for the device meta."""
    return np.broadcast_to(np.zeros((), dtype), (count,))


def made(given: Any, dtype: np.dtype, device: Any) -> np.ndarray:
    """The array of a new storage: zeros for a count, else the given elements."""
    if device is META:
        return nothing(len(given) if isinstance(given, Sequence) else given, dtype)
    return np.array(list(given), dtype) if isinstance(given, Sequence) else np.zeros(given, dtype)


def read_as(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The memory of an array as elements of another dtype; bytes at its end that do not fill one are left out."""
    if array.size > 1 and array.strides == (0,):
        return nothing(array.nbytes // dtype.itemsize, dtype)
    raw = array.view(np.uint8)
    return raw[: raw.size - raw.size % dtype.itemsize].view(dtype)


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
    dtype: dtypes.dtype,
    buffer: Any,
    byte_order: Literal["native", "little", "big"] | None = None,
    count: int = -1,
    offset: int = 0,
) -> np.ndarray:
    """A copy of a buffer's elements, which are stored in a byte order. PyTorch's errors for what is not there."""
    raw, size = np.frombuffer(buffer, np.uint8), dtype.itemsize
    if byte_order is None and size > 1:
        raise RuntimeError("function missing required argument 'byte_order' (pos 2). Give 'native', 'little' or 'big'.")
    if byte_order not in (None, "native", "little", "big"):
        raise ValueError(f"invalid byte_order '{byte_order}' (expected 'big', 'little', or 'native')")
    if not 0 <= offset <= raw.size:
        raise ValueError(
            f"offset must be non-negative and no greater than buffer length ({raw.size}), but got {offset}"
        )
    rest = raw[offset:]
    if count < 0 and rest.size % size:
        raise ValueError(f"buffer size ({rest.size}) must be a multiple of element size ({size})")
    if count * size > rest.size:
        raise ValueError(
            f"buffer has only {rest.size // size} elements after offset {offset}, but specified a size of {count}"
        )
    taken = rest if count < 0 else rest[: count * size]
    if dtype is dtypes.bool:
        return taken != 0
    if byte_order == "big":
        number = size // 2 if dtype.is_complex else size
        taken = taken.reshape(-1, number)[:, ::-1].reshape(-1)
    return taken.copy().view(dtype._numpy)
