"""Short-time Fourier transforms: against PyTorch, and back to the signal."""

import numpy as np
import pytest
from derivatives import check_derivatives

import rushlight

OPTIONS = [
    {},
    {"hop_length": 2},
    {"win_length": 5},
    {"center": False},
    {"normalized": True},
    {"onesided": False},
    {"pad_mode": "constant"},
    {"center": False, "win_length": 4, "align_to_window": True},
]


def signal(*shape, complex=False):
    rng = np.random.default_rng(list(shape))
    values = rng.standard_normal(shape)
    return values + 1j * rng.standard_normal(shape) if complex else values


def window(torch, options, n_fft):
    size = options.get("win_length", n_fft)
    return torch.from_numpy(np.linspace(0.5, 1.5, size))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("shape", [(20,), (2, 20)])
@pytest.mark.parametrize("windowed", [True, False])
def test_spectra_as_torch(options, shape, windowed):
    torch = pytest.importorskip("torch")
    found, expected = (
        t.stft(
            t.from_numpy(signal(*shape)),
            6,
            window=window(t, options, 6) if windowed else None,
            return_complex=True,
            **options,
        )
        for t in (rushlight, torch)
    )
    np.testing.assert_allclose(found.numpy(), expected.numpy(), atol=1e-12)


def test_complex_signal():
    torch = pytest.importorskip("torch")
    found, expected = (t.stft(t.from_numpy(signal(20, complex=True)), 6) for t in (rushlight, torch))
    np.testing.assert_allclose(found.numpy(), expected.numpy(), atol=1e-12)


def test_parts_in_a_last_dimension():
    x = rushlight.from_numpy(signal(20))
    parts = rushlight.stft(x, 4, return_complex=False)
    np.testing.assert_array_equal(
        rushlight.view_as_complex(parts).numpy(), rushlight.stft(x, 4, return_complex=True).numpy()
    )


@pytest.mark.parametrize("options", [o for o in OPTIONS if "pad_mode" not in o and "align_to_window" not in o], ids=str)
@pytest.mark.parametrize("length", [None, 18])
def test_back_to_the_signal(options, length):
    x = rushlight.from_numpy(signal(2, 20))
    w = window(rushlight, options, 6)
    if options.get("center") is False:
        options = {**options, "hop_length": 2}
    spectra = rushlight.stft(x, 6, window=w, return_complex=True, **options)
    back = rushlight.istft(spectra, 6, window=w, length=length, **options)
    n = back.shape[-1]
    assert n == (length or n)
    np.testing.assert_allclose(back.numpy(), x.numpy()[:, :n], atol=1e-12)


def test_longer_than_known():
    x = rushlight.from_numpy(signal(20))
    w = window(rushlight, {}, 4)
    with pytest.warns(UserWarning, match="shorter than the length parameter"):
        back = rushlight.istft(rushlight.stft(x, 4, window=w, return_complex=True), 4, window=w, length=30)
    assert back[25:].tolist() == [0.0] * 5


def test_derivatives():
    x = rushlight.from_numpy(signal(10))
    w = window(rushlight, {}, 4)
    x.requires_grad = w.requires_grad = True
    check_derivatives(lambda x, w: rushlight.stft(x, 4, window=w, return_complex=True), x, w)
    z = rushlight.from_numpy(signal(3, 5, complex=True))
    z.requires_grad = True
    check_derivatives(lambda z, w: rushlight.istft(z, 4, window=w), z, w)
    z = rushlight.from_numpy(signal(4, 5, complex=True))
    z.requires_grad = True
    check_derivatives(lambda z: rushlight.istft(z, 4, window=w.detach(), return_complex=True, onesided=False), z)


ERRORS = [
    ("torch.stft(x, 4)", "stft requires the return_complex parameter be given for real inputs"),
    ("torch.stft(x, 4, window=torch.ones(5), return_complex=True)", "expected a 1D window tensor of size equal to "),
    ("torch.stft(x, 4, hop_length=0, return_complex=True)", "expected hop_length > 0, but got hop_length=0"),
    ("torch.stft(x, 400, return_complex=True, center=False)", "expected 0 < n_fft < 20, but got n_fft=400"),
    ("torch.stft(x, 4, win_length=5, return_complex=True)", "expected 0 < win_length <= n_fft, but got win_length=5"),
    ("torch.stft(x[None], 4, return_complex=True)", "expected a 1D or 2D tensor"),
    ("torch.stft(x, 4, return_complex=True, align_to_window=True)", "stft align_to_window should only be set when "),
    ("torch.istft(z.real, 4)", "istft requires a complex-valued input tensor matching the output from stft with re"),
    ("torch.istft(z, 4, return_complex=True)", "Cannot have onesided output if window or input is complex"),
    ("torch.istft(z, 4, window=torch.zeros(4))", "window overlap add min: 1"),
    ("torch.istft(z, 4, hop_length=5)", "expected 0 < hop_length <= win_length"),
    ("torch.istft(z, 4, onesided=False)", "expected the frequency dimension (3rd to the last) of the input tensor "),
]


@pytest.mark.parametrize(("expression", "message"), ERRORS, ids=[e for e, _ in ERRORS])
def test_errors(torch, expression, message):
    x = torch.ones(2, 20)
    names = {"torch": torch, "x": x, "z": torch.ones(2, 3, 21, dtype=torch.complex64)}
    with pytest.raises(RuntimeError) as found:
        eval(expression, names)
    assert message in str(found.value)
