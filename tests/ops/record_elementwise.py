"""Record the golden numbers of the elementwise operators from PyTorch: python tests/ops/record_elementwise.py."""

from pathlib import Path

import numpy as np
import torch
from elementwise_cases import all_cases, measure


def main() -> None:
    arrays = {}
    for label, _, expression, operands in all_cases():
        found = measure(torch, torch.nn.functional, expression, operands)
        arrays[f"{label}/node"] = np.array(found.pop("node") or "")
        arrays[f"{label}/value"] = found.pop("value")
        for what, grads in found.items():
            for i, grad in enumerate(grads):
                if grad is not None:
                    arrays[f"{label}/{what}/{i}"] = grad
    np.savez_compressed(Path(__file__).with_name("elementwise.npz"), **arrays)


if __name__ == "__main__":
    main()
