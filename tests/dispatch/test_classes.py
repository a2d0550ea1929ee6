"""Subclasses of Tensor with `__torch_dispatch__`: wrappers without elements, and tensors with them."""

import gc
from typing import ClassVar

import pytest

import rushlight as torch
from rushlight.core.interpreters import STACK
from rushlight.dispatch.interpreter import CLASSES
from rushlight.utils._python_dispatch import TorchDispatchMode, is_traceable_wrapper_subclass, transform_subclass
from rushlight.utils._pytree import tree_map


def wrapper(slots):
    """A class of wrappers that computes with what they hold, in a slot or in a dictionary."""

    class Wrapped(torch.Tensor):
        names: ClassVar[list] = []
        if slots:
            __slots__ = ["inner"]

        @staticmethod
        def __new__(cls, inner):
            made = torch.Tensor._make_wrapper_subclass(
                cls, inner.shape, strides=inner.stride(), dtype=inner.dtype, requires_grad=inner.requires_grad
            )
            made.inner = inner.detach()
            return made

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            assert all(issubclass(one, cls) for one in types)
            cls.names.append(str(func))
            unwrap = lambda x: x.inner if isinstance(x, cls) else x
            result = func(*tree_map(unwrap, args), **tree_map(unwrap, kwargs or {}))
            return tree_map(lambda x: cls(x) if isinstance(x, torch.Tensor) else x, result)

    return Wrapped


@pytest.fixture(params=[True, False], ids=["slots", "dictionary"])
def wrapped(request):
    return wrapper(request.param)


@pytest.fixture(autouse=True)
def nothing_is_left():
    yield
    gc.collect()
    assert CLASSES.number == 0
    assert STACK.depth == 0


FUNCTIONS = [
    lambda x: x * 2 + x,
    lambda x: 1 - x / 3,
    lambda x: x[0],
    lambda x: x[:, 1:].t(),
    lambda x: x.view(3, 2).sum(0),
    lambda x: x.softmax(1).log(),
    lambda x: x @ x.mT,
    lambda x: torch.cat([x, x * x]),
    lambda x: torch.stack([x, x]).max(0)[0],
    lambda x: torch.where(x > 1, x, -x),
    lambda x: torch.nn.functional.layer_norm(x, (3,)).exp(),
    lambda x: torch.nn.functional.linear(x, x, x[:, 0]),
    lambda x: (x.clone() * 2).reshape(-1).cumsum(0),
    lambda x: x.expand(2, 2, 3).mean((0, 1)),
    lambda x: torch.einsum("ij,kj->ik", x, x).std(),
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_wrappers_compute_what_they_hold_forward_and_backward(wrapped, function):
    plain = torch.tensor([[0.5, 1.0, 2.0], [3.0, 4.0, 6.0]], requires_grad=True)
    x, expected = wrapped(plain), function(plain)
    result = function(x)
    assert type(result) is wrapped
    assert result.shape == expected.shape
    assert result.stride() == expected.stride()
    assert torch.allclose(result.inner, expected)
    assert result.requires_grad
    assert not result.inner.requires_grad
    assert type(result.grad_fn).__name__ == type(expected.grad_fn).__name__
    expected.sum().backward()
    result.sum().backward()
    assert type(x.grad) is wrapped
    assert torch.allclose(x.grad.inner, plain.grad, atol=1e-6)


def test_second_derivatives(wrapped):
    x = wrapped(torch.tensor([1.0, 2.0], requires_grad=True))
    (first,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    assert type(second) is wrapped
    assert second.inner.tolist() == [6.0, 12.0]


def test_the_graph_keeps_what_a_wrapper_holds(wrapped):
    def made():
        return (wrapped(torch.tensor([2.0])) * 3).exp()

    x = wrapped(torch.tensor([1.0], requires_grad=True))
    y = x * made()
    gc.collect()
    y.sum().backward()
    assert torch.allclose(x.grad.inner, torch.tensor([6.0]).exp())


def test_a_network_of_wrapped_parameters(wrapped):
    torch.manual_seed(0)
    layer = torch.nn.Linear(3, 2)
    weight = layer.weight.detach().clone()
    layer.weight = torch.nn.Parameter(wrapped(layer.weight))
    assert isinstance(layer.weight, torch.nn.Parameter)
    assert isinstance(layer.weight, wrapped)
    out = layer(torch.ones(1, 3))
    assert torch.allclose(out.inner, torch.ones(1, 3) @ weight.t() + layer.bias)
    out.sum().backward()
    assert torch.equal(layer.weight.grad.inner, torch.ones(2, 3))


def test_what_is_not_computed_comes_to_the_class_too(wrapped):
    x = wrapped(torch.tensor([2.0], requires_grad=True))
    assert type(x.detach()) is wrapped
    assert not x.detach().requires_grad
    assert x.item() == 2.0
    y = x.detach()
    assert y.add_(1) is y
    assert y.inner.tolist() == [3.0]
    assert wrapped.names[-1] == "aten.add_.Tensor"
    assert repr(x) == "Wrapped(size=(1,), dtype=torch.float32)"
    with pytest.raises(RuntimeError, match="wrapper without elements of its own"):
        y.numpy()


def test_modes_come_before_classes(wrapped):
    seen = []

    class Log(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append((str(func), types))
            return func(*args, **(kwargs or {}))

    x = wrapped(torch.ones(2))
    with Log():
        assert type(x.exp()) is wrapped
    assert seen[0] == ("aten.exp.default", (wrapped,))
    assert wrapped.names[-1] == "aten.exp.default"


class Seen(torch.Tensor):
    names: ClassVar[list] = []

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        cls.names.append(str(func))
        return super().__torch_dispatch__(func, types, args, kwargs)


def test_tensors_whose_class_is_asked():
    Seen.names.clear()
    x = torch.Tensor._make_subclass(Seen, torch.tensor([1.0, 2.0]), True)
    y = (x * 2).sum()
    assert Seen.names == ["aten.mul.Tensor"]
    assert type(y) is torch.Tensor
    y.backward()
    assert x.grad.tolist() == [2.0, 2.0]
    assert (torch.ones(2).as_subclass(Seen) + 1).tolist() == [2.0, 2.0]
    assert Seen.names[-1] == "aten.add.Tensor"


def test_a_class_that_implements_nothing():
    class Nothing(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    x = torch.Tensor._make_wrapper_subclass(Nothing, (2,))
    with pytest.raises(TypeError, match=r"Multiple dispatch failed for 'torch.ops.aten.exp.default'"):
        x.exp()


def test_a_wrapper_needs_a_class_that_dispatches():
    class Plain(torch.Tensor):
        pass

    with pytest.raises(TypeError, match="Plain must define __torch_dispatch__"):
        torch.Tensor._make_wrapper_subclass(Plain, (2,))
    with pytest.raises(NotImplementedError, match="give size, dtype and strides"):
        torch.Tensor._make_wrapper_subclass(Seen, (2,), dispatch_device=True)


def test_wrappers_that_say_what_they_are_made_of():
    class Two(torch.Tensor):
        @staticmethod
        def __new__(cls, a, b):
            made = torch.Tensor._make_wrapper_subclass(cls, a.shape, dtype=a.dtype)
            made.a, made.b = a, b
            return made

        def __tensor_flatten__(self):
            return ["a", "b"], None

        @staticmethod
        def __tensor_unflatten__(inner, context, size, stride):
            return Two(inner["a"], inner["b"])

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            first = tree_map(lambda x: x.a if type(x) is cls else x, args)
            second = tree_map(lambda x: x.b if type(x) is cls else x, args)
            return cls(func(*first), func(*second))

    x = Two(torch.ones(2), torch.zeros(2))
    y = transform_subclass(x.exp(), lambda name, inner: inner + 1)
    assert is_traceable_wrapper_subclass(x)
    assert not is_traceable_wrapper_subclass(torch.ones(2))
    assert torch.allclose(y.a, torch.ones(2).exp() + 1)
    assert y.b.tolist() == [2.0, 2.0]
