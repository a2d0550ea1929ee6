"""The two libraries, side by side in one process."""

import torch

import rushlight

torch.manual_seed = torch.default_generator.manual_seed  # PyTorch's takes 4 ms, for devices that are not there

LIBRARIES = (rushlight, torch)
