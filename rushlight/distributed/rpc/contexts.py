"""Contexts of distributed autograd: tensors whose history continues in other workers, and gradients of leaves.

A tensor sent inside a context is recorded by its sender; in the receiver it is the result of a `RecvRpcBackward` node,
which knows where it came from. `torch.distributed.autograd` follows it back.
"""

import threading
from collections.abc import Iterator, Sequence
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

BITS = 48  # bits of a context's number within its worker; the higher ones are the worker's number


class Origin(NamedTuple):
    """Where received tensors have their history: the worker, and its number for what it sent."""

    worker: int
    number: int


class RecvRpc(Function):
    """Tensors received from another worker. In backward their gradients are sent back to it."""

    @staticmethod
    def forward(ctx: Any, anchor: Tensor, origin: Origin, arrays: Sequence[Any]) -> tuple[Tensor, ...]:
        """Makes tensors from received arrays."""
        ctx.origin = origin
        return tuple(new_tensor(array) for array in arrays)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> tuple[None, None, None]:
        """Gives the gradients to the running pass."""
        PASS.now.send_back(ctx.origin, grads)
        return None, None, None


def continued(arrays: list[Any], origin: Origin) -> list[Tensor]:
    """Received tensors, whose history continues in the sender."""
    anchor = new_tensor(np.zeros(()))
    anchor.requires_grad = True
    with in_grad_mode(True):
        return list(RecvRpc.apply(anchor, origin, arrays))


class Context:
    """A worker's part of a context: what it has sent, which workers it has called, and gradients of its leaves."""

    def __init__(self, number: int):
        self.number = number
        self.sent: dict[int, list[Tensor]] = {}
        self.workers: set[int] = set()
        self.passes: dict[Any, Any] = {}
        self.gradients: dict[Tensor, Tensor] = {}
        self.numbers = count()
        self.lock: Any = lock()

    def note(self, tensors: list[Tensor]) -> int:
        """Records tensors that are sent; returns the number by which the receiver refers to them."""
        with self.lock:
            number = next(self.numbers)
            self.sent[number] = tensors
        return number

    def add(self, leaf: Tensor, grad: Any) -> None:
        """Accumulates the gradient of a leaf."""
        new = grad if isinstance(grad, Tensor) else new_tensor(copied(grad, leaf))
        with self.lock, in_grad_mode(False):
            held = self.gradients.get(leaf)
            self.gradients[leaf] = new if held is None else held + new


class Contexts:
    """The contexts that this worker takes part in."""

    def __init__(self, worker: int):
        self.first: int = worker << BITS
        self.numbers = count()
        self.known: dict[int, Context] = {}
        self.lock: Any = lock()

    def make(self) -> Context:
        """A new context."""
        with self.lock:
            return self.join(self.first + next(self.numbers))

    def join(self, number: int) -> Context:
        """The context of a number, which this worker joins if it is new."""
        return self.known.setdefault(number, Context(number))

    def find(self, number: Any) -> Context:
        """The context of a number. RuntimeError if there is none."""
        if number not in self.known:
            raise RuntimeError(f"Could not find autograd context with id: {number}")
        return self.known[number]


class Thread(threading.local):
    """State of a thread: its context, and its backward pass."""

    now: Any = None


CONTEXT = Thread()
PASS = Thread()


@contextmanager
def entered(place: Thread, value: Any) -> Iterator[None]:
    """A context manager that sets a thread's state."""
    before, place.now = place.now, value
    try:
        yield
    finally:
        place.now = before
