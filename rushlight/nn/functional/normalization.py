"""Division by norms: of vectors, or of neighbouring channels."""

from rushlight.nn.functional.pooling import avg_pool2d, avg_pool3d
from rushlight.ops.elementwise.arithmetic import div
from rushlight.ops.shapes.padding import pad
from rushlight.tensors import Tensor

__all__ = ["local_response_norm", "normalize"]


def normalize(
    input: Tensor, p: float = 2.0, dim: int | tuple[int, ...] = 1, eps: float = 1e-12, out: Tensor | None = None
) -> Tensor:
    """`input` divided by its p-norm along one or several dimensions; the norm is taken as at least `eps`.

    >>> import rushlight as torch
    >>> torch.nn.functional.normalize(torch.tensor([[3.0, 4.0]]))
    tensor([[0.6000, 0.8000]])
    """
    return div(input, input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input), out=out)


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """Each element of (N, C, ...) divided by (k + alpha * m) ** beta, where m is the mean square over `size` channels.

    ValueError for an input of fewer than three dimensions.
    Krizhevsky, Sutskever and Hinton, "ImageNet classification with deep networks", 2012.

    >>> import rushlight as torch
    >>> torch.nn.functional.local_response_norm(torch.ones(1, 2, 1), 2, alpha=2.0, beta=1.0)
    tensor([[[0.5000],
             [0.3333]]])
    """
    if input.ndim < 3:
        raise ValueError(f"Expected 3D or higher dimensionality {' ' * 24} input (got {input.ndim} dimensions)")
    if input.numel() == 0:
        return input
    squares, around = input * input, (size // 2, (size - 1) // 2)
    if input.ndim == 3:
        squares = pad(squares.unsqueeze(1), (0, 0, *around))
        means = avg_pool2d(squares, (size, 1), stride=1).squeeze(1)
    else:
        shape = input.shape
        squares = pad(squares.reshape(shape[0], 1, shape[1], shape[2], -1), (0, 0, 0, 0, *around))
        means = avg_pool3d(squares, (size, 1, 1), stride=1).squeeze(1).reshape(shape)
    return input / (means * alpha + k).pow(beta)
