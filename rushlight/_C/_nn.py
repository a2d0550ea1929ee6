"""The functions of `torch.nn.functional` under the name that files of PyTorch's have for some of them."""

from rushlight.nn import functional


def __getattr__(name):
    """The function of that name."""
    return getattr(functional, name)
