"""Contexts of distributed autograd: which histories of tensors continue in other workers, and gradients of leaves.

A tensor that is sent within a context is noted by the worker that sends it; where it arrives it is the result of a
`RecvRpcBackward`, which knows where it came from. `torch.distributed.autograd` goes that way back.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from rushlight.autograd.function import Function
from rushlight.core.engine import copied
from rushlight.core.graph import new_tensor
from rushlight.core.locks import lock
from rushlight.core.modes import in_grad_mode
from rushlight.tensors import Tensor

__all__ = ["Context", "Contexts", "Origin", "RecvRpc", "continued", "entered"]

BITS = 48  # of the number of a context: those before are the number of the worker that made it


class Origin(NamedTuple):
    """Where tensors that have come got their history: the worker, and the number that it gave to what it sent."""

    worker: int
    number: int


class RecvRpc(Function):
    """Tensors that have come from another worker. Their gradients go back to it, in the pass that is under way."""

    @staticmethod
    def forward(ctx, anchor, origin, arrays):
        """Makes tensors of what has come."""
        ctx.origin = origin
        return tuple(new_tensor(array) for array in arrays)

    @staticmethod
    def backward(ctx, *grads):
        """Hands the gradients to the pass that is under way."""
        PASS.now.send_back(ctx.origin, grads)
        return None, None, None


def continued(arrays: list[Any], origin: Origin) -> list[Tensor]:
    """Tensors that have come, with their history in the worker that they come from."""
    anchor = new_tensor(np.zeros(()))
    anchor.requires_grad = True
    with in_grad_mode(True):
        return list(RecvRpc.apply(anchor, origin, arrays))


class Context:
    """What one worker knows of a context: what it has sent, whom it has called, and the gradients of its leaves."""

    def __init__(self, number: int):
        self.number = number
        self.sent: dict[int, list[Tensor]] = {}
        self.workers: set[int] = set()
        self.passes: dict[Any, Any] = {}
        self.gradients: dict[Tensor, Tensor] = {}
        self.numbers = count()
        self.lock = lock()

    def note(self, tensors: list[Tensor]) -> int:
        """Notes tensors that are sent; the number by which the one who gets them asks for their history."""
        with self.lock:
            number = next(self.numbers)
            self.sent[number] = tensors
        return number

    def add(self, leaf: Tensor, grad: Any) -> None:
        """Adds to the gradient of a leaf."""
        new = grad if isinstance(grad, Tensor) else new_tensor(copied(grad, leaf))
        with self.lock, in_grad_mode(False):
            held = self.gradients.get(leaf)
            self.gradients[leaf] = new if held is None else held + new


class Contexts:
    """The contexts that this worker takes part in."""

    def __init__(self, worker: int):
        self.first = worker << BITS
        self.numbers = count()
        self.known: dict[int, Context] = {}
        self.lock = lock()

    def make(self) -> Context:
        """A new context."""
        with self.lock:
            return self.join(self.first + next(self.numbers))

    def join(self, number: int) -> Context:
        """The context with a number, which this worker is in from now on."""
        return self.known.setdefault(number, Context(number))

    def find(self, number: Any) -> Context:
        """The context with a number. RuntimeError where there is none."""
        if number not in self.known:
            raise RuntimeError(f"Could not find autograd context with id: {number}")
        return self.known[number]


class Thread(threading.local):
    """What a thread is in: a context, a backward pass."""

    now: Any = None


CONTEXT = Thread()
PASS = Thread()


@contextmanager
def entered(place: Thread, value: Any) -> Iterator[None]:
    """Has this thread be in a context, or a pass."""
    before, place.now = place.now, value
    try:
        yield
    finally:
        place.now = before
