"""MindSpore's tensors, types and parameters: what they are, what they print, what their methods do."""

import copy
import pickle

import numpy as np
import pytest

import rushlight.interop.mindspore as ms
from rushlight.interop.mindspore import Parameter, ParameterTuple, Tensor, ops


@pytest.mark.parametrize(
    ("data", "dtype", "text"),
    [
        (0.1, "Float32", "0.1"),
        ((1, 2), "Int64", "[1 2]"),
        ([1.0, 2.5], "Float32", "[1.  2.5]"),
        (True, "Bool", "True"),
        (np.array([1.0]), "Float64", "[1.]"),
        (np.float64(1.5), "Float64", "1.5"),
        (np.zeros((1, 2, 3), np.float32), "Float32", "[[[0. 0. 0.]\n  [0. 0. 0.]]]"),
        ([[np.float64(1), 2.0]], "Float32", "[[1. 2.]]"),
        (1 + 2j, "Complex64", "(1+2j)"),
    ],
)
def test_data_types_and_str(data, dtype, text):
    x = Tensor(data)
    assert (str(x.dtype), str(x)) == (dtype, text)


def test_dtype_and_init():
    assert str(Tensor([1, 2], dtype=ms.float16).dtype) == "Float16"
    assert Tensor(Tensor([1.5]), ms.int32).tolist() == [1]
    assert str(Tensor(shape=(1, 3), dtype=ms.float32, init="ones")) == "[[1. 1. 1.]]"
    assert str((ms.float32, ms.int64, ms.bool_, ms.uint8, ms.double)) == "(Float32, Int64, Bool, UInt8, Float64)"
    with pytest.raises(TypeError, match="must be one of mindspore"):
        Tensor([1], np.float32(1))
    with pytest.raises(TypeError, match="input_data must be"):
        Tensor("text")
    with pytest.raises(ValueError, match="input_data"):
        Tensor()


def test_data_are_copied_unless_from_numpy():
    array = np.zeros(2, np.float32)
    x, y = Tensor(array), Tensor.from_numpy(array)
    array[0] = 7
    assert (x.tolist(), y.tolist()) == ([0.0, 0.0], [7.0, 0.0])


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (Tensor(0.914285), "Tensor(shape=[], dtype=Float32, value= 0.914285)"),
        (Tensor(3), "Tensor(shape=[], dtype=Int64, value= 3)"),
        (Tensor([0, 10, -2]), "Tensor(shape=[3], dtype=Int64, value= [ 0, 10, -2])"),
        (Tensor([True, False]), "Tensor(shape=[2], dtype=Bool, value= [ True, False])"),
        (
            Tensor([[0.1, 1e10]], ms.float32),
            "Tensor(shape=[1, 2], dtype=Float32, value=\n[[ 1.00000001e-01,  1.00000000e+10]])",
        ),
        (Tensor([1.5], ms.float16), "Tensor(shape=[1], dtype=Float16, value= [ 1.5000e+00])"),
        (Tensor(np.zeros((0, 2))), "Tensor(shape=[0, 2], dtype=Float64, value=\n)"),
        (
            Tensor(np.arange(14).reshape(7, 2)),
            "Tensor(shape=[7, 2], dtype=Int64, value=\n"
            "[[ 0,  1],\n [ 2,  3],\n [ 4,  5],\n ...\n [ 8,  9],\n [10, 11],\n [12, 13]])",
        ),
        (
            Tensor(np.arange(7).reshape(1, 7)),
            "Tensor(shape=[1, 7], dtype=Int64, value=\n[[0, 1, 2 ... 4, 5, 6]])",
        ),
        (
            Tensor(np.arange(8).reshape(2, 2, 2)),
            "Tensor(shape=[2, 2, 2], dtype=Int64, value=\n[[[0, 1],\n  [2, 3]],\n [[4, 5],\n  [6, 7]]])",
        ),
    ],
)
def test_repr(x, text):
    assert repr(x) == text


def test_lines_of_one_dimension():
    body = repr(Tensor(np.arange(26))).split("\n")
    assert len(body) == 2
    assert body[1] == " 24, 25])"


def test_what_it_is():
    x = Tensor(np.zeros((2, 3), np.float32))
    assert (x.shape, x.size, x.ndim, x.itemsize, x.nbytes, x.strides) == ((2, 3), 6, 2, 4, 24, (12, 4))
    assert type(x.shape) is tuple
    assert x.T.shape == (3, 2)
    assert len(x) == 2
    assert [row.shape for row in x] == [(3,), (3,)]
    with pytest.raises(TypeError, match="len of a 0-D"):
        len(Tensor(1.0))


def test_numbers():
    assert (float(Tensor([2.5])), int(Tensor(3)), bool(Tensor([True])), Tensor(2.5).item()) == (2.5, 3, True, 2.5)
    assert [10, 20][Tensor(1)] == 20
    assert f"{Tensor(2.5):.2f} {Tensor([1.0])}" == "2.50 [1.]"
    with pytest.raises(ValueError, match="ambiguous"):
        bool(Tensor([1, 2]))
    with pytest.raises(ValueError, match="Only one element"):
        float(Tensor([1.0, 2.0]))
    with pytest.raises(ValueError, match="Only integer tensors"):
        [1][Tensor(0.0)]


def test_operators():
    x = Tensor([1.0, 2.0])
    results = [x + 1, 1 - x, x * x, 2 / x, x**2, 2**x, -x, x @ x, x // 2, x % 2, abs(-x)]
    expected = [[2, 3], [0, -1], [1, 4], [2, 1], [1, 4], [2, 4], [-1, -2], 5, [0, 1], [1, 0], [1, 2]]
    assert [r.tolist() for r in results] == expected
    assert all(isinstance(r, Tensor) for r in results)
    assert (x > 1).tolist() == [False, True]
    assert (x == x).tolist() == [True, True]
    assert (np.float32([1, 2]) * x).tolist() == [1.0, 4.0]
    y = x
    y += 1
    assert x.tolist() == [1.0, 2.0], "+= makes another tensor"


def test_indexing():
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    assert x[1, 1:].tolist() == [4.0, 5.0]
    assert x[Tensor([1, 0]), Tensor([0, 2])].tolist() == [3.0, 2.0]
    x[0] = Tensor([7.0, 8.0, 9.0])
    x[1][2] = 0.0
    assert x.tolist() == [[7.0, 8.0, 9.0], [3.0, 4.0, 0.0]]

    def doubled_first(x):
        x = x * 1
        x[0] = x[0] * 2
        return x

    assert ms.grad(doubled_first)(Tensor([1.0, 1.0])).tolist() == [2.0, 1.0]


def test_methods():
    x = Tensor([[1.0, 5.0], [7.0, 3.0]])
    assert (x.sum().item(), x.sum(0).tolist(), x.mean((0, 1)).item()) == (16.0, [8.0, 8.0], 4.0)
    assert (x.max().item(), x.max(1).tolist(), x.min(axis=0, keepdims=True).tolist()) == (7.0, [5.0, 7.0], [[1.0, 3.0]])
    values, indices = x.max(1, return_indices=True)
    assert (values.tolist(), indices.tolist(), x.argmax().item()) == ([5.0, 7.0], [1, 0], 2)
    assert (x.std().item(), x.var(0, ddof=1).tolist()) == (pytest.approx(np.std([1, 5, 7, 3])), [18.0, 2.0])
    assert x.transpose().tolist() == x.transpose(1, 0).tolist() == x.transpose((1, 0)).tolist() == [[1, 7], [5, 3]]
    assert x.reshape(-1).shape == x.view(4).shape == x.reshape((4,)).shape == x.flatten().shape == (4,)
    assert str(x.astype("int32").dtype) == str(x.astype(ms.int32).dtype) == str(x.int().dtype) == "Int32"
    assert (Tensor([1, 2]).sum(dtype=ms.int32).dtype, Tensor([True, True]).sum().item()) == (ms.int32, 2)
    assert x.expand_dims(0).squeeze(0).swapaxes(0, 1).shape == (2, 2)
    assert x.clip(2.0, 4.0).tolist() == [[2.0, 4.0], [4.0, 3.0]]


def test_numpy_copy_and_pickle():
    x = Tensor([1.0, 2.0])
    assert np.asarray(x).dtype == np.float32
    assert pickle.loads(pickle.dumps(x)).tolist() == copy.deepcopy(x).tolist() == x.copy().tolist() == [1.0, 2.0]
    w = Parameter(x, name="w", requires_grad=False)
    for other in (pickle.loads(pickle.dumps(w)), copy.deepcopy(w)):
        assert (other.name, other.requires_grad, other.tolist()) == ("w", False, [1.0, 2.0])


def test_parameters():
    w = Parameter(Tensor(np.ones((1, 2)), ms.float32), name="w")
    assert str(w) == "Parameter (name=w, shape=(1, 2), dtype=Float32, requires_grad=True)"
    w.set_data(Tensor(np.zeros((1, 2)), ms.float32))
    assert str(w.value()) == "[[0. 0.]]"
    assert not isinstance(w * 2, Parameter)
    with pytest.raises(ValueError, match="Can not change the shape"):
        w.set_data(Tensor([1.0]))
    assert w.set_data(Tensor([1.0]), slice_shape=True).shape == (1,)
    assert (Parameter(1).dtype, Parameter(1.0).dtype) == (ms.int32, ms.float32)
    with pytest.raises(TypeError, match="`Parameter` collection"):
        ParameterTuple([Tensor(1.0)])
    assert [p.name for p in ParameterTuple([w]).clone("adam", init="zeros")] == ["adam.w"]


def test_seed_and_context():
    ms.set_seed(3)
    first = (ops.randn(2).tolist(), np.random.rand())
    ms.set_seed(3)
    assert (ops.randn(2).tolist(), np.random.rand()) == first
    assert ms.get_seed() == 3
    ms.set_context(mode=ms.PYNATIVE_MODE)
    assert ms.get_context("mode") == ms.PYNATIVE_MODE
    with pytest.raises(ValueError, match="'device_target' must be one of"):
        ms.set_context(device_target="Ascend")
    with pytest.raises(NotImplementedError, match="'save_graphs'"):
        ms.set_context(save_graphs=True)
    with pytest.raises(TypeError, match="must be type of int"):
        ms.set_seed(1.5)
