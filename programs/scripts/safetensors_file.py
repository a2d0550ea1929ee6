"""Weights in a file of safetensors."""

import tempfile

import torch
from safetensors.torch import load_file, save_file

torch.manual_seed(0)
net = torch.nn.Linear(3, 2)
with tempfile.TemporaryDirectory() as folder:
    save_file(net.state_dict(), f"{folder}/weights.safetensors")
    found = load_file(f"{folder}/weights.safetensors")
print(*found["weight"].flatten().tolist(), *found["bias"].tolist())
