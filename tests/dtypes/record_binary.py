"""Records what PyTorch gives for every binary operator and pair of operands: python tests/dtypes/record_binary.py."""

from pathlib import Path

import numpy as np
import torch
from binary_cases import FORMS, outcome, pairs

words, values = [], []
for form in FORMS:
    for first, second in pairs():
        word, value = outcome(torch, form, first, second)
        words.append(word)
        values.append(value)
names, numbers = np.unique(words, return_inverse=True)
np.savez_compressed(
    Path(__file__).with_name("binary.npz"),
    forms=list(FORMS),
    pairs=pairs(),
    names=names,
    words=numbers.reshape(len(FORMS), -1).astype(np.uint16),
    values=np.array(values).reshape(len(FORMS), -1, 3),
)
