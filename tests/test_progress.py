"""Bars of long calls: shown where somebody watches, after a while, and nowhere else."""

import io
import sys

import numpy as np
import pytest

import rushlight as torch
from rushlight import progress

CALLS = {
    "gradcheck": lambda x: torch.autograd.gradcheck(torch.sin, x),
    "gradgradcheck": lambda x: torch.autograd.gradgradcheck(torch.sin, x),
    "gradcheck, forward": lambda x: torch.autograd.gradcheck(torch.sin, x, check_forward_ad=True),
    "jacobian": lambda x: torch.autograd.functional.jacobian(Cube.apply, x),
    "jacobian, forward": lambda x: torch.autograd.functional.jacobian(torch.sin, x, strategy="forward-mode"),
    "vmap": lambda x: torch.vmap(torch.sin, chunk_size=1)(x),
    "jacrev": lambda x: torch.func.jacrev(torch.sin, chunk_size=1)(x.detach()),
}


class Cube(torch.autograd.Function):
    """A function of one's own, whose Jacobian takes a pass for each row."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        return grad * 3 * ctx.saved_tensors[0] ** 2


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


def said(monkeypatch, stream, call) -> str:
    """What a call writes to the standard error."""
    monkeypatch.setattr(sys, "stderr", stream)
    call(torch.linspace(0.1, 1, 5, dtype=torch.float64).requires_grad_())
    monkeypatch.undo()
    return stream.getvalue()


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_long_call_has_a_bar(call, monkeypatch):
    pytest.importorskip("tqdm")
    monkeypatch.setattr(progress, "PATIENCE", -1.0)  # every call is long
    assert "/5" in said(monkeypatch, Terminal(), call)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_there_is_none_in_a_pipe(call, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    assert said(monkeypatch, io.StringIO(), call) == ""


def test_there_is_none_in_a_short_call(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", float("inf"))
    assert said(monkeypatch, Terminal(), CALLS["gradcheck"]) == ""


@pytest.mark.parametrize("begin", [0, 2, 4])
def test_each_step_comes_once(begin, monkeypatch):
    """Wherever the bar begins."""
    times = iter([0.0, *[0.0] * begin, *[9.0] * 9])
    monkeypatch.setattr(progress, "monotonic", lambda: next(times))
    monkeypatch.setattr(sys, "stderr", Terminal())
    steps = list(progress.progress(np.arange(6), "rows"))
    monkeypatch.undo()
    assert steps == [0, 1, 2, 3, 4, 5]
