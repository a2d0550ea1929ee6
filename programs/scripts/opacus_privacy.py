"""Gradients of each example, by opacus."""

import torch
from opacus.grad_sample import GradSampleModule

torch.manual_seed(0)
net = GradSampleModule(torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1)))
net(torch.randn(5, 3)).pow(2).mean().backward()
print(*(p.grad_sample.norm().item() for p in net.parameters()))
