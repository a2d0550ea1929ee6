"""A program line by line, each with PyTorch's numbers as input: whether a single line gives another result."""

import torch

import rushlight
from verify.compare import array, differences
from verify.libraries import LIBRARIES
from verify.programs.writer import run


def follow(ours: dict, theirs: dict) -> None:
    """Gives our tensors the numbers of PyTorch's."""
    for name, value in theirs.items():
        if isinstance(value, torch.Tensor):
            numbers = array(ours[name])
            if numbers.flags.writeable:
                numbers[...] = array(value)


def agree(lines: list[str]) -> bool:
    """Whether each line of a program gives what PyTorch gives, from the same numbers."""
    ours, theirs = {"torch": rushlight}, {"torch": torch}
    for line in lines:
        if run(line, ours) != run(line, theirs):
            return False
        values = {name: value for name, value in theirs.items() if name != "torch" and not name.startswith("__")}
        if any(True for name, value in values.items() for _ in differences(ours[name], value, name, LIBRARIES)):
            return False
        follow(ours, values)
    return True
