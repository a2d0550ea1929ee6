"""Every family and every pair against the numbers that PyTorch gave: log densities, moments, seeded samples, ..."""

from pathlib import Path

import numpy as np
import pytest
from distributions.cases import asked, families, pairs
from recorded import by_case

import rushlight as torch

GOLDEN = by_case(Path(__file__).with_name("golden.npz"))
DIVERGENCES = GOLDEN.pop("divergences")
OWN_NUMBERS = {  # see docs/pytorch-mistakes.md
    "VonMises": ["log_prob", "expanded", "variance", "stddev"],  # PyTorch's Bessel functions have seven digits
    "Wishart": ["samples", "value", "log_prob", "expanded", "kl"],  # PyTorch draws again what is not singular
}


def test_all_families_were_recorded():
    assert set(GOLDEN) == set(families(torch))
    assert set(DIVERGENCES) == set(pairs(torch))


@pytest.mark.parametrize("name", GOLDEN)
def test_family(name):
    found = {question: answer.detach().numpy() for question, answer in asked(torch, name).items()}
    assert set(found) == set(GOLDEN[name])
    for question, expected in GOLDEN[name].items():
        if question not in OWN_NUMBERS.get(name, []):
            answer = found[question]
            assert (answer.dtype, answer.shape) == (expected.dtype, expected.shape), question
            tolerance = 1e-9 if expected.dtype == np.float64 else 2e-5
            np.testing.assert_allclose(answer, expected, rtol=tolerance, atol=1e-12, err_msg=question)


@pytest.mark.parametrize("name", DIVERGENCES)
def test_divergence(name):
    p, q = pairs(torch)[name]
    np.testing.assert_allclose(
        torch.distributions.kl_divergence(p, q).numpy(), DIVERGENCES[name], rtol=1e-9, atol=1e-12
    )
