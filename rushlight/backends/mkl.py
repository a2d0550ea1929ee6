"""A library that PyTorch computes with and rushlight does not: scripts ask whether it is there."""


def is_available() -> bool:
    """Whether rushlight computes with it: it does not."""
    return False
