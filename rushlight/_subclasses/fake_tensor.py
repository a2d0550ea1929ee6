"""PyTorch's compiler traces programs with fake tensors, which have no values; rushlight has none."""

from typing import Any

from rushlight.absent.misses import explain_misses as _explain_misses

__all__ = ["is_fake"]


def is_fake(x: Any) -> bool:
    """False: every tensor has its values."""
    return False


_explain_misses(globals())
