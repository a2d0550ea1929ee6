"""`grad`, `grad_and_value` and `vjp`: transforms by reverse mode."""

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rushlight.autograd.differentiate import run_grad
from rushlight.core.advice import advised
from rushlight.core.graph import TensorBase, reaches_others
from rushlight.core.kinds import kind_of
from rushlight.core.link import LINK
from rushlight.core.modes import in_grad_mode
from rushlight.core.recording import recording
from rushlight.func.arguments import Argnums, beyond_inference, check_outputs, chosen, replaced, with_aux
from rushlight.tensors import Tensor
from rushlight.utils.pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten

__all__ = ["grad", "grad_and_value", "vjp"]


def grad(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that computes the gradient of `func`, which returns a scalar, with respect to an argument.

    `argnums` is the position of the argument, or a tuple of several; an argument may be a tree of tensors, and so is
    its gradient. With `has_aux`, `func` returns (output, aux) and the gradient function (gradient, aux). It can be
    nested: `grad(grad(f))` is the second derivative, `vmap(grad(f))` computes per-example gradients.

    RuntimeError if `func` does not return a single scalar tensor.

    >>> import rushlight as torch
    >>> torch.func.grad(torch.sin)(torch.tensor(0.0))
    tensor(1.)
    >>> torch.func.grad(torch.func.grad(lambda x: x**3))(torch.tensor(2.0))
    tensor(12.)
    """

    @functools.wraps(func, updated=())
    def gradient(*args: Any, **kwargs: Any) -> Any:
        grads, (_, aux) = grads_and_output(func, argnums, has_aux, args, kwargs)
        return (grads, aux) if has_aux else grads

    return gradient


def grad_and_value(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Like `grad`, but the function returns (gradient, output), or with `has_aux` (gradient, (output, aux)).

    >>> import rushlight as torch
    >>> torch.func.grad_and_value(lambda x: (x * x).sum())(torch.tensor([1.0, 2.0]))
    (tensor([2., 4.]), tensor(5.))
    """

    @functools.wraps(func, updated=())
    def gradient_and_value(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        grads, outputs = grads_and_output(func, argnums, has_aux, args, kwargs)
        return grads, outputs if has_aux else outputs[0]

    return gradient_and_value


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """The output of `func` at some arguments, and the function from a cotangent to the vector-Jacobian product.

    The cotangent has the structure of the output; the result is a product for each argument, in a tuple if there are
    several. With `has_aux`, `func` returns (output, aux) and `vjp` (output, function, aux). The function may be called
    repeatedly.

    >>> import rushlight as torch
    >>> output, vjp_fn = torch.func.vjp(torch.sin, torch.tensor([0.0, 3.0]))
    >>> vjp_fn(torch.tensor([1.0, 0.0]))
    (tensor([1., -0.]),)
    """
    return vjp_by(func, primals, None, has_aux)


@beyond_inference
def vjp_by(func: Any, primals: Any, argnums: Any, has_aux: bool) -> Any:
    """`vjp` with respect to the arguments at `argnums` only; None for all."""
    api = "vjp(f, *primals)"
    wanted = primals if argnums is None else chosen(primals, argnums)
    leaves, spec = tree_flatten(wanted)
    with in_grad_mode(True):  # the function may be called where gradients are recorded
        variables = [variable(x) for x in leaves]
    inputs = tree_unflatten(variables, spec)
    with in_grad_mode(True):
        result, aux = with_aux(func(*(inputs if argnums is None else replaced(primals, inputs, argnums))), has_aux, api)
        outputs, structure = tree_flatten(result)
        check_outputs(outputs, api)
        outputs = [LINK(out) if any(out is x for x in variables) else out for out in outputs]  # variables will retire
    for output in outputs:
        if kind_of(output._array.dtype) not in "fc":
            raise RuntimeError(
                "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype "
                f"{output.dtype}"
            )
    outside = is_differentiated(leaves, outputs, variables)
    retire(variables)

    @beyond_inference
    def vjp_fn(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        values, given = tree_flatten(cotangents)
        if given != structure:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                f"function. cotangents: {given}, primal output: {structure}"
            )
        if create_graph is None:
            create_graph = recording() and (outside or any(v.requires_grad for v in values))
        grads = pulled_back(outputs, variables, values, retain_graph, create_graph)
        return tree_unflatten(released(grads, variables), spec)

    result, aux = released(result, variables), released(aux, variables)
    return (result, vjp_fn, aux) if has_aux else (result, vjp_fn)


@beyond_inference
def grads_and_output(func: Any, argnums: Argnums, has_aux: bool, args: Any, kwargs: dict[str, Any]) -> Any:
    """The gradients, and (output, aux)."""
    api = "grad_and_value(f)(*args)"
    leaves, spec = tree_flatten(chosen(args, argnums))
    variables = [variable(x) for x in leaves]
    with in_grad_mode(True):
        result = func(*replaced(args, tree_unflatten(variables, spec), argnums), **kwargs)
        output, aux = with_aux(result, has_aux, api)
    if not isinstance(output, Tensor):
        raise RuntimeError(advised(f"{api}: Expected f(*args) to return a Tensor, got {type(output)}"))
    if output.dim() != 0:
        raise RuntimeError(
            f"{api}: Expected f(*args) to return a scalar Tensor, got tensor with {output.dim()} dims. Maybe you "
            "wanted to use the vjp or jacrev APIs instead?"
        )
    outside = recording() and is_differentiated(leaves, [output], variables)
    grads = pulled_back([output], variables, [None], outside, outside)
    retire(variables)
    return tree_unflatten(released(grads, variables), spec), released((output, aux), variables)


def variable(x: Any) -> Tensor:
    """A tensor to differentiate by: linked to the argument if that is in a graph, else a new leaf."""
    if not isinstance(x, TensorBase):
        raise ValueError(f"Thing passed to transform API must be Tensor, got {type(x)}")
    if x.requires_grad and recording():
        return LINK(x)
    leaf = apart(x)
    leaf.requires_grad = True
    return leaf


def retire(variables: Sequence[Tensor]) -> None:
    """Turns off requires_grad of leaves made for differentiation: nothing else differentiates by them."""
    for x in variables:
        if x.grad_fn is None:
            x.requires_grad = False


def apart(tensor: TensorBase) -> Tensor:
    """The tensor detached from the graph, with its tangents; also of an inference tensor one that can be recorded."""
    out = tensor.detach()
    out._inference = False
    out._tangents = tensor._tangents
    return out


def released(tree: Sequence[Tensor | None] | Tensor | dict[str, Tensor] | None, variables: Sequence[Tensor]) -> Any:
    """A tree of results, detached unless a caller outside may differentiate them (or their tangents)."""
    if recording() and all(x.grad_fn is not None for x in variables):
        return tree  # the variables are part of the outer graph, and so are the results
    return tree_map(lambda value: severed(value, variables) if isinstance(value, TensorBase) else value, tree)


def severed(tensor: Any, variables: Sequence[Tensor]) -> Tensor:
    """A tensor detached from the graph, if its graph leads only to some variables."""
    if not tensor.requires_grad or (recording() and reaches_others([tensor], variables)):
        return tensor
    out = apart(tensor)
    out._tangents = released(out._tangents, variables)
    return out


def is_differentiated(inputs: Sequence[Tensor], outputs: Sequence[Tensor], variables: Sequence[Tensor]) -> bool:
    """Whether the caller may differentiate the results: by the inputs, by what `func` refers to, or by tangents."""
    return any(x.requires_grad for x in inputs) or reaches_others(
        [t for out in outputs for t in with_tangents(out)], variables
    )


def with_tangents(tensor: Tensor) -> Iterator[Any]:
    """A tensor, its tangents, and their tangents."""
    yield tensor
    for tangent in tree_leaves(tensor._tangents or {}):
        yield from with_tangents(tangent)


def pulled_back(
    outputs: Sequence[Tensor],
    variables: Sequence[Tensor],
    cotangents: Sequence[Tensor | None],
    keep_graph: bool,
    create_graph: bool,
) -> list[Tensor]:
    """The gradients of variables; zeros for those that no output depends on."""
    live = [(out, c) for out, c in zip(outputs, cotangents, strict=True) if out.requires_grad]
    if not live:
        return [x.new_zeros(x.shape) for x in variables]
    outs, values = zip(*live, strict=True)
    grads = run_grad(list(outs), variables, list(values), keep_graph, create_graph)
    return [x.new_zeros(x.shape) if g is None else g for x, g in zip(variables, grads, strict=True)]
