"""The memory of tensors in a file: in an archive or after a pickle. Its claims are checked against the file's size."""

import sys
import zipfile
from typing import Any, BinaryIO

import numpy as np

from rushlight.dtypes import dtype
from rushlight.serialization.errors import LoadError, as_damage, check_claim
from rushlight.serialization.rebuilding import is_number
from rushlight.serialization.skipping import skips_data
from rushlight.serialization.unpickling import Source
from rushlight.storage import TypedStorage

LOCAL_HEADER = 30  # bytes, with the two lengths at its end


def read_reference(reference: Any) -> tuple[dtype, str, str, int, tuple[int, int] | None]:
    """The dtype, name, location and size in a reference to memory, and the part of it that is meant, if not all."""
    check_claim(isinstance(reference, tuple) and len(reference) in (5, 6), "a reference to memory has another form")
    parts: list[Any] = [str(part, "ascii") if isinstance(part, bytes) else part for part in reference]
    what, kind, name, location, size = parts[:5]
    check_claim(what == "storage" and isinstance(kind, dtype), "a reference is none to memory")
    check_claim(isinstance(name, str) and isinstance(location, str) and is_number(size), "a reference has other parts")
    part: Any = parts[5] if len(parts) == 6 else None
    if part is None:
        return kind, name, location, size, None
    check_claim(isinstance(part, tuple) and len(part) == 3, "a part of memory has another form")
    start, count = part[1:]
    check_claim(is_number(start) and is_number(count) and start + count <= size, "a part reaches out of its memory")
    return kind, name, location, size, (start, count)


class Pieces:
    """The pieces of memory that references name, each made at its first use and checked against the file's size."""

    left: int

    def __init__(self, left: int):
        self.left = left
        self.storages: dict[str, TypedStorage] = {}
        self.parts: dict[tuple[str, int, int], TypedStorage] = {}  # ranges, which older files have as objects
        self.locations: list[str] = []  # the devices of the storages when they were saved

    def __call__(self, reference: Any) -> TypedStorage:
        """The memory for a reference."""
        kind, name, location, size, part = read_reference(reference)
        found = self.storages.get(name)
        if found is None:
            self.left -= size * kind.itemsize
            check_claim(self.left >= 0, "it says that it holds more memory than it can")
            found = self.storages[name] = TypedStorage._over(self.made(name, kind._numpy, size))
            self.locations.append(location)
        same = found.array.dtype == kind._numpy and found.array.size == size
        check_claim(same, f"memory {name} is of two types or sizes")
        if part is None:
            return found
        start, count = part
        return self.parts.setdefault((name, start, count), TypedStorage._over(found.array[start : start + count]))

    def made(self, name: str, kind: np.dtype, size: int) -> np.ndarray:
        """A piece of memory."""
        return np.empty(size, kind)


class Archive(Pieces):
    """A ZIP archive."""

    file: BinaryIO
    length: int
    mapped: str | None

    def __init__(self, file: BinaryIO, length: int, mapped: str | None):
        super().__init__(length)
        self.file, self.length, self.mapped = file, length, mapped
        with as_damage("it is no whole ZIP archive"):
            self.zip = zipfile.ZipFile(file)
            self.names: set[str] = set(self.zip.namelist())
        pickles = [name for name in self.names if name == "data.pkl" or name.endswith("/data.pkl")]
        if any(name.endswith("constants.pkl") for name in self.names):
            raise LoadError(
                "This file holds a program of TorchScript, which cannot be loaded. In PyTorch, "
                "torch.save(torch.jit.load(file).state_dict(), other) writes its parameters."
            )
        if len(pickles) != 1:
            raise LoadError("This ZIP file was not written by torch.save.")
        self.folder: str = pickles[0].removesuffix("data.pkl")
        order = self.read("byteorder") if f"{self.folder}byteorder" in self.names else b"little"
        check_claim(order in (b"little", b"big"), "the order of bytes is neither little nor big")
        self.swapped: bool = order.decode() != sys.byteorder

    def entry(self, name: str) -> zipfile.ZipInfo:
        """The directory entry of a name, checked to be within the file."""
        check_claim(f"{self.folder}{name}" in self.names, f"{name} is not in the archive")
        entry = self.zip.getinfo(f"{self.folder}{name}")
        if entry.compress_type != zipfile.ZIP_STORED:
            raise LoadError("The archive is compressed, which torch.save never does: unpack it, and zip it with -0.")
        check_claim(entry.file_size == entry.compress_size <= self.length, f"{name} is larger than the file")
        return entry

    def read(self, name: str) -> bytes:
        """The content of an entry."""
        entry = self.entry(name)
        with as_damage(f"{name} cannot be read"):
            return self.zip.read(entry)

    def made(self, name: str, kind: np.dtype, size: int) -> np.ndarray:
        """A piece of memory, read or memory-mapped."""
        entry = self.entry(f"data/{name}")
        check_claim(entry.file_size == size * kind.itemsize, f"data/{name} has {entry.file_size} bytes")
        if skips_data():
            return np.zeros(size, kind)
        if self.mapped and size:
            array = self.map(self.mapped, entry, kind, size)
        else:
            array = np.empty(size, kind)
            with as_damage(f"data/{name} cannot be read"), self.zip.open(entry) as content:
                Source(content, array.nbytes).readinto(array.view(np.uint8))
                content.read(1)  # reading the end verifies the checksum
        return array.byteswap(inplace=True) if self.swapped else array

    def map(self, path: str, entry: zipfile.ZipInfo, kind: np.dtype, size: int) -> np.ndarray:
        """A memory-mapped piece of memory; changes are not written to the file."""
        self.file.seek(entry.header_offset)
        header = self.file.read(LOCAL_HEADER)
        check_claim(header[:4] == b"PK\3\4" and len(header) == LOCAL_HEADER, "an entry has no header")
        start = entry.header_offset + LOCAL_HEADER + sum(np.frombuffer(header[-4:], "<u2").tolist())
        check_claim(start + size * kind.itemsize <= self.length, "an entry reaches out of the file")
        return np.asarray(np.memmap(path, kind, "c", start, (size,)))


class Behind(Pieces):
    """Memory that follows a pickle, as in files of PyTorch before 1.6: tensors are made first, and filled later."""

    def fill(self, names: Any, source: Source) -> None:
        """Reads the pieces' contents, in this order."""
        known = isinstance(names, list) and all(isinstance(name, str) for name in names)
        check_claim(known and set(names) == set(self.storages), "its list of memory is another")
        for name in names:
            array = self.storages[name].array
            size = int.from_bytes(source.read(8), "little")
            check_claim(size == array.size, f"memory {name} has {size} elements in one place, {array.size} in another")
            if skips_data():
                array.fill(0)
                continue
            source.readinto(array.view(np.uint8))
            if sys.byteorder != "little":
                array.byteswap(inplace=True)
