"""Meta-learning of sines through gradient steps; influence of data by products with the Hessian."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call, grad, vmap

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(1, 40), nn.Tanh(), nn.Linear(40, 1))
meta_optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)


def batch(amplitude, phase):
    x = torch.rand(10, 1) * 10 - 5
    return x, amplitude * torch.sin(x + phase)


for iteration in range(21):
    meta_loss = 0
    for _ in range(4):
        amplitude, phase = torch.rand(1) * 4.9 + 0.1, torch.rand(1) * math.pi
        params = dict(model.named_parameters())
        x, y = batch(amplitude, phase)
        loss = F.mse_loss(functional_call(model, params, (x,)), y)
        slopes = torch.autograd.grad(loss, params.values(), create_graph=True)
        adapted = {name: p - 0.01 * slope for (name, p), slope in zip(params.items(), slopes, strict=True)}
        x, y = batch(amplitude, phase)
        meta_loss = meta_loss + F.mse_loss(functional_call(model, adapted, (x,)), y)
    meta_optimizer.zero_grad()
    meta_loss.backward()
    meta_optimizer.step()
    if iteration % 5 == 0:
        print(iteration, meta_loss.item() / 4)

X = torch.randn(50, 3, dtype=torch.float64)
y = (X.sum(1) > 0).double()
w = torch.zeros(3, dtype=torch.float64, requires_grad=True)


def risk(w):
    return F.binary_cross_entropy_with_logits(X @ w, y) + 0.05 * w @ w


optimizer = torch.optim.LBFGS([w], line_search_fn="strong_wolfe")


def closure():
    optimizer.zero_grad()
    loss = risk(w)
    loss.backward()
    return loss


optimizer.step(closure)
print(w, risk(w))


def hvp(v):
    (slope,) = torch.autograd.grad(risk(w), w, create_graph=True)
    return torch.autograd.grad(slope @ v, w)[0]


each = vmap(grad(lambda w, x, y: F.binary_cross_entropy_with_logits(x @ w, y)), in_dims=(None, 0, 0))(w.detach(), X, y)
s = each[0].clone()
for _ in range(400):
    s = each[0] + s - hvp(s)
hessian = torch.autograd.functional.hessian(risk, w)
print(hessian)
print(s, torch.linalg.solve(hessian, each[0]))
print(torch.topk(-each @ s, 3))
