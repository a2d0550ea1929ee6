"""PyTorch with corrections where rushlight differs on purpose: a correction that removes a difference explains it.

A correction computes the right result of a PyTorch operator with other operators of PyTorch.
"""

import itertools
import math

import torch
from torch._C._functorch import is_functorch_wrapped_tensor
from torch.overrides import TorchFunctionMode

from verify import explained
from verify.compare import array

SUMS = ("add", "sub", "rsub", "radd")
SHAPES_ONLY = ("take", "masked_select", "gather", "take_along_dim", "index_add", "index_copy", "scatter")
POWERS = ("pow", "rpow", "float_power")


def power(name: str, result, base, exponent):
    """Powers of complex numbers: with an exponent of 0 or a base of 1 they are 1, as those of real numbers are."""
    if name == "rpow":
        base, exponent = exponent, base
    one = (torch.as_tensor(exponent) == 0) | (torch.as_tensor(base) == 1)
    return torch.where(one, 1, result) if result.is_complex() else result


def total(name: str, result, input, other, alpha=1):
    """Sums of complex numbers: what is infinite in one part does not make the other nan."""
    if not result.is_complex() or alpha != 1:
        return result
    left, right = (torch.view_as_real(torch.as_tensor(x).to(result.dtype).resolve_conj()) for x in (input, other))
    return torch.view_as_complex({"sub": left - right, "rsub": right - left}.get(name, left + right))


def negative(name: str, result, input):
    """Negative complex numbers: that of 0 is -0, wherever in memory it lies."""
    return torch.view_as_complex(torch.view_as_real(input.resolve_conj()).neg()) if result.is_complex() else result


def inverse(name: str, result, input):
    """1 over complex numbers: over 0 the real part is infinite, wherever in memory it lies."""
    return torch.where(input == 0, complex("inf+nanj"), result) if result.is_complex() else result


def running_product(name: str, result, input, dim):
    """Running products of complex numbers: each begins with its first factor, and not with 1 times that."""
    if not result.is_complex() or result.isfinite().all():
        return result
    if not input.dim():
        return input
    return torch.stack(list(itertools.accumulate(input.unbind(dim), torch.mul)), dim)


def scaled(name: str, result, input, other):
    """`ldexp`: the power of two is computed in double precision."""
    powers = torch.pow(2.0, torch.as_tensor(other).double())
    return (torch.as_tensor(input).to(torch.promote_types(result.dtype, torch.float64)) * powers).to(result.dtype)


VALUES = (
    dict.fromkeys(POWERS, (power, explained.POWERS))
    | dict.fromkeys(SUMS, (total, explained.INFINITE))
    | {"neg": (negative, explained.PLACES)}
    | dict.fromkeys(("reciprocal", "rsqrt"), (inverse, explained.PLACES))
    | {"cumprod": (running_product, explained.INFINITE), "ldexp": (scaled, explained.SCALED)}
)


def extreme(input, dim, index, src, reduce, *, include_self=True):
    """`scatter_reduce`: what does not count gets no gradient, neither beyond the index nor what was there."""
    if src.dim() == 1 and not index.dim():
        src = src[0]  # of an index without dimensions
    if src.dim() == index.dim():
        src = src[tuple(map(slice, index.shape))]
    if reduce not in ("amax", "amin") or include_self or input.is_complex():
        return torch.scatter_reduce(input, dim, index, src, reduce, include_self=include_self)
    bound = float("-inf") if reduce == "amax" else float("inf")
    return input.scatter(dim, index, bound).scatter_reduce(dim, index, src, reduce)


def mode(input, dim=-1, keepdim=False):
    """The most frequent value: nan comes after all numbers, wherever it lies."""
    return torch.mode(input.sort(dim).values if input.isnan().any() else input, dim, keepdim)


def mean_of_squares(input, target, **unused):
    """`mse_loss`, of which programs take only the mean."""
    return ((input - target) ** 2).mean()


def variance(input, dim):
    """`var`: that of a number without dimensions is nan, whatever the number is."""
    return input.var(dim) if input.dim() else input * float("nan")


def running_logarithm(input, dim):
    """`logcumsumexp`: a number without dimensions is its own."""
    return input.logcumsumexp(dim) if input.dim() else input.clone()


def first_of_ties(input, k, dim=-1, largest=True, sorted=True):
    """`topk`, which takes the first of equal elements, and gives them the gradients."""
    found = torch.topk(input, k, dim, largest, sorted)
    if input.dim():
        order = input.sort(dim=dim, descending=largest, stable=True).indices
        found.indices.data.copy_(order.narrow(dim, 0, k))
    return found


def quantile_of_first(input, q, dim=None, keepdim=False):
    """`quantile` by linear interpolation, where equal elements have ranks in their order."""
    if not input.is_floating_point():
        return torch.quantile(input, q, dim, keepdim)  # which refuses it
    rows = input.reshape(-1) if dim is None else input
    ordered, rank = rows.sort(dim=dim or 0, stable=True).values, q * (rows.size(dim or 0) - 1)
    below, above = (ordered.select(dim or 0, whole(rank)) for whole in (math.floor, math.ceil))
    found = torch.lerp(below, above, rank % 1)
    return torch.quantile(input, q, dim, keepdim) if keepdim or rows.isnan().any() else found


def stable_order(input, dim=-1, descending=False):
    """`argsort`, which leaves equal elements in their order."""
    return torch.argsort(input, dim=dim, descending=descending, stable=True)


INSTEAD = {
    "argsort": (stable_order, explained.TIES),
    "quantile": (quantile_of_first, explained.TIES),
    "scatter_reduce": (extreme, explained.EXTREMES),
    "mode": (mode, explained.MODES),
    "topk": (first_of_ties, explained.TIES),
}
IN_TRANSFORMS = {
    "mse_loss": (mean_of_squares, explained.UNREDUCED),
    "var": (variance, explained.LENGTHENED),
    "logcumsumexp": (running_logarithm, explained.LENGTHENED),
}


def equal(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two tensors hold the same bytes."""
    return array(one).tobytes() == array(other).tobytes()


def is_fresh(result: torch.Tensor, args) -> bool:
    """Whether a result lies in memory of its own."""
    place = result.untyped_storage().data_ptr()
    return all(arg.untyped_storage().data_ptr() != place for arg in args if isinstance(arg, torch.Tensor))


class Mended(TorchFunctionMode):
    """While it is entered PyTorch gives what it should; `reasons` are those of the mends that made a difference."""

    def __init__(self):
        """Nothing is mended yet."""
        super().__init__()
        self.reasons: list[str] = []
        self.rest: list[str] = []  # of mends of which nobody knows

    def __torch_function__(self, func, types, args=(), kwargs=None):
        """A call of PyTorch's function, mended."""
        name, kwargs = func.__name__, kwargs or {}
        transformed = any(isinstance(arg, torch.Tensor) and is_functorch_wrapped_tensor(arg) for arg in args)
        others = INSTEAD | IN_TRANSFORMS if transformed else INSTEAD
        if name in others:
            instead, reason = others[name]
            self.reasons.append(reason)
            return instead(*args, **kwargs)
        if transformed:
            return func(*args, **kwargs)  # within transforms no memory can be seen
        changes = name == "__setitem__" or (name.endswith("_") and not name.startswith("__"))
        if changes and args and isinstance(args[0], torch.Tensor):
            return self.changed(func, args, kwargs)
        if name in SHAPES_ONLY:
            args = self.separated(args)
        result = func(*(args if name == "type_as" else self.widened(args)), **kwargs)
        if not isinstance(result, torch.Tensor):
            return result
        if result.is_inference():
            return result
        if result._version and not result.requires_grad and is_fresh(result, (*args, *kwargs.values())):
            self.reasons.append(explained.INSIDE)
            result = result.clone()
        return self.corrected(name.strip("_"), result, args, kwargs)

    def separated(self, args):
        """Operands that are saved for their shapes only, as copies: changes in place of the operands may follow."""
        self.rest.append(explained.SAVED)
        return [arg.clone() if isinstance(arg, torch.Tensor) and arg.requires_grad else arg for arg in args]

    def changed(self, func, args, kwargs):
        """A change in place: of one that fails nothing is left."""
        before = [arg.detach().clone() if isinstance(arg, torch.Tensor) else arg for arg in args]
        if func.__name__.strip("_") in SHAPES_ONLY and is_fresh(args[0], args[1:]):
            args = args[:1] + tuple(self.separated(args[1:]))
        target, *others = self.widened(args)
        try:
            result = func(target, *others, **kwargs)
            if target is not args[0]:
                args[0].copy_(target)
                return args[0]
        except Exception:
            if not equal(args[0], before[0]):
                self.reasons.append(explained.HALF_DONE)
                args[0].data.copy_(before[0])
            raise
        self.separate(func, args, kwargs, before)
        return self.corrected(func.__name__.strip("_"), result, before, kwargs)

    def separate(self, func, args, kwargs, before):
        """What a change in place gives where an operand lies in the memory that is changed: as if it lay elsewhere."""
        target = args[0]
        if is_fresh(target, args[1:]) or any(arg is target for arg in args[1:]):
            return
        right = before[0].clone()
        func(right, *before[1:], **kwargs)
        if not equal(target, right):
            self.reasons.append(explained.MEANWHILE)
            target.data.copy_(right)

    def widened(self, args):
        """Arguments without 16-bit numbers where others are complex: rushlight has no complex numbers of 32 bits."""
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
