"""Whether numbers differ only by rounding: PyTorch's own results change as much after tiny changes of its inputs.

A program runs again on PyTorch, several times. Each time what is drawn and the parameters of networks change at random
by an epsilon of the largest number beside them, gradients by an epsilon of the largest one, and what layers and
saturating functions give by an epsilon of itself. Each run is repeated with all changes the other way: a gradient whose
sign is rounding then has both signs, of which an optimizer may follow only one (Rprop). What differs from PyTorch by no
more than ten times what differs between these runs is rounding: also a gradient that is nothing else, such as that of a
bias before a normalization, and what an optimizer makes of it that divides by its size.
"""

from collections.abc import Iterable, Iterator
from itertools import product

import numpy as np
import torch
from torch.nn.modules.module import register_module_forward_hook
from torch.utils._python_dispatch import TorchDispatchMode

import rushlight
from verify.compare import array, close
from verify.programs.writer import run

RUNS = 6
FACTOR = 10
ATEN = torch.ops.aten
SATURATING = (ATEN.tanh, ATEN.tanh_, ATEN.sigmoid, ATEN.sigmoid_)


def numbers(value, tensor: type, name: str) -> Iterator[tuple[str, np.ndarray]]:
    """The floating-point numbers in a value, and in gradients of it, as arrays with the names of their places."""
    if isinstance(value, tensor):
        if value.is_floating_point() or value.is_complex():
            yield name, array(value)
        if value.is_leaf and value.grad is not None:
            yield from numbers(value.grad, tensor, f"{name}.grad")
    elif isinstance(value, (float, complex)):
        yield name, np.asarray(value)
    elif isinstance(value, (tuple, list, dict)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from numbers(value[key], tensor, f"{name}[{key!r}]")


def all_numbers(space: dict, tensor: type) -> dict[str, np.ndarray]:
    """The numbers of all variables of a program."""
    variables = {name: value for name, value in space.items() if name != "torch" and not name.startswith("__")}
    return dict(numbers(variables, tensor, ""))


def is_rounded(tensor: torch.Tensor) -> bool:
    """Whether a tensor holds numbers with a point."""
    return tensor.is_floating_point() or tensor.is_complex()


def largest(tensors: Iterable[torch.Tensor]) -> float:
    """The largest absolute value in some tensors."""
    sizes = [tensor.detach().abs() for tensor in tensors if is_rounded(tensor) and tensor.numel()]
    return max((float(size.max()) for size in sizes), default=0.0)


class Noise:
    """Small changes drawn by a seed; `way` is 1, or -1 for the same changes the other way."""

    def __init__(self, seed: int, way: int):
        self.generator = torch.Generator().manual_seed(seed)
        self.way = way

    def disturb(self, tensor: torch.Tensor, scale: float | torch.Tensor) -> None:
        """Changes numbers by an epsilon of a scale."""
        if is_rounded(tensor) and tensor.numel() and tensor.is_contiguous() and not tensor.is_inference():
            noise = torch.rand(tensor.shape, generator=self.generator, dtype=tensor.dtype) * 2 - 1
            tensor.data.add_(self.way * noise * scale * torch.finfo(tensor.dtype).eps)


class Cancelling(TorchDispatchMode):
    """While active, disturbs what functions give that is a difference of nearly equal numbers, or is used for one.

    Slopes of saturating functions are differences of their result and one. Gradients of a normalized batch are what is
    left of the cotangents without their mean and their part along the batch: little, in a batch of two.
    """

    def __init__(self, noise: Noise):
        super().__init__()
        self.noise = noise

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **kwargs or {})
        if func.overloadpacket in SATURATING:
            self.noise.disturb(result, result.detach().abs())
        if func.overloadpacket is ATEN.native_batch_norm_backward and isinstance(result[0], torch.Tensor):
            grad, weight, deviations = args[0], args[2], args[6]
            factor = 1.0 if weight is None else float(weight.detach().abs().max())
            if isinstance(deviations, torch.Tensor) and deviations.numel():
                self.noise.disturb(result[0], float(grad.detach().abs().max() * deviations.max()) * factor)
        return result


def disturbed(lines: list[str], noise: Noise) -> dict:
    """PyTorch's variables after a program whose numbers are disturbed as they come up."""

    def after(layer, inputs, result):
        for tensor in result if isinstance(result, tuple) else (result,):
            if isinstance(tensor, torch.Tensor):
                noise.disturb(tensor, tensor.detach().abs())

    with register_module_forward_hook(after), Cancelling(noise):
        return disturbed_by(lines, noise)


def disturbed_by(lines: list[str], noise: Noise) -> dict:
    """`disturbed`, but for what layers give."""
    space, known = {"torch": torch}, {}
    for line in lines:
        run(line, space)
        values = [value for name, value in space.items() if name != "torch"]
        modules = [value for value in values if isinstance(value, torch.nn.Module)]
        tensors = [value for value in values if isinstance(value, torch.Tensor)]
        leaves = [tensor for tensor in tensors if tensor.is_leaf or tensor.dtype != torch.float64]  # those round more
        leaves += [parameter for module in modules for parameter in module.parameters()]
        for leaf in leaves:
            if id(leaf) not in known:
                known[id(leaf)] = leaf
                noise.disturb(leaf, largest([leaf]))
        if line.endswith(".backward()"):
            grads = [leaf.grad for leaf in leaves if leaf.grad is not None]
            for grad in grads:
                noise.disturb(grad, largest(grads))
    return space


def is_rounding(lines: list[str]) -> bool:
    """Whether the numbers of a program differ from PyTorch's by no more than rounding explains."""
    rushlight.set_default_dtype(rushlight.float32)
    spaces = [{"torch": rushlight}, {"torch": torch}]
    for line in lines:
        for space in spaces:
            run(line, space)
    ours, theirs = all_numbers(spaces[0], rushlight.Tensor), all_numbers(spaces[1], torch.Tensor)
    torch.set_default_dtype(torch.float32)
    others = []
    for seed, way in product(range(RUNS), (1, -1)):
        others.append(all_numbers(disturbed(lines, Noise(seed, way)), torch.Tensor))
        torch.set_default_dtype(torch.float32)
    if ours.keys() != theirs.keys():
        return False
    overflows = any(varying(theirs[name], others, name)[~np.isfinite(theirs[name])].any() for name in theirs)
    return all(within(ours[name], theirs[name], others, name, overflows) for name in theirs)


def varying(numbers: np.ndarray, others: list[dict], name: str) -> np.ndarray:
    """Which numbers change under small disturbances."""
    return np.any([~np.isclose(other[name], numbers, equal_nan=True) for other in others], axis=0)


def within(ours: np.ndarray, theirs: np.ndarray, others: list[dict], name: str, overflows: bool) -> bool:
    """Whether numbers are as close to PyTorch's as these are to each other under small disturbances.

    Where something `overflows` that is infinite or NaN depending on these, all that is not finite may be either.
    """
    if close(ours, theirs, theirs.dtype.name):
        return True
    finite = np.isfinite(theirs)
    lost = ~np.isfinite(ours) & ~finite & overflows
    if not (np.isclose(ours, theirs, equal_nan=True) | finite | varying(theirs, others, name) | lost).all():
        return False
    spread = max(largest_of(other[name], theirs, finite) for other in others)
    return largest_of(ours, theirs, finite) <= FACTOR * spread


def largest_of(one: np.ndarray, other: np.ndarray, places: np.ndarray) -> float:
    """The largest difference at some places."""
    return float(np.abs(one[places] - other[places]).max(initial=0))
