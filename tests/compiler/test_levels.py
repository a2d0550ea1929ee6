"""Batched steps in compiled functions: as many examples as each has elements, so that sizes do not tell axes apart."""

import warnings

import pytest

import rushlight as torch

FUNCTIONS = {
    "sum": lambda x, w: (x * w).exp().sum(),
    "sum of rows": lambda x, w: (x * w.outer(w)).sum(0).prod(),
    "mean": lambda x, w: (x * w.outer(w)).mean(1).sin().sum(),
    "product": lambda x, w: (x * w).prod(),
    "scaled by a sum": lambda x, w: (w * (x * w).sum()).cos().sum(),
    "matrix and vector": lambda x, w: (w.outer(w) @ (x * w)).sin().sum(),
    "vector and matrix": lambda x, w: ((x * w) @ w.outer(w + x)).sin().sum(),
    "dot": lambda x, w: (x * w) @ (w + x),
    "outer": lambda x, w: (x * w).outer(w).sin().sum(0).prod(),
    "linear": lambda x, w: torch.nn.functional.linear(x * w, w.outer(w), w).exp().mean(),
    "stacked": lambda x, w: torch.stack([x * w, w, w + x]).sum(1).prod(),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("examples", [3, 4])
def test_a_replay_is_the_call(name, examples):
    def step(x, w):
        values = torch.func.vmap(FUNCTIONS[name], (0, None))(x, w)
        return values, *torch.autograd.grad((values**2).sum(), [x, w])

    compiled = torch.compile(step)
    for scale in (1.0, 1.5, 1e-3):  # the last so small that a comparison of calls and replays would miss a wrong one
        generator = torch.Generator().manual_seed(0)
        x = torch.randn(examples, dtype=torch.float64, generator=generator).mul(scale).requires_grad_()
        w = torch.randn(3, dtype=torch.float64, generator=generator).requires_grad_()
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # of a function that runs as it is
            found = compiled(x, w)
        for one, right in zip(found, step(x, w), strict=True):
            torch.testing.assert_close(one, right, rtol=1e-9, atol=1e-30)
