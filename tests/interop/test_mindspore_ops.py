"""MindSpore's operators, as functions and as objects: its rules where they are not PyTorch's, its examples."""

import numpy as np
import pytest

import rushlight as torch
import rushlight.interop.mindspore as ms
from rushlight.interop.mindspore import Tensor, ops


def f32(*shape):
    return Tensor(np.arange(np.prod(shape), dtype=np.float32).reshape(shape))


def test_reductions():
    x = Tensor(np.repeat(np.arange(1.0, 10.0, dtype=np.float32).reshape(3, 3, 1), 6, 2))
    assert str(ops.ReduceSum(keep_dims=True)(x)) == "[[[270.]]]"
    assert str(ops.ReduceSum(True)(x, 0)[0, :, 0]) == "[12. 15. 18.]"
    assert ops.ReduceSum()(x, (0, 1)).shape == (6,)
    assert ops.ReduceMean(keep_dims=True)(x, [0, 2]).shape == (1, 3, 1)
    assert (ops.ReduceMax()(x).item(), ops.ReduceMin()(x, 0)[2, 0].item()) == (9.0, 3.0)
    assert ops.ReduceProd()(f32(2, 2) + 1, (0, 1)).item() == 24.0
    assert (ops.ReduceAll()(x > 1).item(), ops.ReduceAny()(x > 8).item()) == (False, True)
    assert ops.sum(Tensor([True, True])).dtype is ms.int64
    assert ops.std(Tensor([1.0, 3.0])).item() == 1.0
    assert ops.mean(Tensor(2.0), keep_dims=True).shape == ()
    values, index = ops.max(Tensor([1.0, 9.0]))
    assert (values.item(), index.item()) == (9.0, 0)
    index, value = ops.ArgMaxWithValue()(Tensor([0.0, 0.4, 0.6, 0.7, 0.1], ms.float32))
    assert (index.item(), str(value)) == (3, "0.7")
    assert ops.Argmax()(Tensor([[1, 20, 5], [67, 8, 9], [130, 24, 15]], ms.float32)).tolist() == [1, 0, 0]


def test_products():
    a, b = f32(2, 3), f32(2, 3) + 1
    expected = a.asnumpy() @ b.asnumpy().T
    assert ops.MatMul(transpose_b=True)(a, b).tolist() == ops.matmul(a, b.T).tolist() == expected.tolist()
    assert ops.BatchMatMul(transpose_a=True)(f32(2, 3, 4), f32(2, 3, 5)).shape == (2, 4, 5)
    assert ops.dot(f32(2, 3), f32(4, 3, 5)).shape == np.dot(np.ones((2, 3)), np.ones((4, 3, 5))).shape
    assert ops.dense(a, b, Tensor([1.0, 2.0])).tolist() == (expected + np.float32([1, 2])).tolist()


def test_shapes():
    x = f32(2, 3)
    assert ops.Concat(axis=1)((x, x)).shape == ops.cat([x, x], 1).shape == (2, 6)
    assert ops.Stack(1)([x, x]).shape == (2, 2, 3)
    assert [p.shape for p in ops.Split(1, 3)(x)] == [(2, 1)] * 3
    assert [p.shape for p in ops.split(x, [1, 2], 1)] == [(2, 1), (2, 2)]
    assert ops.Transpose()(x, (1, 0)).shape == ops.Reshape()(x, (3, 2)).shape == (3, 2)
    assert ops.ExpandDims()(x, 0).shape == (1, 2, 3)
    assert ops.Squeeze(0)(ops.expand_dims(x, 0)).shape == (2, 3)
    with pytest.raises(ValueError, match="Cannot select an axis to squeeze out"):
        ops.squeeze(x, 0)
    assert ops.flatten(f32(2, 3, 4)).shape == (2, 12)
    assert ops.flatten(f32(1, 2, 2), order="F").tolist() == [[0.0, 2.0, 1.0, 3.0]]
    assert ops.Shape()(x) == (2, 3)
    assert (ops.Rank()(x), ops.size(x)) == (2, 6)
    assert ops.gather(x, Tensor([[1, 0]]), 1).shape == (2, 1, 2)
    assert ops.GatherD()(Tensor([[1, 2], [3, 4]]), 1, Tensor([[0, 0], [1, 0]])).tolist() == [[1, 1], [4, 3]]
    assert ops.BroadcastTo((2, 2))(Tensor([1, 2])).tolist() == [[1, 2], [1, 2]]
    assert ops.OneHot()(Tensor([0, 2]), 3, Tensor(1.0), Tensor(0.0)).tolist() == [[1, 0, 0], [0, 0, 1]]
    assert ops.one_hot(Tensor([1]), 2, axis=0).tolist() == [[0], [1]]
    assert ops.tensor_scatter_elements(f32(3), Tensor([1]), Tensor([5.0]), reduction="add").tolist() == [0.0, 6.0, 2.0]
    assert ops.Cast()(x, ms.int32).dtype is ms.int32
    assert ops.clip_by_value(x, 1.0, Tensor(3.0)).max().item() == 3.0


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("Add", np.add),
        ("Sub", np.subtract),
        ("Mul", np.multiply),
        ("Div", np.divide),
        ("RealDiv", np.divide),
        ("Pow", np.power),
        ("Maximum", np.maximum),
        ("Minimum", np.minimum),
        ("FloorDiv", np.floor_divide),
        ("FloorMod", np.mod),
        ("Mod", np.fmod),
        ("Equal", np.equal),
        ("NotEqual", np.not_equal),
        ("Greater", np.greater),
        ("LessEqual", np.less_equal),
        ("Atan2", np.arctan2),
    ],
)
def test_binary(name, reference):
    a, b = np.float32([1.5, -2.0, 3.0]), np.float32([2.0, 2.0, 0.5])
    np.testing.assert_allclose(getattr(ops, name)()(Tensor(a), Tensor(b)).asnumpy(), reference(a, b), rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("Abs", np.abs),
        ("Neg", np.negative),
        ("Exp", np.exp),
        ("Log", np.log),
        ("Sqrt", np.sqrt),
        ("Sin", np.sin),
        ("Cos", np.cos),
        ("Tanh", np.tanh),
        ("Square", np.square),
        ("Floor", np.floor),
        ("Reciprocal", np.reciprocal),
        ("ReLU", lambda x: np.maximum(x, 0)),
        ("Sigmoid", lambda x: 1 / (1 + np.exp(-x))),
        ("ZerosLike", np.zeros_like),
        ("Rsqrt", lambda x: x**-0.5),
        ("L2Loss", lambda x: (x * x).sum() / 2),
        ("Softsign", lambda x: x / (1 + np.abs(x))),
    ],
)
def test_unary(name, reference):
    x = np.float32([0.5, 1.5, 2.0])
    np.testing.assert_allclose(getattr(ops, name)()(Tensor(x)).asnumpy(), reference(x), rtol=1e-5)


def test_cross_entropies():
    logits = Tensor([[2, 4, 1, 4, 5], [2, 1, 2, 4, 3]], ms.float32)
    labels = Tensor([[0, 0, 0, 0, 1], [0, 0, 0, 1, 0]], ms.float32)
    loss, dlogits = ops.SoftmaxCrossEntropyWithLogits()(logits, labels)
    np.testing.assert_allclose(loss.asnumpy(), [0.5899297, 0.52374405], rtol=1e-6)
    row = [0.02760027, 0.20393994, 0.01015357, 0.20393994, -0.44563377]
    np.testing.assert_allclose(dlogits.asnumpy()[0], row, rtol=1e-5)
    classes = Tensor([4, 3], ms.int32)
    assert ops.cross_entropy(logits, classes).item() == pytest.approx(loss.asnumpy().mean())
    np.testing.assert_allclose(ops.grad(ops.cross_entropy)(logits, classes).asnumpy(), dlogits.asnumpy() / 2, rtol=1e-5)
    with pytest.raises(NotImplementedError, match="label_smoothing"):
        ops.nll_loss(logits, classes, label_smoothing=0.1)


def test_losses():
    a, b = Tensor([1.0, 2.0, 3.0]), Tensor([1.0, 2.0, 2.0])
    assert ops.smooth_l1_loss(a, b).tolist() == [0.0, 0.0, 0.5]
    assert ops.mse_loss(a, b, "sum").item() == ops.l1_loss(a, b, "sum").item() == 1.0
    assert ops.leaky_relu(Tensor([-1.0])).tolist() == pytest.approx([-0.2])


@pytest.mark.parametrize(
    ("size", "kernel", "stride", "dilation"), [(8, 3, 1, 1), (8, 4, 1, 1), (7, 3, 2, 1), (8, 3, 2, 2)]
)
def test_same_padding(size, kernel, stride, dilation):
    image, weight = ops.randn(1, 2, size, size), ops.randn(3, 2, kernel, kernel)
    out = ops.conv2d(image, weight, stride=stride, pad_mode="same", dilation=dilation)
    assert out.shape == (1, 3, -(-size // stride), -(-size // stride))
    if stride == 1:
        expected = torch.nn.functional.conv2d(image._value, weight._value, padding="same", dilation=dilation)
        np.testing.assert_allclose(out.asnumpy(), expected.numpy(), rtol=1e-4, atol=1e-5)


def test_padding_of_images():
    image, weight = ops.ones((1, 1, 4, 5)), ops.ones((1, 1, 3, 3))
    assert ops.conv2d(image, weight).shape == (1, 1, 2, 3)
    assert ops.conv2d(image, weight, pad_mode="pad", padding=(1, 0)).shape == (1, 1, 4, 3)
    assert ops.conv2d(image, weight, pad_mode="pad", padding=(0, 0, 2, 1)).shape == (1, 1, 2, 6)
    with pytest.raises(ValueError, match="must be zero when"):
        ops.conv2d(image, weight, pad_mode="same", padding=1)
    assert ops.MaxPool(kernel_size=3, strides=2, pad_mode="same")(-image).tolist() == [[[[-1.0] * 3] * 2]]
    assert ops.AvgPool(kernel_size=3, strides=2, pad_mode="same")(image).tolist() == [[[[1.0] * 3] * 2]]


def test_primitives_know_their_options():
    assert repr(ops.MatMul(True)) == "Prim[MatMul]<transpose_a=True, transpose_b=False>"
    with pytest.raises(TypeError, match="MatMul has no option axis"):
        ops.MatMul(axis=1)
    with pytest.raises(AttributeError, match="has no attribute 'Matmul' in rushlight"):
        _ = ops.Matmul


def test_assignment():
    w = ms.Parameter(Tensor([1.0, 2.0]), name="w")
    ops.AssignAdd()(w, Tensor([1.0, 1.0]))
    ops.AssignSub()(w, Tensor([0.5, 0.0]))
    assert w.tolist() == [1.5, 3.0]
    assert ops.Assign()(w, Tensor([0.0, 0.0])) is w
    assert w.tolist() == [0.0, 0.0]
