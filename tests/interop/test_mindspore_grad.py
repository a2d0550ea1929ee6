"""MindSpore's grad and its like: the examples of its documentation, with what it prints, and its rules."""

import numpy as np
import pytest

import rushlight.interop.mindspore as ms
from rushlight.interop.mindspore import Parameter, ParameterTuple, Tensor, nn, ops


class Product(nn.Cell):
    def construct(self, x, y, z):
        return x * y * z


class Net(nn.Cell):
    """The network of the documentation of GradOperation."""

    def __init__(self):
        super().__init__()
        self.matmul = ops.MatMul()
        self.z = Parameter(Tensor(np.array([1.0], np.float32)), name="z")

    def construct(self, x, y):
        return self.matmul(x * self.z, y)


@pytest.fixture
def three():
    return Tensor([1, 2], ms.float32), Tensor([-2, 3], ms.float32), Tensor([0, 3], ms.float32)


def forward(net):
    def forward(inputs, labels):
        logits = net(inputs)
        return nn.MSELoss()(logits, labels), logits

    return forward


@pytest.fixture
def regression():
    generator = np.random.default_rng(0)
    net = nn.Dense(10, 1)
    inputs = Tensor(generator.standard_normal((16, 10)).astype(np.float32))
    return net, forward(net), inputs, Tensor(generator.standard_normal((16, 1)).astype(np.float32))


def res_and_z(x, y, z):
    return x * ops.exp(y) * ops.pow(z, 2), z


def test_positions(three):
    assert repr(ms.grad(Product(), grad_position=(1, 2))(*three)) == (
        "(Tensor(shape=[2], dtype=Float32, value= [-0.00000000e+00,  6.00000000e+00]), "
        "Tensor(shape=[2], dtype=Float32, value= [-2.00000000e+00,  6.00000000e+00]))"
    ).replace("-0.0", " 0.0")
    single = ms.grad(Product(), 1)(*three)
    assert isinstance(single, Tensor)
    assert str(single) == "[0. 6.]"
    assert isinstance(ms.grad(Product(), (1,))(*three), Tensor), "one position in a tuple gives a tensor too"


def test_has_aux():
    x, y, z = Tensor([3, 3], ms.float32), Tensor([0, 0], ms.float32), Tensor([5, 5], ms.float32)
    gradient, aux = ms.grad(res_and_z, (1, 2), None, True)(x, y, z)
    assert repr(gradient) == (
        "(Tensor(shape=[2], dtype=Float32, value= [ 7.50000000e+01,  7.50000000e+01]), "
        "Tensor(shape=[2], dtype=Float32, value= [ 3.00000000e+01,  3.00000000e+01]))"
    )
    assert repr(aux) == "(Tensor(shape=[2], dtype=Float32, value= [ 5.00000000e+00,  5.00000000e+00]),)"
    assert str(ms.grad(res_and_z, 2)(x, y, z)) == "[31. 31.]", "all outputs take part otherwise"


def test_value_and_grad(three):
    output, gradient = ms.value_and_grad(Product(), grad_position=1)(*three)
    assert str(output) == "[-0. 18.]"
    assert str(gradient) == "[0. 6.]"
    x, y, z = Tensor(np.float32([3, 3])), Tensor(np.float32([0, 0])), Tensor(np.float32([5, 5]))
    output, gradient = ms.value_and_grad(res_and_z, grad_position=(1, 2), weights=None, has_aux=True)(x, y, z)
    assert [str(o) for o in output] == ["[75. 75.]", "[5. 5.]"]
    assert [str(g) for g in gradient] == ["[75. 75.]", "[30. 30.]"]


def test_inputs_and_weights(regression):
    net, fn, inputs, labels = regression
    weights = net.trainable_params()
    of_inputs, (logits,) = ms.grad(fn, grad_position=(0, 1), weights=None, has_aux=True)(inputs, labels)
    assert (len(of_inputs), logits.shape) == (2, (16, 1))
    of_weights, (logits,) = ms.grad(fn, grad_position=None, weights=weights, has_aux=True)(inputs, labels)
    assert (len(of_weights), logits.shape) == (2, (16, 1))
    of_inputs, of_weights = ms.grad(fn, grad_position=0, weights=weights, has_aux=False)(inputs, labels)
    assert (of_inputs.shape, [g.shape for g in of_weights]) == ((16, 10), [(1, 10), (1,)])
    (loss, logits), (of_inputs, of_weights) = ms.value_and_grad(fn, 0, ParameterTuple(weights))(inputs, labels)
    assert (loss.shape, logits.shape, type(of_weights)) == ((), (16, 1), tuple)


def test_weights_against_a_formula(regression):
    net, fn, inputs, labels = regression
    x, error = inputs.asnumpy(), net(inputs).asnumpy() - labels.asnumpy()
    weight, bias = ms.grad(fn, None, net.trainable_params(), has_aux=True)(inputs, labels)[0]
    np.testing.assert_allclose(weight.asnumpy(), 2 * error.T @ x / 16, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(bias.asnumpy(), 2 * error.mean(0), rtol=1e-5, atol=1e-6)


def test_one_parameter_gives_a_tensor_and_a_list_a_tuple():
    w = Parameter(Tensor(10.0), name="w")
    fn = lambda x: w * x
    x = Tensor(3.0)
    assert str(ms.grad(fn, None, w)(x)) == "3.0"
    for several in ([w], (w,), ParameterTuple([w])):
        (found,) = ms.grad(fn, None, several)(x)
        assert str(found) == "3.0"
    of_x, of_w = ms.grad(fn, 0, w)(x)
    assert (str(of_x), str(of_w)) == ("10.0", "3.0")
    assert w._value.grad is None, "nothing is accumulated"
    assert not w._value.requires_grad


def test_return_ids(three):
    found = ms.grad(Product(), grad_position=(1, 2), return_ids=True)(*three)
    assert [position for position, _ in found] == [1, 2]
    assert str(ms.get_grad(found, 1)) == "[0. 6.]"
    position, gradient = ms.grad(Product(), return_ids=True)(*three)
    assert (position, str(gradient)) == (0, "[-0.  9.]")
    w, b = Parameter(Tensor(10.0), name="w"), Parameter(Tensor(1.0), name="b")
    found = ms.grad(lambda x: w * x + b, 0, [w, b], return_ids=True)(Tensor(3.0))
    assert str(found[0][1]) == "10.0"
    assert [name for name, _ in found[1]] == ["w", "b"]
    assert str(ms.get_grad(found, w)) == "3.0"
    assert str(ms.get_grad(found, 0)) == "10.0"
    with pytest.raises(RuntimeError, match="Can not find"):
        ms.get_grad(found, 3)
    with pytest.raises(TypeError, match="should be an integer or a Parameter"):
        ms.get_grad(found, "w")


def test_sens_param():
    gradient = ms.grad(lambda x: x * x, sens_param=True)
    x = Tensor([1.0, 2.0])
    assert str(gradient(x, Tensor([1.0, 10.0]))) == "[ 2. 40.]"
    assert str(gradient(x, sens=Tensor([0.0, 1.0]))) == "[0. 4.]"
    with pytest.raises(ValueError, match="should have the shape of the outputs"):
        gradient(x, Tensor(1.0))


def test_zeros_where_nothing_depends():
    w = Parameter(Tensor([1.0, 2.0]), name="w")
    of_y, of_w = ms.grad(lambda x, y: x * 2, 1, w)(Tensor(1.0), Tensor([3.0]))
    assert (str(of_y), str(of_w)) == ("[0.]", "[0. 0.]")


def test_keyword_arguments_and_containers():
    assert str(ms.grad(lambda x, scale=1.0: x * scale)(Tensor(2.0), scale=5.0)) == "5.0"
    found = ms.grad(lambda pair: pair[0] * pair[1])((Tensor(2.0), Tensor(3.0)))
    assert [str(g) for g in found] == ["3.0", "2.0"]


def test_second_order():
    assert str(ms.grad(ms.grad(lambda x: x**3))(Tensor(2.0))) == "12.0"
    second = ms.grad(ms.grad(ops.sin))(Tensor([0.0, 1.0]))
    np.testing.assert_allclose(second.asnumpy(), -np.sin([0.0, 1.0]), rtol=2e-7)
    w = Parameter(Tensor(2.0), name="w")
    assert str(ms.grad(ms.grad(lambda x: x**3 * w**2), None, w)(Tensor(1.0))) == "12.0"


def test_stop_gradient():
    def net(x, y):
        return ops.MatMul()(x, y), ops.stop_gradient(ops.MatMul()(x, y))

    x = Tensor([[0.5, 0.6, 0.4], [1.2, 1.3, 1.1]], dtype=ms.float32)
    y = Tensor([[0.01, 0.3, 1.1], [0.1, 0.2, 1.3], [2.1, 1.2, 3.3]], dtype=ms.float32)
    expected = np.float32([[1.4100001, 1.6, 6.5999994]] * 2)
    np.testing.assert_allclose(ops.grad(net)(x, y).asnumpy(), expected, rtol=1e-6)


def test_errors(three):
    with pytest.raises(ValueError, match="`grad_position` and `weight` can not be None at the same time"):
        ms.grad(Product(), None)
    with pytest.raises(ValueError, match="duplicate positions"):
        ms.grad(Product(), (1, 1))
    with pytest.raises(ValueError, match="must be >= 0"):
        ms.grad(Product(), -1)
    with pytest.raises(TypeError, match="must be int or tuple"):
        ms.grad(Product(), 1.0)
    with pytest.raises(TypeError, match="'weights' must be Parameters"):
        ms.grad(Product(), None, [Tensor(1.0)])
    with pytest.raises(ValueError, match="must belong to"):
        ms.grad(Product(), 3)(*three)
    with pytest.raises(ValueError, match="requires more than one outputs"):
        ms.grad(Product(), has_aux=True)(*three)
    with pytest.raises(TypeError, match="Int64 cannot be differentiated"):
        ms.grad(ops.square)(Tensor([1, 2]))
    with pytest.raises(TypeError, match="must be a Tensor, but got float"):
        ms.grad(lambda x: x)(1.0)


class TestGradOperation:
    x = Tensor([[0.8, 0.6, 0.2], [1.8, 1.3, 1.1]], dtype=ms.float32)

    def test_all(self):
        y = Tensor([[0.1, 3.3, 1.1], [1.1, 0.2, 1.4], [1.1, 2.2, 0.3]], dtype=ms.float32)
        of_x, of_y = ops.GradOperation(get_all=True)(Net())(self.x, y)
        np.testing.assert_allclose(of_x.asnumpy(), [[4.5, 2.70000005, 3.60000014]] * 2, rtol=1e-6)
        np.testing.assert_allclose(of_y.asnumpy(), np.repeat([[2.6], [1.89999998], [1.30000007]], 3, 1), rtol=1e-6)

    def test_sensitivity_and_weights(self):
        y = Tensor([[0.11, 3.3, 1.1], [1.1, 0.2, 1.4], [1.1, 2.2, 0.3]], dtype=ms.float32)
        sens = Tensor([[0.1, 0.6, 0.2], [0.8, 1.3, 1.1]], dtype=ms.float32)
        of_x, of_y = ops.GradOperation(get_all=True, sens_param=True)(Net())(self.x, y, sens)
        np.testing.assert_allclose(of_x.asnumpy(), [[2.211, 0.51, 1.49], [5.588, 2.68, 4.07]], rtol=1e-5)
        np.testing.assert_allclose(
            of_y.asnumpy(), [[1.52, 2.82, 2.14], [1.1, 2.05, 1.55], [0.9, 1.55, 1.25]], rtol=1e-5
        )
        net = Net()
        for weights in (ParameterTuple(net.trainable_params()), None):
            (of_z,) = ops.GradOperation(get_by_list=True)(net, weights)(self.x, y)
            np.testing.assert_allclose(of_z.asnumpy(), [21.5359993], rtol=1e-6)

    def test_inputs_and_weights(self):
        x = Tensor([[0.1, 0.6, 1.2], [0.5, 1.3, 0.1]], dtype=ms.float32)
        y = Tensor([[0.12, 2.3, 1.1], [1.3, 0.2, 2.4], [0.1, 2.2, 0.3]], dtype=ms.float32)
        net = Net()
        operation = ops.GradOperation(get_all=True, get_by_list=True)
        (of_x, of_y), (of_z,) = operation(net, ParameterTuple(net.trainable_params()))(x, y)
        np.testing.assert_allclose(of_x.asnumpy(), [[3.52, 3.9, 2.6]] * 2, rtol=1e-6)
        np.testing.assert_allclose(of_y.asnumpy(), np.repeat([[0.6], [1.9], [1.3]], 3, 1), rtol=1e-6)
        np.testing.assert_allclose(of_z.asnumpy(), [12.902], rtol=1e-5)

    def test_options_are_bools(self):
        with pytest.raises(TypeError, match="'get_all' should be bool"):
            ops.GradOperation(get_all=1)
