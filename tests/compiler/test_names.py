"""torch.compile: results are those of the function or module itself. Holds for PyTorch's eager backend too."""

import pytest

import rushlight


def test_a_module(torch):
    layer = torch.nn.Linear(2, 1)
    compiled = torch.compile(layer, backend="eager", fullgraph=True)
    x = torch.ones(3, 2)
    compiled(x).sum().backward()
    assert compiled(x).tolist() == layer(x).tolist()
    assert layer.weight.grad.tolist() == [[3.0, 3.0]]


def test_a_decorator_with_options(torch):
    @torch.compile(backend="eager")
    def double(x):
        return x * 2

    assert double(torch.ones(2)).tolist() == [2.0, 2.0]


def test_options():
    def f(x):
        return x

    assert rushlight.compile(f, mode="max-autotune").uncompiled is f
    assert rushlight.compile(f, disable=True) is f
    assert not rushlight.compiler.is_compiling()
    for wrong in ({"mode": "fast"}, {"backend": "gpu"}, {"mode": "default", "options": {}}):
        with pytest.raises(RuntimeError, match=r"[mM]ode|backend"):
            rushlight.compile(f, **wrong)
    with pytest.raises(RuntimeError, match="cannot be compiled"):
        rushlight.compile(3)
