"""`torch.ops.aten`: the operators under the names that PyTorch's dispatcher gives them."""

import builtins

from rushlight.tensor import Tensor


def slice(input: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Tensor:
    """The view `input[..., start:end:step, ...]` of one dimension.

    >>> import rushlight as torch
    >>> torch.ops.aten.slice(torch.arange(5), 0, 1, 4)
    tensor([1, 2, 3])
    """
    dim = dim % input.dim()
    whole = (builtins.slice(None),) * dim
    return input[(*whole, builtins.slice(start, end, step))]


def native_dropout_backward(grad_output: Tensor, mask: Tensor, scale: float) -> Tensor:
    """The cotangent of the input of dropout: that of the result where the mask kept it, scaled.

    >>> import rushlight as torch
    >>> torch.ops.aten.native_dropout_backward(torch.ones(2), torch.tensor([True, False]), 2.0)
    tensor([2., 0.])
    """
    return grad_output * mask * scale



def __getattr__(name):
    """Any other operator is the function of that name in `torch` or `torch.nn.functional`."""
    import rushlight
    from rushlight.nn import functional

    return getattr(functional, name) if hasattr(functional, name) else getattr(rushlight, name)
