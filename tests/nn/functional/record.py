"""Record the golden numbers of nn.functional's tests from PyTorch: PYTHONPATH=tests python tests/nn/functional/record.py."""

import warnings
from pathlib import Path

import numpy as np
import torch
from nn.functional.cases import CASES


def main() -> None:
    warnings.simplefilter("ignore")
    arrays = {
        f"{name}/{part}": array
        for name, case in CASES.items()
        for part, array in case.derivatives(torch).items()
        if not part.startswith("second")
    }
    np.savez_compressed(Path(__file__).parent / "golden.npz", **arrays)


if __name__ == "__main__":
    main()
