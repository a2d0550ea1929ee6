"""Records the golden numbers of the recurrent layers' tests from PyTorch: python tests/nn/record_recurrent.py."""

import warnings
from pathlib import Path

import numpy as np
import torch
from recurrent import CASES, evaluate

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    golden = {f"{case}|{part}": array for case in CASES for part, array in evaluate(torch, case).items()}
    np.savez_compressed(Path(__file__).with_name("recurrent.npz"), **golden)
