"""MKL, which PyTorch can compute with and rushlight does not use: scripts ask whether it is available."""


def is_available() -> bool:
    """Whether rushlight computes with MKL: False."""
    return False
