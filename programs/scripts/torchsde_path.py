"""A stochastic differential equation along a fixed Brownian path."""

import torch
import torchsde

torch.manual_seed(0)


class Model(torch.nn.Module):
    noise_type, sde_type = "diagonal", "ito"

    def __init__(self):
        super().__init__()
        self.rate = torch.nn.Parameter(torch.tensor(0.5))

    def f(self, t, y):
        return -self.rate * y

    def g(self, t, y):
        return 0.1 * y


model, times = Model(), torch.linspace(0, 1, 5)
brownian = torchsde.BrownianInterval(0.0, 1.0, size=(3, 2), entropy=7)
path = torchsde.sdeint(model, torch.ones(3, 2), times, bm=brownian, dt=0.05, method="euler")
path[-1].sum().backward()
print(*path.sum((1, 2)).tolist(), model.rate.grad.item())
