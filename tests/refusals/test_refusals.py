"""Wrong arguments, sizes that nothing can hold, and sizes of 0: what PyTorch gives, or its exception's first words."""

import json
import pathlib
import pickle

import pytest

import rushlight as torch
from rushlight.nn import functional as F
from rushlight.refusals.signatures import recorded

GOLDEN = json.loads(pathlib.Path(__file__).with_name("golden.json").read_text())


def shown(value):
    """What is compared of a result, as it is recorded."""
    while isinstance(value, (tuple, list)) and len(value) and not isinstance(value[0], int):
        value = value[0]
    if not isinstance(value, torch.Tensor):
        return type(value).__name__
    return [list(value.shape), str(value.dtype).rpartition(".")[2], str(value.tolist())[:20]]


def outcome(expression: str) -> list:
    """The type and the words of the exception that an expression ends with; "" and the result where there is none."""
    names = {
        "torch": torch,
        "F": torch.nn.functional,
        "L": torch.linalg,
        "z": torch.zeros,
        "x": torch.ones(2, 3),
        "s": torch.tensor(2.0),
    }
    try:
        return ["", shown(eval(expression, names))]
    except Exception as error:
        return [type(error).__name__, str(error)]


@pytest.mark.parametrize("expression", GOLDEN)
def test_as_pytorch(expression):
    if "bfloat16" in expression:
        pytest.importorskip("ml_dtypes")
    kind, said = outcome(expression)
    wanted, words = GOLDEN[expression]
    assert kind == wanted
    assert said == words if kind == "" else said.startswith(words)


@pytest.mark.parametrize("expression", GOLDEN)
def test_no_internal_word(expression):
    kind, words = outcome(expression)
    leaked = ("_array", "AxisError", "ufunc", "NoneType' object", "invalid literal", "could not be broadcast together")
    assert not kind or not [word for word in leaked if word in words]


NO_INDICES = torch.zeros(0, 4, dtype=torch.int64)
GRADIENTS = {
    "no class": (lambda x: F.nll_loss(x, torch.tensor([-100, -100])), (2, 0)),
    "gather of more dimensions": (lambda x: torch.gather(x, 0, NO_INDICES), (3,)),
    "index_add to nothing": (lambda x: torch.index_add(x, 0, torch.tensor([7]), torch.zeros(1, 0)), (3, 0)),
    "maxima of no window": (lambda x: F.adaptive_max_pool2d(x, (0, 2)), (2, 3, 4, 4)),
    "complex": (torch.view_as_complex, (2, 0, 2)),
    "cholesky of no square": (torch.cholesky, (0, 5)),
    "group_norm of nothing": (lambda x: F.group_norm(torch.zeros(2, 4, 0), 2, x, x), (4,)),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", GRADIENTS)
def test_gradients_of_empties_are_zeros(case):
    function, shape = GRADIENTS[case]
    x = torch.zeros(shape, requires_grad=True)
    result = function(x)
    (grad,) = torch.autograd.grad(result, x, torch.ones_like(result))
    assert grad.shape == shape
    assert not grad.any()


@pytest.mark.filterwarnings("ignore")
def test_dropout3d_takes_other_inputs_for_samples():
    torch.manual_seed(0)
    mask = F.dropout3d(torch.ones(40, 3)) != 0
    assert (mask == mask[:, :1]).all()
    assert 0 < mask.sum() < mask.numel()


@pytest.mark.parametrize("stride", [2**31, 2**60])
def test_strides_beyond_the_input_cost_nothing(stride):
    x, weight = (torch.ones(shape, requires_grad=True) for shape in ((1, 1, 4), (1, 1, 3)))
    F.conv1d(x, weight, stride=stride, padding=2).backward(torch.ones(1, 1, 1))
    assert x.grad.tolist() == [[[1.0, 0.0, 0.0, 0.0]]]
    assert weight.grad.tolist() == [[[0.0, 0.0, 1.0]]]


def test_windows_beyond_the_input_cost_nothing():
    x = torch.arange(16.0).reshape(1, 1, 4, 4)
    mean = F.avg_pool2d(x, 2**31, padding=2**30, count_include_pad=False)
    assert mean.item() == 7.5


def test_signatures_read_whole():
    assert all(s.parameters or s.text == "()" for signatures in recorded().values() for s in signatures)


def test_functions_can_be_sent_to_other_processes():
    assert pickle.loads(pickle.dumps(torch.stack)) is torch.stack
    assert pickle.loads(pickle.dumps(torch.nn.functional.gelu)) is torch.nn.functional.gelu
