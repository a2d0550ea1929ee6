"""cuDNN, which is not there. Its flags can be set and read as in PyTorch without CUDA; only cuDNN would obey them."""

enabled = True
benchmark = False
deterministic = False
allow_tf32 = True


def is_available() -> bool:
    """Whether there is cuDNN: there is not."""
    return False


def version() -> None:
    """The version of cuDNN: None."""
