"""Converting parameters to one vector, and back."""

from collections.abc import Iterable

from rushlight.core.graph import TensorBase
from rushlight.ops.shapes.joining import cat
from rushlight.tensors import Tensor

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All elements of parameters, concatenated to one vector; gradients flow back to the parameters.

    >>> import rushlight as torch
    >>> torch.nn.utils.parameters_to_vector([torch.ones(2), torch.zeros(1, 1)])
    tensor([1., 1., 0.])
    """
    return cat([parameter.reshape(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Makes slices of a vector the memory of parameters. TypeError unless `vec` is a tensor.

    >>> import rushlight as torch
    >>> layer = torch.nn.Linear(2, 1)
    >>> torch.nn.utils.vector_to_parameters(torch.tensor([1.0, 2.0, 3.0]), layer.parameters())
    >>> layer.weight, layer.bias
    (Parameter containing:
    tensor([[1., 2.]], requires_grad=True), Parameter containing:
    tensor([3.], requires_grad=True))
    """
    if not isinstance(vec, TensorBase):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec)}")
    start = 0
    for parameter in parameters:
        size = parameter.numel()
        parameter.data = vec[start : start + size].view_as(parameter).data
        start += size
