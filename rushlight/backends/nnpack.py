"""NNPACK, which PyTorch can compute with and rushlight does not use: scripts ask whether it is available."""

from contextlib import AbstractContextManager

from rushlight.backends.flags import set_for_a_while

enabled = False


def is_available() -> bool:
    """Whether rushlight computes with NNPACK: False."""
    return False


def flags(enabled: bool = False) -> AbstractContextManager[None]:
    """A context in which the flag has another value."""
    return set_for_a_while(globals(), enabled=enabled)
