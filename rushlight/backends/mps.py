"""Apple's Metal, which is not there."""


def is_available() -> bool:
    """Whether there is Metal: there is not."""
    return False


def is_built() -> bool:
    """Whether there could be Metal: it could not."""
    return False
