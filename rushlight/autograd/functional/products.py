"""Products of Jacobians and Hessians with vectors, without computing the matrix."""

from collections.abc import Callable
from typing import Any

from rushlight.autograd.functional.arguments import (
    Tensors,
    as_tuple,
    as_variables,
    as_vectors,
    check_recorded,
    gradients,
    untupled,
    without_history,
    zeros,
    zeros_for_none,
)
from rushlight.autograd.grad_mode import enable_grad, is_grad_enabled, set_grad_enabled
from rushlight.core.advice import advised

SINGLE_OUTPUT = "the user-provided function returns a single Tensor with a single element."
SINGLE_INPUT = "the input to the user-provided function is a single Tensor with a single element."


def vjp(
    func: Callable[..., Any],
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Tensors, Tensors]:
    """The outputs of `func`, and the product vᵀJ of a vector with its Jacobian: one backward pass.

    `v` has the shapes of the outputs; a single output with one element needs none. With `create_graph` the results can
    be differentiated. An input that the outputs do not depend on gives zeros; with `strict` it raises RuntimeError.

    >>> import rushlight as torch
    >>> x = torch.tensor([1.0, 2.0])
    >>> torch.autograd.functional.vjp(lambda x: x * x, x, torch.tensor([1.0, 10.0]))
    (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    with enable_grad():
        is_inputs_tuple, given = as_tuple(inputs, "inputs", "vjp")
        variables = as_variables(given, create_graph)
        is_outputs_tuple, outputs = as_tuple(func(*variables), "outputs of the user-provided function", "vjp")
        check_recorded(outputs, "outputs", strict)
        vectors = as_vectors(v, outputs, is_outputs_tuple, create_graph, "vjp", SINGLE_OUTPUT)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        grads = gradients(outputs, variables, vectors, create_graph=create_graph)
        product = zeros_for_none(grads, variables, strict, create_graph, "back")
    return (
        untupled(without_history(outputs, create_graph), is_outputs_tuple),
        untupled(without_history(product, create_graph), is_inputs_tuple),
    )


def jvp(
    func: Callable[..., Any],
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Tensors, Tensors]:
    """The outputs of `func`, and the product Jv of its Jacobian with a vector: two backward passes.

    It differentiates the vector-Jacobian product, which is linear in its vector (the double-backward trick). `v` has
    the shapes of the inputs; a single input with one element needs none. Parameters as in `vjp`. `func.jvp` does the
    same in one forward pass.

    >>> import rushlight as torch
    >>> x = torch.tensor([1.0, 2.0])
    >>> torch.autograd.functional.jvp(lambda x: x * x, x, torch.tensor([1.0, 10.0]))
    (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    with enable_grad():
        is_inputs_tuple, given = as_tuple(inputs, "inputs", "jvp")
        variables = as_variables(given, create_graph)
        vectors = as_vectors(v, variables, is_inputs_tuple, create_graph, "jvp", SINGLE_INPUT)
        is_outputs_tuple, outputs = as_tuple(func(*variables), "outputs of the user-provided function", "jvp")
        check_recorded(outputs, "outputs", strict)
        cotangents = tuple(zeros(out).requires_grad_() for out in outputs)
        grads = gradients(outputs, variables, cotangents, create_graph=True)
        check_recorded(grads, "grad_inputs", strict)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        pushed = gradients(grads, cotangents, vectors, create_graph=create_graph)
        product = zeros_for_none(pushed, outputs, strict, create_graph, "back_trick")
    return (
        untupled(without_history(outputs, create_graph), is_outputs_tuple),
        untupled(without_history(product, create_graph), is_outputs_tuple),
    )


def scalar_with_gradient(func: Any, inputs: Any, v: Any, create_graph: bool, strict: bool, name: str) -> Any:
    """The first step of `vhp` and `hvp`: the variables, the vectors, the scalar output, and its recorded gradient."""
    is_tuple, given = as_tuple(inputs, "inputs", name)
    variables = as_variables(given, create_graph)
    vectors = as_vectors(v, variables, is_tuple, create_graph, name, SINGLE_INPUT)
    is_outputs_tuple, outputs = as_tuple(func(*variables), "outputs of the user-provided function", name)
    check_recorded(outputs, "outputs", strict)
    if is_outputs_tuple:
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if outputs[0].nelement() != 1:
        raise RuntimeError(
            advised(f"The Tensor returned by the function given to {name} should contain a single element")
        )
    gradient = gradients(outputs, variables, create_graph=True)
    check_recorded(gradient, "jacobian", strict)
    return is_tuple, variables, vectors, outputs[0], gradient


def vhp(
    func: Callable[..., Any],
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Tensors, Tensors]:
    """The output of a scalar function, and the product vᵀH of a vector with its Hessian: double backward.

    `v` has the shapes of the inputs. Parameters as those of `vjp`.

    >>> import rushlight as torch
    >>> x = torch.tensor([1.0, 2.0])
    >>> torch.autograd.functional.vhp(lambda x: (x**3).sum(), x, torch.tensor([1.0, 10.0]))
    (tensor(9.), tensor([  6., 120.]))
    """
    with enable_grad():
        prepared = scalar_with_gradient(func, inputs, v, create_graph, strict, "vhp")
        is_tuple, variables, vectors, output, gradient = prepared
    with set_grad_enabled(create_graph or is_grad_enabled()):
        grads = gradients(gradient, variables, vectors, create_graph=create_graph)
        product = zeros_for_none(grads, variables, strict, create_graph, "double_back")
    return (
        without_history((output,), create_graph)[0],
        untupled(without_history(product, create_graph), is_tuple),
    )


def hvp(
    func: Callable[..., Any],
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Tensors, Tensors]:
    """The output of a scalar function, and the product Hv of its Hessian with a vector.

    Three backward passes; where the second derivatives are continuous H is symmetric, and `vhp` gives the same with one
    pass fewer. Parameters as in `vjp`.

    >>> import rushlight as torch
    >>> x = torch.tensor([1.0, 2.0])
    >>> torch.autograd.functional.hvp(lambda x: (x**3).sum(), x, torch.tensor([1.0, 10.0]))
    (tensor(9.), tensor([  6., 120.]))
    """
    with enable_grad():
        prepared = scalar_with_gradient(func, inputs, v, create_graph, strict, "hvp")
        is_tuple, variables, vectors, output, gradient = prepared
        cotangents = tuple(zeros(x).requires_grad_() for x in variables)
        double = gradients(gradient, variables, cotangents, create_graph=True)
        check_recorded(gradient, "hessian", strict)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        pushed = gradients(double, cotangents, vectors, create_graph=create_graph)
        product = zeros_for_none(pushed, variables, strict, create_graph, "double_back_trick")
    return (
        without_history((output,), create_graph)[0],
        untupled(without_history(product, create_graph), is_tuple),
    )
