"""NumPy's Fourier transforms on tensors: `np.fft.fft(x)` of a tensor is `torch.fft.fft(x)`."""

from rushlight import fft
from rushlight.numpy_functions.entering import transform


def one_dimensional(function):
    """Enters a transform along one axis."""

    def implementation(a, n=None, axis=-1, norm=None):
        return function(a, n, axis, norm)

    implementation.__name__ = function.__name__
    transform(implementation)


def several_dimensional(function, default):
    """Enters a transform along several axes."""

    def implementation(a, s=None, axes=default, norm=None):
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
def fftshift(x, axes=None):
    return fft.fftshift(x, axes)


@transform
def ifftshift(x, axes=None):
    return fft.ifftshift(x, axes)
