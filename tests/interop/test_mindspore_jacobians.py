"""MindSpore's jvp, vjp, jacfwd and jacrev: the examples of its documentation, and the structures of its results."""

import numpy as np
import pytest

import rushlight.interop.mindspore as ms
from rushlight.interop.mindspore import Parameter, Tensor, nn


class Cube(nn.Cell):
    def construct(self, x, y):
        return x**3 + y


X = Tensor(np.array([[1, 2], [3, 4]]).astype(np.float32))
ONES = Tensor(np.ones((2, 2), np.float32))


def test_jvp():
    output, product = ms.jvp(Cube(), (X, X), (ONES, ONES))
    assert str(output) == "[[ 2. 10.]\n [30. 68.]]"
    assert str(product) == "[[ 4. 13.]\n [28. 49.]]"
    output, product, aux = ms.jvp(lambda x, y: (x**3 + y, y), (X, X), (ONES, ONES), has_aux=True)
    assert str(output) == "[[ 2. 10.]\n [30. 68.]]"
    assert str(product) == "[[ 4. 13.]\n [28. 49.]]"
    assert str(aux) == "[[1. 2.]\n [3. 4.]]"
    with pytest.raises(TypeError, match="must be a Tensor, tuple or list of Tensors"):
        ms.jvp(Cube(), 1.0, 1.0)


def test_vjp():
    outputs, vjp_fn = ms.vjp(Cube(), X, X)
    assert str(outputs) == "[[ 2. 10.]\n [30. 68.]]"
    assert repr(vjp_fn(ONES)) == (
        "(Tensor(shape=[2, 2], dtype=Float32, value=\n"
        "[[ 3.00000000e+00,  1.20000000e+01],\n"
        " [ 2.70000000e+01,  4.80000000e+01]]), Tensor(shape=[2, 2], dtype=Float32, value=\n"
        "[[ 1.00000000e+00,  1.00000000e+00],\n"
        " [ 1.00000000e+00,  1.00000000e+00]]))"
    )
    outputs, vjp_fn, aux = ms.vjp(lambda x, y: (2 * x + y, y**3), X, X, has_aux=True)
    assert str(outputs) == "[[ 3.  6.]\n [ 9. 12.]]"
    assert str(aux) == "[[ 1.  8.]\n [27. 64.]]"
    assert [str(g) for g in vjp_fn(ONES)] == ["[[2. 2.]\n [2. 2.]]", "[[1. 1.]\n [1. 1.]]"]


def test_vjp_of_several_outputs():
    outputs, vjp_fn = ms.vjp(lambda x: (x * 2, x * x), X)
    assert isinstance(outputs, tuple)
    (product,) = vjp_fn(ONES, ONES)
    assert str(product) == "[[ 4.  6.]\n [ 8. 10.]]"


@pytest.mark.parametrize("transform", [ms.jacfwd, ms.jacrev])
class TestJacobians:
    def test_documentation(self, transform):
        fn = lambda x, y, z: (x**2 + y**2 + z**2, x * y * z)
        jac, aux = transform(fn, grad_position=0, has_aux=True)(X, X, ONES)
        assert str(jac) == (
            "[[[[2. 0.]\n   [0. 0.]]\n\n  [[0. 4.]\n   [0. 0.]]]\n\n\n"
            " [[[0. 0.]\n   [6. 0.]]\n\n  [[0. 0.]\n   [0. 8.]]]]"
        )
        assert str(aux) == "[[ 1.  4.]\n [ 9. 16.]]"

    def test_structures(self, transform):
        a, b = Tensor([1.0, 2.0]), Tensor([3.0, 4.0, 5.0])
        one = lambda a, b: a.sum() * b
        two = lambda a, b: (a.sum() * b, a * 2)
        shapes = lambda found: found.shape if isinstance(found, Tensor) else tuple(map(shapes, found))
        assert shapes(transform(one)(a, b)) == (3, 2)
        assert shapes(transform(one, (1,))(a, b)) == (3, 3)
        assert shapes(transform(one, (0, 1))(a, b)) == ((3, 2), (3, 3))
        assert shapes(transform(two, 0)(a, b)) == ((3, 2), (2, 2))
        assert shapes(transform(two, (0, 1))(a, b)) == (((3, 2), (3, 3)), ((2, 2), (2, 3)))

    def test_a_cell_with_parameters(self, transform):
        w = Parameter(Tensor([2.0, 3.0]), name="w")
        assert str(transform(lambda x: x * w)(Tensor([1.0, 1.0]))) == "[[2. 0.]\n [0. 3.]]"

    def test_errors(self, transform):
        with pytest.raises(ValueError, match="must belong to"):
            transform(lambda x: x, 1)(X)
        with pytest.raises(TypeError, match="'has_aux' should be bool"):
            transform(lambda x: x, 0, 1)
