"""Record PyTorch's numbers into placed.npz: `PYTHONPATH=.:tests python tests/randomness/record_placed.py`."""

from pathlib import Path

import numpy as np
import torch
from placed import DTYPES, FUNCTIONS, drawn


def main() -> None:
    golden = {f"{name}, {d}": np.array(drawn(torch, name, d), d) for name in FUNCTIONS for d in DTYPES}
    np.savez_compressed(Path(__file__).with_name("placed.npz"), **golden)


if __name__ == "__main__":
    main()
