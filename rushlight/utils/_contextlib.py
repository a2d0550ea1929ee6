"""Contexts that decorate functions too, under the names of PyTorch's own module: `torch.utils._contextlib`."""

from rushlight.autograd.grad_mode import Decorator

__all__ = ["_DecoratorContextManager"]

_DecoratorContextManager = Decorator
