"""cuDNN, which is not available. Its flags can be set and read as in PyTorch without CUDA, without effect."""

enabled = True
benchmark = False
deterministic = False
allow_tf32 = True


def is_available() -> bool:
    """Whether cuDNN is available: False."""
    return False


def version() -> None:
    """The version of cuDNN: None, as it is not available."""
