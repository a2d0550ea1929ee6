"""cuDNN, which is not available. Its flags can be set and read as in PyTorch without CUDA, without effect."""

from contextlib import AbstractContextManager

from rushlight.backends.flags import set_for_a_while

enabled = True
benchmark = False
benchmark_limit: int | None = None
deterministic = False
allow_tf32 = True


def is_available() -> bool:
    """Whether cuDNN is available: False."""
    return False


def version() -> None:
    """The version of cuDNN: None, as it is not available."""


def is_acceptable(tensor: object) -> bool:
    """Whether cuDNN could compute with a tensor: False, as it is on the CPU."""
    return False


def flags(
    enabled: bool = False,
    benchmark: bool = False,
    benchmark_limit: int | None = 10,
    deterministic: bool = False,
    allow_tf32: bool = True,
) -> AbstractContextManager[None]:
    """A context in which the flags have other values.

    >>> import rushlight as torch
    >>> with torch.backends.cudnn.flags(enabled=False, deterministic=True):
    ...     torch.backends.cudnn.enabled, torch.backends.cudnn.deterministic
    (False, True)
    """
    return set_for_a_while(
        globals(),
        enabled=enabled,
        benchmark=benchmark,
        benchmark_limit=benchmark_limit,
        deterministic=deterministic,
        allow_tf32=allow_tf32,
    )
