"""Spectra of real numbers: the second half from the first one, and the half that gives the real part of an inverse."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.fft import pocketfft
from rushlight.kernels.compiled import load

kernel = load("hermitian")
SHAPES = [(1,), (2,), (3,), (4,), (1000,), (1001,), (40_001,), (5, 1), (300, 100), (2, 3, 7)]


@pytest.mark.skipif(kernel is None, reason="the kernel was not compiled")
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("shape", SHAPES)
def test_halves_of_spectra(shape, dtype):
    draw = np.random.default_rng(0)
    n, tolerance = shape[-1], 1e-4 if dtype is np.complex64 else 1e-12
    whole = np.fft.fft(draw.standard_normal(shape)).astype(dtype)
    given = whole.copy()
    given[..., n // 2 + 1 :] = 7
    assert kernel.completed(given)
    np.testing.assert_allclose(given, whole, rtol=tolerance, atol=tolerance)
    spectra = (draw.standard_normal(shape) + 1j * draw.standard_normal(shape)).astype(dtype)
    real = np.fft.irfft(kernel.folded(spectra), n)
    np.testing.assert_allclose(real, np.fft.ifft(spectra).real, rtol=tolerance, atol=tolerance)


@pytest.mark.skipif(kernel is None, reason="the kernel was not compiled")
def test_what_the_kernel_does_not_take():
    spectra = np.ones((4, 6), np.complex64)
    assert not kernel.completed(spectra.T)
    assert kernel.folded(spectra[:, ::2]) is None
    assert kernel.folded(spectra.real.copy()) is None
    spectra.flags.writeable = False
    assert not kernel.completed(spectra)
    assert kernel.folded(spectra) is not None


@pytest.mark.parametrize("n", [1, 2, 7, 10, 13])
@pytest.mark.parametrize("dim", [0, 1])
def test_gradients_are_those_of_complex_transforms(monkeypatch, n, dim):
    draw = np.random.default_rng(0)
    x = torch.from_numpy(draw.standard_normal((9, 10))).requires_grad_()
    slope = lambda: torch.autograd.grad(torch.fft.fft(x, n, dim).square().abs().sum(), x)[0]
    found = slope()
    monkeypatch.setattr(pocketfft, "fast", None)
    torch.testing.assert_close(found, slope())
