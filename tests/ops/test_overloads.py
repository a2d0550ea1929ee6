"""Operators by the names of PyTorch's dispatcher."""

import pickle

import pytest

import rushlight as torch

aten = torch.ops.aten
x = torch.tensor([[3.0, 1.0], [2.0, 4.0]])

CALLS = [
    (aten.add.Tensor, (x, x), {"alpha": 2}, [[9.0, 3.0], [6.0, 12.0]]),
    (aten.mul, (x, 2), {}, [[6.0, 2.0], [4.0, 8.0]]),
    (aten.sum.dim_IntList, (x, [1]), {}, [4.0, 6.0]),
    (aten.view.default, (x, [4]), {}, [3.0, 1.0, 2.0, 4.0]),
    (aten.permute.default, (x, [1, 0]), {}, [[3.0, 2.0], [1.0, 4.0]]),
    (aten.slice.Tensor, (x, 1, 0, 1), {}, [[3.0], [2.0]]),
    (aten.index.Tensor, (x, [None, torch.tensor([1])]), {}, [[1.0], [4.0]]),
    (aten.select.int, (x, 0, 1), {}, [2.0, 4.0]),
    (aten._to_copy.default, (x,), {"dtype": torch.int64}, [[3, 1], [2, 4]]),
    (aten._softmax.default, (torch.zeros(2), 0, False), {}, [0.5, 0.5]),
    (aten.embedding.default, (x, torch.tensor([1])), {}, [[2.0, 4.0]]),
    (aten._unsafe_view.default, (x, [1, 4]), {}, [[3.0, 1.0, 2.0, 4.0]]),
    (aten.squeeze.dim, (x[:1], 0), {}, [3.0, 1.0]),
    (aten.t.default, (x,), {}, [[3.0, 2.0], [1.0, 4.0]]),
    (aten.neg.default, (), {"self": x}, [[-3.0, -1.0], [-2.0, -4.0]]),
    (aten.add_.Tensor, (x.clone(), 1), {}, [[4.0, 2.0], [3.0, 5.0]]),
]


@pytest.mark.parametrize(("operator", "args", "kwargs", "wanted"), CALLS, ids=lambda value: str(value)[:20])
def test_calls(operator, args, kwargs, wanted):
    assert operator(*args, **kwargs).tolist() == wanted


def test_names():
    assert repr(aten.add) == "<OpOverloadPacket(op='aten.add')>"
    assert repr(aten.add.Tensor) == "<OpOverload(op='aten.add', overload='Tensor')>"
    assert (str(aten.add.Tensor), aten.add.Tensor.name(), aten.clone.default.name()) == (
        "aten.add.Tensor",
        "aten::add.Tensor",
        "aten::clone",
    )
    assert aten.add.Tensor is aten.add.Tensor
    assert aten.add.Tensor.overloadpacket is aten.add
    assert {"Tensor", "Scalar", "out"} <= set(aten.add.overloads())
    assert pickle.loads(pickle.dumps(aten.add.Tensor)) is aten.add.Tensor
    assert pickle.loads(pickle.dumps(aten.add)) is aten.add


def test_what_there_is_not():
    with pytest.raises(AttributeError, match="no overload name 'Tenor'"):
        aten.add.Tenor  # noqa: B018
    with pytest.raises(AttributeError, match="has no attribute 'ad'"):
        aten.ad  # noqa: B018
    with pytest.raises(NotImplementedError, match="aten::_fused_adam_"):
        aten._fused_adam_.default(x)


def test_overloads_are_those_of_pytorch():
    theirs = pytest.importorskip("torch")
    for name in ("add", "sum", "slice", "clone", "_to_copy", "convolution", "sort"):
        assert sorted(getattr(aten, name).overloads()) == sorted(getattr(theirs.ops.aten, name).overloads())
