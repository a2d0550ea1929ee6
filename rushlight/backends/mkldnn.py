"""oneDNN (MKL-DNN), which PyTorch can compute with and rushlight does not use: scripts ask whether it is available."""

enabled = False


def is_available() -> bool:
    """Whether rushlight computes with oneDNN: False."""
    return False
