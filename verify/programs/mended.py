"""PyTorch without what rushlight does otherwise on purpose: a difference that is gone there is explained by the mend.

A mend says what an operator of PyTorch should give, by other operators of PyTorch.
"""

import torch
from torch.overrides import TorchFunctionMode

from verify import explained
from verify.compare import array

SUMS = ("add", "sub", "rsub", "radd")
POWERS = ("pow", "rpow", "float_power")


def power(name: str, result, base, exponent):
    """Powers of complex numbers: with an exponent of 0 they are 1, as those of real numbers are."""
    if name == "rpow":
        exponent = base
    return torch.where(torch.as_tensor(exponent) == 0, 1, result) if result.is_complex() else result


def total(name: str, result, input, other, alpha=1):
    """Sums of complex numbers: what is infinite in one part does not make the other nan."""
    if not result.is_complex() or alpha != 1:
        return result
    left, right = (torch.view_as_real(torch.as_tensor(x).to(result.dtype).resolve_conj()) for x in (input, other))
    return torch.view_as_complex({"sub": left - right, "rsub": right - left}.get(name, left + right))


def negative(name: str, result, input):
    """Negative complex numbers: that of 0 is -0, wherever in memory it lies."""
    return torch.view_as_complex(torch.view_as_real(input.resolve_conj()).neg()) if result.is_complex() else result


VALUES = (
    dict.fromkeys(POWERS, (power, explained.POWERS))
    | dict.fromkeys(SUMS, (total, explained.INFINITE))
    | {"neg": (negative, explained.NEGATIVE)}
)


def extreme(input, dim, index, src, reduce, *, include_self=True):
    """`scatter_reduce` of the largest or smallest without what was there: that gets no gradient."""
    if reduce not in ("amax", "amin") or include_self or input.is_complex():
        return torch.scatter_reduce(input, dim, index, src, reduce, include_self=include_self)
    bound = float("-inf") if reduce == "amax" else float("inf")
    return input.scatter(dim, index, bound).scatter_reduce(dim, index, src, reduce)


INSTEAD = {"scatter_reduce": (extreme, explained.EXTREMES)}


def equal(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two tensors hold the same bytes."""
    return array(one).tobytes() == array(other).tobytes()


class Mended(TorchFunctionMode):
    """While it is entered PyTorch gives what it should; `reasons` are those of the mends that made a difference."""

    def __init__(self):
        """Nothing is mended yet."""
        super().__init__()
        self.reasons: list[str] = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        """A call of PyTorch's function, mended."""
        name, kwargs = func.__name__, kwargs or {}
        if name in INSTEAD:
            instead, reason = INSTEAD[name]
            self.reasons.append(reason)
            return instead(*args, **kwargs)
        if name == "__setitem__" or (name.endswith("_") and not name.startswith("__")):
            return self.changed(func, args, kwargs)
        result = func(*self.widened(args), **kwargs)
        if not isinstance(result, torch.Tensor):
            return result
        if result.is_conj() and not args[0].is_conj():
            self.reasons.append(explained.CONJUGATES)
            return result.resolve_conj()
        if result._version and not result.requires_grad and not any(result is arg for arg in args):
            self.reasons.append(explained.INSIDE)
            result = result.clone()
        return self.corrected(name, result, args, kwargs)

    def changed(self, func, args, kwargs):
        """A change in place: of one that fails nothing is left."""
        before = [arg.detach().clone() if isinstance(arg, torch.Tensor) else arg for arg in args]
        try:
            result = func(*args, **kwargs)
        except Exception:
            if not equal(args[0], before[0]):
                self.reasons.append(explained.HALF_DONE)
                args[0].data.copy_(before[0])
            raise
        return self.corrected(func.__name__.strip("_"), result, before, kwargs)

    def widened(self, args):
        """Arguments whose numbers of 16 bits are wider where others are complex: PyTorch has no complex of 32 bits."""
        tensors = [arg for arg in args if isinstance(arg, torch.Tensor)]
        halves = any(tensor.dtype == torch.float16 for tensor in tensors)
        complexes = any(tensor.is_complex() for tensor in tensors) or any(isinstance(arg, complex) for arg in args)
        if not halves or not complexes:
            return args
        self.reasons.append(explained.HALVES)
        return [arg.float() if isinstance(arg, torch.Tensor) and arg.dtype == torch.float16 else arg for arg in args]

    def corrected(self, name, result, args, kwargs):
        """A result with the values that it should have, in the place where it lies."""
        if name in VALUES:
            right, reason = VALUES[name]
            values = right(name, result.detach(), *args, **{k: v for k, v in kwargs.items() if k != "out"})
            if not equal(result, values):
                self.reasons.append(reason)
                result.data.copy_(values)
        return result
