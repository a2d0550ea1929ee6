"""Derivatives checked by central differences, in float64 or complex128: what the tests of operators lean on."""

import numpy as np

import rushlight as torch

EPS = 1e-6


def random_leaf(*shape, dtype=np.float64, grad=True, seed=0):
    """A leaf of normally distributed numbers that its shape and a seed determine."""
    rng = np.random.default_rng([seed, *shape])
    array = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        array = array + 1j * rng.standard_normal(shape)
    out = torch.from_numpy(np.asarray(array, dtype))
    out.requires_grad = grad
    return out


def as_list(values):
    """A tensor or a tuple of them as a list."""
    return [values] if isinstance(values, torch.Tensor) else list(values)


def differentiable(values):
    """The tensors among some values that can be differentiated."""
    return [v for v in values if isinstance(v, torch.Tensor) and v.requires_grad]


def numerical_vjp(function, inputs, i, cotangents):
    """The cotangent of input `i` by central differences, by PyTorch's convention for complex numbers."""
    array = inputs[i]._array
    result = np.zeros_like(array)
    steps = (EPS, 1j * EPS) if array.dtype.kind == "c" else (EPS,)
    for index in np.ndindex(array.shape):
        value = array[index]
        for step in steps:
            sides = []
            for sign in (1, -1):
                array[index] = value + sign * step
                outs = as_list(function(*inputs))
                sides.append([out.detach().resolve_conj().numpy().copy() for out in outs])
            array[index] = value
            slope = sum(
                np.sum(np.conj(c) * (plus - minus)).real
                for c, plus, minus in zip(cotangents, *sides, strict=False)
                if c is not None
            ) / (2 * EPS)
            result[index] += slope * (step / EPS)
    return result


def random_cotangents(outs, seed):
    """A random cotangent for each output that can be differentiated."""
    rng = np.random.default_rng(seed)
    cotangents = []
    for out in outs:
        c = rng.standard_normal(out._array.shape)
        if out._array.dtype.kind == "c":
            c = c + 1j * rng.standard_normal(out._array.shape)
        cotangents.append(np.asarray(c, out._array.dtype) if out.requires_grad else None)
    return cotangents


def check_first_order(function, *inputs, seed=0, atol=1e-6, rtol=1e-5):
    """Compares the gradients of all inputs that require grad with central differences."""
    outs = as_list(function(*inputs))
    cotangents = random_cotangents(outs, seed)
    live = [(out, torch.from_numpy(c.copy())) for out, c in zip(outs, cotangents, strict=True) if c is not None]
    wanted = differentiable(inputs)
    grads = torch.autograd.grad(
        [out for out, _ in live], wanted, [c for _, c in live], allow_unused=True, materialize_grads=True
    )
    with torch.no_grad():
        for i, x in enumerate(inputs):
            if isinstance(x, torch.Tensor) and x.requires_grad:
                found = grads[next(k for k, w in enumerate(wanted) if w is x)].numpy(force=True)
                expected = numerical_vjp(function, inputs, i, cotangents)
                np.testing.assert_allclose(found, expected, atol=atol, rtol=rtol, err_msg=f"gradient of input {i}")


def gradient_function(function, inputs, seed):
    """The gradients of `function` as a function of its inputs and of the cotangents, to be differentiated again."""
    with torch.enable_grad():
        outs = as_list(function(*inputs))
        live = [i for i, out in enumerate(outs) if out.requires_grad]
    cotangents = [torch.from_numpy(c.copy()) for c in random_cotangents(outs, seed) if c is not None]
    for c in cotangents:
        c.requires_grad = True
    n = len(inputs)

    def gradients(*values):
        with torch.enable_grad():
            results = as_list(function(*values[:n]))
            grads = torch.autograd.grad(
                [results[i] for i in live],
                differentiable(values[:n]),
                list(values[n:]),
                create_graph=True,
                allow_unused=True,
                materialize_grads=True,
            )
        return grads

    return gradients, [*inputs, *cotangents]


def check_derivatives(function, *inputs, order=2, seed=0, atol=1e-6, rtol=1e-5):
    """Compares first and second derivatives with central differences.

    `inputs` are float64 or complex128 tensors; those that require grad are differentiated. The second order
    differentiates the gradient, as a function of the inputs and of the cotangents.
    """
    check_first_order(function, *inputs, seed=seed, atol=atol, rtol=rtol)
    if order == 2:
        gradients, values = gradient_function(function, inputs, seed)
        if any(g.requires_grad for g in gradients(*values)):
            check_first_order(gradients, *values, seed=seed + 1, atol=10 * atol, rtol=10 * rtol)
