"""PyTorch's own test files, run with rushlight as their `torch`: tests that pass with PyTorch should pass here too.

The files are those of a folder `test` of PyTorch's sources, given by `--folder`; without it nothing is checked. The
testing tools, `torch.testing._internal`, are those of the installed PyTorch. Only tests that pass with that PyTorch
count. A failure is explained if the test needs something that docs/left-out.md lists, or that is private, or if
`verify/pytorch_files/reasons.py` has its reason.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from verify.figures import Figure
from verify.pytorch_files.notes import read
from verify.pytorch_files.reasons import explanation

NAMES = """autograd indexing type_promotion torch view_ops shape_ops numpy_interop tensor_creation_ops sort_and_select
reductions scatter_gather_ops dlpack serialization unary_ufuncs"""
FILES = [f"test_{name}.py" for name in NAMES.split()]
RESTARTS = 40  # of a process that tests have ended
HOME = str(Path(__file__).parents[2])
ENVIRONMENT = ["-p", "no:cacheprovider", "-c", os.devnull, "-o", "addopts=", "--noconftest"]
QUIET = ["--tb=no", "-q", "--no-header"]


def options(parser: argparse.ArgumentParser) -> None:
    """What can be chosen."""
    parser.add_argument("--folder", type=Path, help="the folder `test` of PyTorch's sources")
    parser.add_argument("--files", nargs="+", default=FILES, help="which of its files (default: %(default)s)")
    parser.add_argument("--only", default="", metavar="WORDS", help="only tests that pytest's -k chooses")
    parser.add_argument(
        "--most", type=int, default=10**6, metavar="N", help="at most so many tests of a file, evenly spaced"
    )
    parser.add_argument("--notes", type=Path, help="a folder that keeps outcomes: what it has is not run again")


def outcomes(library: str, file: Path, place: Path, arguments: argparse.Namespace) -> dict[str, tuple[str, str]]:
    """How each test of a file comes out with a library, and what is said of a failure; noted in a folder `place`."""
    folder = arguments.folder.resolve()
    kept = {kind: place / kind / str(file.relative_to(folder)) for kind in ("torch", "rushlight")}
    for notes in kept.values():
        notes.parent.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "LIBRARY": library, "NOTES": str(kept[library]), "FOLDER": str(folder)}
    environment |= {"PYTHONPATH": HOME, "MOST": str(arguments.most), "PYTORCH_TESTING_DEVICE_ONLY_FOR": "cpu"}
    if library == "rushlight":
        environment["ONLY"] = str(kept["torch"])
    command = [sys.executable, "-m", "pytest", *ENVIRONMENT, *QUIET, "-p", "verify.pytorch_files.plugin"]
    command += ["--rootdir", str(folder), str(file), *(["-k", arguments.only] if arguments.only else [])]
    for _ in range(RESTARTS):
        with tempfile.TemporaryDirectory() as empty:
            done = subprocess.run(command, env=environment, cwd=empty, capture_output=True, text=True)
        if done.returncode in (0, 1, 5) and kept[library].exists():
            break
        if done.returncode >= 0:
            said = (done.stdout + done.stderr)[-3000:]
            raise RuntimeError(f"pytest cannot run {file} with {library}:\n{said}")
    return read(kept[library])


def run(arguments: argparse.Namespace) -> list[Figure]:
    """Runs each file with both libraries."""
    names = arguments.files if arguments.folder else ()
    if arguments.notes:
        return [compare(name, arguments.notes.resolve(), arguments) for name in names]
    with tempfile.TemporaryDirectory() as place:
        return [compare(name, Path(place), arguments) for name in names]


def compare(name: str, place: Path, arguments: argparse.Namespace) -> Figure:
    """The row of a file."""
    figure, file = Figure(name), arguments.folder.resolve() / name
    theirs = outcomes("torch", file, place, arguments)
    ours = outcomes("rushlight", file, place, arguments)
    for test in [test for test, (came, _) in theirs.items() if came == "passed"]:
        figure.checked += 1
        came, why = ours.get(test, ("absent", "not collected"))
        if came == "passed":
            continue
        if given := explanation(test, came, why):
            figure.explained[given] += 1
        else:
            figure.unexplained.append(f"{name}::{test}: {came} {why}")
    return figure
