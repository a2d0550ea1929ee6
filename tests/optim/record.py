"""Records the golden numbers of the optimizers' tests from PyTorch: python tests/optim/record.py."""

from pathlib import Path

import numpy as np
import torch
from problems import OPTIMIZERS, SCHEDULES, rates, steps

if __name__ == "__main__":
    golden = {
        f"{expression}/{part}": array for expression in OPTIMIZERS for part, array in steps(torch, expression).items()
    }
    golden |= {f"{name}/{schedule}": rates(torch, schedule, name) for schedule in SCHEDULES for name in ("SGD", "Adam")}
    np.savez_compressed(Path(__file__).with_name("golden.npz"), **golden)
