"""Apple's Metal, which is not available."""


def is_available() -> bool:
    """Whether Metal is available: False."""
    return False


def is_built() -> bool:
    """Whether rushlight is built with Metal: False."""
    return False
