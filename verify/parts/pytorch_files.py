"""PyTorch's own test files, run with rushlight as their `torch`: tests that pass with PyTorch should pass here too.

The files are those of a folder `test` of PyTorch's sources, given by `--folder`; without it nothing is checked. The
testing tools, `torch.testing._internal`, are those of the installed PyTorch. Only tests that pass with that PyTorch
count. A failure is explained if the test needs something that docs/left-out.md lists, or that is private.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rushlight.absent.left_out import reason
from verify.figures import Figure

FILES = ["test_autograd.py", "test_torch.py", "test_nn.py", "test_indexing.py", "test_type_promotion.py"]
RESTARTS = 40  # of a process that tests have ended
HOME = str(Path(__file__).parents[2])
REFUSED = r"NotImplementedError: .*rushlight (has no|knows)"
INNER = "PyTorch's inner workings: a name with an underscore"
SAYS = "rushlight has no such thing, and says so"
ENVIRONMENT = ["-p", "no:cacheprovider", "-c", os.devnull, "-o", "addopts=", "--tb=no", "-q", "--no-header"]


def options(parser: argparse.ArgumentParser) -> None:
    """What can be chosen."""
    parser.add_argument("--folder", type=Path, help="the folder `test` of PyTorch's sources")
    parser.add_argument("--files", nargs="+", default=FILES, help="which of its files (default: %(default)s)")
    parser.add_argument("--only", default="", metavar="WORDS", help="only tests that pytest's -k chooses")


def outcomes(library: str, file: Path, folder: Path, only: str) -> dict[str, tuple[str, str]]:
    """How each test of a file comes out with a library, and what is said of a failure."""
    with tempfile.TemporaryDirectory() as place:
        notes = Path(place, "notes")
        environment = {**os.environ, "LIBRARY": library, "NOTES": str(notes), "FOLDER": str(folder), "PYTHONPATH": HOME}
        command = [sys.executable, "-m", "pytest", *ENVIRONMENT, "-p", "verify.pytorch_files.plugin"]
        command += ["--rootdir", str(folder), str(file), *(["-k", only] if only else [])]
        for _ in range(RESTARTS):
            done = subprocess.run(command, env=environment, cwd=place, capture_output=True, text=True)
            if done.returncode in (0, 1, 5):
                break
            if done.returncode > 1:
                raise RuntimeError(f"pytest cannot run {file} with {library}:\n{done.stdout[-3000:]}")
        lines = notes.read_text().splitlines() if notes.exists() else []
        return {test: (came, why) for test, came, why in map(json.loads, lines)}


def explanation(why: str) -> str:
    """The reason why a test cannot pass, or nothing."""
    if why.startswith("absent "):
        name = why.removeprefix("absent ")
        return reason(name) or (INNER if any(part.startswith("_") for part in name.split(".")) else "")
    return SAYS if re.match(REFUSED, why) else ""


def run(arguments: argparse.Namespace) -> list[Figure]:
    """Runs each file with both libraries."""
    figures = []
    for name in arguments.files if arguments.folder else ():
        figure, folder = Figure(name), arguments.folder.resolve()
        theirs = outcomes("torch", folder / name, folder, arguments.only)
        ours = outcomes("rushlight", folder / name, folder, arguments.only)
        for test in [test for test, (came, _) in theirs.items() if came == "passed"]:
            figure.checked += 1
            came, why = ours.get(test, ("absent", "not collected"))
            if came == "passed":
                continue
            if given := explanation(why):
                figure.explained[given] += 1
            else:
                figure.unexplained.append(f"{name}::{test}: {came} {why}")
        figures.append(figure)
    return figures
