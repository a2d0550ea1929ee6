"""Elementwise operators: what comparisons, selections, logic and complex numbers do, in rushlight and in PyTorch."""

import importlib
import math

import numpy as np
import pytest

INPLACE = ["leaky_relu", "elu", "selu", "celu", "silu", "mish", "hardtanh", "relu6", "hardswish"]
FUNCTIONAL = {"rushlight": "rushlight.ops.activation", "torch": "torch.nn.functional"}


def leaf(torch, values, dtype=None):
    return torch.tensor(values, dtype=dtype, requires_grad=True)


def test_python_operators(torch):
    x = torch.tensor([1.0, -2.0, 3.0])
    y = torch.tensor([1.0, 2.0, 2.0])
    assert (x == y).tolist() == [True, False, False]
    assert (x != 1).tolist() == [False, True, True]
    assert (x < y).tolist() == [False, True, False]
    assert (x >= 2).tolist() == [False, False, True]
    assert (x % 2).tolist() == [1.0, 0.0, 1.0]
    assert (7 % y).tolist() == [0.0, 1.0, 1.0]
    assert (x // 2).tolist() == [0.0, -1.0, 1.0]
    assert (7 // y).tolist() == [7.0, 3.0, 3.0]
    assert abs(x).tolist() == [1.0, 2.0, 3.0]
    assert ((x > 0) & (y > 1)).tolist() == [False, False, True]
    assert (~(x > 0) | (y > 1)).tolist() == [False, True, True]
    assert ((x > 0) ^ True).tolist() == [False, True, False]


def test_comparison_with_what_is_no_number(torch):
    x = torch.tensor([1.0])
    assert (x == "a") is False
    assert (x == None) is False  # noqa: E711
    assert (x != "a") is True
    with pytest.raises(TypeError, match="'<' not supported between instances of 'Tensor' and 'str'"):
        x < "a"  # noqa: B015


def test_integers(torch):
    i = torch.tensor([5, -5, 0, 6])
    assert (i % 3).tolist() == [2, 1, 0, 0]
    assert (i // 3).tolist() == [1, -2, 0, 2]
    assert torch.fmod(i, 3).tolist() == [2, -2, 0, 0]
    assert (i << 2).tolist() == [20, -20, 0, 24]
    assert (i >> 1).tolist() == [2, -3, 0, 3]
    assert (i << 70).tolist() == [0, 0, 0, 0]
    assert (i >> 70).tolist() == [0, -1, 0, 0]
    assert (2 << i.abs()).tolist() == [64, 64, 2, 128]
    assert (i & 4).tolist() == [4, 0, 0, 4]
    assert (6 | i).tolist() == [7, -1, 6, 6]
    assert (~i).tolist() == [-6, 4, -1, -7]
    for divide in (lambda a, b: a % b, lambda a, b: a // b, torch.fmod):
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            divide(i, torch.tensor([0]))


def test_types_that_are_refused(torch):
    x = torch.tensor([1.0])
    with pytest.raises(NotImplementedError, match="\"bitwise_and_cpu\" not implemented for 'Float'"):
        _ = x & 1
    with pytest.raises(TypeError, match=r"~ \(operator.invert\) is only implemented on integer and Boolean-type"):
        _ = ~x
    with pytest.raises(NotImplementedError, match="\"lt_cpu\" not implemented for 'ComplexFloat'"):
        torch.lt(torch.tensor([1j]), 1)
    with pytest.raises(TypeError, match=r"maximum\(\): argument 'other' \(position 2\) must be Tensor, not int"):
        torch.maximum(x, 1)
    with pytest.raises(TypeError, match=r"sin\(\): argument 'input' \(position 1\) must be Tensor, not float"):
        torch.sin(1.0)
    with pytest.raises(RuntimeError, match=r"The size of tensor a \(2\) must match the size of tensor b \(3\)"):
        torch.maximum(torch.ones(2), torch.ones(3))


def test_where(torch):
    x = leaf(torch, [-1.0, 4.0])
    guarded = torch.where(x > 0, x.sqrt(), 0.0)
    guarded.sum().backward()
    assert guarded.tolist() == [0.0, 2.0]
    assert math.isnan(x.grad[0])
    assert x.grad[1] == 0.25  # the root's own derivative is NaN; the guard goes inside
    x.grad = None
    torch.where(x > 0, torch.where(x > 0, x, 1.0).sqrt(), 0.0).sum().backward()
    assert x.grad.tolist() == [0.0, 0.25]
    assert torch.where(torch.tensor([True, False]), 1, 2).tolist() == [1, 2]
    assert torch.where(torch.tensor([True, False]), 1.0, 2).dtype == torch.float32
    assert torch.where(torch.tensor([[True], [False]]), torch.ones(2, dtype=torch.float64), 2.0).shape == (2, 2)
    assert [i.tolist() for i in torch.where(torch.tensor([[0, 1], [1, 0]]) > 0)] == [[0, 1], [1, 0]]
    with pytest.raises(RuntimeError, match="where expected condition to be a boolean tensor, but got a tensor with"):
        torch.where(x, x, x)


def test_infinite_cotangents_are_cut_off(torch):
    x = leaf(torch, [0.0, 1.0, 4.0])
    for function in (torch.relu, lambda x: torch.clamp(x, 0.5, 9), lambda x: torch.where(x > 0, x, 7.0)):
        x.grad = None
        function(x).backward(torch.tensor([math.inf, 1.0, math.inf]))
        assert x.grad.tolist() == [0.0, 1.0, math.inf]


def test_clamp(torch):
    x = leaf(torch, [-1.0, 0.0, 0.5, 1.0, 2.0, math.nan])
    y = torch.clamp(x, 0, 1)
    y.sum().backward()
    assert y.tolist()[:5] == [0.0, 0.0, 0.5, 1.0, 1.0]
    assert math.isnan(y[5])
    assert x.grad.tolist()[:5] == [0.0, 1.0, 1.0, 1.0, 0.0]
    assert torch.clamp(x, 3, 2).tolist()[:5] == [2.0] * 5
    assert torch.clamp(torch.tensor([1, 5]), max=2.5).tolist() == [1.0, 2.5]
    assert x.clip(min=1.0).tolist()[:5] == [1.0, 1.0, 1.0, 1.0, 2.0]
    assert torch.ones(3).clamp_(max=0.5).tolist() == [0.5] * 3
    with pytest.raises(RuntimeError, match=r"torch\.clamp: At least one of 'min' or 'max' must not be None"):
        torch.clamp(x)
    with pytest.raises(TypeError, match=r"clamp\(\) received an invalid combination of arguments"):
        torch.clamp(x, 0, x)


def test_ties(torch):
    x, y = leaf(torch, [1.0, 2.0]), leaf(torch, [1.0, 1.0])
    for function, first, second in (
        (torch.maximum, [0.5, 1.0], [0.5, 0.0]),
        (torch.minimum, [0.5, 0.0], [0.5, 1.0]),
        (torch.fmax, [1.0, 1.0], [0.0, 0.0]),
        (torch.fmin, [1.0, 0.0], [0.0, 1.0]),
    ):
        a, b = torch.autograd.grad(function(x, y).sum(), (x, y))
        assert (a.tolist(), b.tolist()) == (first, second)


def test_closeness(torch):
    x = torch.tensor([1.0, math.inf, math.nan, 1.0])
    y = torch.tensor([1.0 + 1e-6, math.inf, math.nan, 1.1])
    assert torch.isclose(x, y).tolist() == [True, True, False, False]
    assert torch.isclose(x, y, equal_nan=True).tolist() == [True, True, True, False]
    assert torch.allclose(x[:2], y[:2]) is True
    assert torch.isclose(torch.tensor([100, 100]), torch.tensor([101, 111]), rtol=0.02).tolist() == [True, False]
    assert torch.equal(x[:2], x[:2])
    assert not torch.equal(x, x)
    assert not torch.equal(x[:2], x[:3])
    with pytest.raises(RuntimeError, match="Float did not match Double"):
        torch.isclose(x, y.double())
    with pytest.raises(RuntimeError, match="rtol must be greater than or equal to zero, but got -1"):
        torch.isclose(x, y, rtol=-1)


def test_in_place(torch):
    x = leaf(torch, [0.3, -0.7, 2.0])
    y = x * 1
    y.clamp_(-0.5, 0.8).sin_().sigmoid_()
    y.sum().backward()
    z = leaf(torch, x.tolist())
    torch.sigmoid(torch.sin(torch.clamp(z, -0.5, 0.8))).sum().backward()
    np.testing.assert_allclose(x.grad.tolist(), z.grad.tolist(), rtol=1e-6)
    t = torch.tensor([1.5, -2.5])
    assert t.eq_(1.5).tolist() == [1.0, 0.0]
    assert t.dtype == torch.float32
    i = torch.tensor([5, 6])
    i %= 4
    i |= 8
    assert i.tolist() == [9, 10]


def test_out(torch):
    out = torch.empty(2)
    assert torch.sin(torch.tensor([0.0, 1.0]), out=out) is out
    assert out[1].item() == pytest.approx(math.sin(1.0))
    assert torch.gt(torch.tensor([0.0, 1.0]), 0.5, out=torch.empty(0, dtype=torch.bool)).tolist() == [False, True]


def test_parts_of_complex_numbers_share_memory(torch):
    z = torch.tensor([1 + 2j, 3 - 4j])
    z.real.mul_(10)
    torch.view_as_real(z)[1, 1] = 7
    assert z.tolist() == [10 + 2j, 30 + 7j]
    pairs = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    torch.view_as_complex(pairs).mul_(2)
    assert pairs.tolist() == [[2.0, 4.0], [6.0, 8.0]]
    assert torch.view_as_real(z.reshape(2, 1).expand(2, 3).transpose(0, 1)).shape == (3, 2, 2)
    real = torch.tensor([1.0])
    assert torch.real(real) is real
    assert torch.conj(real) is real
    with pytest.raises(RuntimeError, match=r"imag is not implemented for tensors with non-complex dtypes"):
        torch.imag(real)
    with pytest.raises(RuntimeError, match=r"Tensor must have a last dimension of size 2"):
        torch.view_as_complex(torch.ones(3))
    with pytest.raises(RuntimeError, match=r"Tensor must have a last dimension with stride 1"):
        torch.view_as_complex(torch.ones(2, 2).t())


def test_what_has_no_derivative(torch):
    x = leaf(torch, [3.0, 5.0])
    for function in (lambda x: x // 2, lambda x: torch.heaviside(x, x)):
        with pytest.raises(RuntimeError, match=r"derivative for aten::"):
            function(x).sum().backward()


def test_frexp(torch):
    x = torch.tensor([6.0, -0.3, 0.0])
    mantissa, exponent = result = torch.frexp(x)
    assert torch.equal(result.mantissa, mantissa)
    assert exponent.dtype == torch.int32
    assert torch.ldexp(mantissa, exponent).tolist() == x.tolist()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_ldexp_where_the_power_alone_is_out_of_range(torch, dtype):
    x = np.array([3e-38, 2.0**-149, 3e38, 0.0, -1.0], dtype)
    for exponent in (0, 1, -3, 126, 200, 276, -149, -280, 3000, -3000):
        with np.errstate(over="ignore", under="ignore"):
            expected = np.ldexp(x, exponent)
        found = torch.ldexp(torch.tensor(x), torch.tensor([exponent]))
        np.testing.assert_array_equal(found.numpy(), expected)
    assert torch.ldexp(torch.ones(2), torch.tensor([float("inf"), float("-inf")])).tolist() == [float("inf"), 0]


def test_rounding(torch):
    x = torch.tensor([-2.5, -0.5, 0.5, 1.5, 2.5, 0.126])
    assert torch.round(x).tolist() == [-2.0, 0.0, 0.0, 2.0, 2.0, 0.0]
    assert torch.round(torch.tensor([123.0, 0.126]), decimals=2).tolist() == pytest.approx([123.0, 0.13])
    assert torch.round(torch.tensor([123.0, 0.126]), decimals=-1).tolist() == [120.0, 0.0]
    assert torch.floor(torch.tensor([1, 2])).dtype == torch.int64


@pytest.mark.parametrize("name", INPLACE)
def test_activations_in_place(name, torch):
    functional = importlib.import_module(FUNCTIONAL[torch.__name__])
    x = leaf(torch, [-1.2, 0.4, 2.0])
    plain = getattr(functional, name)(x * 2)
    (expected,) = torch.autograd.grad(plain.sum(), x)
    y = x * 2
    assert getattr(functional, name)(y, inplace=True) is y
    (found,) = torch.autograd.grad(y.sum(), x)
    assert torch.allclose(y, plain)
    assert torch.allclose(found, expected)


def test_random_slopes(torch):
    x = torch.tensor([-1.0, -2.0, 3.0, -4.0])
    torch.manual_seed(0)
    y = torch.rrelu(x, 0.1, 0.3, training=True)
    np.testing.assert_allclose(y.tolist(), [-0.2940106, -0.483128, 3.0, -0.7675064], rtol=1e-6)
    assert torch.rrelu(x, 0.1, 0.3).tolist() == pytest.approx([-0.2, -0.4, 3.0, -0.8])


def test_prelu(torch):
    x = torch.arange(6.0).reshape(1, 3, 2) - 3
    weight = leaf(torch, [0.1, 0.2, 0.3])
    torch.prelu(x, weight).sum().backward()
    assert weight.grad.tolist() == [-5.0, -1.0, 0.0]
    with pytest.raises(RuntimeError, match="Mismatch of parameter numbers and input channel size"):
        torch.prelu(x, torch.ones(2))


@pytest.mark.parametrize("invert", [False, True])
@pytest.mark.parametrize("few", [0, 3, 40])
@pytest.mark.parametrize("many", [0, 5, 3000])
def test_isin_of_few_and_of_many(torch, few, many, invert):
    values = [float(i % 7) for i in range(many)]
    tests = [float(i * 2) for i in range(few)] + [math.nan] * (few > 0)
    found = torch.isin(torch.tensor([[*values, math.nan]]), torch.tensor(tests), invert=invert)
    assert found.tolist() == [[*((value in tests) != invert for value in values), invert]]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 33])
def test_short_rows_of_any_operand(torch, width, dtype):
    x = np.random.default_rng(0).standard_normal((700, width)).astype(dtype)
    signal, row, column = x.reshape(-1)[:700].copy(), x[0], x[:, :1]
    frames = torch.from_numpy(signal).unfold(0, width, 1)
    expected = np.lib.stride_tricks.sliding_window_view(signal, width)
    tensors = [torch.from_numpy(part) for part in (x, row, column)]
    assert (frames * tensors[1]).numpy().tolist() == (expected * row).tolist()
    assert (frames > tensors[1]).numpy().tolist() == (expected > row).tolist()
    assert (tensors[0] * tensors[1] + tensors[2]).numpy().tolist() == (x * row + column).tolist()
    apart = torch.from_numpy(np.repeat(x, 2, 1))[:, ::2]
    assert (apart - tensors[1]).numpy().tolist() == (x - row).tolist()
