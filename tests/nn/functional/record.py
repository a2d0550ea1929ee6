"""Record the golden numbers of nn.functional from PyTorch: PYTHONPATH=tests python tests/nn/functional/record.py."""

import warnings
from pathlib import Path

import numpy as np
import torch
from cases import CASES


def main() -> None:
    warnings.simplefilter("ignore")
    arrays = {
        f"{name}/{part}": array
        for name, case in CASES.items()
        for part, array in case.derivatives(torch).items()
        if not part.startswith("second")
    }
    np.savez_compressed(
        Path(__file__).parent / "golden.npz",
        names=np.array(list(arrays)),
        sizes=np.array([a.size for a in arrays.values()], np.int32),
        values=np.concatenate([a.ravel().astype(np.float32) for a in arrays.values()]),
    )


if __name__ == "__main__":
    main()
