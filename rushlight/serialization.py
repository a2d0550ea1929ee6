"""`save` and `load`, in PyTorch's own file format: files go from one to the other in both directions.

A file is a ZIP archive: `data.pkl` pickles the object, with a reference in the place of each tensor's memory, and
`data/0`, `data/1`, ... hold that memory. Inside, all is named as PyTorch names it.
"""

import io
import os
import pickle
import sys
import zipfile
from collections import OrderedDict
from contextlib import contextmanager
from importlib import import_module
from typing import IO, Any

import numpy as np

from rushlight import dtypes
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.devices import check_device, device
from rushlight.size import Size
from rushlight.tensors import Tensor

__all__ = ["add_safe_globals", "clear_safe_globals", "get_safe_globals", "load", "safe_globals", "save"]

OLD_FORMAT = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19"  # how files of PyTorch before 1.6 begin
UNSAFE = (
    "Weights only load failed. The file holds {}, which is none of the types that are safe to load: tensors, "
    "parameters, and Python's own containers and numbers. If you trust the file, load it with weights_only=False, or "
    "allow the type with torch.serialization.add_safe_globals."
)

_allowed: set = set()  # what `add_safe_globals` allows


def save(obj: Any, f: str | os.PathLike | IO[bytes], *, pickle_protocol: int = 2) -> None:
    """Saves an object with tensors in it, for example a `state_dict()`, to a path or to an open binary file.

    Tensors that share memory share it after loading too; results of recorded operations come back as leaves.

    >>> import io, rushlight as torch
    >>> file = io.BytesIO()
    >>> torch.save({"weight": torch.ones(2)}, file)
    >>> torch.load(io.BytesIO(file.getvalue()))
    {'weight': tensor([1., 1.])}
    """
    text = io.BytesIO()
    pickler = Pickler(text, pickle_protocol)
    pickler.dump(obj)
    folder = "archive" if hasattr(f, "write") else os.path.splitext(os.path.basename(f))[0]
    with zipfile.ZipFile(f, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(f"{folder}/data.pkl", text.getvalue())
        archive.writestr(f"{folder}/byteorder", sys.byteorder)
        for storage in pickler.storages.values():
            with archive.open(f"{folder}/data/{storage.key}", "w", force_zip64=True) as entry:
                entry.write(storage.array.data.cast("B") if storage.array.size else b"")
        archive.writestr(f"{folder}/version", "3\n")


def load(
    f: str | os.PathLike | IO[bytes], map_location: device | str | dict | None = None, *,
    weights_only: bool | None = None, mmap: bool | None = None,
) -> Any:  # fmt: skip
    """Loads what `save`, or PyTorch's `save`, has written. All tensors come to the CPU, wherever they were saved from.

    By default, and with `weights_only=True`, only types that can do no harm are loaded; with False the file can run
    any code. Raises UnpicklingError for other types and for files of another format, AssertionError where
    `map_location` asks for CUDA, and NotImplementedError for `mmap=True`.
    """
    if isinstance(map_location, (str, device)):
        check_device(map_location)
    if mmap:
        raise NotImplementedError("rushlight reads files into memory: leave mmap= out.")
    with open(f, "rb") if isinstance(f, (str, os.PathLike)) else pass_on(f) as file:
        check_format(file)
        with zipfile.ZipFile(file) as archive:
            return Unpickler(archive, weights_only is not False).load()


@contextmanager
def pass_on(file: IO[bytes]):
    """An open file, left open afterwards."""
    yield file


def check_format(file: IO[bytes]) -> None:
    """Raises an error that says what is wrong with a file that is not of the format."""
    start = file.tell()
    head = file.read(len(OLD_FORMAT))
    file.seek(start)
    if not head:
        raise EOFError("Ran out of input: the file is empty")
    if head == OLD_FORMAT:
        raise RuntimeError("This file is of PyTorch before 1.6: load it with PyTorch and save it again.")
    if not zipfile.is_zipfile(file):
        raise pickle.UnpicklingError("Weights only load failed. This is not a file that torch.save has written.")
    file.seek(start)


class Storage:
    """A piece of memory in a file: its number there and its elements."""

    def __init__(self, key: str, array: np.ndarray):
        self.key = key
        self.array = array


def named(module: str, name: str) -> type:
    """A class that a pickle names as one of PyTorch's, which need not be there."""
    return type(name, (), {"__module__": module})


REBUILD_TENSOR = named("torch._utils", "_rebuild_tensor_v2")
REBUILD_PARAMETER = named("torch._utils", "_rebuild_parameter")
STORAGES = {d: named("torch", f"{name}Storage") for d, name in dtypes.TYPE_NAMES.items()}

TOP_LEVEL = ("rushlight.dtypes", "rushlight.size", "rushlight.devices")  # what PyTorch has in `torch` itself


class Pickler(pickle._Pickler):  # the C class can write no name that does not exist
    """Pickles an object with PyTorch's names, and puts the memory of tensors aside."""

    def __init__(self, file: IO[bytes], protocol: int):
        super().__init__(file, protocol)
        self.storages: dict[tuple, Storage] = {}

    def persistent_id(self, obj):
        """The reference to a piece of memory."""
        if not isinstance(obj, Storage):
            return None
        d = dtypes.FROM_NUMPY[obj.array.dtype]
        return "storage", STORAGES[d], obj.key, "cpu", obj.array.size

    def reducer_override(self, obj):
        """Tensors in PyTorch's form; everything else as it pickles itself."""
        return self.reduced(obj) if isinstance(obj, TensorBase) else NotImplemented

    def reduced(self, tensor: Tensor):
        """A tensor as a call of the function that PyTorch rebuilds it with."""
        from rushlight.nn import Parameter

        if isinstance(tensor, Parameter):
            return REBUILD_PARAMETER, (tensor.data, tensor.requires_grad, OrderedDict())
        storage, offset, array = self.placed(tensor)
        strides = tuple(s // array.itemsize for s in array.strides)
        return REBUILD_TENSOR, (storage, offset, array.shape, strides, tensor.requires_grad, OrderedDict())

    def placed(self, tensor: Tensor) -> tuple[Storage, int, np.ndarray]:
        """The piece of memory that a tensor lies in, its first element's place there, and its array."""
        array = tensor._array
        whole = array if tensor._view is None else tensor._view.base._array
        memory = whole.ravel(order="K")
        if address(memory) != address(whole) or memory.dtype != array.dtype:
            array = np.ascontiguousarray(array)
            memory = array.ravel()
        key = address(memory), memory.size, memory.dtype
        if key not in self.storages:
            self.storages[key] = Storage(str(len(self.storages)), memory)
        offset = (address(array) - address(memory)) // array.itemsize if array.size else 0
        return self.storages[key], offset, array

    def save_global(self, obj, name=None):
        """Writes a name, PyTorch's for what is ours."""
        module = getattr(obj, "__module__", None) or ""
        if module.partition(".")[0] not in ("rushlight", "torch"):
            return super().save_global(obj, name)
        module = "torch" if module in TOP_LEVEL else module.replace("rushlight", "torch", 1)
        self.write(b"c" + f"{module}\n{name or obj.__qualname__}\n".encode())
        return self.memoize(obj)


def address(array: np.ndarray) -> int:
    """Where an array's first element lies."""
    return array.__array_interface__["data"][0]


class Unpickler(pickle.Unpickler):
    """Loads an object, with our types in the place of PyTorch's."""

    def __init__(self, archive: zipfile.ZipFile, weights_only: bool):
        pickles = [name for name in archive.namelist() if name.endswith("data.pkl")]
        if not pickles or any(name.endswith("constants.pkl") for name in archive.namelist()):
            raise RuntimeError("This ZIP file was not written by torch.save; TorchScript archives cannot be loaded.")
        super().__init__(io.BytesIO(archive.read(pickles[0])))
        self.archive, self.folder, self.weights_only = archive, pickles[0].removesuffix("data.pkl"), weights_only
        self.storages: dict[str, np.ndarray] = {}

    def find_class(self, module: str, name: str):
        """What a name in the file stands for; UnpicklingError where it could do harm."""
        if (module, name) in SAFE:
            return SAFE[module, name]
        if module == "torch" and name == "BFloat16Storage":
            raise pickle.UnpicklingError("The file holds bfloat16 tensors, which rushlight does not have.")
        for allowed in _allowed:
            if (allowed.__module__, allowed.__qualname__) == (ours(module), name):
                return allowed
        if self.weights_only:
            raise pickle.UnpicklingError(UNSAFE.format(f"{module}.{name}"))
        import_module(ours(module))
        return super().find_class(ours(module), name)

    def persistent_load(self, pid):
        """The memory that a reference names; read when it is first asked for."""
        _, d, key, _, size = pid
        if key not in self.storages:
            array = np.empty(size, d._numpy)
            with self.archive.open(f"{self.folder}data/{key}") as entry:
                if size and entry.readinto(array.data.cast("B")) != array.nbytes:
                    raise RuntimeError(f"The file is damaged: data/{key} is too short.")
            if self.byteorder() != sys.byteorder:
                array.byteswap(inplace=True)
            self.storages[key] = array
        return self.storages[key]

    def byteorder(self) -> str:
        """The order of bytes that the file was written in."""
        name = f"{self.folder}byteorder"
        return self.archive.read(name).decode() if name in self.archive.namelist() else "little"


def ours(module: str) -> str:
    """Our module for one of PyTorch's."""
    return module.replace("torch", "rushlight", 1) if module.partition(".")[0] == "torch" else module


def rebuild_tensor(memory: np.ndarray, offset, size, stride, requires_grad, hooks, metadata=None) -> Tensor:
    """A tensor in a piece of memory; RuntimeError where it reaches out of it."""
    steps = tuple(s * memory.itemsize for s in stride)
    try:
        array = np.ndarray(tuple(size), memory.dtype, memory, offset * memory.itemsize, steps)
    except (TypeError, ValueError):
        raise RuntimeError("The file is damaged: a tensor reaches out of its memory.") from None
    tensor = new_tensor(array)
    tensor.requires_grad = requires_grad
    return tensor


def rebuild_parameter(data: Tensor, requires_grad: bool, hooks) -> Tensor:
    """A parameter around a tensor's memory."""
    from rushlight.nn import Parameter

    return Parameter(data, requires_grad)


SAFE: dict[tuple[str, str], Any] = {
    ("torch._utils", "_rebuild_tensor_v2"): rebuild_tensor,
    ("torch._utils", "_rebuild_parameter"): rebuild_parameter,
    ("torch", "Size"): Size,
    ("torch", "device"): device,
    ("collections", "OrderedDict"): OrderedDict,
    **{("builtins", kind.__name__): kind for kind in (set, frozenset, bytearray, complex, slice, range)},
    **{("__builtin__", kind.__name__): kind for kind in (set, frozenset, bytearray, complex, slice, range)},
    ("_codecs", "encode"): lambda text, encoding: text.encode("latin1"),
    **{("torch", name.__qualname__): d for d, name in STORAGES.items()},
    **{("torch", d._name): d for d in dtypes.DTYPES},
}


def add_safe_globals(safe_globals: list) -> None:
    """Allows `load` to load these classes and functions.

    >>> import fractions, rushlight as torch
    >>> torch.serialization.add_safe_globals([fractions.Fraction])
    >>> torch.serialization.get_safe_globals()
    [<class 'fractions.Fraction'>]
    >>> torch.serialization.clear_safe_globals()
    """
    _allowed.update(safe_globals)


def get_safe_globals() -> list:
    """What `add_safe_globals` has allowed."""
    return list(_allowed)


def clear_safe_globals() -> None:
    """Forbids again what `add_safe_globals` has allowed."""
    _allowed.clear()


@contextmanager
def safe_globals(safe_globals: list):
    """Allows classes and functions within a `with` block."""
    before = set(_allowed)
    add_safe_globals(safe_globals)
    try:
        yield
    finally:
        _allowed.clear()
        _allowed.update(before)
