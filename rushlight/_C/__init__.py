"""The names of PyTorch's compiled core that programs and files ask for."""

from rushlight.linalg import LinAlgError as _LinAlgError
from rushlight.missing import explain_misses as _explain_misses
from rushlight.random import Generator

__all__ = ["Generator", "_LinAlgError"]


def _get_tracing_state() -> None:
    """The trace that is being recorded: none is."""


_explain_misses(globals())
