"""A network that solves a Poisson equation, by DeepXDE."""

import os

os.environ["DDE_BACKEND"] = "pytorch"
import deepxde as dde
import numpy as np
import torch

torch.manual_seed(0)
np.random.seed(0)
equation = lambda x, y: -dde.grad.hessian(y, x) - np.pi**2 * torch.sin(np.pi * x)
space = dde.geometry.Interval(-1, 1)
edge = dde.icbc.DirichletBC(space, lambda x: 0 * x, lambda x, on: on)
data = dde.data.PDE(space, equation, edge, 16, 2, train_distribution="uniform")
model = dde.Model(data, dde.nn.FNN([1, 8, 1], "tanh", "Glorot uniform"))
model.compile("adam", lr=1e-3, verbose=0)
history, _ = model.train(iterations=20, display_every=10, verbose=0)
print(*np.ravel(history.loss_train).tolist())
