"""Attributions of a small network's output to its inputs, by Captum."""

import torch
from captum.attr import DeepLift, IntegratedGradients, Saliency

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.ReLU(), torch.nn.Linear(6, 3))
x = torch.randn(2, 4)
for method in (IntegratedGradients(model), Saliency(model), DeepLift(model)):
    print(*method.attribute(x.clone().requires_grad_(), target=1).flatten().tolist())
