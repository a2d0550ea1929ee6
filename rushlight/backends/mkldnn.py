"""oneDNN (MKL-DNN), which PyTorch can compute with and rushlight does not use: scripts ask whether it is available."""

from contextlib import AbstractContextManager

from rushlight.backends.flags import set_for_a_while

enabled = deterministic = False
allow_tf32: bool | None = None


def is_available() -> bool:
    """Whether rushlight computes with oneDNN: False."""
    return False


def flags(enabled: bool = False, deterministic: bool = False, allow_tf32: bool = True) -> AbstractContextManager[None]:
    """A context in which the flags have other values."""
    return set_for_a_while(globals(), enabled=enabled, deterministic=deterministic, allow_tf32=allow_tf32)
