"""NumPy's Fourier transforms on tensors: `np.fft.fft(x)` of a tensor is `torch.fft.fft(x)`."""

from collections.abc import Callable, Sequence
from typing import Any

from rushlight import fft
from rushlight.core.aliases import Array
from rushlight.numpy_functions.entering import transform
from rushlight.tensors import Tensor


def one_dimensional(function: Callable[..., Any]) -> None:
    """Registers a transform along one axis."""

    def implementation(a: Any, n: Any = None, axis: int = -1, norm: str | None = None) -> Tensor:
        return function(a, n, axis, norm)

    implementation.__name__ = function.__name__
    transform(implementation)


def several_dimensional(function: Callable[..., Any], default: Sequence[int] | None) -> None:
    """Registers a transform along several axes."""

    def implementation(a: Any, s: Any = None, axes: Any = default, norm: str | None = None) -> Tensor:
        return function(a, s, axes, norm)

    implementation.__name__ = function.__name__
    transform(implementation)


for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    one_dimensional(getattr(fft, name))
for name in ("fft2", "ifft2", "rfft2", "irfft2"):
    several_dimensional(getattr(fft, name), (-2, -1))
for name in ("fftn", "ifftn", "rfftn", "irfftn"):
    several_dimensional(getattr(fft, name), None)


@transform
def fftshift(x: Tensor, axes: Any = None) -> Tensor:
    return fft.fftshift(x, axes)


@transform
def ifftshift(x: Array, axes: Any = None) -> Any:
    return fft.ifftshift(x, axes)
