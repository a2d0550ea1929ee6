"""Tensors from sizes, data, buffers and ranges, in all dtypes: what PyTorch gives, in numbers."""

from array import array
from ctypes import c_float

import numpy as np
import pytest

import rushlight as torch


def given(expression):
    """The value of an expression."""
    x = torch.tensor([1.5, 2.5])
    flags = torch.tensor([[True, False], [True, True]])
    return eval(expression, {"torch": torch, "np": np, "array": array, "c_float": c_float, "x": x, "flags": flags})


@pytest.mark.parametrize(
    ("expression", "shape"),
    [
        ("torch.Tensor(torch.Size([2, 3]))", (2, 3)),
        ("torch.Tensor(2, 3)", (2, 3)),
        ("torch.Tensor(np.int64(3))", (3,)),
        ("torch.Tensor(size=(2, 3))", (2, 3)),
        ("torch.Tensor()", (0,)),
        ("torch.Tensor((2, 3))", (2,)),
        ("torch.LongTensor(torch.Size([2]))", (2,)),
        ("torch.DoubleTensor(2, 2)", (2, 2)),
        ("x.new(x.size())", (2,)),
        ("x.new(torch.zeros(2, 3).shape)", (2, 3)),
        ("x.new(4)", (4,)),
        ("x.new([1, 2, 3])", (3,)),
        ("x.new()", (0,)),
        ("torch.nn.functional.conv2d(torch.ones(2, 0, 5, 5), torch.ones(3, 0, 3, 3))", (2, 0, 3, 3)),
        ("torch.nn.functional.conv1d(torch.ones(2, 0, 5), torch.ones(3, 0, 3), torch.ones(3))", (2, 0, 3)),
        ("torch.nn.functional.conv2d(torch.ones(0, 5, 5), torch.ones(3, 0, 3, 3))", (0, 3, 3)),
    ],
)
def test_shapes(expression, shape):
    """Sizes are sizes, and data is data."""
    assert given(expression).shape == shape


@pytest.mark.parametrize(
    ("expression", "dtype", "values"),
    [
        ("torch.Tensor(data=[1, 2])", torch.float32, [1.0, 2.0]),
        ("torch.asarray(bytearray(b'abcd'), dtype=torch.int16)", torch.int16, [25185, 25699]),
        ("torch.asarray(bytearray(b'abcd'))", torch.float32, [1.6777999408082104e22]),
        ("torch.asarray(array('d', [1, 2]), dtype=torch.float64)", torch.float64, [1.0, 2.0]),
        ("torch.asarray((c_float * 2)(1, 2), dtype=torch.float32)", torch.float32, [1.0, 2.0]),
        ("torch.asarray(b'ab', dtype=torch.uint8)", torch.uint8, [97, 98]),
        ("torch.frombuffer(bytearray(b'abcde'), dtype=torch.int16, count=2)", torch.int16, [25185, 25699]),
        ("torch.frombuffer(bytearray(b'abcde'), dtype=torch.int16, offset=1)", torch.int16, [25442, 25956]),
        ("torch.linspace(0, 10, 7, dtype=torch.int64)", torch.int64, [0, 1, 3, 5, 6, 8, 10]),
        ("torch.linspace(0.7, 5.2, 4, dtype=torch.int64)", torch.int64, [0, 1, 3, 5]),
        ("torch.linspace(10, 0, 7, dtype=torch.int64)", torch.int64, [10, 8, 6, 5, 3, 1, 0]),
        ("torch.logspace(0.5, 2.5, 4, dtype=torch.int64)", torch.int64, [1, 4, 21, 100]),
        ("torch.einsum('ij->i', torch.full((2, 2), 200, dtype=torch.uint8))", torch.int64, [400, 400]),
        ("torch.einsum('i,i->', *[torch.full((2,), 100, dtype=torch.uint8)] * 2)", torch.uint8, 32),
        ("torch.einsum('ii->', torch.ones(2, 2, dtype=torch.bool))", torch.int64, 2),
        ("torch.einsum('i,j->ij', *[torch.tensor([True, False])] * 2)", torch.bool, [[True, False], [False, False]]),
        ("torch.all(flags, dim=[])", torch.bool, [[True, False], [True, True]]),
        ("flags.any(dim=())", torch.bool, [[True, False], [True, True]]),
        ("torch.any(torch.tensor([0, 2], dtype=torch.uint8), dim=[])", torch.uint8, [0, 1]),
    ],
)
def test_values(expression, dtype, values):
    """The dtype and the elements."""
    result = given(expression)
    assert result.dtype is dtype
    assert result.tolist() == values


@pytest.mark.parametrize(
    ("expression", "error", "words"),
    [
        ("torch.Tensor(True)", TypeError, r"new\(\): data must be a sequence \(got bool\)"),
        ("torch.Tensor(None)", TypeError, r"new\(\): data must be a sequence \(got NoneType\)"),
        ("torch.Tensor('a')", TypeError, r"new\(\): invalid data type 'str'"),
        ("torch.Tensor([[1, 2], [3]])", ValueError, "expected sequence of length 2 at dim 1"),
        ("torch.Tensor(2, -1)", RuntimeError, "Trying to create tensor with negative dimension -1"),
        ("torch.FloatTensor(torch.tensor([1]))", TypeError, "expected TensorOptions"),
        ("x.new(5.0)", TypeError, r"new\(\): data must be a sequence \(got float\)"),
        ("torch.asarray(bytearray(b'abc'), dtype=torch.int32)", ValueError, r"buffer length \(3 bytes\) after offset"),
        ("torch.frombuffer(bytearray(b'abc'), dtype=torch.uint8, count=4)", ValueError, "requested buffer length"),
        ("torch.frombuffer(bytearray(b'abc'), dtype=torch.uint8, offset=3)", ValueError, r"offset \(3 bytes\) must be"),
        ("torch.frombuffer(bytearray(), dtype=torch.uint8)", ValueError, "both buffer length"),
        ("torch.frombuffer([1], dtype=torch.uint8)", ValueError, "object does not implement Python buffer protocol"),
        ("torch.linspace(0, 300, 4, dtype=torch.uint8)", RuntimeError, "value cannot be converted to type uint8_t"),
        ("torch.linspace(0, 1, 3, dtype=torch.bool)", NotImplementedError, '"linspace_cpu" not implemented for'),
        ("torch.asarray([1], requires_grad=True)", RuntimeError, "Only Tensors of floating point and complex dtype"),
    ],
)
def test_errors(expression, error, words):
    """What is neither sizes nor data, and buffers that do not hold what is asked for."""
    with pytest.raises(error, match=words):
        given(expression)


@pytest.mark.parametrize("make", [torch.asarray, torch.frombuffer])
def test_buffers_are_shared(make):
    """A change to the buffer is a change to the tensor, and the other way round."""
    buffer = bytearray(8)
    x = make(buffer, dtype=torch.int32)
    buffer[0] = 7
    assert x.tolist() == [7, 0]
    x[1] = 1
    assert list(buffer[4:]) == [1, 0, 0, 0]


@pytest.mark.parametrize(
    ("expression", "offset"),
    [
        ("x[2:].detach()", 2),
        ("x[2:].detach()[1:]", 3),
        ("x[2:].detach().detach()", 2),
        ("x[2:].data", 2),
        ("x.detach()[3:]", 3),
        ("x[2:].view(torch.int32)", 2),
        ("x[2:].view(torch.float64)", 1),
        ("x[2:].view(torch.int16)", 4),
        ("torch.nn.Parameter(x[2:])", 2),
        ("x[1:].detach().as_strided((2,), (1,), 0)", 0),
        ("x[2:].clone()", 0),
        ("x[2:] + 1", 0),
        ("torch.view_as_complex(x.view(3, 2))[1:].imag.detach()", 3),
    ],
)
def test_storage_offset(expression, offset):
    """A tensor that was detached from a view still lies in the memory of the view's base."""
    x = torch.arange(6.0)
    result = eval(expression, {"torch": torch, "x": x})
    assert result.storage_offset() == offset


def test_detached_views_reach_the_whole_memory():
    """`as_strided` of a detached view sees what lies before it; other memory takes its place when it is given some."""
    x = torch.arange(6.0)
    detached = x[2:].detach()
    assert detached.as_strided((3,), (2,), 0).tolist() == [0.0, 2.0, 4.0]
    detached.data = torch.ones(2)
    assert detached.storage_offset() == 0
    with pytest.raises(RuntimeError, match="setStorage"):
        detached.as_strided((3,), (1,), 0)
