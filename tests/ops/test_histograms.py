"""Histograms with edges, compared with PyTorch."""

import numpy as np
import pytest

import rushlight

CALLS = [
    "torch.histogram(x, 4)",
    "torch.histogram(x, bins=3, range=(-1.0, 2.0))",
    "x.histogram(torch.tensor([-1.0, 0.0, 0.5, 2.0]))",
    "torch.histogram(x, 4, density=True)",
    "torch.histogram(x, 4, weight=x.abs())",
    "torch.histogram(x.double(), 2)",
    "torch.histogramdd(x.reshape(-1, 2), [2, 3])",
    "torch.histogramdd(x.reshape(-1, 2), [2, 2], range=[-1.0, 1.0, 0.0, 2.0])",
    "torch.histogramdd(x.reshape(-1, 3), 2, density=True)",
    "torch.histogram(x, torch.tensor([0.0, 2.0, -1.0, 3.0]))",
    "torch.histogram(x, torch.tensor([3.0, 2.0, 1.0]))",
    "torch.histogram(x, torch.tensor([-1.0, 0.0, 0.0, 2.0]), weight=x.abs())",
    "torch.histogram(x, torch.arange(-3.0, 6.0)[::3])",
    "torch.histogram(x, torch.complex(x, x).conj().imag.neg().flatten().sort().values[::5])",
    "torch.histogramdd(x.reshape(-1, 2), [torch.tensor([0.0, 2.0, 1.0, 3.0]), torch.arange(3.0)], density=True)",
]


@pytest.mark.parametrize("call", CALLS)
def test_values(call):
    found = []
    for torch in (rushlight, pytest.importorskip("torch")):
        torch.manual_seed(0)
        counts, edges = eval(call, {"torch": torch, "x": torch.randn(4, 6)})
        edges = edges if isinstance(edges, tuple | list) else [edges]
        found.append([counts.numpy(), *[edge.numpy() for edge in edges]])
    for a, b in zip(*found, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_what_is_refused(torch):
    x = torch.ones(3)
    with pytest.raises(RuntimeError, match="bins must be > 0"):
        torch.histogram(x, 0)
    with pytest.raises(RuntimeError, match="min should not exceed max"):
        torch.histogram(x, 2, range=(2.0, 1.0))
    with pytest.raises(NotImplementedError, match="not implemented for"):
        torch.histogram(torch.ones(3, dtype=torch.int64), 2)


def test_given_edges_are_returned_as_they_are():
    edges = [rushlight.linspace(0, 1, n)[::2] for n in (4, 6)]
    counts, found = rushlight.histogramdd(rushlight.rand(5, 2), edges)
    assert counts.shape == (1, 2)
    assert all(a is b for a, b in zip(found, edges, strict=True))
