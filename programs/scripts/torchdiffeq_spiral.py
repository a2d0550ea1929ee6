"""A neural ordinary differential equation, solved and differentiated through the solver and by its adjoint."""

import torch
from torchdiffeq import odeint, odeint_adjoint

torch.manual_seed(0)
field = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2)).double()


class Field(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = field

    def forward(self, t, y):
        return self.net(y)


start, times = torch.tensor([[1.0, 0.5]], dtype=torch.float64), torch.linspace(0, 1, 5, dtype=torch.float64)
for solve in (odeint, odeint_adjoint):
    field.zero_grad()
    path = solve(Field(), start, times, rtol=1e-8, atol=1e-10)
    path.pow(2).sum().backward()
    print(*path[-1, 0].tolist(), *(p.grad.norm().item() for p in field.parameters()))
