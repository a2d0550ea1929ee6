"""bfloat16, float8 and unsigned integers: promotion, limits, conversion, arithmetic, derivatives, as PyTorch's."""

import itertools
import subprocess
import sys

import numpy as np
import pytest

import rushlight
from rushlight.core.narrow import TYPES
from rushlight.kernels.casts import convert

pytest.importorskip("ml_dtypes")
FLOAT8 = ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz")
NAMES = (
    "bool",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "int8",
    "int16",
    "int32",
    "int64",
    *FLOAT8,
    "bfloat16",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
)


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


def bits(numbers):
    """Tensors of bfloat16 in both libraries."""
    import torch

    theirs = torch.from_numpy(np.asarray(numbers, np.float32)).bfloat16()
    return rushlight.from_numpy(np.asarray(numbers, np.float32)).bfloat16(), theirs


def test_the_kernel_converts_every_number_as_ml_dtypes_does():
    kind = rushlight.ones(1, dtype=rushlight.bfloat16)._array.dtype
    upper = np.arange(1 << 16, dtype=np.uint32) << 16
    numbers = np.concatenate([upper + low for low in (0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF)]).view(np.float32)
    rounded, back = np.empty_like(numbers, kind), np.empty_like(numbers)
    if convert(numbers, rounded):
        assert (rounded.view(np.uint16) == numbers.astype(kind).view(np.uint16)).all()
        assert convert(rounded, back)
        assert (back.view(np.uint32) == rounded.astype(np.float32).view(np.uint32)).all()
    assert not convert(numbers[::2], np.empty(numbers.size // 2, kind))


def answer(function, *arguments):
    """What a function gives, as text, or the exception and its first words."""
    try:
        return str(function(*arguments))
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:60]}"


def agree(question, *arguments):
    """Whether a question to both libraries about types gets one answer."""
    import torch

    given = [[getattr(library, name) for name in arguments] for library in (rushlight, torch)]
    return answer(question, rushlight, *given[0]) == answer(question, torch, *given[1])


QUESTIONS = {
    "promote_types": lambda torch, a, b: torch.promote_types(a, b),
    "can_cast": lambda torch, a, b: torch.can_cast(a, b),
    "arrays": lambda torch, a, b: torch.result_type(torch.ones(2).to(a), torch.ones(2).to(b)),
    "array and scalar": lambda torch, a, b: torch.result_type(torch.ones(2).to(a), torch.ones(()).to(b)),
}
ALONE = {
    "float": lambda torch, a: torch.result_type(torch.ones(2).to(a), 1.5),
    "finfo": lambda torch, a: torch.finfo(a),
    "iinfo": lambda torch, a: torch.iinfo(a),
    "properties": lambda torch, a: (a, a.itemsize, a.is_floating_point, a.is_complex, a.is_signed, a.to_real()),
    "type": lambda torch, a: torch.zeros(2, dtype=a).type(),
    "zeros": lambda torch, a: torch.zeros(2, dtype=a),
    "empty": lambda torch, a: torch.empty(0, dtype=a),
    "numbers": lambda torch, a: (torch.tensor([1, 2, 3], dtype=a), torch.full((2,), 2, dtype=a)),
    "moved": lambda torch, a: torch.cat([torch.tensor([[1, 2]], dtype=a), torch.ones(1, 2, dtype=a)]).T[1:].flip(0),
    "python": lambda torch, a: (torch.tensor([1, 2], dtype=a).tolist(), torch.tensor(3, dtype=a).item()),
}
COMPLEX32 = {("float16", "complex64"), ("float16", "complex128")}  # PyTorch has complex numbers of two float16


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize("question", QUESTIONS)
def test_pairs_of_types(question):
    differing = [p for p in itertools.product(NAMES, NAMES) if not agree(QUESTIONS[question], *p)]
    assert set(differing) <= (COMPLEX32 if question == "array and scalar" else set())


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize("question", ALONE)
def test_types(question):
    differing = [name for name in NAMES if not agree(ALONE[question], name)]
    # of PyTorch's limits one is wrong: the next number after 1 is 1.25 in a type of two binary digits
    assert differing == (["float8_e5m2fnuz"] if question == "finfo" else [])
    assert rushlight.finfo(rushlight.float8_e5m2fnuz).eps == 0.25


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize("name", ["bfloat16", *FLOAT8])
def test_conversion_rounds_as_pytorch(name, torch):
    """Numbers of all magnitudes, halfway cases, infinities and NaN, there and back."""
    generator = np.random.default_rng(0)
    numbers = generator.integers(0, 2**32, 20_000, dtype=np.uint64).astype(np.uint32).view(np.float32)
    special = [0, -0.0, np.inf, -np.inf, np.nan, 448, 464, 465, 480, 57344, 61440, 240, 248, 1e9, 1.0039, 1.00390625]
    numbers = np.concatenate([numbers, generator.normal(size=5000), special]).astype(np.float32)
    ours = rushlight.from_numpy(numbers).to(getattr(rushlight, name)).float().numpy()
    theirs = torch.from_numpy(numbers).to(getattr(torch, name)).float().numpy()
    np.testing.assert_array_equal(ours, theirs)


OPERATORS = {
    "sum": lambda torch, x: x.sum(),
    "sums of rows": lambda torch, x: x.sum(1),
    "mean": lambda torch, x: x.mean(0),
    "times a number": lambda torch, x: x * 0.1 + 3.3,
    "integers": lambda torch, x: x + torch.arange(40),
    "comparison": lambda torch, x: (x > 0.5).to(torch.int64),
    "matmul": lambda torch, x: x @ x.T,
    "exp": lambda torch, x: x.exp(),
    "softmax": lambda torch, x: x.softmax(1),
    "layer_norm": lambda torch, x: torch.nn.functional.layer_norm(x, (40,)),
    "max": lambda torch, x: x.max(1).values,
    "sort": lambda torch, x: x.sort(1).values,
    "cumsum": lambda torch, x: x.cumsum(1),
    "gelu": lambda torch, x: torch.nn.functional.gelu(x),
    "conv1d": lambda torch, x: torch.nn.functional.conv1d(x[:, None], x[:3, None, :5]),
    "attention": lambda torch, x: torch.nn.functional.scaled_dot_product_attention(x[None], x[None], x[None]),
    "in place": lambda torch, x: x.clone().mul_(2).add_(0.1),
    "with float32": lambda torch, x: x * torch.ones(40),
    "sum in float64": lambda torch, x: x.sum(dtype=torch.float64),
    "product of types": lambda torch, x: torch.where(x > 0, x, torch.zeros((), dtype=torch.float64)),
}


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize("name", OPERATORS)
def test_bfloat16(name, torch):
    """Results have PyTorch's dtype and its digits, but for the last one; so have gradients."""
    numbers = np.random.default_rng(1).normal(size=(30, 40))
    found = []
    for library, x in zip((rushlight, torch), bits(numbers), strict=True):
        x.requires_grad_()
        result = OPERATORS[name](library, x)
        if result.is_floating_point():
            (result * result).sum().backward()
        found.append((result, x.grad))
    for ours, theirs in zip(*found, strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            assert str(ours.dtype) == str(theirs.dtype)
            ours, theirs = ours.detach().double().numpy(), theirs.detach().double().numpy()
            assert np.abs(ours - theirs).max() <= 2**-7 * max(np.abs(theirs).max(), 1)


def test_sums_are_rounded_once():
    """300 ones are 300 (of 8 binary digits 256 + 1 is 256), and a tenth is a tenth beside a bfloat16."""
    assert rushlight.ones(300, dtype=rushlight.bfloat16).sum().item() == 300
    product = rushlight.tensor([3.0], dtype=rushlight.bfloat16) * 0.1
    assert product.item() == rushlight.tensor(3 * np.float32(0.1)).bfloat16().item()


@pytest.mark.usefixtures("torch")
def test_training_follows_pytorch(torch):
    """A network, its loss and its optimizer in bfloat16."""
    losses = []
    for library in (rushlight, torch):
        library.manual_seed(0)
        net = library.nn.Sequential(library.nn.Linear(8, 16), library.nn.Tanh(), library.nn.Linear(16, 1)).bfloat16()
        x = library.linspace(-1, 1, 80).reshape(10, 8).bfloat16()
        optimizer = library.optim.SGD(net.parameters(), 0.1, momentum=0.9)
        for _ in range(20):
            optimizer.zero_grad()
            loss = (net(x) - x[:, :1]).square().mean()
            loss.backward()
            optimizer.step()
        assert all(str(p.grad.dtype) == "torch.bfloat16" for p in net.parameters())
        losses.append(loss.item())
    assert losses[0] == pytest.approx(losses[1], rel=0.1, abs=2e-3)


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize("size", [5, 19, 300])
@pytest.mark.parametrize("draw", ["rand", "randn", "exponential_", "bernoulli_", "random_", "kaiming_uniform_"])
def test_random_numbers(draw, size):
    """The numbers that PyTorch draws in bfloat16 after the same seed."""
    import torch

    found = []
    for library in (rushlight, torch):
        library.manual_seed(3)
        if draw in ("rand", "randn"):
            found.append(getattr(library, draw)(size, dtype=library.bfloat16))
        elif draw == "kaiming_uniform_":
            found.append(library.nn.init.kaiming_uniform_(library.empty(size, 4, dtype=library.bfloat16)))
        else:
            found.append(getattr(library.empty(size, dtype=library.bfloat16), draw)())
    assert found[0].tolist() == found[1].tolist()


ERRORS = {
    "numpy": (lambda torch: torch.ones(2, dtype=torch.bfloat16).numpy(), TypeError, "Got unsupported ScalarType BF"),
    "array": (lambda torch: np.asarray(torch.ones(2, dtype=torch.float8_e5m2)), TypeError, "Got unsupported Scalar"),
    "float8": (lambda torch: torch.ones(2, dtype=torch.float8_e5m2) * 2, NotImplementedError, '"mul'),
    "float8 sum": (lambda torch: torch.ones(2, dtype=torch.float8_e5m2).sum(), NotImplementedError, '"sum'),
    "overflow": (lambda torch: torch.full((2,), 1e39, dtype=torch.bfloat16), RuntimeError, "value cannot be converted"),
    "unsigned": (lambda torch: torch.tensor([70000], dtype=torch.uint16), RuntimeError, "value cannot be converted"),
    "mixed": (lambda torch: torch.ones(2, dtype=torch.uint16) + torch.ones(2).int(), RuntimeError, "Promotion for uin"),
    "fft": (lambda torch: torch.fft.fft(torch.ones(2, dtype=torch.bfloat16)), RuntimeError, "Unsupported dtype BFl"),
    "linalg": (lambda torch: torch.linalg.inv(torch.eye(2, dtype=torch.bfloat16)), RuntimeError, "linalg.inv: Low pre"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    call, kind, words = ERRORS[name]
    with pytest.raises(kind) as caught:
        call(rushlight)
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_those_of_pytorch(name, torch):
    call, kind, words = ERRORS[name]
    with pytest.raises(kind) as caught:
        call(torch)
    assert str(caught.value).startswith(words)


def test_unsigned_integers():
    """All of their numbers, and arithmetic among themselves."""
    x = rushlight.tensor([1, 2**64 - 1], dtype=rushlight.uint64)
    assert x.tolist() == [1, 2**64 - 1]
    assert (rushlight.tensor([1, 2, 65535], dtype=rushlight.uint16) * 2).tolist() == [2, 4, 65534]
    assert rushlight.tensor([-1], dtype=rushlight.uint16).tolist() == [65535]
    assert (rushlight.tensor([3], dtype=rushlight.uint32) + 1.5).dtype is rushlight.float32


def test_views_share_memory():
    x = rushlight.zeros(4, dtype=rushlight.bfloat16)
    x.view(2, 2)[0].fill_(1.5)
    x.as_strided((2,), (2,), 1)[1] = 2
    assert x.tolist() == [1.5, 1.5, 0, 2]
    assert x.view(rushlight.uint16).tolist() == [0x3FC0, 0x3FC0, 0, 0x4000]


def test_operators_on_batches():
    """`vmap` in bfloat16: what is computed for each example is what is computed for it alone."""
    x = rushlight.linspace(-1, 1, 12).reshape(3, 4).bfloat16()
    found = rushlight.vmap(lambda row: (row * 0.3).softmax(0).sum() + row.max())(x)
    alone = rushlight.stack([(row * 0.3).softmax(0).sum() + row.max() for row in x])
    assert found.dtype is rushlight.bfloat16
    assert found.tolist() == alone.tolist()


def test_forward_mode():
    x = rushlight.tensor([0.5, 1.0], dtype=rushlight.bfloat16)
    result, tangent = rushlight.func.jvp(lambda x: x * x, (x,), (rushlight.ones_like(x),))
    assert result.dtype is tangent.dtype is rushlight.bfloat16
    assert tangent.tolist() == [1, 2]


PROGRAMS = {
    "loaded when first used": (
        "import rushlight, sys\n"
        "assert rushlight.bfloat16.itemsize == 2 and 'ml_dtypes' not in sys.modules\n"
        "rushlight.ones(1, dtype=rushlight.bfloat16)\n"
        "assert 'ml_dtypes' in sys.modules\n"
    ),
    "missing": (
        "import sys\n"
        "sys.modules['ml_dtypes'] = None\n"
        "import rushlight\n"
        "assert rushlight.ones(1).dtype != rushlight.bfloat16\n"
        "try:\n"
        "    rushlight.ones(1).bfloat16()\n"
        "except ModuleNotFoundError as error:\n"
        "    assert 'torch.bfloat16 needs the package ml_dtypes: pip install' in str(error), error\n"
        "else:\n"
        "    raise AssertionError('no error')\n"
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_package(name):
    subprocess.run([sys.executable, "-c", PROGRAMS[name]], check=True)


def test_every_narrow_type_is_served():
    for name in ("bfloat16", *FLOAT8):
        assert getattr(rushlight, name)._numpy in TYPES
