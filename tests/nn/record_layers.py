"""Records the golden numbers of the layers' tests from PyTorch: python tests/nn/record_layers.py."""

import warnings
from pathlib import Path

import numpy as np
import torch
from layers import cases, evaluate

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    golden = {
        f"{expression}/{part}": array
        for expression, shapes in cases()
        for part, array in evaluate(torch, expression, shapes).items()
    }
    np.savez_compressed(Path(__file__).with_name("layers.npz"), **golden)
