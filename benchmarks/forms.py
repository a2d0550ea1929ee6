"""Code that many workloads share: a loss with its gradients, and a training step, for each library."""

from functools import partial

import numpy as np

from benchmarks.workload import Arrays, Form, Step


def as_is(function):
    """What stands for `torch.compile` where nothing is compiled."""
    return function


def by_compiling(form, torch, inputs, weights):
    """The form with what it leaves to be compiled, compiled."""
    return form(torch, inputs, weights, torch.compile)


def all_compiled(form, backend, torch, inputs, weights):
    """The whole step of a form, with its backward pass and its update, compiled by rushlight."""
    return torch.compile(form(torch, inputs, weights), backend=backend)


def with_torch(form, compiled=None) -> dict[str, Form]:
    """The same code for rushlight and PyTorch; for `torch.compile` too, or another form that suits it better.

    rushlight compiles the whole step.
    """
    names = ("rushlight", "torch", "torch, blocks kept")
    ours = {f"rushlight, {backend}": partial(all_compiled, form, backend) for backend in ("walker", "llvm")}
    return {**dict.fromkeys(names, form), **ours, "torch.compile": compiled or partial(by_compiling, form)}


def leaves(torch, weights: Arrays) -> list:
    """Weights as tensors that require grad."""
    return [torch.tensor(weight, requires_grad=True) for weight in weights]


def load(model, torch, weights: Arrays):
    """A model with these weights in place of its own, in their order and dtype."""
    model = model.to(torch.tensor(weights[0]).dtype)
    with torch.no_grad():
        for parameter, weight in zip(model.parameters(), weights, strict=True):
            parameter.copy_(torch.tensor(weight))
    return model


def gradient_in_torch(loss, torch, inputs: Arrays, weights: Arrays, compile=as_is) -> Step:
    """A loss of PyTorch's operators, differentiated: `loss(torch, weights, *inputs)`."""
    inputs, weights = [torch.tensor(array) for array in inputs], leaves(torch, weights)
    function = compile(partial(loss, torch))

    def step():
        for weight in weights:
            weight.grad = None
        value = function(weights, *inputs)
        value.backward()
        return value, *(weight.grad for weight in weights)

    return step


def gradient_in_jax(loss, jax, inputs: Arrays, weights: Arrays) -> Step:
    """A loss of NumPy's operations, `loss(library, weights, *inputs)`, differentiated and compiled by JAX."""
    inputs, weights = jax.device_put((inputs, weights))
    function = jax.jit(jax.value_and_grad(partial(loss, jax)))

    def step():
        value, gradients = jax.block_until_ready(function(weights, *inputs))
        return value, *gradients

    return step


def gradient_in_autograd(loss, autograd, inputs: Arrays, weights: Arrays) -> Step:
    """The same loss, differentiated by HIPS autograd."""
    function = autograd.value_and_grad(partial(loss, autograd))

    def step():
        value, gradients = function(weights, *inputs)
        return value, *gradients

    return step


def gradient_forms(loss) -> dict[str, Form]:
    """The forms of a loss that both JAX and HIPS autograd can differentiate."""
    return {"jax": partial(gradient_in_jax, loss), "autograd": partial(gradient_in_autograd, loss)}


def training_in_jax(loss, update, jax, inputs: Arrays, weights: Arrays) -> Step:
    """A training step, compiled by JAX as one function that writes the new weights over the old ones."""
    inputs, weights = jax.device_put((inputs, weights))
    state = jax.device_put(update.start(weights))

    def train(weights, state, *inputs):
        value, gradients = jax.value_and_grad(partial(loss, jax))(weights, *inputs)
        return value, *update(jax.numpy, weights, gradients, state)

    compiled = jax.jit(train, donate_argnums=(0, 1))

    def step():
        nonlocal weights, state
        value, weights, state = jax.block_until_ready(compiled(weights, state, *inputs))
        return value, *weights

    return step


def training(differentiate, update, np, inputs: Arrays, weights: Arrays) -> Step:
    """A training step by a function that gives a loss and its gradients."""
    state = update.start(weights)

    def step():
        nonlocal weights, state
        value, *gradients = differentiate(weights, *inputs)
        weights, state = update(np, weights, gradients, state)
        return value, *weights

    return step


def training_in_autograd(loss, update, autograd, inputs: Arrays, weights: Arrays) -> Step:
    """A training step in HIPS autograd."""
    function = autograd.value_and_grad(partial(loss, autograd))

    def differentiate(weights, *inputs):
        value, gradients = function(weights, *inputs)
        return value, *gradients

    return training(differentiate, update, np, inputs, weights)


def training_forms(loss, update) -> dict[str, Form]:
    """The forms of a training step whose loss both JAX and HIPS autograd can differentiate."""
    return {
        "jax": partial(training_in_jax, loss, update),
        "autograd": partial(training_in_autograd, loss, update),
    }


def gradient_by_hand(differentiate, numpy, inputs: Arrays, weights: Arrays) -> Step:
    """The floor: a loss with its gradients written by hand, `differentiate(weights, *inputs)`."""
    return lambda: differentiate(weights, *inputs)


def training_by_hand(differentiate, update) -> Form:
    """The floor of a training step."""
    return partial(training, differentiate, update)
