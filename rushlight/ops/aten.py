"""`torch.ops.aten`: operators under the names that PyTorch's dispatcher gives them."""

import rushlight
from rushlight.ops.shapes.slicing import slice_of as slice  # noqa: F401


def __getattr__(name):
    """Any other operator is the function of that name in `torch.nn.functional` or `torch`."""
    from rushlight.nn import functional  # loaded when it is first used

    return getattr(functional, name) if hasattr(functional, name) else getattr(rushlight, name)
