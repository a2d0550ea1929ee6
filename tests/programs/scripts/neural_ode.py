"""A neural ODE by RK4, its adjoint as a custom function, and a network that obeys the oscillator's equation."""

from itertools import pairwise

import torch
import torch.nn as nn
from torch.autograd import Function, grad, gradcheck
from torch.nn.utils import parameters_to_vector

torch.manual_seed(0)


def rk4(f, y, times):
    path = [y]
    for t, after in pairwise(times):
        h = after - t
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h * k1 / 2)
        k3 = f(t + h / 2, y + h * k2 / 2)
        k4 = f(after, y + h * k3)
        y = y + h * (k1 + 2 * k2 + 2 * k3 + k4) / 6
        path.append(y)
    return torch.stack(path)


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))

    def forward(self, t, y):
        return self.net(y**3)


class Adjoint(Function):
    @staticmethod
    def forward(ctx, y, times, flat, field):
        with torch.no_grad():
            path = rk4(field, y, times)
        ctx.field = field
        ctx.save_for_backward(times, path)
        return path[-1].clone()

    @staticmethod
    def backward(ctx, a):
        times, path = ctx.saved_tensors
        params = list(ctx.field.parameters())
        total = [torch.zeros_like(p) for p in params]
        for i in range(len(times) - 1, 0, -1):
            with torch.enable_grad():
                y = path[i - 1].detach().requires_grad_()
                step = rk4(ctx.field, y, times[i - 1 : i + 1])[-1]
                a, *parts = grad(step, [y, *params], a)
            total = [sum_ + part for sum_, part in zip(total, parts, strict=True)]
        return a, None, parameters_to_vector(total), None


times = torch.linspace(0.0, 1.0, 10)
start = torch.tensor([[2.0, 0.0]])
A = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
with torch.no_grad():
    truth = rk4(lambda t, y: (y**3) @ A, start, times)
field = Field()
optimizer = torch.optim.RMSprop(field.parameters(), lr=1e-2)
for step in range(31):
    optimizer.zero_grad()
    loss = (rk4(field, start, times) - truth).abs().mean()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(f"Iter {step:04d} | Total Loss {loss.item():.5f}")

y = start.clone().requires_grad_()
flat = parameters_to_vector(field.parameters())
Adjoint.apply(y, times, flat, field).pow(2).sum().backward()
by_adjoint = [y.grad, *(p.grad.clone() for p in field.parameters())]
direct = grad(rk4(field, y, times)[-1].pow(2).sum(), [y])
print(torch.allclose(by_adjoint[0], direct[0], rtol=1e-4), flat.shape, y.grad)


class Sign(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sign()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x.abs() <= 1)


x = torch.linspace(-2, 2, 5, requires_grad=True)
binary = Sign.apply(x)
binary.sum().backward()
print(binary, x.grad)
print(gradcheck(torch.tanh, torch.randn(3, dtype=torch.double, requires_grad=True)))

net = nn.Sequential(nn.Linear(1, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
t = torch.linspace(0, 1, 20).view(-1, 1).requires_grad_()
for step in range(61):
    u = net(t)
    du = grad(u, t, torch.ones_like(u), create_graph=True)[0]
    ddu = grad(du, t, torch.ones_like(du), create_graph=True)[0]
    loss = (u[0] - 1).pow(2).sum() + du[0].pow(2).sum() + 1e-2 * (ddu + 4 * du + 25 * u).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(step, loss.item())
