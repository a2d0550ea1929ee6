"""MindSpore's cells, layers, losses and optimizers."""

from collections import OrderedDict

import numpy as np
import pytest

import rushlight.interop.mindspore as ms
from rushlight.interop.mindspore import Parameter, ParameterTuple, Tensor, nn, ops


class Network(nn.Cell):
    """The network of MindSpore's quick start, smaller."""

    def __init__(self):
        super().__init__()
        self.flatten = nn.Flatten()
        self.dense_relu_sequential = nn.SequentialCell(nn.Dense(4, 3), nn.ReLU(), nn.Dense(3, 2))

    def construct(self, x):
        return self.dense_relu_sequential(self.flatten(x))


def test_repr():
    assert repr(Network()) == (
        "Network<\n"
        "  (flatten): Flatten<>\n"
        "  (dense_relu_sequential): SequentialCell<\n"
        "    (0): Dense<input_channels=4, output_channels=3, has_bias=True>\n"
        "    (1): ReLU<>\n"
        "    (2): Dense<input_channels=3, output_channels=2, has_bias=True>\n"
        "    >\n"
        "  >"
    )


def test_parameters_and_their_names():
    net = Network()
    names = [f"dense_relu_sequential.{name}" for name in ("0.weight", "0.bias", "2.weight", "2.bias")]
    assert [p.name for p in net.trainable_params()] == [name for name, _ in net.parameters_and_names()] == names
    assert list(net.parameters_dict()) == names
    assert [p.shape for p in net.get_parameters()] == [(3, 4), (3,), (2, 3), (2,)]
    assert net.untrainable_params() == []
    assert [name for name, _ in net.cells_and_names()][:3] == ["", "flatten", "dense_relu_sequential"]


def test_no_prefix_without_auto_prefix():
    class Outer(nn.Cell):
        def __init__(self, inner):
            super().__init__(auto_prefix=False)
            self.net = inner

    assert repr(Outer(nn.Conv2d(120, 240, 4, has_bias=False, weight_init="normal")).trainable_params()) == (
        "[Parameter (name=weight, shape=(240, 120, 4, 4), dtype=Float32, requires_grad=True)]"
    )


def test_attributes():
    cell = nn.Cell()
    cell.w = Parameter(Tensor([1.0]))
    assert cell.w.name == "w"
    cell.w = Tensor([2.0])
    assert isinstance(cell.w, Parameter)
    assert cell.w.tolist() == [2.0]
    cell.both = ParameterTuple([Parameter(1.0, name="a"), Parameter(2.0, name="b")])
    assert [p.name for p in cell.get_parameters()] == ["w", "a", "b"]
    del cell.w
    with pytest.raises(AttributeError, match="The 'Cell' object has no attribute 'w'"):
        _ = cell.w
    with pytest.raises(AttributeError, match="'construct' is not defined"):
        cell(1)


def test_construct_before_init_and_bprop():
    class Early(nn.Cell):
        def __init__(self):
            self.w = Parameter(1.0)

    class Custom(nn.Cell):
        def bprop(self, x, out, dout):
            return (dout,)

    with pytest.raises(AttributeError, match=r"call super\(\).__init__\(\)"):
        Early()
    with pytest.raises(NotImplementedError, match="bprop"):
        Custom()


def test_containers():
    named = nn.SequentialCell(OrderedDict(first=nn.Dense(2, 2), second=nn.ReLU()))
    assert list(named.name_cells()) == ["first", "second"]
    assert named[0] is named.first
    row = nn.SequentialCell([nn.ReLU(), nn.Tanh()]).append(nn.Sigmoid())
    assert (len(row), len(row[1:]), [type(c).__name__ for c in row]) == (3, 2, ["ReLU", "Tanh", "Sigmoid"])
    assert row(Tensor([-1.0])).tolist() == [0.5]
    cells = nn.CellList([nn.Dense(1, 1)])
    cells.extend([nn.Dense(1, 1)])
    assert [p.name for p in cells.get_parameters()] == ["0.weight", "0.bias", "1.weight", "1.bias"]
    with pytest.raises(TypeError, match="should be a Cell"):
        nn.SequentialCell([1])


def test_training_mode():
    net = nn.SequentialCell(nn.Dropout(p=0.5), nn.BatchNorm2d(2))
    assert not net[1].training
    assert net.set_train() is net
    assert net[0].training
    assert not net.set_train(False)[1].training
    x = ops.ones((1, 2, 1, 1))
    assert nn.Dropout(p=0.9)(x).tolist() == x.tolist()
    assert sorted(set(nn.Dropout(p=0.5).set_train()(ops.ones(100)).tolist())) == [0.0, 2.0]
    assert nn.Dropout(0.9).p == pytest.approx(0.1)


def test_batch_norm():
    values = np.random.default_rng(0).standard_normal((4, 2, 3, 3)).astype(np.float32)
    layer, x = nn.BatchNorm2d(2), Tensor(values)
    np.testing.assert_allclose(layer(x).asnumpy(), values / np.sqrt(1 + 1e-5), rtol=1e-5)
    out = layer.set_train()(x).asnumpy()
    np.testing.assert_allclose(out.mean((0, 2, 3)), 0, atol=1e-6)
    np.testing.assert_allclose(out.var((0, 2, 3)), 1, rtol=1e-4)
    np.testing.assert_allclose(layer.moving_mean.asnumpy(), 0.1 * values.mean((0, 2, 3)), rtol=1e-4)
    assert [p.name for p in layer.trainable_params()] == ["gamma", "beta"]
    assert [p.name for p in layer.untrainable_params()] == ["moving_mean", "moving_variance"]
    ms.grad(lambda x: layer(x).sum(), 0, layer.trainable_params())(x)
    assert not layer.moving_mean._value.requires_grad


def test_layers():
    assert nn.Conv2d(120, 240, 4, has_bias=False)(ops.ones((1, 120, 32, 20))).shape == (1, 240, 32, 20)
    assert nn.Conv2d(1, 2, 3, pad_mode="valid", has_bias=True)(ops.ones((1, 1, 5, 5))).shape == (1, 2, 3, 3)
    assert nn.MaxPool2d(kernel_size=3, stride=1)(ops.ones((1, 2, 4, 4))).shape == (1, 2, 2, 2)
    assert nn.AvgPool2d(2, 2, "same")(ops.ones((1, 1, 3, 3))).tolist() == [[[[1.0] * 2] * 2]]
    assert nn.Embedding(20, 5)(Tensor([[1, 2]])).shape == nn.Embedding(20, 5, True)(Tensor([[1, 2]])).shape == (1, 2, 5)
    out = nn.LayerNorm((4,))(Tensor([[1.0, 2.0, 3.0, 4.0]])).asnumpy()
    np.testing.assert_allclose([out.mean(), out.std()], [0, 1], atol=1e-5)
    assert nn.Dense(2, 2, activation="relu")(Tensor([[1.0, 1.0]])).min().item() >= 0
    assert abs(nn.Dense(100, 50).weight.asnumpy()).max() <= 0.1
    with pytest.raises(ValueError, match="'init' 'nothing' is unknown"):
        nn.Dense(1, 1, weight_init="nothing")
    with pytest.raises(NotImplementedError, match="'pad_mode'"):
        nn.MaxPool2d(2, pad_mode="pad")


def test_losses():
    logits, labels = Tensor([1.0, 2.0, 3.0]), Tensor([1.0, 2.0, 2.0])
    assert str(nn.L1Loss()(logits, labels)) == "0.33333334"
    assert str(nn.MSELoss()(logits, Tensor([1.0, 1.0, 1.0]))) == "1.6666666"
    assert str(nn.SmoothL1Loss()(logits, Tensor([1.0, 2.0, 2.0]))) == "[0.  0.  0.5]"
    logits = Tensor([[3, 5, 6, 9, 12, 33, 42, 12, 32, 72]], ms.float32)
    assert str(nn.SoftmaxCrossEntropyWithLogits(sparse=True)(logits, Tensor([1], ms.int32))) == "[67.]"
    labels = Tensor([[0, 1, 0, 0, 0, 0, 0, 0, 0, 0]], ms.float32)
    assert str(nn.SoftmaxCrossEntropyWithLogits()(logits, labels)) == "[67.]"
    assert nn.CrossEntropyLoss()(logits, Tensor([1])).item() == 67.0
    assert nn.BCEWithLogitsLoss()(Tensor([0.0]), Tensor([1.0])).item() == pytest.approx(np.log(2))
    assert nn.BCELoss(reduction="sum")(Tensor([0.5]), Tensor([1.0])).item() == pytest.approx(np.log(2))
    with pytest.raises(ValueError, match="'reduction'"):
        nn.MSELoss("average")


GRADIENTS = [np.float32([0.5, -1.0]), np.float32([0.25, 2.0]), np.float32([-1.0, 0.1])]


def steps(make, name="w"):
    w = Parameter(Tensor([1.0, 2.0]), name=name)
    optimizer = make([w])
    for gradient in GRADIENTS:
        optimizer((Tensor(gradient),))
    return w.asnumpy()


def test_momentum():
    w, v = np.float64([1, 2]), np.zeros(2)
    for g in GRADIENTS:
        v = 0.9 * v + (g + 0.01 * w)
        w = w - 0.1 * v
    np.testing.assert_allclose(steps(lambda p: nn.Momentum(p, 0.1, 0.9, weight_decay=0.01)), w, rtol=1e-6)
    spared = steps(lambda p: nn.Momentum(p, 0.1, 0.9, weight_decay=0.01), "bn.gamma")
    np.testing.assert_allclose(spared, steps(lambda p: nn.SGD(p, 0.1, 0.9)), rtol=1e-6)


def test_adam_adds_eps_to_the_uncorrected_root():
    w, m, v, eps = np.float64([1, 2]), np.zeros(2), np.zeros(2), 0.1
    for t, g in enumerate(GRADIENTS, 1):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        w = w - 0.01 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t) * m / (np.sqrt(v) + eps)
    np.testing.assert_allclose(steps(lambda p: nn.Adam(p, 0.01, eps=eps)), w, rtol=1e-6)


def test_groups_and_loss_scale():
    a, b = Parameter(Tensor([1.0]), name="a"), Parameter(Tensor([1.0]), name="b")
    optimizer = nn.SGD([{"params": [a], "lr": 1.0}, {"params": [b]}], learning_rate=0.5, loss_scale=2.0)
    optimizer((Tensor([1.0]), Tensor([1.0])))
    assert (a.tolist(), b.tolist()) == ([0.5], [0.75])
    with pytest.raises(ValueError, match="gradients"):
        optimizer((Tensor([1.0]),))
    with pytest.raises(NotImplementedError, match="grad_centralization"):
        nn.SGD([{"params": [a], "grad_centralization": True}])
    with pytest.raises(TypeError, match="schedules are not served"):
        nn.SGD([a], learning_rate=[0.1, 0.01])
    with pytest.raises(ValueError, match="empty"):
        nn.SGD([])


def test_training_as_the_quick_start_does_it():
    ms.set_seed(0)
    generator = np.random.default_rng(0)
    x = generator.standard_normal((64, 2, 2)).astype(np.float32)
    labels = (x.sum((1, 2)) > 0).astype(np.int32)
    model, loss_fn = Network(), nn.CrossEntropyLoss()
    optimizer = nn.Adam(model.trainable_params(), 0.05)

    def forward_fn(data, label):
        logits = model(data)
        return loss_fn(logits, label), logits

    grad_fn = ms.value_and_grad(forward_fn, None, optimizer.parameters, has_aux=True)

    @ms.jit
    def train_step(data, label):
        (loss, _), grads = grad_fn(data, label)
        optimizer(grads)
        return loss

    model.set_train()
    losses = [train_step(Tensor(x), Tensor(labels)).item() for _ in range(60)]
    assert losses[-1] < 0.2 < 0.5 < losses[0]
