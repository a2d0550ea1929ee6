"""Results recorded from PyTorch: files of arrays under keys "case/part"."""

from pathlib import Path

import numpy as np


def by_case(path: Path) -> dict[str, dict[str, np.ndarray]]:
    """The arrays of a file by case and part."""
    found: dict[str, dict[str, np.ndarray]] = {}
    with np.load(path) as file:
        for key in file.files:
            case, _, part = key.rpartition("/")
            found.setdefault(case, {})[part] = file[key]
    return found
