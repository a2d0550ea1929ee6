"""Record PyTorch's answers into golden.npz: `PYTHONPATH=.:tests python tests/distributions/record.py`."""

from pathlib import Path

import numpy as np
import torch
from cases import asked, families, pairs

GOLDEN = Path(__file__).with_name("golden.npz")


def main() -> None:
    golden = {
        f"{name}/{question}": answer.detach().numpy()
        for name in families(torch)
        for question, answer in asked(torch, name).items()
    }
    for name, (p, q) in pairs(torch).items():
        golden[f"divergences/{name}"] = torch.distributions.kl_divergence(p, q).detach().numpy()
    np.savez_compressed(GOLDEN, **golden)


if __name__ == "__main__":
    main()
