"""Bayesian optimization: expected improvement of a Gaussian process, by BoTorch."""

import torch
from botorch.acquisition import LogExpectedImprovement
from botorch.models import SingleTaskGP

x = torch.linspace(0, 1, 6).double().unsqueeze(1)
model = SingleTaskGP(x, (5 * x).sin())
wanted = torch.tensor([[[0.35]], [[0.9]]], dtype=torch.float64, requires_grad=True)
found = LogExpectedImprovement(model, best_f=0.9)(wanted)
found.sum().backward()
print(*found.tolist(), *wanted.grad.flatten().tolist())
