"""Half precision: computed in float32 and rounded once, but where PyTorch rounds a number or a step, that is too."""

import numpy as np
import pytest

import rushlight

CALLS = """
    a + 0.3
    a - 0.3
    0.3 - a
    a * 0.3
    a / 0.3
    0.3 / a
    a ** 0.3
    a ** 2.3
    2.3 ** a
    a + t
    a * t
    a / t
    a % b
    a % 0.3
    7.3 % a
    torch.fmod(a, b)
    torch.fmod(a, 0.7)
    a // b
    a // 0.3
    7.3 // a
    a // t
    a.clone().floor_divide_(b)
    a.clone().remainder_(0.3)
    torch.div(a, b, rounding_mode="floor")
    torch.div(a, 0.7, rounding_mode="floor")
    torch.div(a, b, rounding_mode="trunc")
    torch.div(a, -3, rounding_mode="trunc")
    torch.nextafter(a, b)
    torch.addcmul(a, b, b, value=0.3)
    torch.addcdiv(a, b, b, value=0.3)
    torch.hypot(a, b)
    torch.maximum(a, b)
    torch.where(a > 0, a, 0.3)
    a.clone().add_(0.3)
    a.clone().mul_(0.3)
    a.clone().div_(0.3)
    a.round(decimals=1)
    a.sinc()
    a.frac()
    a < 0.3
    F.elu(a, 0.3)
    F.celu(a, 0.3)
    F.leaky_relu(a, 0.3)
    F.softplus(a, 0.3)
    F.softshrink(a, 0.3)
    F.hardswish(a)
    F.hardsigmoid(a)
    F.logsigmoid(a)
    F.relu6(a)
"""


def computed(torch, call, dtype):
    """What a call gives for the same numbers in either library, as float32."""
    rng = np.random.default_rng(4)
    numbers = np.concatenate([rng.normal(size=1000) * 10, rng.normal(size=300) * 100, [0.0, -0.0, 1, -1, 7.5, 640]])
    a = torch.tensor(numbers.astype(np.float32)).to(getattr(torch, dtype))
    b = torch.tensor(rng.permutation(numbers).astype(np.float32)).to(a.dtype)
    names = {"torch": torch, "F": torch.nn.functional, "a": a, "b": b, "t": torch.tensor(0.3)}
    result = eval(call, names)
    return str(result.dtype).partition(".")[2], result.float().numpy()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("call", [line.strip() for line in CALLS.strip().splitlines()])
def test_every_bit_is_pytorchs(call, dtype):
    torch = pytest.importorskip("torch")
    (kind, ours), (wanted, theirs) = (computed(library, call, dtype) for library in (rushlight, torch))
    assert kind == wanted
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(
    "call", ["F.gelu(a)", "F.silu(a)", "F.mish(a)", "a.abs().rsqrt()", "torch.lerp(a, b, 0.3)", "a.add(b, alpha=0.3)"]
)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_most_bits_are_where_float32_is_rounded_otherwise(call, dtype):
    torch = pytest.importorskip("torch")
    (_, ours), (_, theirs) = (computed(library, call, dtype) for library in (rushlight, torch))
    assert (ours != theirs).mean() < 0.03
    np.testing.assert_allclose(ours, theirs, rtol=0.02, atol=1e-6)


REDUCTIONS = {
    "softmax": lambda F, x: F.softmax(x, 1),
    "log_softmax": lambda F, x: F.log_softmax(x, 1),
    "logsumexp": lambda F, x: x.logsumexp(1),
    "logcumsumexp": lambda F, x: x.logcumsumexp(1),
    "var": lambda F, x: x.var(1),
    "std": lambda F, x: x.std(),
    "cumprod": lambda F, x: x.cumprod(1),
    "layer_norm": lambda F, x: F.layer_norm(x, (20,)),
    "normalize": lambda F, x: F.normalize(x),
}


def error_of(torch, function, dtype):
    """How far a gradient in half precision is from that in float64, relatively, on average."""
    numbers = np.random.default_rng(1).uniform(-1, 1, (20, 20))
    half = torch.tensor(numbers.tolist(), dtype=torch.float32).to(getattr(torch, dtype)).requires_grad_()
    exact = half.detach().double().requires_grad_()
    grads = []
    for leaf in (half, exact):
        result = function(torch.nn.functional, leaf)
        weights = torch.linspace(0.5, 1.5, result.numel()).half().to(result.dtype)
        (result * weights.reshape(result.shape)).sum().backward()
        grads.append(leaf.grad.double().numpy())
    return np.mean(np.abs(grads[0] - grads[1]) / np.maximum(np.abs(grads[1]), 1e-2))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_gradients_of_reductions_are_no_further_from_the_truth_than_pytorchs(name, dtype):
    torch = pytest.importorskip("torch")
    ours, theirs = (error_of(library, REDUCTIONS[name], dtype) for library in (rushlight, torch))
    assert ours <= theirs * 1.2


@pytest.mark.parametrize("function", ["silu", "gelu", "mish", "softplus"])
def test_gradients_are_rounded_once(function):
    x = rushlight.linspace(-8, 8, 200)
    half, single = x.half().requires_grad_(), x.half().float().requires_grad_()
    for leaf in (half, single):
        getattr(rushlight.nn.functional, function)(leaf).sum().backward()
    np.testing.assert_allclose(half.grad.float(), single.grad.half().float(), rtol=2e-3, atol=1e-7)
