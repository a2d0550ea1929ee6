"""`python -m benchmarks.footprint`: a library's size on disk, and its memory after an import (Linux)."""

import re
import subprocess
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

from benchmarks import table

LIBRARIES = {"rushlight": ("numpy", "scipy"), "torch": (), "jax": ("jaxlib",), "numpy": ()}
MB = 1e6
PROBE = """
import {name}
resident = next(line for line in open("/proc/self/status") if line.startswith("VmRSS"))
print(int(resident.split()[1]) * 1024)
"""
WHAT = (
    "Installed: the library with all that it requires, Python's bytecode included. Memory: what a process holds after "
    "the import, Python's own included."
)


def required(name: str, known: dict[str, Distribution]) -> dict[str, Distribution]:
    """A distribution and those that it requires on this machine, without extras."""
    try:
        known[name] = distribution(name)
    except PackageNotFoundError:  # for another system, or another Python
        return known
    for line in known[name].requires or []:
        other = re.match(r"[\w.-]+", line)[0].lower()
        if "extra ==" not in line and other not in known:
            required(other, known)
    return known


def installed_size(name: str) -> float:
    """The bytes of a library's files and of those that it requires."""
    found: dict[str, Distribution] = {}
    for each in (name, *LIBRARIES[name]):
        required(each, found)
    files = {path.locate() for each in found.values() for path in each.files or []}
    if name == "rushlight":  # an editable installation lists no files
        files |= set(Path(find_spec(name).origin).parent.rglob("*.*"))
    return sum(file.stat().st_size for file in files if file.is_file())


def memory(name: str) -> int:
    """The bytes that a process holds after an import."""
    command = [sys.executable, "-c", PROBE.format(name=name)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    """Prints the table; with --write, into docs/benchmarks.md too."""
    rows = [
        [name, f"{installed_size(name) / MB:.0f} MB", f"{memory(name) / MB:.0f} MB"]
        for name in filter(find_spec, LIBRARIES)
    ]
    text = f"{WHAT}\n\n{table.markdown(['library', 'installed', 'memory'], rows)}"
    print(text)
    if "--write" in sys.argv[1:]:
        table.write_page("footprint", text)


if __name__ == "__main__":
    main()
