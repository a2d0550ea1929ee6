"""The sources of compiled modules, for whoever shows a traceback: their files are named from the package's place on."""

import linecache
import os
from functools import partial
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
FOLDERS = ("core", "compiler", "explain", os.path.join("kernels", "compiled"))


def lend_sources() -> None:
    """Tells `linecache` where the lines of compiled modules are; they are read when a traceback shows one."""
    root = PACKAGE.parent
    for folder in FOLDERS:
        for name in os.listdir(PACKAGE / folder):
            if name.endswith((".py", ".pyx")):
                place = os.path.join(PACKAGE.name, folder, name)
                linecache.cache.setdefault(place, (partial(read, root, place),))  # type: ignore[arg-type]


def read(root: Path, place: str) -> str:
    """A file's text."""
    return (root / place).read_text(encoding="utf-8")
