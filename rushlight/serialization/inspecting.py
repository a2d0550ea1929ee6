"""What a checkpoint contains, without loading it."""

import os
import pickletools
from collections.abc import Iterator
from typing import Any, BinaryIO

from rushlight.serialization.errors import as_damage
from rushlight.serialization.loading import opened
from rushlight.serialization.memory import Archive
from rushlight.serialization.names import allowed_names
from rushlight.serialization.rebuilding import NAMES
from rushlight.serialization.unpickling import of_today

TEXTS = ("SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8", "UNICODE")


def get_unsafe_globals_in_checkpoint(f: str | os.PathLike[str] | BinaryIO) -> list[str]:
    """The full names of functions and classes in a checkpoint that `load` refuses, as long as they are not allowed.

    Nothing is loaded: the pickle is only read. Names that are put together while a file is loaded are not found. The
    list is what to look through before `add_safe_globals`.

    ValueError for what `save` has not written, and for the format of PyTorch before 1.6.

    >>> import fractions, io, rushlight as torch
    >>> file = io.BytesIO()
    >>> torch.save({"half": fractions.Fraction(1, 2), "weight": torch.ones(2)}, file)
    >>> torch.serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(file.getvalue()))
    ['fractions.Fraction']
    """
    with opened(f) as file:
        start = file.tell()
        is_archive = file.read(4) == b"PK\3\4"
        length = file.seek(0, os.SEEK_END) - start
        file.seek(start)
        if not is_archive:
            raise ValueError("Expected input to be a checkpoint returned by torch.save")
        text = Archive(file, length, None).read("data.pkl")
    safe = {f"{module}.{name}" for module, name in NAMES} | set(allowed_names())
    with as_damage("what it holds makes no sense"):
        return sorted({f"{module}.{name}" for module, name in names_in(text)} - safe)


def names_in(text: bytes) -> Iterator[tuple[str, str]]:
    """The module and name of each function or class that a pickle refers to."""
    texts = ["", ""]
    memo: dict[int, str] = {}
    value: Any
    for opcode, value, _ in pickletools.genops(text):
        if opcode.name in ("GLOBAL", "INST"):
            module, name = value.split(" ", 1)
            yield of_today(module, name)
        elif opcode.name == "STACK_GLOBAL":
            yield of_today(texts[-2], texts[-1])
        elif opcode.name in TEXTS:
            texts.append(value)
        elif opcode.name == "MEMOIZE":
            memo[len(memo)] = texts[-1]
        elif opcode.name in ("BINGET", "LONG_BINGET", "GET") and value in memo:
            texts.append(memo[int(value)])
