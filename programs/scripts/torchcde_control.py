"""A controlled differential equation along a cubic spline."""

import torch
import torchcde

torch.manual_seed(0)
times = torch.linspace(0, 1, 10)
data = torch.stack([times.sin(), times.cos()], 1).unsqueeze(0)
spline = torchcde.CubicSpline(torchcde.hermite_cubic_coefficients_with_backward_differences(data))
layer = torch.nn.Linear(3, 6)
field = type("Field", (torch.nn.Module,), {"forward": lambda self, t, z: layer(z).tanh().view(1, 3, 2)})()
end = torchcde.cdeint(X=spline, func=field, z0=torch.ones(1, 3), t=spline.interval, adjoint=False)
end[:, -1].sum().backward()
print(*end[0, -1].tolist(), layer.weight.grad.norm().item(), *spline.evaluate(0.3)[0].tolist())
