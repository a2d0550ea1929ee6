"""torch.compile: results are those of the function or module itself. Holds for PyTorch's eager backend too."""

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


def test_what_runs_is_the_function_itself():
    def f(x):
        return x

    assert rushlight.compile(f, mode="max-autotune") is rushlight.compiler.disable(f) is f
    assert rushlight.compiler.disable()(f) is f
    assert not rushlight.compiler.is_compiling()
