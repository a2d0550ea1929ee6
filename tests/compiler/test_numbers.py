"""Floats among the arguments: one recording for all of them, where what they do does not depend on which they are."""

import math
import warnings

import pytest

import rushlight as torch
from rushlight.nn import functional as F

WEIGHT = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)

ONE_FOR_ALL = {
    "factor": lambda x, s: x * s,
    "on the left": lambda x, s: s / x - s,
    "computed with": lambda x, s: x * (1 - s) + x / (2 * s) ** 2 - x * abs(-s) % 0.25,
    "twice": lambda x, s: (x + s) * s,
    "of an operator": lambda x, s: F.leaky_relu(x, s) + torch.addcmul(x, x, x, value=s),
    "in place": lambda x, s: (x + 0).mul_(s).add_(1),
    "compared with elements": lambda x, s: (x > s) * x,
    "in a gradient": lambda x, s: torch.autograd.grad((x * WEIGHT * s).sum(), WEIGHT)[0],
    "with a history": lambda x, s: torch.tanh(x * WEIGHT * s).sum(),
    "an exponent": lambda x, s: x.abs() ** s,
    "named": lambda x, s=1.0: x * s,
    "nested": lambda x, s: x * s["rates"][1] + s["rates"][0],
}
EACH_BY_ITSELF = {
    "a condition": lambda x, s: x * s if s > 0.5 else x - s,
    "probability": lambda x, s: F.dropout(x, s),
    "a function of C": lambda x, s: x * math.sqrt(s),
    "a text": lambda x, s: x * float(f"{s:.3f}"),
    "made a tensor": lambda x, s: x * torch.tensor(s),
    "an integer": lambda x, s: x * int(10 * s),
    "a key": lambda x, s: x * {s: 2}[s],
}


def calls(function, of_number=lambda s: s):
    f = torch.compile(function, options={"timed": False})
    for i in range(7):
        s, x = 0.3 + 0.1 * i, torch.tensor([1.0, -2.0, 0.3 * i])
        seen = []
        for called in (function, f):
            torch.manual_seed(i)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                result = called(x, of_number(s))
            grads = torch.autograd.grad(result.sum(), WEIGHT) if result.requires_grad else ()
            seen.append([result.detach(), *grads])
        torch.testing.assert_close(seen[1], seen[0], rtol=1e-6, atol=1e-6)
    return f


@pytest.mark.parametrize("name", ONE_FOR_ALL)
def test_one_recording_for_all_floats(name):
    shapes = {"nested": lambda s: {"rates": (1.0, s)}}
    f = calls(ONE_FOR_ALL[name], shapes.get(name, lambda s: s))
    assert [variant.replays for variant in f.variants] == [5]


@pytest.mark.parametrize("name", EACH_BY_ITSELF)
def test_floats_that_decide_are_recorded_each(name):
    f = calls(EACH_BY_ITSELF[name])
    assert len(f.variants) == 7
    assert not any(variant.replays for variant in f.variants)


def test_several_floats_one_after_the_other():
    f = torch.compile(lambda x, a, b: x * a + b, options={"timed": False})
    for a, b in [(1.0, 2.0), (3.0, 2.0), (4.0, 2.0), (4.0, 5.0), (6.0, 7.0), (8.0, -0.0)]:
        assert f(torch.ones(1), a, b).item() == a + b
    assert [variant.replays for variant in f.variants] == [2]
    assert f(torch.ones(1), 2, 0.5).item() == 2.5  # an integer is another kind of number
    assert len(f.variants) == 2


def test_a_rate_for_a_whole_step():
    weight = torch.ones(3, requires_grad=True)

    @torch.compile(options={"timed": False})
    def step(x, rate):
        weight.grad = None
        loss = (x * weight).pow(2).sum()
        loss.backward()
        with torch.no_grad():
            weight.sub_(rate * weight.grad)
        return loss.detach()

    plain = torch.ones(3, requires_grad=True)
    for i in range(1200):
        x, rate = torch.full((3,), 0.1 + 0.01 * (i % 7)), 0.1 / (i + 1)
        loss = (x * plain).pow(2).sum()
        plain.grad = None
        loss.backward()
        with torch.no_grad():
            plain.sub_(rate * plain.grad)
        torch.testing.assert_close(step(x, rate), loss.detach())
    torch.testing.assert_close(weight.detach(), plain.detach())
    assert len(step.variants) == 1
    assert step.given_up is None  # audits at calls 10, 100 and 1,000 found nothing


def test_numbers_that_are_returned():
    def f(x, s):
        return x * s, s, 2 * s + x.sum().item(), {"mean": x.mean().item()}

    g = torch.compile(f, options={"timed": False})
    for i in range(6):
        x, s = torch.tensor([1.0 + i, 2.0]), 0.5 + i
        found, expected = g(x, s), f(x, s)
        assert torch.equal(found[0], expected[0])
        assert found[1:] == expected[1:]
    assert [variant.replays for variant in g.variants] == [4]


TAKEN_OUT = {
    "used again": lambda x: x * x.sum().item(),
    "decides": lambda x: x * 2 if x.sum().item() > 3 else x,
    "rounded": lambda x: (x, round(x.sum().item(), 2)),
    "written": lambda x: (x + 1, f"{x.sum().item():.2f}"),
    "an integer": lambda x: (x + 1, x.argmax().item()),
    "compared": lambda x: (x + 1, x.sum().item() == 3.0),
}


@pytest.mark.parametrize("name", TAKEN_OUT)
def test_numbers_that_leave_otherwise(name):
    f = torch.compile(TAKEN_OUT[name], options={"timed": False})
    with pytest.warns(
        UserWarning, match=r"runs as it is, because at .*test_numbers\.py:\d+ item\(\) takes a value out"
    ):
        f(torch.ones(3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for i in range(4):
            x = torch.tensor([1.0, 2.0, i])
            found, expected = f(x), TAKEN_OUT[name](x)
            assert torch.equal(found, expected) if isinstance(found, torch.Tensor) else found[1] == expected[1]
    with pytest.raises(RuntimeError, match=r"cannot be compiled at .*test_numbers\.py"):
        torch.compile(TAKEN_OUT[name], fullgraph=True)(torch.ones(3))
