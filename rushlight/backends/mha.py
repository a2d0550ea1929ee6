"""The inference kernel of PyTorch's transformer layers. rushlight's layers compute in one way: this has no effect."""

ENABLED = {"fastpath": True}


def get_fastpath_enabled() -> bool:
    """The setting of `set_fastpath_enabled`.

    >>> import rushlight as torch
    >>> torch.backends.mha.get_fastpath_enabled()
    True
    """
    return ENABLED["fastpath"]


def set_fastpath_enabled(value: bool) -> None:
    """Allows or forbids the inference kernel of PyTorch's transformer layers, without effect."""
    ENABLED["fastpath"] = value
