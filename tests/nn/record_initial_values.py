"""Records the golden numbers of the tests of `nn.init` from PyTorch: python tests/nn/record_initial_values.py."""

from pathlib import Path

import numpy as np
import torch
from initial_values import CASES, filled

if __name__ == "__main__":
    golden = {case: filled(torch, case, "float32") for case in CASES}
    np.savez_compressed(Path(__file__).with_name("initial_values.npz"), **golden)
