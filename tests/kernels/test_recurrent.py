"""LSTM and GRU layers by the kernel, and step by step in NumPy: with the same results and gradients."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.kernels import recurrent

SHAPES = {  # steps, samples, inputs, width
    "one of each": (1, 1, 1, 1),
    "one sample": (5, 1, 3, 20),
    "many samples": (4, 70, 2, 33),
    "wider than a block": (2, 3, 2, 600),
    "shared among threads": (6, 300, 4, 40),
}


def numbers(*shape, dtype, seed=0):
    """A leaf of random numbers."""
    made = np.random.default_rng(seed).standard_normal(shape) / 2
    return torch.from_numpy(made).to(dtype).requires_grad_()


def computed(kind, shape, dtype, use):
    """The results of a layer, and the gradients of all that it is computed from."""
    steps, samples, inputs, width = shape
    torch.manual_seed(0)
    layer = getattr(torch.nn, kind)(inputs, width, batch_first=True, bidirectional=True).to(dtype)
    data = numbers(samples, steps, inputs, dtype=dtype)
    states = [numbers(2, samples, width, dtype=dtype, seed=1 + i) for i in range(2 if kind == "LSTM" else 1)]
    output, end = layer(data, tuple(states) if kind == "LSTM" else states[0])
    results = [output, *(end if kind == "LSTM" else [end])]
    grads = torch.autograd.grad(use(*results), [data, *states, *layer.parameters()], allow_unused=True)
    return [x.detach() for x in [*results, *grads]]


USES = {
    "all": lambda *results: sum(
        (x * torch.linspace(0, 1, x.numel(), dtype=x.dtype).reshape(x.shape)).sum() for x in results
    ),
    "an expanded gradient": lambda output, *_: output.sum(),
    "the last step": lambda output, *_: output[:, -1].pow(2).sum(),
    "the last states": lambda output, *ends: sum(x.exp().sum() for x in ends),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_the_kernel_and_the_steps_agree(monkeypatch, kind, shape, dtype):
    close = {"rtol": 1e-4, "atol": 1e-4} if dtype is torch.float32 else {"rtol": 1e-10, "atol": 1e-10}
    for use in USES.values() if shape == "many samples" else [USES["all"]]:
        found = computed(kind, SHAPES[shape], dtype, use)
        with monkeypatch.context() as patch:
            patch.setattr(recurrent, "fast", None)
            expected = computed(kind, SHAPES[shape], dtype, use)
        for a, b in zip(found, expected, strict=True):
            assert a.stride() == b.stride()
            torch.testing.assert_close(a, b, **close)


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_second_derivatives(kind):
    layer = getattr(torch.nn, kind)(2, 3).double()
    data = numbers(3, 2, 2, dtype=torch.float64)

    def outputs(x, *weights):
        return torch.func.functional_call(layer, dict(zip(dict(layer.named_parameters()), weights, strict=True)), (x,))[
            0
        ]

    assert torch.autograd.gradgradcheck(outputs, (data, *layer.parameters()))


def test_what_is_not_a_number_spreads_within_its_sample():
    for layer in (torch.nn.LSTM(2, 3), torch.nn.GRU(2, 3)):
        x = torch.ones(4, 3, 2)
        x[1, 1, 0] = np.nan
        x[1, 2, 0] = np.inf
        output = layer(x)[0]
        assert output[:, 0].isfinite().all()
        assert output[0].isfinite().all()
        assert output[1:, 1].isnan().all()
        assert not output[:, 2].isinf().any()
