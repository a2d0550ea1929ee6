"""Classes and modes that take calls over: which function they are asked about, and what becomes of results."""

import copy
import inspect
import subprocess
import sys

import pytest

import rushlight as torch
from rushlight.overrides import (
    BaseTorchFunctionMode,
    TorchFunctionMode,
    get_overridable_functions,
    get_testing_overrides,
    handle_torch_function,
    has_torch_function,
    has_torch_function_variadic,
    is_tensor_like,
    is_tensor_method_or_property,
    resolve_name,
    wrap_torch_function,
)

CALLS = {  # what is done with x, and with y where there is one, and what functions a class is asked about
    "x + y": "torch.Tensor.add",
    "x + 1": "torch.Tensor.add",
    "1 + x": "torch.Tensor.add",
    "1 - x": "torch.Tensor.__rsub__",
    "2 * x": "torch.Tensor.mul",
    "x / 2": "torch.Tensor.div",
    "x @ y": "torch.Tensor.matmul",
    "-x": "torch.Tensor.neg",
    "abs(x)": "torch.Tensor.abs",
    "x ** 2": "torch.Tensor.__pow__",
    "2 ** x": "torch.Tensor.__rpow__",
    "x // 2": "torch.Tensor.__floordiv__",
    "x % 2": "torch.Tensor.remainder",
    "x == y": "torch.Tensor.__eq__",
    "x < 1": "torch.Tensor.lt",
    "x[0]": "torch.Tensor.__getitem__",
    "torch.add(x, y)": "torch.add",
    "torch.add(x, y, alpha=2)": "torch.add",
    "x.add(y)": "torch.Tensor.add",
    "x.sum(0)": "torch.Tensor.sum",
    "torch.sum(x)": "torch.sum",
    "torch.mean(x, dim=0)": "torch.mean",
    "x.view(-1)": "torch.Tensor.view",
    "x.reshape(4)": "torch.Tensor.reshape",
    "x.size()": "torch.Tensor.size",
    "len(x)": "torch.Tensor.__len__",
    "torch.relu(x)": "torch.relu",
    "F.linear(x, y)": "torch.nn.functional.linear",
    "F.softmax(x, -1)": "torch.nn.functional.softmax",
    "F.layer_norm(x, (2,))": "torch.nn.functional.layer_norm",
    "F.mse_loss(x, y)": "torch.nn.functional.mse_loss",
    "torch.cat([x, y])": "torch.cat",
    "torch.stack([x, y])": "torch.stack",
    "torch.exp(x)": "torch.exp",
    "x.exp()": "torch.Tensor.exp",
    "torch.linalg.inv(x)": "torch.linalg.inv",
    "torch.fft.fft(x)": "torch.fft.fft",
    "torch.max(x, 0)": "torch.max",
    "torch.matmul(x, y)": "torch.matmul",
    "x.detach()": "torch.Tensor.detach",
    "x.numpy()": "torch.Tensor.numpy",
    "x.tolist()": "torch.Tensor.tolist",
    "x.add_(1)": "torch.Tensor.add_",
    "torch.zeros_like(x)": "torch.zeros_like",
    "torch.where(x > 0, x, y)": "torch.Tensor.gt torch.where",
    "torch.nn.Linear(2, 2)(x)": "torch.nn.functional.linear",
    "x.to(torch.float64)": "torch.Tensor.to",
    "repr(x)": "torch.Tensor.__repr__",
    "torch.topk(x, 1)": "torch.topk",
    "torch.equal(x, y)": "torch.equal",
    "torch.nn.init.constant_(x, 1.0)": "torch.nn.init.constant_",
    "x.requires_grad_()": "torch.Tensor.requires_grad_",
    "torch.is_tensor(x)": "",
    "hash(x)": "",
}
READ = ["shape", "dtype", "T", "data", "requires_grad", "grad_fn", "is_leaf", "ndim", "device", "real", "mT"]


@pytest.fixture(autouse=True)
def plain_afterwards():
    """No mode stays entered."""
    yield
    assert not has_torch_function(())


class Asked(torch.Tensor):
    """Notes what it is asked about."""

    names: list = []  # noqa: RUF012

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.names.append(resolve_name(func))
        return super().__torch_function__(func, types, args, kwargs)


def run(expression, x, y):
    return eval(expression, {"torch": torch, "F": torch.nn.functional, "x": x, "y": y})


def operands():
    return torch.tensor([[1.0, 2.0], [3.0, 5.0]]), torch.tensor([[1.0, 3.0], [0.5, 0.25]])


def plain(result):
    """What a result is without its class, to be compared."""
    if isinstance(result, torch.Tensor):
        return result.tolist()
    if isinstance(result, (tuple, list)):
        return [plain(item) for item in result]
    return result.tolist() if hasattr(result, "tolist") else result


def random_ones(expression):
    return "nn.Linear" in expression or expression in ("hash(x)", "repr(x)")


@pytest.mark.parametrize("expression", CALLS)
def test_a_subclass_is_asked_about_the_function_that_was_called(expression):
    x, y = (t.as_subclass(Asked) for t in operands())
    Asked.names = []
    result = run(expression, x, y)
    assert Asked.names == CALLS[expression].split()
    if isinstance(result, torch.Tensor):
        assert type(result) is Asked
    if not random_ones(expression):
        assert plain(result) == plain(run(expression, *operands()))


@pytest.mark.parametrize("expression", [e for e in CALLS if " y" in e])
def test_the_second_operand_is_asked_too(expression):
    x, y = operands()
    result = run(expression, x, y.as_subclass(Asked))
    assert type(result) is Asked or isinstance(result, bool)


@pytest.mark.parametrize("name", READ)
def test_a_subclass_is_asked_about_what_is_read(name):
    x = operands()[0].as_subclass(Asked)
    Asked.names = []
    assert plain(getattr(x, name)) == plain(getattr(operands()[0], name))
    assert Asked.names[0] == f"torch.Tensor.{name}.__get__"


@pytest.mark.parametrize("expression", CALLS)
def test_a_mode_sees_calls_on_plain_tensors(expression):
    class Names(TorchFunctionMode):
        def __init__(self):
            self.names = []

        def __torch_function__(self, func, types, args=(), kwargs=None):
            self.names.append(resolve_name(func))
            return func(*args, **(kwargs or {}))

    x, y = operands()
    with Names() as mode:
        result = run(expression, x, y)
    if "nn." not in expression:
        assert mode.names == CALLS[expression].split()
    if not random_ones(expression):
        assert plain(result) == plain(run(expression, *operands()))


def test_modes_are_asked_from_the_inside_out_and_see_the_making_of_tensors():
    order = []

    class Note(TorchFunctionMode):
        def __init__(self, name):
            self.name = name

        def __torch_function__(self, func, types, args=(), kwargs=None):
            order.append((self.name, resolve_name(func)))
            return func(*args, **(kwargs or {}))

    with Note("outer"), Note("inner"), BaseTorchFunctionMode():
        torch.zeros(2)
    assert order == [("inner", "torch.zeros"), ("outer", "torch.zeros")]
    with Note("off"), torch._C.DisableTorchFunction():
        torch.zeros(2)
    assert len(order) == 2


class Diagonal:
    """A matrix that is no tensor, as PyTorch's manual has it."""

    handled: dict = {}  # noqa: RUF012

    def __init__(self, n, value):
        self.n, self.value = n, value

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func not in cls.handled or not all(issubclass(t, (torch.Tensor, Diagonal)) for t in types):
            return NotImplemented
        return cls.handled[func](*args, **(kwargs or {}))


def implements(function):
    def register(made):
        Diagonal.handled[function] = made
        return made

    return register


@implements(torch.mean)
def mean_of_diagonal(input):
    return input.value / input.n


@implements(torch.add)
def sum_of_diagonals(input, other):
    return "sum", type(input).__name__, type(other).__name__


@implements(torch.nn.functional.mse_loss)
def loss(input, target, reduction="mean"):
    return "loss", reduction


@implements(torch.cat)
def joined(tensors, dim=0):
    return "cat", len(tensors), dim


def test_a_class_that_is_no_tensor_takes_functions_over():
    d = Diagonal(5, 2)
    assert torch.mean(d) == 0.4
    assert torch.add(d, torch.ones(2)) == ("sum", "Diagonal", "Tensor")
    assert torch.add(torch.ones(2), d) == ("sum", "Tensor", "Diagonal")
    assert torch.nn.functional.mse_loss(d, d, reduction="sum") == ("loss", "sum")
    assert torch.cat([torch.ones(1), d], dim=1) == ("cat", 2, 1)
    with pytest.raises(TypeError, match=r"no implementation found for 'torch.mul' on types that implement __torch_"):
        torch.mul(torch.ones(2), d)
    with pytest.raises(TypeError, match=r"no implementation found for 'torch.cumsum' on types that implement __torch"):
        torch.cumsum(d, 0)


def test_subclasses_are_asked_before_the_classes_they_come_from():
    class Base(torch.Tensor):
        pass

    class Derived(Base):
        pass

    class Other(torch.Tensor):
        pass

    base, derived, other = (torch.ones(2).as_subclass(cls) for cls in (Base, Derived, Other))
    assert type(base + derived) is Derived
    assert type(derived + base) is Derived
    with pytest.raises(TypeError, match=r"no implementation found for 'torch.Tensor.add'"):
        base + other


def test_a_subclass_keeps_its_place_in_the_graph_and_its_own_methods():
    class Tagged(torch.Tensor):
        @staticmethod
        def __new__(cls, data, tag):
            return super().__new__(cls, data)

        def __init__(self, data, tag):
            self.tag = tag

        def sum(self, *args):
            return "own sum"

        @property
        def shape(self):
            return "own shape"

    tagged = Tagged([1, 2], "a")
    assert (tagged.tag, tagged.sum(), tagged.shape, tagged.tolist()) == ("a", "own sum", "own shape", [1.0, 2.0])
    assert repr(tagged) == "Tagged([1., 2.])"

    class Plain(torch.Tensor):
        pass

    leaf = torch.tensor([1.0, 2.0], requires_grad=True)
    x = leaf.as_subclass(Plain)
    (x * x).sum().backward()
    assert leaf.grad.tolist() == [2.0, 4.0]
    assert repr(x + 1) == "Plain([2., 3.], grad_fn=<AliasBackward0>)"
    assert type(copy.deepcopy(x.detach())) is Plain
    assert type(Plain(2, 3)) is Plain
    assert Plain(2, 3).shape == (2, 3)
    with pytest.raises(TypeError, match="Creating a Tensor subclass from a class that does not inherit from Tensor"):
        leaf.as_subclass(int)
    made = torch.Tensor._make_subclass(Plain, torch.ones(2), True)
    assert made.requires_grad
    assert made.is_leaf
    assert type(made) is Plain


def test_classes_can_be_switched_off():
    x = torch.ones(2).as_subclass(Asked)
    Asked.names = []
    with torch._C.DisableTorchFunctionSubclass():
        assert type(x + 1) is torch.Tensor
        assert not has_torch_function((x,))
    assert Asked.names == []
    assert has_torch_function((x,))

    class Off(torch.Tensor):
        __torch_function__ = torch._C._disabled_torch_function_impl

    assert type(torch.ones(2).as_subclass(Off) + 1) is torch.Tensor
    assert type(torch.nn.Parameter(torch.ones(2)) + 1) is torch.Tensor


def test_functions_of_users_can_be_taken_over():
    @wrap_torch_function(lambda a, b=None: (a, b))
    def mine(a, b=None):
        return "as ever"

    def other(a):
        return handle_torch_function(other, (a,), a) if has_torch_function_variadic(a) else "as ever"

    class Answers:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func.__name__, len(args), kwargs

    assert (mine(1), other(1)) == ("as ever", "as ever")
    assert mine(1, b=Answers())[:2] == ("mine", 1)
    assert other(Answers()) == ("other", 1, {})
    assert is_tensor_like(Answers())
    assert is_tensor_like(torch.ones(1))
    assert not is_tensor_like([1])


def test_functions_stay_what_they_are_once_they_ask():
    assert list(inspect.signature(torch.matmul).parameters) == ["input", "other", "out"]
    assert torch.add is torch.add
    assert torch.add is not torch.Tensor.add
    assert is_tensor_method_or_property(torch.Tensor.add)
    assert not is_tensor_method_or_property(torch.add)
    listed = get_overridable_functions()
    assert torch.mm in listed[torch]
    assert torch.Tensor.shape.__get__ in listed[torch.Tensor]
    assert torch.manual_seed not in listed[torch]
    assert get_testing_overrides()[torch.mm](1, 2) == -1
    with pytest.raises(TypeError, match=r"matmul\(\): argument 'input' \(position 1\) must be Tensor, not str"):
        torch.matmul("a", torch.ones(1))


def test_names_of_functions_are_pytorchs():
    theirs = pytest.importorskip("torch.overrides")
    named = {name for expression in CALLS.values() for name in expression.split()}
    import torch as original

    x, y = (original.tensor(t.tolist()) for t in operands())
    seen = set()

    class Names(theirs.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.add(theirs.resolve_name(func))
            return func(*args, **(kwargs or {}))

    for expression in CALLS:
        with Names():
            eval(expression, {"torch": original, "F": original.nn.functional, "x": x, "y": y})
    assert named <= seen


def test_functions_keep_their_signatures():
    """Decorated ones too, once calls of theirs have been taken over."""
    program = """
import inspect
import subprocess
import sys
import rushlight as torch

before = inspect.signature(torch.amax)
with torch.overrides.BaseTorchFunctionMode():
    torch.amax(torch.ones(2))
assert inspect.signature(torch.amax) == before, inspect.signature(torch.amax)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
