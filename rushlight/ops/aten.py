"""`torch.ops.aten`: operators under the names that PyTorch's dispatcher gives them."""

from rushlight.ops.slicing import slice_of as slice  # noqa: F401


def __getattr__(name):
    """Any other operator is the function of that name in `torch.nn.functional` or `torch`."""
    import rushlight
    from rushlight.nn import functional

    return getattr(functional, name) if hasattr(functional, name) else getattr(rushlight, name)
