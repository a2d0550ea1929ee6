"""The library opt_einsum, by which PyTorch can choose the order of an einsum's products; rushlight does not use it."""

enabled = False
strategy = None


def is_available() -> bool:
    """Whether rushlight chooses the order of products by opt_einsum: False."""
    return False


def get_opt_einsum() -> None:
    """The library if rushlight uses it: None."""
