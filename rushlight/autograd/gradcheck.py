"""`gradcheck` and `gradgradcheck`: derivatives compared with central differences (torch.autograd.gradcheck).

The comparisons are loaded with the first check.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rushlight.autograd.gradcheck_error import GradcheckError
from rushlight.core.above import ABOVE
from rushlight.tensors import Tensor

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]

Tensors = Tensor | Sequence[Tensor]


class Settings(NamedTuple):
    """The options of `gradcheck` that its comparisons read: step size, tolerances, what to compare."""

    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    check_grad_dtypes: bool
    fast_mode: bool


def gradcheck(
    func: Callable[..., Tensors],
    inputs: Tensors,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Compares the derivatives of `func` with central differences of step `eps`; True where they agree.

    It checks the derivatives of all outputs by all inputs that require grad (which should be of float64 or complex128),
    in reverse mode (`check_backward_ad`) and forward mode (`check_forward_ad`). It also checks that a repeated pass
    gives the same up to `nondet_tol`, that zero cotangents give zero gradients, that missing ones
    (`check_undefined_grad`) count as zeros, that `vmap` of passes gives the same as single ones (`check_batched_grad`,
    `check_batched_forward_grad`), and that gradients have their input's dtype (`check_grad_dtypes`). `fast_mode`
    compares v^T J u for random vectors instead of full Jacobians. The real and imaginary parts of complex outputs are
    checked separately. `masked` allows rounding errors in the gradients for zero cotangents.

    GradcheckError describes the mismatch and shows both Jacobians; with `raise_exception=False` the result is False.
    ValueError where no input requires grad.

    >>> import rushlight as torch
    >>> x = torch.tensor([0.5, 1.0], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradcheck(lambda x: x.sin() * x, x)
    True
    """
    require(
        check_forward_ad or check_backward_ad,
        "Expected at least one of check_forward_ad or check_backward_ad to be True",
    )
    require(
        check_backward_ad or not check_batched_grad,
        "Setting check_batched_grad=True requires check_backward_ad to be True",
    )
    require(
        check_forward_ad or not check_batched_forward_grad,
        "Setting check_batched_forward_grad=True requires check_forward_ad to be True",
    )
    try:
        ABOVE.check_gradients(
            func,
            inputs,
            Settings(eps, atol, rtol, nondet_tol, check_grad_dtypes, fast_mode),
            forward=check_forward_ad,
            reverse=check_backward_ad,
            undefined=check_undefined_grad,
            batched=check_batched_grad,
            batched_forward=check_batched_forward_grad,
            masked=masked,
        )
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Callable[..., Tensors],
    inputs: Tensors,
    grad_outputs: Tensors | None = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Compares second derivatives with central differences: `gradcheck` of the gradient of `func`.

    The gradient is a function of the inputs and of the cotangents `grad_outputs`; by default these are random,
    non-contiguous with `gen_non_contig_grad_outputs`. It is differentiated in reverse mode (`check_rev_over_rev`), in
    forward mode (`check_fwd_over_rev`). Everything else as in `gradcheck`.

    >>> import rushlight as torch
    >>> x = torch.tensor([0.5, 1.0], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradgradcheck(lambda x: x.sin() * x, x)
    True
    """
    require(
        check_fwd_over_rev or check_rev_over_rev,
        "Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True",
    )
    require(
        check_rev_over_rev or not check_undefined_grad,
        "Setting check_undefined_grad=True requires check_rev_over_rev to be True",
    )
    require(
        check_rev_over_rev or not check_batched_grad,
        "Setting check_batched_grad=True requires check_rev_over_rev to be True",
    )
    return gradcheck(
        *ABOVE.gradient_to_check(func, inputs, grad_outputs, gen_non_contig_grad_outputs),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        fast_mode=fast_mode,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        masked=masked,
    )


def require(condition: bool, message: str) -> None:
    """AssertionError for an invalid combination of checks."""
    if not condition:
        raise AssertionError(message)
