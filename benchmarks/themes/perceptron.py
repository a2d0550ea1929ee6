"""A perceptron 1000-100-10: a step of SGD."""

from functools import partial

import numpy as np

from benchmarks.forms import as_is, load, training_by_hand, training_forms, with_torch
from benchmarks.updates import SGD
from benchmarks.workload import Workload, linear_weights, normal

UPDATE = SGD(0.001)


def data(width, batch):
    """Inputs and targets; the layers' weights and biases."""
    generator = np.random.default_rng(0)
    return [normal(generator, batch, 1000), normal(generator, batch, 10)], linear_weights(generator, 1000, width, 10)


def step_of_sgd(torch, inputs, weights, compile=as_is):
    """The step in PyTorch's names."""
    nn, (inputs, targets) = torch.nn, [torch.tensor(array) for array in inputs]
    width, wide = weights[0].shape
    model = load(nn.Sequential(nn.Linear(wide, width), nn.ReLU(), nn.Linear(width, 10)), torch, weights)
    optimizer = torch.optim.SGD(model.parameters(), lr=UPDATE.rate)
    loss = compile(lambda inputs, targets: (targets - model(inputs)).pow(2).sum())

    def step():
        optimizer.zero_grad()
        value = loss(inputs, targets)
        value.backward()
        optimizer.step()
        return value, *model.parameters()

    return step


def loss(library, weights, inputs, targets):
    """The sum of squared errors in NumPy's operations."""
    w1, b1, w2, b2 = weights
    hidden = library.numpy.maximum(inputs @ w1.T + b1, 0)
    return ((targets - (hidden @ w2.T + b2)) ** 2).sum()


def differentiate(weights, inputs, targets):
    """The loss and its gradients by hand."""
    w1, b1, w2, b2 = weights
    hidden = np.maximum(inputs @ w1.T + b1, 0)
    error = hidden @ w2.T + b2 - targets
    dy = 2 * error
    dh = (dy @ w2) * (hidden > 0)
    return (error * error).sum(), dh.T @ inputs, dh.sum(0), dy.T @ hidden, dy.sum(0)


FORMS = {
    **with_torch(step_of_sgd),
    **training_forms(loss, UPDATE),
    "numpy": training_by_hand(differentiate, UPDATE),
}


def perceptron(width=100, batch=16, bound=0.5):
    """The workload, of any width of the hidden layer."""
    return Workload(
        f"perceptron 1000-{width}-10, batch {batch}, SGD step", FORMS, partial(data, width, batch), 1, bound
    )


WORKLOADS = [perceptron()]
