"""Jacobians for `gradcheck`: numerical ones by central differences, analytical ones in reverse and in forward mode.

All have the shape (elements of the input, elements of the output). As in PyTorch, that of a complex input holds the
conjugate Wirtinger derivative: d/dx + i d/dy of a real output (Kreutz-Delgado, arXiv:0906.4835).
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.autograd import forward_ad
from rushlight.autograd.differentiate import grad
from rushlight.autograd.gradcheck import Settings
from rushlight.autograd.gradcheck_error import GradcheckError
from rushlight.core.aliases import Array
from rushlight.core.graph import new_tensor
from rushlight.core.kinds import kind_of
from rushlight.progress import progress
from rushlight.tensors import Tensor


def as_tuple(values: Any) -> tuple[Any, ...]:
    """A tuple of the values; a single value becomes a tuple of one."""
    return tuple(values) if isinstance(values, (tuple, list)) else (values,)


def differentiable(values: Any) -> list[Tensor]:
    """The tensors among some values that require grad."""
    return [v for v in as_tuple(values) if isinstance(v, Tensor) and v.requires_grad]


def is_inexact(value: Any) -> bool:
    """Whether a value is a tensor of floating-point or complex numbers."""
    return isinstance(value, Tensor) and kind_of(value._array.dtype) in "fc"


# by finite differences


def difference(
    function: Callable[..., Any], inputs: Sequence[Any], array: np.ndarray, step: Array, place: Any, eps: float
) -> list[np.ndarray]:
    """The central difference of all outputs for a step in the elements at `place` in an input's memory."""
    original = array[place].copy()
    sides = []
    for sign in (-1, 1):
        array[place] = original + sign * step
        sides.append([out._array.copy() for out in as_tuple(function(*inputs))])
    array[place] = original
    for low, high in zip(*sides, strict=True):
        check_same_kind(low, high, place, eps)
    return [
        (np.subtract(high, low, dtype=as_number(low.dtype)) / (2 * eps)).reshape(-1)
        for low, high in zip(*sides, strict=True)
    ]


def as_number(dtype: np.dtype) -> np.dtype:
    """The dtype to compute a difference in: booleans have none of their own."""
    return np.dtype(np.int8) if dtype.kind == "b" else dtype


def check_same_kind(low: np.ndarray, high: np.ndarray, place: Any, eps: float) -> None:
    """AssertionError if the shape or dtype of an output changes with the inputs."""
    where = "" if place is Ellipsis else f"on index {place} "
    for what, a, b in (("shape", low.shape, high.shape), ("dtype", low.dtype.name, high.dtype.name)):
        if a != b:
            raise AssertionError(
                f"Expected `func` to return outputs with the same {what} when inputs are perturbed {where}by {eps}, "
                f"but got: {what}s {a} and {b}."
            )


def wirtinger(
    function: Callable[..., Any], inputs: Sequence[Any], array: Array, steps: Sequence[Any], place: Any, eps: float
) -> list[np.ndarray]:
    """The derivatives of all outputs along a step; for a complex input, real and imaginary steps combined."""
    real = difference(function, inputs, array, steps[0] * eps, place, eps)
    if array.dtype.kind != "c":
        return real
    imaginary = difference(function, inputs, array, steps[1] * eps * 1j, place, eps)
    return [x + 1j * y for x, y in zip(real, imaginary, strict=True)]


def numerical_jacobians(function: Callable[..., Any], inputs: Sequence[Any], i: int, eps: float) -> list[Tensor]:
    """The Jacobians of all outputs by input `i`."""
    array = inputs[i]._array
    places = progress(list(np.ndindex(array.shape)), f"differences by input {i}")
    rows = [wirtinger(function, inputs, array, (1, 1), place, eps) for place in places]
    if not rows:
        return [new_tensor(np.zeros((0, out.numel()))) for out in as_tuple(function(*inputs))]
    return [new_tensor(np.stack(parts)) for parts in zip(*rows, strict=True)]


def numerical_products(
    function: Callable[..., Any], inputs: Sequence[Any], i: int, direction: Sequence[Array], eps: float
) -> list[Tensor]:
    """The products of the Jacobians of all outputs by input `i` with a direction (two directions if it is complex)."""
    array = inputs[i]._array
    steps = [part.reshape(array.shape) for part in direction]
    return [new_tensor(product) for product in wirtinger(function, inputs, array, steps, ..., eps)]


# in reverse mode


def reverse_jacobians(inputs: Sequence[Any], output: Tensor, settings: Settings) -> list[Tensor]:
    """The Jacobians of an output by each input that requires grad: a pass for each element of the output."""
    basis = np.eye(output.numel(), dtype=output._array.dtype)
    return reverse_products(inputs, output, basis, settings)


def reverse_products(inputs: Sequence[Any], output: Tensor, vectors: np.ndarray, settings: Settings) -> list[Tensor]:
    """The products of several vectors with the Jacobian, as the columns of a matrix for each input.

    They are computed twice. GradcheckError if the two differ, or if a gradient's shape or dtype differs from its
    input's.
    """
    targets = differentiable(inputs)
    first, second = (pull_back(output, targets, vectors) for _ in range(2))
    check_attributes(first, targets, settings)
    results = [columns(passes, x) for passes, x in zip(first, targets, strict=True)]
    again = [columns(passes, x) for passes, x in zip(second, targets, strict=True)]
    if any(a.size and np.abs(a - b).max() > settings.nondet_tol for a, b in zip(results, again, strict=True)):
        raise GradcheckError(
            "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives "
            "different values, although analytical gradient matches numerical gradient.The tolerance for "
            f"nondeterminism was {settings.nondet_tol}. For an operation that is not deterministic call gradcheck with "
            "`nondet_tol=<tol>`."
        )
    return [new_tensor(result) for result in results]


def pull_back(output: Tensor, targets: list[Tensor], vectors: np.ndarray) -> list[list[Tensor | None]]:
    """For each input its gradients, one for each vector."""
    passes = [
        grad(output, targets, new_tensor(v.reshape(output.shape)), retain_graph=True, allow_unused=True)
        for v in progress(vectors, "backward passes")
    ]
    return [list(column) for column in zip(*passes, strict=True)] if passes else [[] for _ in targets]


def columns(gradients: list[Tensor | None], x: Tensor) -> np.ndarray:
    """Gradients as the columns of a matrix, zeros for missing ones."""
    zeros = np.zeros(x.numel(), x._array.dtype)
    parts = [zeros if g is None else g._array.reshape(-1) for g in gradients]
    return np.stack(parts, 1) if parts else np.zeros((x.numel(), 0), x._array.dtype)


def check_attributes(gradients: list[list[Tensor | None]], targets: list[Tensor], settings: Settings) -> None:
    """GradcheckError for a gradient of another dtype or shape than its input."""
    pairs = [(g, x) for passes, x in zip(gradients, targets, strict=True) for g in passes if g is not None]
    if settings.check_grad_dtypes and any(g.dtype != x.dtype for g, x in pairs):
        raise GradcheckError("Gradient has dtype mismatch")
    if any(g.shape != x.shape for g, x in pairs):
        raise GradcheckError("Analytical gradient has incorrect size")


# in forward mode


def forward_jacobians(function: Callable[..., Any], inputs: Sequence[Any], settings: Settings) -> list[list[Tensor]]:
    """For each input that requires grad the Jacobians of all inexact outputs: a pass for each element of the input."""
    bases = [np.eye(x.numel(), dtype=x._array.dtype) for x in differentiable(inputs)]
    return forward_products(function, inputs, bases, settings)


def forward_products(
    function: Callable[..., Any], inputs: Sequence[Any], directions: Sequence[Any], settings: Settings
) -> list[list[Tensor]]:
    """For each input the products of the Jacobians of all inexact outputs with its directions, as rows of a matrix."""
    results = []
    for k, vectors in enumerate(directions):
        passes = [push_forward(function, inputs, k, vector, settings) for vector in progress(vectors, "forward passes")]
        if passes:
            results.append([new_tensor(np.stack(rows)) for rows in zip(*passes, strict=True)])
        else:
            outs = [out for out in as_tuple(function(*inputs)) if is_inexact(out)]
            results.append([new_tensor(np.zeros((0, out.numel()), out._array.dtype)) for out in outs])
    return results


def push_forward(
    function: Callable[..., Any], inputs: Sequence[Any], k: int, vector: np.ndarray, settings: Settings
) -> list[Array]:
    """The tangents of all inexact outputs for a tangent of the k-th input that requires grad; the others get zeros."""
    with forward_ad.dual_level():
        duals = []
        for x, is_chosen in zip(inputs, chosen(inputs, k), strict=True):
            if is_chosen is None:
                duals.append(x)
                continue
            tangent = vector.reshape(x.shape) if is_chosen else np.zeros_like(x._array)
            duals.append(forward_ad.make_dual(x.detach(), new_tensor(tangent)))
        pairs = [forward_ad.unpack_dual(out) for out in as_tuple(function(*duals)) if is_inexact(out)]
    if settings.check_grad_dtypes and any(t is not None and t.is_complex() != p.is_complex() for p, t in pairs):
        raise GradcheckError("Forward AD gradient has dtype mismatch.")
    return [(np.zeros_like(p._array) if t is None else t._array).reshape(-1) for p, t in pairs]


def chosen(inputs: Sequence[Any], k: int) -> list[bool | None]:
    """For each input whether it is the k-th that requires grad; None for those that do not."""
    number = iter(range(len(inputs)))
    return [next(number) == k if isinstance(x, Tensor) and x.requires_grad else None for x in inputs]
