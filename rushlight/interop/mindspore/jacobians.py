"""`jvp`, `vjp`, `jacfwd` and `jacrev`; a single auxiliary output is not put in a tuple."""

from collections.abc import Callable
from typing import Any

import rushlight as torch
from rushlight import func
from rushlight.interop.mindspore.common.lifting import unwrapped, wrapped
from rushlight.interop.mindspore.common.tensor import Tensor
from rushlight.interop.mindspore.gradients import check_bools, checked_positions
from rushlight.interop.mindspore.pullback import native, opened, parted, pull_back, tree_of_natives

__all__ = ["jacfwd", "jacrev", "jvp", "vjp"]

Tensors = Tensor | tuple[Tensor, ...] | list[Tensor]


def jvp(fn: Callable[..., Any], inputs: Tensors, v: Tensors, has_aux: bool = False) -> tuple[Any, ...]:
    """The output of `fn` at `inputs`, and its Jacobian-vector product with `v`, by forward mode.

    With `has_aux` only the first output is differentiated, and the result is (output, product, other outputs).
    TypeError for inputs that are not a tensor, or a tuple or list of tensors.

    >>> import rushlight.interop.mindspore as ms
    >>> x, v = ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 10.0])
    >>> output, product = ms.jvp(lambda x: x * x, x, v)
    >>> print(output, product)
    [1. 4.] [ 2. 40.]
    """
    check_bools("jvp", has_aux=has_aux)
    primals, tangents = sequence(inputs), sequence(v)
    result = func.jvp(on_natives(fn, has_aux), tuple(map(native, primals)), tuple(map(native, tangents)), has_aux=True)
    output, product, aux = map(wrapped, result)
    return (output, product, bare(aux)) if has_aux else (output, product)


def vjp(fn: Callable[..., Any], *inputs: Tensor, has_aux: bool = False) -> tuple[Any, ...]:
    """The output of `fn` at `inputs`, and the function from cotangents to the vector-Jacobian product.

    That function takes a cotangent for each output and returns a tuple with a product for each input, also for a single
    one. With `has_aux` only the first output is differentiated, and the result is (output, function, other outputs).

    >>> import rushlight.interop.mindspore as ms
    >>> output, vjp_fn = ms.vjp(lambda x, y: x * y, ms.Tensor(2.0), ms.Tensor(3.0))
    >>> vjp_fn(ms.Tensor(10.0))
    (Tensor(shape=[], dtype=Float32, value= 30), Tensor(shape=[], dtype=Float32, value= 20))
    """
    check_bools("vjp", has_aux=has_aux)
    pulled = pull_back(fn, inputs, {}, range(len(inputs)), [], has_aux)

    def vjp_fn(*cotangents: Tensor) -> tuple[Any, ...]:
        """The products with the cotangents of the outputs."""
        return tuple(pulled.cotangents(cotangents)[0])

    return (pulled.outputs, vjp_fn, bare(pulled.aux)) if has_aux else (pulled.outputs, vjp_fn)


def jacfwd(
    fn: Callable[..., Any], grad_position: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that computes the Jacobian of `fn` by forward mode: faster if there are more outputs than inputs.

    The result is a tensor of shape (*output, *input) for one output and one position; a tuple over several positions,
    or over several outputs; for both a tuple over the outputs of tuples over the positions. With `has_aux` only the
    first output is differentiated, and the result is (Jacobian, other outputs).

    >>> import rushlight.interop.mindspore as ms
    >>> print(ms.jacfwd(lambda x: x * x)(ms.Tensor([1.0, 2.0])))
    [[2. 0.]
     [0. 4.]]
    """
    return jacobian(func.jacfwd, fn, grad_position, has_aux)


def jacrev(
    fn: Callable[..., Any], grad_position: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """`jacfwd` by reverse mode: faster if there are fewer outputs than inputs.

    >>> import rushlight.interop.mindspore as ms
    >>> print(ms.jacrev(lambda x, y: x * y, 1)(ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0])))
    [[1. 0.]
     [0. 2.]]
    """
    return jacobian(func.jacrev, fn, grad_position, has_aux)


def jacobian(transform: Any, fn: Callable[..., Any], grad_position: Any, has_aux: Any) -> Callable[..., Any]:
    """The Jacobian function of `func.jacfwd` or `func.jacrev`, with results in MindSpore's structure."""
    check_bools(transform.__name__, has_aux=has_aux)
    positions = checked_positions(grad_position)

    def compute(*args: Any) -> Any:
        for position in positions:
            native(opened(args, position))
        argnums = positions[0] if len(positions) == 1 else positions
        found, aux = transform(on_natives(fn, has_aux), argnums, True)(*map(unwrapped, args))
        found = wrapped(found)
        return (found, bare(aux)) if has_aux else found

    return compute


def on_natives(fn: Callable[..., Any], has_aux: bool) -> Callable[..., Any]:
    """Makes `fn` take and return rushlight tensors, as (output, aux)."""

    def function(*values: torch.Tensor) -> tuple[Any, Any]:
        output, aux = parted(fn(*map(wrapped, values)), has_aux)
        if isinstance(output, (tuple, list)):
            return tuple(native(part, "output") for part in output), tree_of_natives(aux)
        return native(output, "output"), tree_of_natives(aux)

    return function


def sequence(tensors: Tensors) -> tuple[Any, ...]:
    """Tensors as a tuple."""
    if isinstance(tensors, Tensor):
        return (tensors,)
    if isinstance(tensors, (tuple, list)):
        return tuple(tensors)
    raise TypeError("The inputs type must be a Tensor, tuple or list of Tensors.")


def bare(aux: Any) -> Any:
    """The auxiliary outputs: a single one by itself, several as a tuple."""
    found: tuple[Any, ...] = wrapped(aux)
    return found[0] if len(found) == 1 else found
