"""The form of a case: a call, and the arrays that it is made with."""

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np


def waves(*shape: int, phase: float = 0.0) -> np.ndarray:
    """Numbers in (-2, 2) without a pattern, the same on every machine."""
    return (2 * np.sin(phase + 1.7 * np.arange(1, prod(shape) + 1) ** 1.1)).reshape(shape)


def shares(*shape: int, phase: float = 0.0) -> np.ndarray:
    """Numbers in (0.05, 0.95) without a pattern."""
    return 0.5 + 0.225 * waves(*shape, phase=phase)


def classes(*shape: int, count: int) -> np.ndarray:
    """Numbers of classes without a pattern."""
    return (np.arange(prod(shape)).reshape(shape) * 7 + 3) % count


@dataclass(frozen=True)
class Case:
    """`call` takes the module of functions, the library and a tensor for each of `arrays`.

    `order` is that of the highest derivatives that PyTorch has; those of `numeric` cases are compared with central
    differences too.
    """

    call: Callable[..., Any]
    arrays: tuple[np.ndarray, ...]
    order: int = 2
    numeric: bool = False

    @property
    def tolerance(self) -> float:
        return 1e-5 if any(a.dtype == np.float32 for a in self.arrays) else 1e-9

    def inputs(self, torch: Any) -> list[Any]:
        """New tensors, which require grad where they can."""
        tensors = [torch.from_numpy(np.array(a)) for a in self.arrays]
        return [t.requires_grad_() if t.is_floating_point() else t for t in tensors]

    def outputs(self, torch: Any, tensors: list[Any]) -> list[Any]:
        """The tensors that the call gives, of the default generator's seed 0."""
        torch.manual_seed(0)
        result = self.call(torch.nn.functional, torch, *tensors)
        return [out for out in (result if isinstance(result, (tuple, list)) else [result]) if out is not None]

    def derivatives(self, torch: Any) -> dict[str, np.ndarray]:
        """The outputs, the gradients of the first one, and those of the sum of the gradients' squares."""
        tensors = self.inputs(torch)
        outs = self.outputs(torch, tensors)
        found = {f"output{i}": out.detach().numpy() for i, out in enumerate(outs)}
        live = [t for t in tensors if t.requires_grad]
        if not live or not outs[0].requires_grad or not self.order:
            return found
        cotangent = waves(*outs[0].shape, phase=1.0).reshape(tuple(outs[0].shape))
        cotangent = torch.from_numpy(np.array(cotangent, dtype=found["output0"].dtype)).requires_grad_()
        options = {"create_graph": self.order > 1, "allow_unused": True, "materialize_grads": True}
        grads = torch.autograd.grad(outs[0], live, cotangent, **options)
        found |= {f"grad{i}": g.detach().numpy() for i, g in enumerate(grads)}
        if self.order > 1:
            size = sum((g * g).sum() for g in grads)
            again = torch.autograd.grad(size, [*live, cotangent], allow_unused=True, materialize_grads=True)
            found |= {f"second{i}": g.detach().numpy() for i, g in enumerate(again)}
        return found
