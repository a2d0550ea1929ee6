"""The sources of compiled modules, for whoever shows a traceback: their files are named from the package's place on."""

import linecache
import os
from functools import partial
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
FOLDERS = ("core", "compiler", "explain", os.path.join("kernels", "compiled"))


def lend_sources() -> None:
    """Tells `linecache` where the lines of compiled modules are; they are read when a traceback shows one."""
    for folder in FOLDERS:
        for name in os.listdir(PACKAGE / folder):
            if name.endswith((".py", ".pyx")):
                path = PACKAGE / folder / name
                entry = (partial(path.read_text, encoding="utf-8"),)
                linecache.cache.setdefault(os.path.join(PACKAGE.name, folder, name), entry)  # type: ignore[arg-type]
