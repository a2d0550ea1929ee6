"""Fourier transforms: values against NumPy, derivatives by central differences, errors as PyTorch's."""

import numpy as np
import pytest
from derivatives import check_derivatives

import rushlight

ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
SEVERAL = ["fftn", "ifftn", "rfftn", "irfftn"]
REAL = {"rfft", "ihfft", "rfftn", "ihfftn", "rfft2", "ihfft2"}


def tensor(name, *shape, real=False):
    """A leaf of the kind that a transform takes."""
    rng = np.random.default_rng(list(shape))
    array = rng.standard_normal(shape)
    if name not in REAL and not real:
        array = array + 1j * rng.standard_normal(shape)
    out = rushlight.from_numpy(array)
    out.requires_grad = True
    return out


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("n", [None, 1, 2, 3, 4, 7])
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
def test_one_dimension(name, n, norm):
    for dim in (-1, 0):
        x = tensor(name, 4, 5)
        expected = getattr(np.fft, name)(x.detach().numpy(), n, dim, norm)
        np.testing.assert_allclose(
            getattr(rushlight.fft, name)(x, n, dim, norm).tolist(), expected.tolist(), atol=1e-12
        )
    check_derivatives(lambda x: getattr(rushlight.fft, name)(x, n, -1, norm), tensor(name, 2, 4))


@pytest.mark.parametrize("name", [n for n in (*ONE, *SEVERAL) if n not in REAL])
def test_real_input_of_a_complex_transform(name):
    x = tensor(name, 3, 4, real=True)
    np.testing.assert_allclose(
        getattr(rushlight.fft, name)(x).detach().numpy(), getattr(np.fft, name)(x.detach().numpy()), atol=1e-12
    )
    check_derivatives(getattr(rushlight.fft, name), x)


SIZES = [
    (None, None),
    ((3, 4), None),
    ((3,), None),
    (None, (0, 2)),
    ((2, 5), (2, 0)),
    ((-1, 3), (1, 2)),
    (None, (-1,)),
]


@pytest.mark.parametrize("name", SEVERAL)
@pytest.mark.parametrize(("s", "dim"), SIZES)
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
def test_several_dimensions(name, s, dim, norm):
    x = tensor(name, 2, 3, 4)
    axes = dim if dim is not None or s is None else tuple(range(-len(s), 0))
    expected = getattr(np.fft, name)(x.detach().numpy(), s, axes, norm)
    np.testing.assert_allclose(getattr(rushlight.fft, name)(x, s, dim, norm).detach().numpy(), expected, atol=1e-12)
    if norm != "forward":
        check_derivatives(lambda x: getattr(rushlight.fft, name)(x, s, dim, norm), tensor(name, 2, 2, 3))


@pytest.mark.parametrize("name", ["fft2", "ifft2", "rfft2", "irfft2"])
def test_two_dimensions(name):
    x = tensor(name, 2, 3, 4)
    expected = getattr(np.fft, name)(x.detach().numpy())
    np.testing.assert_allclose(getattr(rushlight.fft, name)(x).detach().numpy(), expected, atol=1e-12)


@pytest.mark.parametrize("name", ["hfft2", "ihfft2", "hfftn", "ihfftn"])
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
def test_hermitian_transforms_as_scipy(name, norm):
    import scipy.fft

    x = tensor(name, 2, 3, 4)
    expected = getattr(scipy.fft, name)(x.detach().numpy(), norm=norm)
    np.testing.assert_allclose(getattr(rushlight.fft, name)(x, norm=norm).detach().numpy(), expected, atol=1e-12)
    check_derivatives(lambda x: getattr(rushlight.fft, name)(x, norm=norm), tensor(name, 2, 2, 3))


def test_precision_is_kept():
    x = rushlight.ones(4)
    assert rushlight.fft.fft(x).dtype is rushlight.complex64
    assert rushlight.fft.irfft(rushlight.fft.rfft(x)).dtype is rushlight.float32
    assert rushlight.fft.fft(rushlight.tensor([1, 2])).dtype is rushlight.complex64
    assert rushlight.fft.rfft(rushlight.tensor([True, False])).dtype is rushlight.complex64


@pytest.mark.parametrize("n", [1, 4, 5])
def test_frequencies_and_shifts(n):
    np.testing.assert_allclose(rushlight.fft.fftfreq(n, 0.5).numpy(), np.fft.fftfreq(n, 0.5), rtol=1e-6)
    np.testing.assert_allclose(rushlight.fft.rfftfreq(n, 0.5).numpy(), np.fft.rfftfreq(n, 0.5), rtol=1e-6)
    x = tensor("rfft", n, 3)
    for name in ("fftshift", "ifftshift"):
        function = getattr(rushlight.fft, name)
        for dim in (None, 0, (0, 1)):
            expected = getattr(np.fft, name)(x.detach().numpy(), dim)
            np.testing.assert_array_equal(function(x, dim).detach().numpy(), expected)
        check_derivatives(function, x)


def test_numpy_functions_on_tensors():
    x = rushlight.ones(4, requires_grad=True)
    assert np.fft.fft(x).grad_fn.name() == "FftR2CBackward0"
    assert np.fft.irfftn(np.fft.rfftn(x)).grad_fn.name() == "FftC2RBackward0"


ERRORS = [
    ("f.rfft(c)", "rfft expects a real input tensor, but got ComplexFloat"),
    ("f.ihfft(c)", "ihfft expects a real input tensor, but got ComplexFloat"),
    ("f.rfftn(c)", "rfftn expects a real-valued input tensor, but got ComplexFloat"),
    ("f.ihfftn(c)", "Only supports floating-point dtypes, but found: ComplexFloat"),
    ("f.fft(x, n=0)", "Invalid number of data points (0) specified"),
    ("f.irfft(c[:, :1])", "Invalid number of data points (0) specified"),
    ("f.fft(x, dim=2)", "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
    ("f.fft(x, norm='x')", 'Invalid normalization mode: "x"'),
    ("f.fft(torch.tensor(1.0))", "Dimension specified as -1 but tensor has no dimensions"),
    ("f.fft2(x[0])", "Dimension out of range (expected to be in range of [-1, 0], but got -2)"),
    ("f.fftn(x, dim=(0, 0))", "FFT dims must be unique"),
    ("f.fftn(x, s=(2, 2, 2))", "Got shape with 3 values but input tensor only has 2 dimensions."),
    ("f.fftn(x, s=(2,), dim=(0, 1))", "When given, dim and shape arguments must have the same length"),
    ("f.rfftn(torch.tensor(1.0))", "rfftn must transform at least one axis"),
    ("f.fft(x.half())", "Unsupported dtype Half"),
    ("f.fftfreq(5, dtype=torch.int64)", "fftfreq requires a floating point or complex dtype"),
    ("f.fft(3)", "fft_fft(): argument 'input' (position 1) must be Tensor, not int"),
]


@pytest.mark.parametrize(("expression", "message"), ERRORS, ids=[e for e, _ in ERRORS])
def test_errors(torch, expression, message):
    names = {"torch": torch, "f": torch.fft, "x": torch.ones(4, 6), "c": torch.ones(4, 6, dtype=torch.complex64)}
    with pytest.raises((RuntimeError, TypeError, IndexError)) as found:
        eval(expression, names)
    assert str(found.value).startswith(message)
