"""What cannot be drawn is refused in PyTorch's words."""

import warnings
from collections.abc import Callable

import numpy as np
import pytest

from rushlight.random import Generator
from rushlight.random import distributions as d
from rushlight.random.integers import randint, random_, randperm
from rushlight.random.multinomial import multinomial

G = Generator()
N = (3,)
FLOAT, HALF, INT, BYTE, BOOL = (np.dtype(name) for name in ("f4", "f2", "i4", "u1", "?"))
ONES = np.ones(3, np.float32)
ROWS = np.ones((2, 2, 2), np.float32)
CONTINUOUS = "distribution is a continuous probability distribution. dtype must be a floating point but you specified"

RUNTIME_ERRORS = [
    ("uniform_ expects to return a [from, to) range, but found from=1", lambda: d.uniform(G, N, FLOAT, 1, 0)),
    (
        "uniform_ expects to-from <= std::numeric_limits<Float>::max(), but found to=3e+38 and from=-3e+38",
        lambda: d.uniform(G, N, FLOAT, -3e38, 3e38),
    ),
    ("from is out of bounds for float", lambda: d.uniform(G, N, FLOAT, -1e39, 1)),
    ("normal expects std >= 0.0, but found std -1.5e-07", lambda: d.normal(G, N, FLOAT, 0, -1.5e-7)),
    ("normal expects std >= 0.0, but found std nan", lambda: d.normal(G, N, FLOAT, 0, float("nan"))),
    ("log_normal_ expects std > 0.0, but found std=0", lambda: d.log_normal(G, N, FLOAT, 0, 0)),
    ("exponential_ expects lambda > 0.0, but found lambda=0", lambda: d.exponential(G, N, FLOAT, 0)),
    (f"Exponential {CONTINUOUS} Int", lambda: d.exponential(G, N, INT)),
    ("cauchy_ expects sigma > 0.0, but found sigma=0", lambda: d.cauchy(G, N, FLOAT, 0, 0)),
    (f"Cauchy {CONTINUOUS} int", lambda: d.cauchy(G, N, INT)),
    ("geometric_ expects p to be in (0, 1), but got p=1", lambda: d.geometric(G, N, FLOAT, 1)),
    ("bernoulli_ expects p to be in [0, 1], but got p=1.5", lambda: d.bernoulli(G, N, FLOAT, 1.5)),
    ("Expected p_in >= 0 && p_in <= 1 to be true, but got", lambda: d.bernoulli(G, N, FLOAT, 2 * ONES)),
    ("dropout probability has to be between 0 and 1, but got 1.5", lambda: d.dropout_mask(G, N, FLOAT, 1.5)),
    ("result type Float can't be cast to the desired output type Int", lambda: d.dropout_mask(G, N, INT)),
    ("random_ expects 'from' to be less than 'to', but got from=5 >= to=5", lambda: randint(G, N, INT, 5, 5)),
    (
        "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, but got",
        lambda: randint(G, N, FLOAT, 2**25, None),
    ),
    ("to - 1 is out of bounds for unsigned char", lambda: randint(G, N, BYTE, 0, 300)),
    ("from is out of bounds for unsigned char", lambda: randint(G, N, BYTE, -1, 3)),
    ("to - 1 is out of bounds for c10::Half", lambda: randint(G, N, HALF, 0, 70000)),
    ("random_full_64_bits_range_kernel_cpu handles only", lambda: randint(G, N, INT, -(2**63), None)),
    ("Trying to create tensor with negative dimension -1: [-1]", lambda: randperm(G, -1, INT)),
    ("value cannot be converted to type uint8_t without overflow", lambda: randperm(G, 257, BYTE)),
    ("n cannot be greater than 2049 for Half type.", lambda: randperm(G, 2050, HALF)),
    ("prob_dist must be 1 or 2 dim", lambda: multinomial(G, ROWS, 1)),
    (
        "multinomial only supports floating-point dtypes for input, got: Long",
        lambda: multinomial(G, np.ones(3, np.int64), 1),
    ),
    ("number of categories cannot exceed 2^24", lambda: multinomial(G, np.broadcast_to(ONES[:1], 2**24 + 1), 1)),
    ("cannot sample n_sample <= 0 samples", lambda: multinomial(G, ONES, 0)),
    ("cannot sample n_sample > prob_dist.size(-1) samples without rep", lambda: multinomial(G, ONES, 4)),
    ("probability tensor contains either `inf`, `nan` or element < 0", lambda: multinomial(G, -ONES, 1)),
    ("invalid multinomial distribution (sum of probabilities <= 0)", lambda: multinomial(G, 0 * ONES, 1)),
    ("invalid multinomial distribution (sum of probabilities <=", lambda: multinomial(G, ONES[:0], 2, True)),
    ("invalid multinomial distribution (encountering probability entry < 0)", lambda: multinomial(G, -ONES, 2, True)),
    (
        "invalid multinomial distribution (encountering probability entry = infinity or NaN)",
        lambda: multinomial(G, ONES * np.float32(np.inf), 2, True),
    ),
]

UNSUPPORTED = [
    ("\"check_uniform_bounds\" not implemented for 'Int'", lambda: d.uniform(G, N, INT)),
    ("\"normal_kernel_cpu\" not implemented for 'Bool'", lambda: d.normal(G, N, BOOL)),
    ("\"log_normal_cpu\" not implemented for 'Int'", lambda: d.log_normal(G, N, INT)),
    ("\"geometric_cpu\" not implemented for 'Bool'", lambda: d.geometric(G, N, BOOL, 0.5)),
    (
        "\"bernoulli_tensor_cpu_p_\" not implemented for 'Long'",
        lambda: d.bernoulli(G, N, INT, np.ones(3, int)),
    ),
    ("\"random_kernel_cpu\" not implemented for 'UInt16'", lambda: random_(G, N, np.dtype(np.uint16))),
    ("\"randperm\" not implemented for 'Bool'", lambda: randperm(G, 5, BOOL)),
]


@pytest.mark.parametrize(("message", "call"), RUNTIME_ERRORS)
def test_bad_arguments(message: str, call: Callable[[], object]) -> None:
    with pytest.raises(RuntimeError) as caught:
        call()
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(("message", "call"), UNSUPPORTED)
def test_unsupported_dtypes(message: str, call: Callable[[], object]) -> None:
    with pytest.raises(NotImplementedError) as caught:
        call()
    assert str(caught.value).startswith(message)


def test_bounds_of_more_than_64_bits() -> None:
    with pytest.raises(ValueError, match="Overflow when unpacking long long"):
        randint(G, N, INT, 0, 2**63)


def test_integers_beyond_a_floating_dtype_warn() -> None:
    with pytest.warns(UserWarning, match=r"to - 1 is out of bounds \[-\(2\^11\), 2\^11\]"):
        numbers = randint(G, (100,), HALF, 0, 4000)
    assert numbers.max() < 4000


def test_normal_numbers_resize_out_with_a_warning(torch):
    out, mean = torch.zeros(3, 4), torch.zeros(2, 3, 4)
    with pytest.warns(UserWarning, match="An output with one or more elements was resized since it had shape"):
        assert torch.normal(mean, torch.ones(1, 4), out=out).shape == out.shape == mean.shape
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torch.normal(mean, torch.ones(1, 4), out=out)
        torch.normal(mean, torch.ones(1, 4), out=torch.zeros(0))


def test_flips_with_one_probability_have_no_derivative(torch):
    x = torch.ones(3, requires_grad=True)
    (grad,) = torch.autograd.grad(x.bernoulli().sum(), x)
    assert grad.tolist() == [0, 0, 0]
    with pytest.raises(RuntimeError, match="derivative for aten::bernoulli is not implemented"):
        x.bernoulli(0.5).sum().backward()
