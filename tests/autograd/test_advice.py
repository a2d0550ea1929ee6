"""What errors and warnings that mislead say after PyTorch's words."""

import warnings

import pytest

import rushlight as torch
from rushlight import settings


def leaf(n=2):
    return torch.ones(n, requires_grad=True)


def carried():
    w, h = leaf(), torch.zeros(2)
    for _ in range(2):
        h = (h * w).tanh()
        (h**2).sum().backward()


def twice():
    loss = (leaf() ** 2).sum()
    loss.backward()
    loss.backward()


def shared():
    y = leaf().exp()
    first, second = y.sum(), (y * 2).sum()
    first.backward()
    second.backward()


def computed_once():
    w = leaf()
    y = w.exp()
    for _ in range(2):
        (y * y).sum().backward()


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        return grad * 2 * ctx.saved_tensors[0]


def carried_by_function():
    w, h = leaf(), torch.ones(2)
    for _ in range(2):
        h = Square.apply(h + w)
        h.sum().backward()


AGAIN = "Trying to backward through the graph a second time"


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (carried, "cut off after each"),
        (carried_by_function, "cut off after each"),
        (computed_once, "computed in each step"),
        (twice, "call backward once"),
        (shared, "call backward once"),
    ],
)
def test_second_pass_says_why(program, words):
    with pytest.raises(RuntimeError) as caught:
        program()
    first, second = str(caught.value).split("\n")
    assert first.startswith(AGAIN)
    assert words in second


def test_saved_tensors_looked_at_later_have_no_advice():
    y = leaf() ** 2
    y.sum().backward()
    with pytest.raises(RuntimeError, match=AGAIN) as caught:
        _ = y.grad_fn._saved_self
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("pick", "words"), [(lambda x: x[0], "made after the outputs"), (lambda x: leaf(), "the way to it is cut")]
)
def test_unused_input_says_why(pick, words):
    x = leaf()
    y = (x * x).sum()
    with pytest.raises(RuntimeError, match="Set allow_unused=True") as caught:
        torch.autograd.grad(y, pick(x))
    assert words in str(caught.value)


@pytest.fixture
def fresh(monkeypatch):
    """A process that has given no warning yet."""
    monkeypatch.setattr(settings, "_warned", set())


@pytest.mark.parametrize("convert", [float, complex, lambda x: torch.tensor([x, x])])
def test_numbers_of_recorded_tensors_warn_once(fresh, convert):
    with pytest.warns(UserWarning, match="Converting a tensor with requires_grad=True to a scalar") as caught:
        [convert(leaf(1)) for _ in range(2)]
    assert len(caught) == 1


@pytest.mark.parametrize("convert", [int, bool, lambda x: x.item(), lambda x: x.tolist(), lambda x: float(x.detach())])
def test_other_numbers_do_not_warn(fresh, convert):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        convert(leaf(1))


def test_clipping_by_an_exhausted_generator_warns():
    parameters = (p for p in [leaf()])
    torch.nn.utils.clip_grad_norm_(parameters, 1.0)
    with pytest.warns(UserWarning, match="`parameters` is an empty generator, no gradient clipping will occur"):
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)


def test_an_optimizer_without_parameters_says_why():
    parameters = (p for p in [leaf()])
    assert len(list(parameters)) == 1
    with pytest.raises(ValueError, match=r"^optimizer got an empty parameter list.*walked through"):
        torch.optim.SGD(parameters, lr=0.1)
