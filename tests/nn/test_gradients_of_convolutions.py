"""`nn.grad` and `signal.windows`, compared with PyTorch."""

from importlib import import_module

import numpy as np
import pytest

import rushlight


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("options", [{}, {"stride": 2, "padding": 1}, {"dilation": 2, "groups": 2}])
def test_gradients_of_convolutions(n, options):
    theirs = pytest.importorskip("torch")
    found = []
    for torch in (rushlight, theirs):
        grad = import_module(f"{torch.__name__}.nn.grad")
        torch.manual_seed(0)
        x = torch.randn(2, 4, *[5] * n)
        weight = torch.randn(6, 4 // options.get("groups", 1), *[2] * n)
        out = getattr(torch.nn.functional, f"conv{n}d")(x, weight, **options)
        g = torch.randn(out.shape)
        found.append(
            [
                getattr(grad, f"conv{n}d_input")(x.shape, weight, g, **options).numpy(),
                getattr(grad, f"conv{n}d_weight")(x, weight.shape, g, **options).numpy(),
            ]
        )
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


WINDOWS = {
    "bartlett": {},
    "blackman": {},
    "cosine": {},
    "exponential": {"tau": 2.0},
    "gaussian": {"std": 0.8},
    "general_cosine": {"a": [0.4, 0.3, 0.3]},
    "general_hamming": {"alpha": 0.6},
    "hamming": {},
    "hann": {},
    "kaiser": {"beta": 5.0},
    "nuttall": {},
}


@pytest.mark.parametrize(("name", "options"), WINDOWS.items())
@pytest.mark.parametrize("sym", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_windows(name, options, sym, dtype):
    theirs = pytest.importorskip("torch")
    for length in (0, 1, 2, 5, 8):
        ours, expected = (
            getattr(torch.signal.windows, name)(length, sym=sym, dtype=getattr(torch, dtype), **options)
            for torch in (rushlight, theirs)
        )
        assert str(ours.dtype) == str(expected.dtype)
        np.testing.assert_allclose(ours.numpy(), expected.numpy(), rtol=1e-5 if dtype == "float32" else 1e-9, atol=1e-6)


@pytest.mark.parametrize(
    "call",
    [
        "hann(-1)",
        "gaussian(3, std=0)",
        "kaiser(3, beta=-1.0)",
        "exponential(3, tau=0)",
        "exponential(3, center=1.0)",
        "general_cosine(3, a=[])",
        "cosine(3, dtype=torch.int64)",
    ],
)
def test_windows_refuse(torch, call):
    with pytest.raises(ValueError, match=r"requires|must be|Center|expects|cannot be"):
        eval(f"torch.signal.windows.{call}", {"torch": torch})
