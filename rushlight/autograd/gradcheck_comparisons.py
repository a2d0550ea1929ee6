"""The steps of `gradcheck`: which inputs and outputs are compared, and the messages for mismatches."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rushlight.autograd.differentiate import grad
from rushlight.autograd.gradcheck import Settings
from rushlight.autograd.gradcheck_error import GradcheckError
from rushlight.autograd.gradcheck_jacobians import (
    as_tuple,
    differentiable,
    forward_jacobians,
    forward_products,
    is_inexact,
    numerical_jacobians,
    numerical_products,
    reverse_jacobians,
    reverse_products,
)
from rushlight.autograd.gradcheck_properties import (
    check_batched_forward,
    check_batched_reverse,
    check_undefined_cotangents,
    check_undefined_tangents,
    check_zero_cotangents,
)
from rushlight.core.above import above
from rushlight.core.advice import advised
from rushlight.core.aliases import Array
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.lines import warn
from rushlight.dtypes import complex128, float64
from rushlight.layouts import strided
from rushlight.ops.randomness.random_tensors import rand
from rushlight.tensors import Tensor


@above
def check_gradients(
    func: Callable[..., Any],
    inputs: Any,
    settings: Settings,
    *,
    forward: bool,
    reverse: bool,
    undefined: bool,
    batched: bool,
    batched_forward: bool,
    masked: bool | None,
) -> None:
    """Makes the checks of `gradcheck` that are asked for. GradcheckError for the first that fails."""
    values = as_tuple(inputs)
    check_inputs(values)
    if reverse:
        check_reverse(func, values, settings)
    if forward:
        check_forward(func, values, settings, undefined)
    if batched_forward:
        check_batched_forward(func, values)
    if reverse:
        check_properties(func, values, batched, undefined, masked)


@above
def gradient_to_check(
    func: Callable[..., Any], inputs: Any, grad_outputs: Any, strided: bool
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The gradient of a function, and its arguments: the inputs and the cotangents, which by default are random."""
    values = as_tuple(inputs)
    if grad_outputs is None:
        cotangents = tuple(random_cotangent(out, strided) for out in differentiable(func(*values)))
    else:
        cotangents = as_tuple(grad_outputs)
    return gradient_of(func, values, cotangents), (*values, *cotangents)


def random_cotangent(output: Tensor, strided: bool) -> Tensor:
    """A random tensor of an output's shape that requires grad."""
    shape = (*output.shape[:-1], 2 * output.shape[-1]) if strided and output.ndim else output.shape
    tensor = 2 * rand(shape, dtype=output.dtype) - (1 + 1j if output.is_complex() else 1)
    return (tensor[..., ::2] if strided and output.ndim else tensor).detach().requires_grad_()


def gradient_of(func: Callable[..., Any], values: tuple[Any, ...], cotangents: tuple[Any, ...]) -> Callable[..., Any]:
    """The gradients of a function as a function of its inputs and of the cotangents."""
    needed = [isinstance(x, TensorBase) and x.requires_grad for x in (*values, *cotangents)]
    n = len(values)

    def gradient(*args: Any) -> tuple[Tensor, ...]:
        args = tuple([x.requires_grad_() if need else x for x, need in zip(args, needed, strict=True)])
        outputs = differentiable(func(*args[:n]))
        targets = [x for x, need in zip(args[:n], needed, strict=False) if need]
        grads = grad(outputs, targets, args[n:], create_graph=True, allow_unused=True)
        return tuple(g for g in grads if g is not None)

    return gradient


def check_inputs(inputs: tuple[Any, ...]) -> None:
    """ValueError if no input requires grad, RuntimeError for an expanded one; a warning for inputs of low precision."""
    for i, x in enumerate(inputs):
        if not (isinstance(x, TensorBase) and x.requires_grad):
            continue
        if x.dtype not in (float64, complex128):
            warn(
                f"Input #{i} requires gradient and is not a double precision floating point or complex. This check "
                "will likely fail if all the inputs are not of double precision floating point or complex. ",
            )
        if x.layout is not strided:
            raise NotImplementedError(
                f"rushlight has no gradcheck of sparse inputs (input {i}) as they are: use "
                "torch.sparse.as_sparse_gradcheck(torch.autograd.gradcheck)."
            )
        if any(stride == 0 and size > 1 for stride, size in zip(x.stride(), x.shape, strict=True)):
            raise RuntimeError(
                f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                "non-overlapping to be able to compute the numerical gradients correctly. You should call .contiguous "
                "on the input before passing it to gradcheck."
            )
    if not differentiable(inputs):
        raise ValueError(
            advised(
                "gradcheck expects at least one input tensor to require gradient, "
                "but none of them have requires_grad=True."
            )
        )


def check_properties(
    func: Callable[..., Any], inputs: tuple[Any, ...], batched: bool, undefined: bool, masked: bool | None
) -> None:
    """The checks in reverse mode other than Jacobians."""
    outputs = differentiable(func(*inputs))
    if not outputs:
        return
    for i, output in enumerate(outputs if batched else ()):
        check_batched_reverse(inputs, output, i)
    check_zero_cotangents(outputs, inputs, masked)
    if undefined:
        check_undefined_cotangents(func, inputs)


@dataclass(frozen=True)
class Part:
    """A function whose Jacobians are compared: the user's, or the real or imaginary part of a complex one.

    `complex` numbers the complex outputs (in forward mode inputs) that this is a part of.
    """

    func: Callable[..., Any]
    inputs: tuple[Any, ...]
    complex: tuple[int, ...] = ()
    name: str = ""
    forward: bool = False

    def mismatch(self, analytical: Tensor, numerical: Tensor, output: int, input: int) -> str:
        """The message for two Jacobians that differ."""
        element = "inputs" if self.forward else "outputs"
        is_part = (input if self.forward else output) in self.complex
        prefix = f"While considering the {self.name} part of complex {element} only, " if is_part else ""
        mode = "computed with forward mode " if self.forward else ""
        return (
            f"{prefix}Jacobian {mode}mismatch for output {output} with respect to input {input},\n"
            f"numerical:{numerical}\nanalytical:{analytical}\n"
        )


PARTS: tuple[tuple[str, Callable[..., Any]], ...] = (("imaginary", lambda z: z.imag), ("real", lambda z: z.real))


def check_reverse(func: Callable[..., Any], inputs: tuple[Any, ...], settings: Settings) -> None:
    """Compares Jacobians in reverse mode, separately for the real and imaginary parts of complex outputs."""
    outputs = as_tuple(func(*inputs))
    places = tuple(i for i, out in enumerate(differentiable(outputs)) if out.is_complex())
    if not any(out.is_complex() for out in outputs):
        compare(Part(func, inputs), settings)
        return
    for name, take in PARTS:

        def part(*values: Tensor, take: Callable[[Tensor], Tensor] = take) -> tuple[Tensor, ...]:
            return tuple(take(out) if out.is_complex() else out for out in as_tuple(func(*values)))

        compare(Part(part, inputs, places, name), settings)


def check_forward(func: Callable[..., Any], inputs: tuple[Any, ...], settings: Settings, undefined: bool) -> None:
    """Compares Jacobians in forward mode, separately for the real and imaginary parts of complex inputs."""
    places = tuple(i for i, x in enumerate(inputs) if isinstance(x, TensorBase) and x.is_complex())
    parts = [Part(func, inputs, forward=True)]
    if places:
        parts = [
            Part(
                of_part(func, inputs, places, name),
                tuple(take(x) if i in places else x for i, x in enumerate(inputs)),
                places,
                name,
                True,
            )
            for name, take in PARTS
        ]
    for part in parts:
        compare(part, settings)
        if undefined:
            check_undefined_tangents(part.func, part.inputs)


def of_part(
    func: Callable[..., Any], inputs: tuple[Any, ...], places: tuple[Any, ...], name: str
) -> Callable[..., Any]:
    """The function of the real (or imaginary) parts of complex inputs; the other part is kept constant."""

    def wrapped(*values: Any) -> Any:
        wholes = list(values)
        for i in places:
            held = inputs[i]
            wholes[i] = values[i] + held.imag * 1j if name == "real" else held.real + values[i] * 1j
        return func(*wholes)

    return wrapped


def compare(part: Part, settings: Settings) -> None:
    """Compares all Jacobians of a function, or in fast mode products with random vectors."""
    outputs = as_tuple(part.func(*part.inputs))
    if not differentiable(outputs):
        check_constant(part, settings)
    elif settings.fast_mode:
        compare_products(part, outputs, settings)
    else:
        compare_jacobians(part, outputs, settings)


def places_of_inputs(part: Part) -> list[int]:
    """The positions of the inputs that require grad."""
    return [i for i, x in enumerate(part.inputs) if isinstance(x, TensorBase) and x.requires_grad]


def check_constant(part: Part, settings: Settings) -> None:
    """GradcheckError if outputs that do not require grad depend on an input."""
    for i in places_of_inputs(part):
        if any(
            (jacobian._array != 0).any() for jacobian in numerical_jacobians(part.func, part.inputs, i, settings.eps)
        ):
            raise GradcheckError("Numerical gradient for function expected to be zero")


def compare_jacobians(part: Part, outputs: tuple[Any, ...], settings: Settings) -> None:
    """Compares whole Jacobians, element by element."""
    numerical = [numerical_jacobians(part.func, part.inputs, i, settings.eps) for i in places_of_inputs(part)]
    analytical = analytical_jacobians(part, outputs, settings)
    for k, o in enumerate(o for o, out in enumerate(outputs) if out.requires_grad):
        for j, by_output in enumerate(numerical):
            a, n = analytical[j][k], by_output[o]
            if not np.allclose(a._array, n._array, settings.rtol, settings.atol):
                raise GradcheckError(part.mismatch(a, n, k, j))


def analytical_jacobians(part: Part, outputs: tuple[Any, ...], settings: Settings) -> list[list[Tensor]]:
    """For each input that requires grad the Jacobians of the outputs that do."""
    if not part.forward:
        rows = [reverse_jacobians(part.inputs, out, settings) for out in outputs if out.requires_grad]
        return [list(column) for column in zip(*rows, strict=True)]
    kept = [out.requires_grad for out in outputs if is_inexact(out)]
    found = forward_jacobians(part.func, part.inputs, settings)
    return [[jacobian for jacobian, keep in zip(row, kept, strict=True) if keep] for row in found]


def compare_products(part: Part, outputs: tuple[Any, ...], settings: Settings) -> None:
    """Compares v^T J u (in forward mode J u) for random vectors u and v: a single pass instead of one per element."""
    rng = np.random.default_rng(0)
    live = [o for o, out in enumerate(outputs) if out.requires_grad]
    for j, i in enumerate(places_of_inputs(part)):
        x = part.inputs[i]
        directions = [unit(rng, x.numel()) for _ in range(2 if x.is_complex() else 1)]
        numerical = numerical_products(part.func, part.inputs, i, directions, settings.eps)
        for k, o in enumerate(live):
            v = None if part.forward else unit(rng, outputs[o].numel())
            n = numerical[o] if v is None else new_tensor(np.asarray((v * numerical[o]._array).sum()))
            a = analytical_product(part, outputs, o, j, directions, v, settings)
            weight = sum(u.sum() for u in directions) * (1.0 if v is None else v.sum())
            if not np.allclose(a._array, n._array, settings.rtol, settings.atol * weight):
                raise GradcheckError(part.mismatch(a, n, k, j) + slow_report(part, outputs, o, k, j, settings))


def unit(rng: Any, size: int) -> np.ndarray:
    """A random vector of length 1 with non-negative elements."""
    vector = rng.random(size)
    return vector / np.linalg.norm(vector) if size else vector


def analytical_product(
    part: Part, outputs: tuple[Any, ...], o: int, j: int, directions: Sequence[Array], v: Array, settings: Settings
) -> Tensor:
    """v^T J u for output `o` and the j-th input that requires grad, by a backward pass; in forward mode J u."""
    if part.forward:
        targets = differentiable(part.inputs)
        vectors = [[directions[0].astype(x._array.dtype)] if k == j else [] for k, x in enumerate(targets)]
        number = sum(is_inexact(out) for out in outputs[:o])
        return new_tensor(forward_products(part.func, part.inputs, vectors, settings)[j][number]._array[0])
    vectors = v[None].astype(outputs[o]._array.dtype)
    column = reverse_products(part.inputs, outputs[o], vectors, settings)[j]._array[:, 0]
    if column.dtype.kind == "c":
        return new_tensor(np.asarray(column.real @ directions[0] + 1j * (column.imag @ directions[1])))
    return new_tensor(np.asarray(column @ directions[0]))


def slow_report(part: Part, outputs: tuple[Any, ...], o: int, k: int, j: int, settings: Settings) -> str:
    """The full Jacobians, shown after a mismatch in fast mode."""
    numerical = numerical_jacobians(part.func, part.inputs, places_of_inputs(part)[j], settings.eps)[o]
    analytical = analytical_jacobians(part, outputs, settings)[j][k]
    difference = np.abs(numerical._array - analytical._array).max()
    agrees = np.allclose(analytical._array, numerical._array, settings.rtol, settings.atol)
    return (
        "\nThe above quantities relating the numerical and analytical jacobians are computed \nin fast mode. Below, we "
        f"recompute numerical and analytical jacobians in slow mode:\n\nNumerical:\n {numerical}\nAnalytical:\n"
        f"{analytical}\n\nThe max per-element difference (slow mode) is: {difference}.\n{FAST_ONLY if agrees else ''}"
    )


FAST_ONLY = (
    "Fast gradcheck failed but element-wise differences are small. This means that the test might've passed in "
    "slow_mode! To compare whole Jacobians call with `fast_mode=False`."
)
