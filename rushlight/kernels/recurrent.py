"""LSTM and GRU layers over all time steps, by a compiled kernel; without it layers go step by step."""

from types import ModuleType

import numpy as np

from rushlight.core.aliases import Array
from rushlight.kernels.compiled import load

__all__ = ["backward", "forward"]

fast: ModuleType | None = load("recurrent")


def forward(projected: Array, hidden: Array, cell: Array | None, weight: Array, bias: Array) -> list[np.ndarray] | None:
    """The hidden states (steps, samples, width), of an LSTM also the cell states, and the gates, after nonlinearities.

    Without a `cell` state the layer is a GRU, and the last of its four gates is the hidden part of the third. None for
    what the kernel does not take.
    """
    arrays = projected, hidden, weight, bias
    if fast is None or not all(type(x) is np.ndarray for x in arrays):
        return None
    return fast.forward(projected, hidden, cell, weight, bias)


def backward(
    grad_hiddens: Array | None,
    grad_cells: Array | None,
    first: Array,
    weight: Array,
    hiddens: Array,
    cells: Array | None,
    gates: Array,
) -> list[np.ndarray] | None:
    """The gradients of the products with the weight, and of the first states; of a GRU also of the projected inputs.

    `first` is the cell state before the first step, of a GRU the hidden state.
    """
    if fast is None or not all(type(x) is np.ndarray for x in (first, weight, hiddens, gates)):
        return None
    return fast.backward(rowwise(grad_hiddens), contiguous(grad_cells), first, weight, hiddens, cells, gates)


def contiguous(grad: Array | None) -> Array | None:
    """A gradient in contiguous memory; None remains."""
    return grad if grad is None else np.ascontiguousarray(grad)


def rowwise(grad: Array | None) -> Array | None:
    """A gradient of contiguous rows: an expanded one has none."""
    return grad if grad is None or grad.strides[-1] == grad.itemsize else np.ascontiguousarray(grad)
