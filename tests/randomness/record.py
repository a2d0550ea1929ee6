"""Record PyTorch's numbers for the cases into golden.npz: `PYTHONPATH=.:tests python tests/randomness/record.py`."""

from pathlib import Path

import numpy as np
import torch
from cases import CASES, SEEDS, SIZES

GOLDEN = Path(__file__).with_name("golden.npz")


def main() -> None:
    golden = {}
    for case in CASES:
        rows = []
        for seed in SEEDS:
            generator = torch.Generator().manual_seed(seed)
            rows.append(np.concatenate([case.theirs(torch, generator, n).numpy().ravel() for n in SIZES]))
        golden[case.name] = np.stack(rows)
    np.savez_compressed(GOLDEN, **golden)


if __name__ == "__main__":
    main()
