"""Anomaly mode: where nodes were recorded, whether their gradients are NaN, which lines change tensors in place."""

import sys
from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any

import numpy as np

from rushlight.core.above import above
from rushlight.core.aliases import Array
from rushlight.core.graph import TensorBase
from rushlight.core.lines import lines_of_user, warn
from rushlight.core.modes import CURRENT, Setting

RUNNING = ContextVar("rushlight_running", default=None)  # the node whose formula runs in this context


@above
def remember_origin(node: Any) -> None:
    """Stores in a node's metadata the stack of the user's program that recorded it."""
    node.metadata["traceback_"] = lines_of_user()
    node.metadata["parent_"] = RUNNING.get()


@above
def apply_watched(node: Any, grad: Array, recorded: bool, needs: Sequence[bool]) -> list[Array | None]:
    """The gradients of a node's inputs in anomaly mode, checked for NaN."""
    with Setting(RUNNING, node):
        try:
            results = node.apply(grad, recorded, needs)
            if CURRENT.get().check_nan:
                refuse_nan(node, results)
        except Exception:
            tell_origin(node)
            raise
    return results


def refuse_nan(node: Any, results: Sequence[Array | None]) -> None:
    """Raises RuntimeError for the first gradient with a NaN in it."""
    for i, result in enumerate(results):
        array = result._array if isinstance(result, TensorBase) else result
        if array is not None and np.isnan(array).any():
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {i}th output.")


def tell(message: str) -> None:
    """Warns, or writes to stderr where warnings are errors: the error that is raised is the one of the pass."""
    try:
        warn(message)
    except Warning:
        print(message, file=sys.stderr)


def tell_origin(node: Any) -> None:
    """Warns with the stack of the program that recorded the node whose backward failed."""
    trace = node.metadata.get("traceback_")
    if trace is None:
        tell(
            f"Error detected in {node.name()}. No forward pass information available. Enable detect anomaly during "
            "forward pass for more information.",
        )
        return
    tell(
        f"Error detected in {node.name()}. Traceback of forward call that caused the error:\n{''.join(trace)}",
    )
    parent = node.metadata.get("parent_")
    if parent is not None:
        tell(
            f"\n\nPrevious calculation was induced by {parent.name()}. Traceback of forward call that induced the "
            f"previous calculation:\n{''.join(parent.metadata.get('traceback_', []))}",
        )
