"""`jvp` and `linearize`: transforms by forward mode."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.forward import Tangents, tangent_of, with_own_tangent, with_tangent, without
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.interpreters import Within
from rushlight.core.link import LINK
from rushlight.func.arguments import Argnums, beyond_inference, check_outputs, chosen, replaced, with_aux
from rushlight.func.gradients import apart, vjp
from rushlight.tensors import Tensor
from rushlight.utils.pytree import tree_flatten, tree_map, tree_unflatten

__all__ = ["jvp", "linearize"]

API = "jvp(f, primals, tangents)"


def jvp(
    func: Callable[..., Any],
    primals: tuple[Any, ...],
    tangents: tuple[Any, ...],
    *,
    strict: bool = False,
    has_aux: bool = False,
) -> tuple[Any, ...]:
    """The output of `func` at `primals`, and its Jacobian-vector product with `tangents`, in one forward pass.

    Both are tuples of one structure: for each argument a tensor or a tree of tensors. With `has_aux`, `func` returns
    (output, aux) and `jvp` (output, product, aux). With `strict`, RuntimeError if an output does not depend on the
    inputs; otherwise its product is zero.

    >>> import rushlight as torch
    >>> torch.func.jvp(lambda x: x * x, (torch.tensor([1.0, 2.0]),), (torch.tensor([1.0, 10.0]),))
    (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    return jvp_by(func, primals, tangents, None, strict, has_aux)


@beyond_inference
def jvp_by(
    func: Callable[..., Any],
    primals: Any,
    tangents: Sequence[Tensor] | Tensor,
    argnums: Argnums | None,
    strict: bool,
    has_aux: bool,
) -> tuple[Tensor, ...]:
    """`jvp` with respect to the arguments at `argnums` only; None for all."""
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{API}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    leaves, spec = tree_flatten(primals if argnums is None else chosen(primals, argnums))
    directions, given = tree_flatten(tangents)
    if given != spec:
        raise RuntimeError(
            f"{API}: Expected primals and tangents to have the same python structure. For example, if primals is a "
            f"tuple of 3 tensors, tangents also must be. Got primals with structure {spec} and tangents with structure "
            f"{given}"
        )
    check_tensors(leaves, "primals")
    check_tensors(directions, "tangents")
    with Within(Tangents) as level:
        give = with_own_tangent if argnums is None else with_tangent
        duals = tree_unflatten([dual(x, t, level, give) for x, t in zip(leaves, directions, strict=True)], spec)
        result = func(*(duals if argnums is None else replaced(primals, duals, argnums)))
        result, aux = with_aux(result, has_aux, API)
        outputs, spec = tree_flatten(result)
        check_outputs(outputs, API)
        products = tree_unflatten([product(out, level, strict) for out in outputs], spec)
        release = lambda value: without(value, level) if isinstance(value, TensorBase) else value
        result, aux = tree_map(release, result), tree_map(release, aux)
    return (result, products, aux) if has_aux else (result, products)


def check_tensors(values: Sequence[Any], what: str) -> None:
    """RuntimeError if there is no tensor, or a value that is not a tensor."""
    if not values:
        raise RuntimeError(f"{API}: Expected {what} to contain at least one Tensor.")
    for value in values:
        if not isinstance(value, TensorBase):
            raise RuntimeError(f"{API}: Expected {what} to only contain Tensors, got {type(value)}")


def dual(primal: Tensor, tangent: Tensor, level: Tangents, give: Callable[..., Any] = with_tangent) -> Tensor:
    """A tensor with a tangent, for an argument; `give` attaches it."""
    if primal._array.shape != tangent._array.shape:
        raise RuntimeError(
            f"Expected tangent to have the same shape as its primal: {tuple(primal._array.shape)} and "
            f"{tuple(tangent._array.shape)}."
        )
    return give(LINK(apart(primal) if primal._inference else primal), tangent, level)


def product(output: Tensor, level: Tangents, strict: bool) -> Tensor:
    """The tangent of an output; zeros if it has none."""
    tangent = tangent_of(output, level)
    if tangent is None and strict:
        raise RuntimeError(
            "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not allowed "
            "with strict=True."
        )
    return new_tensor(np.zeros_like(output._array)) if tangent is None else tangent


@beyond_inference
def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """The output of `func` at `primals`, and the function from tangents to its Jacobian-vector product there.

    The function may be called repeatedly: `func` itself is evaluated once. It is the transpose of the vector-Jacobian
    product, which is linear.

    >>> import rushlight as torch
    >>> output, jvp_fn = torch.func.linearize(torch.sin, torch.tensor([0.0, 0.0]))
    >>> jvp_fn(torch.tensor([1.0, 2.0]))
    tensor([1., 2.])
    """
    output, vjp_fn = vjp(func, *primals)
    outputs, spec = tree_flatten(output)
    zeros = tree_unflatten([new_tensor(np.zeros_like(out._array)) for out in outputs], spec)
    _, transpose = vjp(vjp_fn, zeros)

    def jvp_fn(*tangents: Any) -> Any:
        given, expected = tree_flatten(tangents)[1], tree_flatten(primals)[1]
        if given != expected:
            raise RuntimeError(f"Expected the tangents {given} to have the same argspec as the primals {expected}")
        check_directions(tangents, primals)
        (result,) = transpose(tangents)
        return result

    return output, jvp_fn


def check_directions(tangents: Sequence[Array], primals: Sequence[Array]) -> None:
    """RuntimeError for tangents whose shapes or dtypes differ from those of the primals."""
    for i, (tangent, primal) in enumerate(zip(tree_flatten(tangents)[0], tree_flatten(primals)[0], strict=True)):
        for what in ("shape", "dtype"):
            if getattr(tangent, what) != getattr(primal, what):
                raise RuntimeError(
                    f"tangent:{i} with {what} {getattr(tangent, what)} in flattened pytree doesn't match the {what} "
                    f"{getattr(primal, what)} of the corresponding primal."
                )
