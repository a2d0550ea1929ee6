"""Nodes of operators with a number among their operands: names and edges are those of PyTorch's overloads."""

import pytest

import rushlight

CALLS = {
    "x**2": lambda torch, x: x**2.0,
    "2**x": lambda torch, x: 2**x,
    "x**x": lambda torch, x: x**x,
    "pow_ number": lambda torch, x: x.clone().pow_(2),
    "pow_ tensor": lambda torch, x: x.clone().pow_(x),
    "float_power": lambda torch, x: torch.float_power(x, 2),
    "float_power of a number": lambda torch, x: torch.float_power(2, x),
    "1-x": lambda torch, x: 1 - x,
    "rsub number": lambda torch, x: torch.rsub(x, 2),
    "rsub tensor": lambda torch, x: torch.rsub(x, x),
    "x%2": lambda torch, x: x % 2,
    "x%x": lambda torch, x: x % x,
    "remainder_": lambda torch, x: x.clone().remainder_(2),
    "fmod": lambda torch, x: torch.fmod(x, 2),
    "copysign": lambda torch, x: torch.copysign(x, 2.0),
    "copysign_": lambda torch, x: x.clone().copysign_(2.0),
    "xlogy number": lambda torch, x: torch.xlogy(x, 2),
    "xlogy of a number": lambda torch, x: torch.xlogy(2, x),
    "xlogy_": lambda torch, x: x.clone().xlogy_(2),
    "xlog1py number": lambda torch, x: torch.special.xlog1py(x, 2),
    "xlog1py of a number": lambda torch, x: torch.special.xlog1py(2, x),
    "zeta number": lambda torch, x: torch.special.zeta(x, 2),
    "zeta of a number": lambda torch, x: torch.special.zeta(2, x),
    "x//2": lambda torch, x: x // 2,
    "2//x": lambda torch, x: 2 // x,
    "x//x": lambda torch, x: x // x,
    "x+1": lambda torch, x: x + 1,
    "x*2": lambda torch, x: x * 2,
    "2/x": lambda torch, x: 2 / x,
    "div floor": lambda torch, x: torch.div(x, 2, rounding_mode="floor"),
    "div trunc": lambda torch, x: torch.div(x, x, rounding_mode="trunc"),
}


@pytest.mark.parametrize("name", CALLS)
def test_nodes_of_overloads(name):
    theirs = pytest.importorskip("torch")

    def seen(torch):
        node = CALLS[name](torch, torch.tensor([1.5, 2.5, 3.5], requires_grad=True)).grad_fn
        return node.name(), [edge is not None for edge, _ in node.next_functions]

    assert seen(rushlight) == seen(theirs)


OF_NUMBERS = [
    lambda torch, x: 2**x,
    lambda torch, x: x**3,
    lambda torch, x: torch.xlogy(2, x),
    lambda torch, x: torch.special.xlog1py(2, x),
    lambda torch, x: torch.copysign(x, -1.0),
    lambda torch, x: x % 2,
    lambda torch, x: 2 - x,
]


@pytest.mark.parametrize("number", range(len(OF_NUMBERS)))
def test_derivatives_of_overloads(number):
    theirs = pytest.importorskip("torch")

    def seen(torch):
        x = torch.tensor([1.25, 2.5, 3.75], dtype=torch.float64, requires_grad=True)
        function = lambda x: OF_NUMBERS[number](torch, x)
        (grad,) = torch.autograd.grad(function(x).sum(), x, create_graph=True)
        tangent = torch.func.jvp(function, (x,), (torch.ones_like(x),))[1]
        rows = torch.func.vmap(function)(x)
        halves = function(x.detach().to(torch.float16).requires_grad_())
        halves.sum().backward()
        return [t.tolist() for t in (grad, tangent, rows, halves)] + [str(halves.dtype)]

    ours, expected = seen(rushlight), seen(theirs)
    assert ours[-1].partition(".")[2] == expected[-1].partition(".")[2]
    for mine, other in zip(ours[:-1], expected[:-1], strict=True):
        assert mine == pytest.approx(other, rel=1e-3)
