"""Record the golden numbers of the kernels' tests from PyTorch: python tests/kernels/record.py."""

from pathlib import Path

import numpy as np
import torch
from cases import CONVOLUTIONS, POOLINGS


def main() -> None:
    here = Path(__file__).parent
    for name, cases in (("convolution", CONVOLUTIONS), ("pooling", POOLINGS)):
        arrays = {
            f"{label}/{part}": array for label, case in cases.items() for part, array in case.by_torch(torch).items()
        }
        np.savez_compressed(here / f"{name}.npz", **arrays)


if __name__ == "__main__":
    main()
