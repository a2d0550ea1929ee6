"""Records checkpoints of PyTorch's optimizers and schedules: `python tests/optim/record_checkpoints.py`."""

import warnings
from copy import deepcopy
from itertools import cycle, islice
from pathlib import Path

import torch
from checkpoints import OPTIMIZERS, SCHEDULES, Training

FILE = Path(__file__).with_name("checkpoints.pt")


def main() -> None:
    """Writes a checkpoint, and the numbers four steps later, for each optimizer with one schedule or the other."""
    warnings.simplefilter("ignore")
    found = []
    count = max(len(OPTIMIZERS), len(SCHEDULES))
    for optimizer, schedule in islice(zip(cycle(OPTIMIZERS), cycle(SCHEDULES)), count):
        training = Training(torch, optimizer, schedule).go_on(4)
        checkpoint = deepcopy(training.checkpoint())
        found.append({"of": [optimizer, schedule], "checkpoint": checkpoint, "later": training.go_on(4).numbers()})
    torch.save(found, FILE)


if __name__ == "__main__":
    main()
