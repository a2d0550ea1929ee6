"""The differential equation u'' = -u solved by a network 1-32-32-1: a step of Adam."""

from functools import partial

import numpy as np

from benchmarks.forms import as_is, load, training_by_hand, training_forms, with_torch
from benchmarks.updates import Adam
from benchmarks.workload import Workload, linear_weights

UPDATE = Adam(0.001)


def data(points):
    """Points between 0 and 2π; the layers' weights and biases."""
    weights = linear_weights(np.random.default_rng(0), 1, 32, 32, 1)
    return [np.linspace(0, 6.28, points, dtype=np.float32).reshape(-1, 1)], weights


def by_grad(torch, model, t):
    """The loss by `autograd.grad`, twice recorded."""
    u = model(t)
    (du,) = torch.autograd.grad(u.sum(), t, create_graph=True)
    (ddu,) = torch.autograd.grad(du.sum(), t, create_graph=True)
    return ((ddu + u) ** 2).mean()


def by_func(torch, model, t):
    """The loss by `func.grad`: `torch.compile` cannot differentiate what it compiled twice."""
    du = torch.func.grad(lambda t: model(t).sum())
    ddu = torch.func.grad(lambda t: du(t).sum())
    return ((ddu(t) + model(t)) ** 2).mean()


def step_of_adam(torch, inputs, weights, compile=as_is, loss=by_grad):
    """The step in PyTorch's names."""
    nn, t = torch.nn, torch.tensor(inputs[0], requires_grad=True)
    layers = (nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
    model = load(nn.Sequential(*layers), torch, weights)
    optimizer = torch.optim.Adam(model.parameters(), lr=UPDATE.rate)
    loss = compile(partial(loss, torch, model))

    def step():
        optimizer.zero_grad()
        value = loss(t)
        value.backward()
        optimizer.step()
        return value, *model.parameters()

    return step


def compiled(torch, inputs, weights):
    """The step with its loss compiled."""
    return step_of_adam(torch, inputs, weights, torch.compile, by_func)


def network(np, weights, t):
    """The network in NumPy's operations."""
    w1, b1, w2, b2, w3, b3 = weights
    return np.tanh(np.tanh(t @ w1.T + b1) @ w2.T + b2) @ w3.T + b3


def loss(library, weights, t):
    """The loss by `grad` of `grad`."""
    np = library.numpy
    du = library.grad(lambda t: np.sum(network(np, weights, t)))
    ddu = library.grad(lambda t: np.sum(du(t)))
    return np.mean((ddu(t) + network(np, weights, t)) ** 2)


def tanh_jet(a, da, dda):
    """h = tanh a with its first two derivatives along t: h' = s a', h'' = s (a'' - 2 h a'²), where s = 1 - h²."""
    h = np.tanh(a)
    s = 1 - h * h
    return np.stack((h, s * da, s * (dda - 2 * h * da * da)))


def tanh_jet_cotangents(jet, da, dda, gh, gdh, gddh):
    """The cotangents of a, a', a'' from those of h, h', h'': the formulas above differentiated, with ds = -2 h dh."""
    h = jet[0]
    s = 1 - h * h
    inner = dda - 2 * h * da * da
    through_h = gh - 2 * h * (gdh * da + gddh * inner) - 2 * s * gddh * da * da
    return np.stack((through_h * s, s * (gdh - 4 * gddh * h * da), gddh * s))


def differentiate(weights, t):
    """The loss and its gradients by hand: u, u', u'' go forward through the network together, cotangents back."""
    w1, b1, w2, b2, w3, b3 = weights
    slope = np.broadcast_to(w1.T, (len(t), 32))
    flat = np.zeros_like(slope)
    first = tanh_jet(t @ w1.T + b1, slope, flat)
    inner = first @ w2.T
    inner[0] += b2
    second = tanh_jet(*inner)
    residual = second[2] @ w3.T + second[0] @ w3.T + b3
    du = 2 * residual / len(t)
    dh = du @ w3
    dinner = tanh_jet_cotangents(second, inner[1], inner[2], dh, np.zeros_like(dh), dh)
    da = tanh_jet_cotangents(first, slope, flat, *(dinner @ w2))
    dw2 = dinner.reshape(-1, 32).T @ first.reshape(-1, 32)
    dw1 = da[0].T @ t + da[1].sum(0)[:, None]
    dw3 = du.T @ (second[0] + second[2])
    return (residual**2).mean(), dw1, da[0].sum(0), dw2, dinner[0].sum(0), dw3, du.sum(0)


FORMS = {
    **with_torch(step_of_adam, compiled),
    **training_forms(loss, UPDATE),
    "numpy": training_by_hand(differentiate, UPDATE),
}


def equation(points, bound=None):
    """The workload at so many points."""
    return Workload(f"u'' = -u, network 1-32-32-1, {points} points, Adam step", FORMS, partial(data, points), 1, bound)


WORKLOADS = [equation(64, 0.4), equation(1024, 0.6)]
