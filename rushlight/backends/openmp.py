"""OpenMP, which PyTorch computes with and rushlight does not use: scripts ask whether it is available."""


def is_available() -> bool:
    """Whether rushlight computes with OpenMP: False."""
    return False
