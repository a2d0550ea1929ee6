"""Poisson, binomial and gamma numbers: both forms draw the same, and leave the stream at the same place."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.random import binomial, gamma, poisson

SPREAD = torch.logspace(-3, 6, 400, dtype=torch.float64)
SHARES = torch.linspace(0, 1, 400, dtype=torch.float64)
DRAWS = {
    "poisson": lambda dtype: torch.poisson(SPREAD.to(dtype)),
    "no events": lambda dtype: torch.poisson(torch.zeros(5, dtype=dtype)),
    "binomial": lambda dtype: torch.binomial(SPREAD.floor().to(dtype), SHARES.to(dtype)),
    "rare successes": lambda dtype: torch.binomial(torch.full((400,), 1e4, dtype=dtype), (SHARES * 2e-3).to(dtype)),
    "unknown shares": lambda dtype: torch.binomial(torch.tensor([9.0, torch.nan], dtype=dtype), SHARES[:2].to(dtype)),
    "gamma": lambda dtype: torch._standard_gamma(SPREAD.to(dtype)),
    "gamma, an odd number": lambda dtype: torch._standard_gamma(SPREAD[:7].to(dtype)),
    "gamma of nothing, less and unknown": lambda dtype: torch._standard_gamma(
        torch.tensor([0.0, -2.0, torch.nan, 1.0], dtype=dtype)
    ),
    "dirichlet": lambda dtype: torch._sample_dirichlet(SPREAD.to(dtype).reshape(-1, 4)),
    "transposed": lambda dtype: torch._standard_gamma(SPREAD.to(dtype).reshape(-1, 4).T),
    "of no elements": lambda dtype: torch.poisson(torch.zeros(0, dtype=dtype)),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", DRAWS)
def test_both_forms_draw_the_same(monkeypatch, name, dtype):
    if poisson.fast is None:
        pytest.skip("nothing was compiled")
    found = []
    for form in ("compiled", "plain"):
        if form == "plain":
            for module in (binomial, gamma, poisson):
                monkeypatch.setattr(module, "fast", None)
        torch.manual_seed(5)
        found.append([*(DRAWS[name](dtype).numpy() for _ in range(2)), torch.randn(3).numpy(), torch.rand(3).numpy()])
    for compiled, plain in zip(*found, strict=True):
        assert compiled.dtype == plain.dtype
        assert compiled.flags.c_contiguous == plain.flags.c_contiguous
        np.testing.assert_array_equal(compiled, plain)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_poisson_numbers_are_pytorchs(dtype):
    theirs = pytest.importorskip("torch")
    found = []
    for module in (torch, theirs):
        module.manual_seed(2)
        rates = module.logspace(-2, 2, 300, dtype=module.float64).to(getattr(module, dtype))
        found.append((module.poisson(rates).double().numpy(), module.rand(2).numpy()))
    for ours, expected in zip(*found, strict=True):
        np.testing.assert_array_equal(ours, expected)
