"""`load`: finds out the format of a file and reads it."""

import io
import os
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, BinaryIO

from rushlight.core.above import above
from rushlight.core.lines import warn
from rushlight.serialization.errors import LoadError, as_damage, check_claim
from rushlight.serialization.memory import Archive, Behind, Pieces
from rushlight.serialization.places import MapLocation, check_location, put_in_place
from rushlight.serialization.unpickling import Source, safely, source_of, trustingly

__all__ = ["load"]

MAGIC_NUMBER = 0x1950A86A20F9469CFC6C  # the start of files of PyTorch before 1.6
PROTOCOL_VERSION = 1001
FOREIGN = "Weights only load failed. This is not a file that torch.save has written."
VARIABLES = ("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD")
NEW_FORMAT = "`torch.save(_use_new_zipfile_serialization=True)`"


@above
def load(
    f: str | os.PathLike[str] | BinaryIO,
    map_location: MapLocation = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Loads what `save`, or PyTorch's `save`, has written. All tensors are loaded to the CPU, from any device.

    By default, and with `weights_only=True`, only harmless types are loaded; with False the file can run any code.
    TORCH_FORCE_WEIGHTS_ONLY_LOAD=1 in the environment, which wins over the argument, and
    TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD=1 choose for all calls. `encoding` is that of strings written by Python 2; with
    weights_only=False, further options of Python's unpickler are accepted. `map_location` is a device, a dictionary
    from devices to devices, or a function of a storage and its device. With `mmap=True` the file is memory-mapped, and
    tensors are read at their first use; `f` must be a path then.

    LoadError for a file that is damaged, of another format, or contains other types; AssertionError if `map_location`
    asks for CUDA.

    >>> import io, rushlight as torch
    >>> file = io.BytesIO()
    >>> torch.save([torch.ones(2), "text"], file)
    >>> torch.load(io.BytesIO(file.getvalue()))
    [tensor([1., 1.]), 'text']
    """
    check_location(map_location)
    weights_only = by_environment(weights_only)
    check_pickle(pickle_module, weights_only)
    if mmap and not isinstance(f, (str, os.PathLike)):
        raise ValueError("f must be a file path in order to use the mmap argument")
    unpickle = partial(trustingly if weights_only is False else safely, **{"encoding": "utf-8", **pickle_load_args})
    with opened(f) as file:
        start = file.tell()
        file.seek(0, os.SEEK_END)
        length = file.tell()
        file.seek(start)
        head = file.read(4)
        file.seek(start)
        if not head:
            raise LoadError("Ran out of input: the file is empty")
        if head == b"PK\3\4":
            memory: Pieces = (archive := Archive(file, length, os.fspath(f) if mmap else None))  # type: ignore[arg-type]
            found = unpickle(source_of(archive.read("data.pkl")), archive)
        elif mmap:
            raise LoadError(f"mmap can only be used with files saved with {NEW_FORMAT}, but {f} is not")
        else:
            memory = behind = Behind(length - start)
            found = before_1_6(Source(file, length - start), unpickle, behind)
    put_in_place(list(zip(memory.storages.values(), memory.locations, strict=True)), map_location)
    return found


def by_environment(weights_only: bool | None) -> bool | None:
    """Whether only weights are loaded, as PyTorch's environment variables say. RuntimeError if both are set."""
    forced, lifted = (os.environ.get(name, "").lower() in ("1", "y", "yes", "true") for name in VARIABLES)
    if forced and lifted:
        raise RuntimeError(f"Only one of `{VARIABLES[0]}` or `{VARIABLES[1]}` should be set, but both were set.")
    if lifted and weights_only is None:
        warn(
            f"Environment variable {VARIABLES[1]} detected, since the `weights_only` argument was not explicitly "
            "passed to `torch.load`, forcing weights_only=False."
        )
        return False
    return True if forced else weights_only


def check_pickle(module: Any, weights_only: bool | None) -> None:
    """Raises PyTorch's error for a pickle module with safe loading, and NotImplementedError for a foreign one."""
    if module is None:
        return
    if weights_only:
        raise RuntimeError(
            "Can not safely load weights when explicit pickle_module is specified: leave pickle_module= out."
        )
    if module is not pickle:
        raise NotImplementedError(f"rushlight loads with Python's own pickle: leave pickle_module={module} out.")


@contextmanager
def opened(f: str | os.PathLike[str] | BinaryIO) -> Iterator[BinaryIO]:
    """A file to read from, closed afterwards if it was opened here.

    PyTorch's errors for an object that is not a file.
    """
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            yield file
        return
    try:
        f.seek(f.tell())
    except (io.UnsupportedOperation, AttributeError) as error:
        raise type(error)(
            f"{error}. You can only torch.load from a file that is seekable. Please pre-load the data into a buffer "
            "like io.BytesIO and try to load from it instead."
        ) from None
    yield f if hasattr(f, "seekable") else Seekable(f)  # type: ignore[misc]


class Seekable:
    """Wraps a file that can seek but does not say so."""

    def __init__(self, file: Any):
        self.file = file

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)

    def seekable(self) -> bool:
        """Returns True."""
        return True


def before_1_6(source: Source, unpickle: Callable[..., Any], memory: Behind) -> Any:
    """Loads an object in the format of PyTorch before 1.6: several pickles, then memory."""
    try:
        magic = safely(source, memory)
    except LoadError:
        magic = None
    if magic != MAGIC_NUMBER:
        raise LoadError(FOREIGN)
    version, system = safely(source, memory), safely(source, memory)
    check_claim(version == PROTOCOL_VERSION, "it is of another version of its format")
    check_claim(isinstance(system, dict) and system.get("little_endian") is True, "its bytes are in another order")
    found = unpickle(source, memory)
    names = safely(source, memory)
    with as_damage("the memory of its tensors cannot be read"):
        memory.fill(names, source)
    return found
