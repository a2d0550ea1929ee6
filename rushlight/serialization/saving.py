"""`save`: pickles an object with PyTorch's names and writes the memory of its tensors separately."""

import io
import os
import pickle
import struct
import sys
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from types import FunctionType
from typing import Any, BinaryIO, ClassVar, NamedTuple

import numpy as np

from rushlight import dtypes
from rushlight.copying import state_of
from rushlight.core.above import ABOVE
from rushlight.core.arrays import is_foreign
from rushlight.core.turned import memory, turning
from rushlight.core.windows import address, memory_of
from rushlight.layouts import laid_over, layout
from rushlight.nn.parameter import Buffer, Parameter, is_lazy
from rushlight.serialization.loading import MAGIC_NUMBER, PROTOCOL_VERSION
from rushlight.serialization.names import theirs
from rushlight.serialization.replacing import replacing
from rushlight.serialization.skipping import skips_data
from rushlight.size import Size
from rushlight.storage import TypedStorage, UntypedStorage
from rushlight.tensors import Tensor

__all__ = ["save"]

HEADERS = 30 + 20  # bytes before an entry: the header, and the extra field with its sizes
ALIGNMENT = 64  # of memory in an archive, for memory mapping


class Piece(NamedTuple):
    """A piece of memory, and its name in the file."""

    array: np.ndarray
    key: str


def save(
    obj: Any,
    f: str | os.PathLike[str] | BinaryIO,
    pickle_module: Any = pickle,
    pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
) -> None:
    """Saves an object that contains tensors, for example a `state_dict()`, to a path or to an open binary file.

    An existing file is replaced only when the new one is completely on the disk: after an error it is intact. Tensors
    that share memory share it after loading too; non-leaf tensors are loaded as leaves.
    `_use_new_zipfile_serialization=False` writes the format of PyTorch before 1.6.

    RuntimeError for a path in a directory that does not exist; OSError from the system, for example for a full disk.

    >>> import io, rushlight as torch
    >>> file = io.BytesIO()
    >>> torch.save({"weight": torch.ones(2)}, file)
    >>> torch.load(io.BytesIO(file.getvalue()))
    {'weight': tensor([1., 1.])}
    """
    if pickle_module is not pickle:
        raise NotImplementedError(f"rushlight saves with Python's own pickle: leave pickle_module={pickle_module} out.")
    if not isinstance(f, (str, os.PathLike)) and not hasattr(f, "write"):
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
    if pickle_protocol == 0:
        raise ValueError("pickle_protocol=0 cannot hold tensors: leave it at 2, or take a newer one.")
    if skips_data() and not _use_new_zipfile_serialization:
        raise RuntimeError("Cannot use skip_data=True with _use_new_zipfile_serialization=False")
    text = io.BytesIO()
    pickler = Pickler(text, pickle_protocol, () if _use_new_zipfile_serialization else (None,))
    pickler.dump(obj)
    storages = list(pickler.storages.values())
    path = os.fspath(f) if isinstance(f, (str, os.PathLike)) else None
    target: AbstractContextManager[Any] = nullcontext(with_positions(f)) if path is None else replacing(path)
    with target as file:
        if _use_new_zipfile_serialization:
            folder = "archive" if path is None else os.path.splitext(os.path.basename(path))[0]
            write_archive(file, folder, text.getvalue(), storages)
        else:
            write_before_1_6(file, text.getvalue(), storages, pickle_protocol)
        if path is None and hasattr(file, "flush"):  # files of programs may send all they have then
            file.flush()


class Stream:
    """A file that is only written to, in order."""

    def __init__(self, file: Any):
        self.file = file
        self.flush: Callable[[], object] = getattr(file, "flush", lambda: None)

    def write(self, part: Any) -> int:
        """Writes bytes; their number."""
        self.file.write(part)
        return memoryview(part).nbytes


def with_positions(file: Any) -> Any:
    """A file as it is, if it knows its position; otherwise a stream, to which archives are written in order."""
    try:
        file.tell()
    except (AttributeError, OSError, NotImplementedError):
        return Stream(file)
    return file


def write_archive(file: BinaryIO, folder: str, text: bytes, storages: list[Piece]) -> None:
    """Writes a ZIP archive."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(f"{folder}/data.pkl", text)
        archive.writestr(f"{folder}/byteorder", sys.byteorder)
        for storage in storages:
            entry = zipfile.ZipInfo(f"{folder}/data/{storage.key}")
            entry.extra = padding(archive, entry)
            with archive.open(entry, "w", force_zip64=True) as content:
                content.write(bytes_of(np.zeros_like(storage.array) if skips_data() else storage.array))
        archive.writestr(f"{folder}/version", "3\n")


def padding(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """An extra field for the header of an entry, so long that the content begins at a multiple of 64."""
    start = archive.fp.tell() + HEADERS + len(entry.filename.encode())  # type: ignore[union-attr]
    gap = -(start + 4) % ALIGNMENT
    return struct.pack("<2sH", b"FB", gap) + b"Z" * gap


def write_before_1_6(file: BinaryIO, text: bytes, storages: list[Piece], protocol: int) -> None:
    """Writes several pickles, then memory."""
    sizes = {"short": 2, "int": 4, "long": 4}
    system = {"protocol_version": PROTOCOL_VERSION, "little_endian": sys.byteorder == "little", "type_sizes": sizes}
    for part in (MAGIC_NUMBER, PROTOCOL_VERSION, system):
        pickle.dump(part, file, protocol)
    file.write(text)
    pickle.dump([storage.key for storage in storages], file, protocol)
    for storage in storages:
        in_bytes = dtypes.FROM_NUMPY[storage.array.dtype] in WITHOUT_STORAGE
        file.write((storage.array.nbytes if in_bytes else storage.array.size).to_bytes(8, "little"))
        file.write(bytes_of(storage.array))


def bytes_of(array: np.ndarray) -> memoryview | bytes:
    """The memory of an array."""
    return array.view(np.uint8).data if array.size else b""


def class_of_pytorch(module: str, name: str) -> type:
    """A class that a pickle refers to as one of PyTorch's, which need not be installed."""
    return type(name, (), {"__module__": module})


REBUILD_TENSOR = class_of_pytorch("torch._utils", "_rebuild_tensor_v2")
REBUILD_UNTYPED_TENSOR = class_of_pytorch("torch._utils", "_rebuild_tensor_v3")
REBUILD_META_TENSOR = class_of_pytorch("torch._utils", "_rebuild_meta_tensor_no_storage")
REBUILD_WRAPPER = class_of_pytorch("torch._utils", "_rebuild_wrapper_subclass")
REBUILD_SPARSE_TENSOR = class_of_pytorch("torch._utils", "_rebuild_sparse_tensor")
REBUILD_PARAMETER = class_of_pytorch("torch._utils", "_rebuild_parameter")
REBUILD_PARAMETER_WITH_STATE = class_of_pytorch("torch._utils", "_rebuild_parameter_with_state")
REBUILD_FROM_TYPE = class_of_pytorch("torch._tensor", "_rebuild_from_type_v2")
GET_LAYOUT = class_of_pytorch("torch.serialization", "_get_layout")
STORAGES: dict[dtypes.dtype, type] = {
    d: class_of_pytorch("torch", f"{name}Storage") for d, name in dtypes.TYPE_NAMES.items()
}
UNTYPED_STORAGE = class_of_pytorch("torch.storage", "UntypedStorage")
WITHOUT_STORAGE = frozenset(
    (  # dtypes without a storage class in PyTorch: stored as bytes
        dtypes.uint16,
        dtypes.uint32,
        dtypes.uint64,
        dtypes.float8_e4m3fn,
        dtypes.float8_e4m3fnuz,
        dtypes.float8_e5m2,
        dtypes.float8_e5m2fnuz,
    )
)


class Pickler(pickle._Pickler):  # the C class cannot write names that do not exist
    """Pickles an object with PyTorch's names, and collects the memory of tensors."""

    proto: int  # this, and the two methods, are Python's, which its stubs leave out
    write: Callable[[bytes], None]
    memoize: Callable[[Any], None]

    def __init__(self, file: BinaryIO, protocol: int, metadata: tuple[Any, ...]):
        super().__init__(file, protocol)
        self.metadata = metadata  # appended to references to memory
        self.storages: dict[tuple[Any, ...], Piece] = {}
        self.types: dict[int, np.dtype] = {}  # the dtype of the memory at each address

    def persistent_id(self, obj: Any) -> Any:
        """The reference to a piece of memory."""
        if isinstance(obj, (TypedStorage, UntypedStorage)):
            self.check_type(obj.array, obj.array)
            obj = self.piece(obj.array)
        if not isinstance(obj, Piece):
            return None
        d = dtypes.FROM_NUMPY[obj.array.dtype]
        if d in WITHOUT_STORAGE:
            return "storage", UNTYPED_STORAGE, obj.key, "cpu", obj.array.nbytes, *self.metadata
        return "storage", STORAGES[d], obj.key, "cpu", obj.array.size, *self.metadata

    def reducer_override(self, obj: Any) -> Any:
        """Reduces rushlight's objects to PyTorch's form; all others pickle themselves."""
        if isinstance(obj, Tensor):
            if is_lazy(obj):
                return obj.__reduce_ex__(self.proto)
            return sparse_call(obj) if obj._array is None else self.reduced(obj)
        if isinstance(obj, Size):
            return Size, (tuple(obj),)
        return (GET_LAYOUT, (repr(obj),)) if isinstance(obj, layout) else NotImplemented

    def reduced(self, tensor: Tensor) -> Any:
        """A tensor as a call of the function that rebuilds it in PyTorch."""
        state = state_of(tensor)
        needs = tensor.requires_grad
        hooks: OrderedDict[Any, Any] = OrderedDict()
        if type(tensor) is Parameter:
            data = tensor.data
            return (
                (REBUILD_PARAMETER_WITH_STATE, (data, needs, hooks, state))
                if state
                else (REBUILD_PARAMETER, (data, needs, hooks))
            )
        if is_foreign(tensor._array):
            look = tensor.dtype, tuple(tensor.shape), tensor.stride(), tensor.storage_offset()
            return with_type(
                tensor, (REBUILD_WRAPPER, (type(tensor), *look, tensor.layout, tensor.device, needs)), state
            )
        if tensor.is_meta:
            sizes = tuple(tensor.shape), tensor.stride()
            return with_type(tensor, (REBUILD_META_TENSOR, (tensor.dtype, *sizes, needs)), state)
        storage, offset, array = self.placed(tensor)
        function = REBUILD_TENSOR
        arguments: tuple[Any, ...] = (storage, offset, array.shape, tensor.stride(), needs, hooks)
        if tensor.dtype in WITHOUT_STORAGE:
            function, arguments = REBUILD_UNTYPED_TENSOR, (*arguments, tensor.dtype)
        bits = {bit: True for bit, is_set in zip(("conj", "neg"), turning(tensor._array), strict=True) if is_set}
        if bits:
            arguments = (*arguments, bits)
        return with_type(tensor, (function, arguments), state)

    def placed(self, tensor: Tensor) -> tuple[Piece, int, np.ndarray]:
        """The piece of memory that a tensor is in, the index of its first element there, and its array.

        The piece is all memory that the tensor is a view of, so that views share it after loading. Arrays with negative
        strides are copied.
        """
        array, whole = memory(tensor._settled()), memory_of(tensor)
        self.check_type(array, whole)
        if whole.dtype != array.dtype or not within(array, whole):
            whole = array
        if any(s < 0 for s in (*array.strides, *whole.strides)):
            array = whole = np.array(array, order="C")
        piece = self.piece(all_between(whole))
        offset = (address(array) - address(piece.array)) // array.itemsize if array.size else 0
        return piece, offset, array

    def check_type(self, array: np.ndarray, whole: np.ndarray) -> None:
        """RuntimeError for memory that two tensors or storages show with different dtypes."""
        if array.size and self.types.setdefault(address(whole), array.dtype) != array.dtype:
            raise RuntimeError(
                "Cannot save multiple tensors or storages that view the same data as different types: save a clone() "
                "of one of them."
            )

    def piece(self, array: np.ndarray) -> Piece:
        """The piece of memory that a one-dimensional array is."""
        place = address(array), array.size, array.dtype
        return self.storages.setdefault(place, Piece(array, str(len(self.storages))))

    def save_global(self, obj: Any, name: str | None = None) -> None:
        """Writes a global name; PyTorch's name for an object of rushlight's."""
        module = getattr(obj, "__module__", None) or ""
        if module.partition(".")[0] not in ("rushlight", "torch"):
            plain: Any = super()
            return plain.save_global(obj, name)
        self.write(b"c" + f"{theirs(module, name or obj.__qualname__)}\n{name or obj.__qualname__}\n".encode())
        return self.memoize(obj)

    dispatch: ClassVar[dict[Any, Any]] = {**pickle._Pickler.dispatch, FunctionType: save_global}


def with_type(tensor: Any, call: tuple[Any, tuple[Any, ...]], state: dict[str, Any]) -> Any:
    """A call that rebuilds a tensor; for another class than `Tensor`, or attributes, the call of what adds them."""
    if type(tensor) is Tensor and not state:
        return call
    kind = Tensor if type(tensor) is Buffer else type(tensor)  # as in PyTorch, buffers become plain tensors
    return REBUILD_FROM_TYPE, (call[0], kind, call[1], state)


def sparse_call(tensor: Any) -> Any:
    """A sparse tensor as a call of the function that rebuilds it in PyTorch."""
    tensor = tensor.detach()
    data = (*ABOVE.sparse_parts(tensor).values(), tensor.shape)
    return REBUILD_SPARSE_TENSOR, (tensor.layout, (*data, tensor.is_coalesced()) if tensor.is_sparse else data)


def reach(array: np.ndarray) -> int:
    """The number of elements from the first to the last in memory."""
    if array.size == 0:
        return 0
    return sum((n - 1) * s for n, s in zip(array.shape, array.strides, strict=True)) // array.itemsize + 1


def within(array: np.ndarray, whole: np.ndarray) -> bool:
    """Whether the elements of an array are in another's memory."""
    offset = address(array) - address(whole)
    return array.size == 0 or (offset >= 0 and offset + reach(array) * array.itemsize <= reach(whole) * whole.itemsize)


def all_between(array: np.ndarray) -> np.ndarray:
    """The memory from an array's first element to its last, including gaps."""
    return laid_over(array, (reach(array),), (array.itemsize,))
