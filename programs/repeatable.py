"""A plugin for pytest: each test of a library starts at the same seed, so that its numbers are the same in each run."""

import random

import numpy as np
import pytest
import torch


@pytest.fixture(autouse=True)
def _seeded() -> None:
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)
