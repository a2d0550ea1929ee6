"""Forward mode (torch.autograd.forward_ad): dual tensors carry a tangent that every operation propagates."""

from typing import NamedTuple

from rushlight.autograd.grad_mode import Decorator
from rushlight.core.batching import on_batched
from rushlight.core.forward import Tangents, tangent_of, with_own_tangent, without
from rushlight.core.graph import TensorBase
from rushlight.core.interpreters import STACK, Within, levels
from rushlight.core.operators import Operator
from rushlight.tensors import Tensor

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]

DUAL = Operator(
    "make_dual",
    lambda tensor: tensor,
    ("tensor",),
    {"tensor": lambda grad: grad},
    linear=True,
    node="ViewBackward0",
    aten="_make_dual",
    batch=on_batched,
)
NESTED = "Nested forward mode AD is not supported at the moment: for higher orders nest func.jvp."
NO_LEVEL = "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."


class Duals(Tangents):
    """The level of forward mode that PyTorch numbers 0: there is only one at a time."""


def entered() -> Duals | None:
    """The active level, or None."""
    return next((level for level in levels() if isinstance(level, Duals)), None)


class UnpackedDualTensor(NamedTuple):
    """The result of `unpack_dual`: the value, and the tangent or None.

    >>> import rushlight as torch
    >>> fwAD = torch.autograd.forward_ad
    >>> with fwAD.dual_level():
    ...     dual = fwAD.make_dual(torch.tensor(2.0), torch.tensor(1.0))
    ...     fwAD.unpack_dual(dual.square())
    UnpackedDualTensor(primal=tensor(4.), tangent=tensor(4.))
    """

    primal: Tensor
    tangent: Tensor | None


def enter_dual_level() -> int:
    """Begins forward mode, and returns the number of the level: 0. RuntimeError inside another level.

    >>> import rushlight as torch
    >>> fwAD = torch.autograd.forward_ad
    >>> level = fwAD.enter_dual_level()
    >>> fwAD.unpack_dual(fwAD.make_dual(torch.tensor(2.0), torch.tensor(1.0)).square()).tangent
    tensor(4.)
    >>> fwAD.exit_dual_level()
    """
    return dual_level().__enter__()


def exit_dual_level(*, level: int | None = None) -> None:
    """Ends forward mode: all tangents of the level are dropped. RuntimeError for a level that is not the last entered.

    >>> import rushlight as torch
    >>> fwAD = torch.autograd.forward_ad
    >>> level = fwAD.enter_dual_level()
    >>> fwAD.exit_dual_level(level=level)
    """
    duals = entered()
    if level is not None and level != (-1 if duals is None else 0):
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
        )
    if duals is None:
        raise RuntimeError("Dual level must be a positive number.")
    STACK.leave(duals)


class dual_level(Within, Decorator):
    """A context in which forward mode is on: tensors made by `make_dual` carry their tangents through operations.

    Also a decorator. There is one level at a time; for higher-order derivatives nest `func.jvp`, or combine it with
    `backward`.

    >>> import rushlight as torch
    >>> import rushlight.autograd.forward_ad as fwAD
    >>> x, v = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0])
    >>> with fwAD.dual_level():
    ...     y = fwAD.make_dual(x, v) ** 2
    ...     print(fwAD.unpack_dual(y))
    UnpackedDualTensor(primal=tensor([1., 4.]), tangent=tensor([2., 0.]))
    """

    answer = 0

    def __init__(self) -> None:
        super().__init__(Duals, alone=NESTED)


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A tensor that shares memory with `tensor` and carries a tangent; both can be differentiated by `backward` too.

    Both must be of floating-point or complex dtype (else ValueError) and of the same shape. RuntimeError outside a
    level, for different shapes, and if one of them has a tangent already.

    >>> import rushlight as torch
    >>> import rushlight.autograd.forward_ad as fwAD
    >>> with fwAD.dual_level():
    ...     print(fwAD.make_dual(torch.tensor([3.0]), torch.tensor([1.0])).exp())
    tensor([20.0855], tangent=tensor([20.0855]))
    """
    if is_outside(level):
        raise RuntimeError(NO_LEVEL)
    for role, value in (("primal", tensor), ("tangent", tangent)):
        if not (value.is_floating_point() or value.is_complex()):
            raise ValueError(f"Expected {role} to be floating point or complex, but got: {value.dtype}")
    duals = level_of(level, "_make_dual")
    if tangent_of(tensor, duals) is not None:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 is not "
            "supported."
        )
    if tangent_of(tangent, duals) is not None:
        raise RuntimeError(
            "Setting a forward grad that itself has a forward gradient at the same level 0 is not supported."
        )
    check_size(tensor, tangent)
    dual = DUAL(tensor)
    dual._counter = tensor._versions()
    return with_own_tangent(dual, tangent, duals)


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """The value of a dual tensor and its tangent; the tangent is None if there is none, and outside a level.

    >>> import rushlight as torch
    >>> import rushlight.autograd.forward_ad as fwAD
    >>> fwAD.unpack_dual(torch.ones(1))
    UnpackedDualTensor(primal=tensor([1.]), tangent=None)
    """
    if is_outside(level):
        return UnpackedDualTensor(tensor, None)
    if not isinstance(tensor, TensorBase):
        raise TypeError(f"_unpack_dual(): argument 'dual' (position 1) must be Tensor, not {type(tensor).__name__}")
    duals = level_of(level, "_unpack_dual")
    return UnpackedDualTensor(without(tensor, duals), tangent_of(tensor, duals))


def is_outside(level: int | None) -> bool:
    """Whether `level` cannot exist: negative, or None while no level is active."""
    return entered() is None if level is None else level < 0


def level_of(number: int | None, function: str) -> Duals:
    """The level of a number; RuntimeError for a level that is not active."""
    duals = entered()
    if number not in (None, 0) or duals is None:
        raise RuntimeError(f"Invalid level given to {function}")
    return duals


def check_size(tensor: Tensor, tangent: Tensor) -> None:
    """Raises RuntimeError if a tangent's shape differs from its tensor's."""
    if tangent._array.shape != tensor._array.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
            f"supported. Tensor is of size {list(tensor.shape)} while the given forward gradient is of size "
            f"{list(tangent.shape)}."
        )
