"""func.jet against nested forward mode, order by order, and against analytic derivatives."""

import math

import numpy as np
import pytest

import rushlight as torch
from rushlight.func import jet, jvp

X = torch.tensor([0.3, 0.5, 0.7], dtype=torch.float64)
Y = torch.tensor([1.1, 0.4, 0.9], dtype=torch.float64)
ORDER = 4


def nested(function, values, curves):
    """The derivatives of t -> function(curve(t)) at 0 by as many forward passes in each other."""

    def along(t):
        points = []
        for value, terms in zip(values, curves, strict=True):
            for k, term in enumerate(terms):
                value = value + term * (t ** (k + 1) / math.factorial(k + 1))
            points.append(value)
        return function(*points)

    found = []
    derivative = along
    for _ in range(len(curves[0])):
        derivative = (lambda f: lambda t: jvp(f, (t,), (torch.ones_like(t),))[1])(derivative)
        found.append(derivative(torch.tensor(0.0, dtype=torch.float64)))
    return found


def check(function, *values, order=ORDER):
    rng = np.random.default_rng(0)
    curves = [[torch.from_numpy(np.asarray(rng.standard_normal(v.shape))) for _ in range(order)] for v in values]
    output, terms = jet(function, values, curves)
    np.testing.assert_allclose(output.numpy(), function(*values).numpy(), rtol=1e-12)
    for k, (found, expected) in enumerate(zip(terms, nested(function, values, curves), strict=True)):
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-8, atol=1e-8, err_msg=f"order {k + 1}")


UNARY = [
    "exp",
    "expm1",
    "exp2",
    "log",
    "log1p",
    "log2",
    "log10",
    "sqrt",
    "rsqrt",
    "reciprocal",
    "square",
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
    "asin",
    "acos",
    "atan",
    "asinh",
    "atanh",
    "sigmoid",
    "erf",
    "erfc",
    "erfinv",
    "sinc",
    "neg",
    "abs",
    "relu",
    "lgamma",
    "special.i0",
    "special.ndtr",
    "nn.functional.silu",
    "nn.functional.gelu",
    "nn.functional.softplus",
    "nn.functional.elu",
    "special.entr",
]


@pytest.mark.parametrize("name", UNARY)
def test_unary(name):
    function = torch
    for part in name.split("."):
        function = getattr(function, part)
    check(function, X, order=3 if "special" in name or name == "lgamma" else ORDER)


BINARY = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - 2 * y,
    "rsub": lambda x, y: (2 - x) * (1 + y),
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "number / x": lambda x, y: 2 / x + y / 3,
    "pow": lambda x, y: x**y,
    "powers": lambda x, y: x**3 + y**2.5 - x**-2 + y**0 + 2**x,
    "atan2": torch.atan2,
    "hypot": torch.hypot,
    "maximum": torch.maximum,
    "where": lambda x, y: torch.where(x > y, x * x, y),
    "lerp": lambda x, y: torch.lerp(x, y, 0.3),
    "addcmul": lambda x, y: torch.addcmul(x, x, y, value=2),
    "logaddexp": torch.logaddexp,
    "broadcast": lambda x, y: x[:, None] * y,
    "repeated": lambda x, y: (x * y).sin() * x + x * x,
}


@pytest.mark.parametrize("name", BINARY)
def test_binary(name):
    check(BINARY[name], X, Y)


STRUCTURAL = {
    "sum": lambda x, y: (x * y).sum(),
    "mean": lambda x, y: (x * y).mean(0, keepdim=True),
    "reshape": lambda x, y: (x * y).reshape(3, 1).T.expand(2, 3),
    "index": lambda x, y: (x[1:] * y[[0, 2]])[::1],
    "cat": lambda x, y: torch.cat([x, torch.ones(2).double(), y * y]),
    "stack": lambda x, y: torch.stack([x, y]),
    "unbind": lambda x, y: x.unbind()[1] * y.split(2)[0],
    "matmul": lambda x, y: (x[:, None] * y) @ (x * x),
    "dot": lambda x, y: x.sin() @ y,
    "bmm": lambda x, y: torch.bmm(x.expand(2, 1, 3), y.reshape(1, 3, 1).expand(2, 3, 1)),
    "linear": lambda x, y: torch.nn.functional.linear(x[None] * x, torch.outer(x, y), y),
    "addmm": lambda x, y: torch.addmm(x, x[None], torch.outer(y, y), beta=2, alpha=3),
    "softmax": lambda x, y: torch.softmax(x * x, 0) * torch.log_softmax(y, 0),
    "logsumexp": lambda x, y: torch.logsumexp(torch.outer(x, y), 1),
    "var": lambda x, y: torch.var(x * y),
    "max": lambda x, y: (x * y).max(0)[0] + (x * x).amax(),
    "clamp": lambda x, y: (x * y).clamp(0.3, 0.5),
    "cumsum": lambda x, y: (x * y).cumsum(0),
    "scatter": lambda x, y: torch.zeros(4).double().scatter_add(0, torch.tensor([0, 2, 2]), x * y),
    "mask": lambda x, y: (x * y).masked_fill(x > 0.4, 2.0),
    "constant": lambda x, y: torch.ones(2).double(),
}


@pytest.mark.parametrize("name", STRUCTURAL)
def test_structural(name):
    check(STRUCTURAL[name], X, Y)


def test_high_order():
    x = torch.tensor(0.0, dtype=torch.float64)
    one, zero = torch.ones_like(x), torch.zeros_like(x)
    _, terms = jet(lambda t: 1 / (1 - t), (x,), ([one] + [zero] * 19,))
    assert [float(t) for t in terms] == [math.factorial(k) for k in range(1, 21)]
    _, terms = jet(torch.tanh, (x,), ([one] + [zero] * 8,))
    assert [round(float(t)) for t in terms] == [1, 0, -2, 0, 16, 0, -272, 0, 7936]


def test_the_results_can_be_differentiated():
    x = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
    v = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    _, terms = jet(torch.sin, (x,), ([v, torch.zeros_like(v)],))
    grads = torch.autograd.grad(terms[1], (x, v))
    assert float(grads[0]) == pytest.approx(-math.cos(0.7) * 4)
    assert float(grads[1]) == pytest.approx(-math.sin(0.7) * 4)


def test_through_gradients():
    def slope(x):
        return torch.func.grad(lambda x: (x.sin() * x).sum())(x)

    check(slope, X, order=3)


def test_nested_and_batched():
    one = torch.tensor(1.0, dtype=torch.float64)

    def second(x):
        return jet(lambda x: x**5, (x,), ([one, 0 * one],))[1][1]

    assert float(jet(second, (2 * one,), ([one, 0 * one],))[1][1]) == 5 * 4 * 3 * 2 * 2
    assert torch.vmap(second)(X).tolist() == pytest.approx((20 * X**3).tolist())
    assert float(jvp(second, (2 * one,), (one,))[1]) == 60 * 4


def test_several_outputs():
    output, terms = jet(lambda x: {"a": x * x, "b": (x, 3 * x)}, (X,), ([torch.ones_like(X)],))
    assert set(output) == set(terms) == {"a", "b"}
    assert terms["a"][0].equal(2 * X)
    assert terms["b"][1][0].tolist() == [3.0, 3.0, 3.0]


def test_errors():
    one = torch.ones_like(X)
    with pytest.raises(NotImplementedError, match=r"func.jet does not cover eigh"):
        jet(lambda x: torch.linalg.eigh(torch.outer(x, x))[0], (X,), ([one],))
    with pytest.raises(NotImplementedError, match=r"func.jet does not cover changes in place"):
        jet(lambda x: (x * 1).mul_(x), (X,), ([one],))
    with pytest.raises(ValueError, match=r"jet terms have inconsistent lengths for different arguments"):
        jet(torch.add, (X, Y), ([one], [one, one]))
    with pytest.raises(ValueError, match=r"jet: got 1 primals and 2 series"):
        jet(torch.sin, (X,), ([one], [one]))
    with pytest.raises(ValueError, match=r"jet: derivative 1 of argument 0 has shape"):
        jet(torch.sin, (X,), ([one[:2]],))
    with pytest.raises(TypeError, match=r"jet: expected func to return only tensors"):
        jet(lambda x: 3, (X,), ([one],))
