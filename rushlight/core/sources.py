"""The sources of compiled modules, for tracebacks: their files are named from the package's place on."""

import linecache
import os
from functools import partial

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = ("core", "compiler", "explain", os.path.join("kernels", "compiled"))


def lend_sources() -> None:
    """Tells `linecache` where the lines of compiled modules are; they are read when a traceback shows one."""
    root, package = os.path.split(PACKAGE)
    for folder in FOLDERS:
        for name in os.listdir(os.path.join(PACKAGE, folder)):
            if name.endswith((".py", ".pyx")):
                place = os.path.join(package, folder, name)
                linecache.cache.setdefault(place, (partial(read, root, place),))  # type: ignore[arg-type]


def read(root: str, place: str) -> str:
    """A file's text."""
    with open(os.path.join(root, place), encoding="utf-8") as file:
        return file.read()
