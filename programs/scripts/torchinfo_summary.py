"""The table of a network's layers."""

import torch
from torchinfo import summary

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(144, 2))
table = summary(net, (2, 1, 8, 8), verbose=0)
print(table.total_params, table.trainable_params, table.total_mult_adds, table.total_input, table.total_output_bytes)
