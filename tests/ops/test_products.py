"""Products of vectors and matrices: values, derivatives, node names and errors."""

import numpy as np
import pytest
from derivatives import check_derivatives, random_leaf

import rushlight

MATMUL = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 4)),
    ((2, 3), (3, 4)),
    ((5, 2, 3), (3, 4)),
    ((5, 2, 3), (3,)),
    ((3,), (5, 3, 4)),
    ((5, 2, 3), (5, 3, 4)),
    ((2, 3), (5, 3, 4)),
    ((1, 2, 3), (5, 3, 4)),
    ((2, 1, 2, 3), (3, 3, 2)),
    ((2, 0), (0, 3)),
    ((0, 2, 3), (0, 3, 2)),
]


@pytest.mark.parametrize(("left", "right"), MATMUL)
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_matmul(left, right, dtype):
    x, y = random_leaf(*left, dtype=dtype), random_leaf(*right, dtype=dtype, seed=1)
    np.testing.assert_allclose((x @ y).detach().numpy(), x.detach().numpy() @ y.detach().numpy())
    check_derivatives(rushlight.matmul, x, y)


def test_transposed_operands():
    x, y = random_leaf(3, 2), random_leaf(4, 3)
    check_derivatives(lambda a, b: a.T @ b.T, x, y)
    assert (x.T @ y.T).is_contiguous()


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8])
def test_integers(dtype):
    x = np.arange(6).reshape(2, 3).astype(dtype)
    found = rushlight.from_numpy(x) @ rushlight.from_numpy(x.T.copy())
    assert found.tolist() == [[5, 14], [14, 50]]
    assert found.numpy().dtype == dtype


NODES = [
    ("torch.ones(3) @ x[0]", "DotBackward0"),
    ("x @ torch.ones(3)", "MvBackward0"),
    ("x @ torch.ones(3, 2)", "MmBackward0"),
    ("torch.ones(4, 1, 2) @ x", "UnsafeViewBackward0"),
    ("torch.ones(5, 1, 2).bmm(x.expand(5, 2, 3))", "BmmBackward0"),
    ("torch.nn.functional.linear(x, torch.ones(2, 3), torch.ones(2))", "AddmmBackward0"),
    ("torch.nn.functional.linear(x, torch.ones(2, 3))", "MmBackward0"),
    ("torch.addmv(torch.ones(2), x, torch.ones(3))", "AddmvBackward0"),
    ("torch.vdot(x[0], x[1])", "VdotBackward0"),
    ("torch.addr(x, torch.ones(2), torch.ones(3))", "AddrBackward0"),
    ("torch.outer(x[0], x[1])", "MulBackward0"),
]


@pytest.mark.parametrize(("expression", "name"), NODES)
def test_node_names(torch, expression, name):
    x = torch.ones(2, 3, requires_grad=True)
    assert eval(expression, {"torch": torch, "x": x}).grad_fn.name() == name


def test_linear_edges_come_in_the_order_of_addmm(torch):
    x, w, b = torch.ones(2, 3, requires_grad=True), torch.ones(4, 3), torch.ones(4, requires_grad=True)
    edges = torch.nn.functional.linear(x, w, b).grad_fn.next_functions
    assert edges[0][0].variable is b
    assert edges[1][0].variable is x
    assert edges[2][0] is None


@pytest.mark.parametrize("shape", [(3,), (2, 3), (4, 2, 3), (0, 3)])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_linear(shape, bias, dtype):
    x, w = random_leaf(*shape, dtype=dtype), random_leaf(5, 3, dtype=dtype)
    arguments = (x, w, random_leaf(5, dtype=dtype)) if bias else (x, w)
    expected = x.detach().numpy() @ w.detach().numpy().T + (arguments[2].detach().numpy() if bias else 0)
    np.testing.assert_allclose(rushlight.nn.functional.linear(*arguments).detach().numpy(), expected)
    check_derivatives(rushlight.nn.functional.linear, *arguments)


def test_linear_gradients_by_hand():
    x = rushlight.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    w = rushlight.tensor([[1.0, -1.0]], requires_grad=True)
    b = rushlight.tensor([0.5], requires_grad=True)
    rushlight.nn.functional.linear(x, w, b).backward(rushlight.tensor([[1.0], [10.0]]))
    assert x.grad.tolist() == [[1.0, -1.0], [10.0, -10.0]]
    assert w.grad.tolist() == [[31.0, 42.0]]
    assert b.grad.tolist() == [11.0]


ADDED = [
    ("addmm", (4,), (2, 3), (3, 4)),
    ("addmm", (2, 1), (2, 3), (3, 4)),
    ("addmv", (2,), (2, 3), (3,)),
    ("addmv", (1,), (2, 3), (3,)),
    ("addr", (2, 3), (2,), (3,)),
    ("addbmm", (2, 4), (5, 2, 3), (5, 3, 4)),
    ("baddbmm", (1, 4), (5, 2, 3), (5, 3, 4)),
]


@pytest.mark.parametrize(("name", "shape", "first", "second"), ADDED)
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_added_products(name, shape, first, second, dtype):
    function = getattr(rushlight, name)
    inputs = [random_leaf(*s, dtype=dtype, seed=i) for i, s in enumerate((shape, first, second))]
    check_derivatives(lambda *x: function(*x, beta=0.5, alpha=-2), *inputs)
    i, a, b = (x.detach().numpy() for x in inputs)
    product = {"addr": np.multiply.outer, "addbmm": lambda a, b: (a @ b).sum(0)}.get(name, np.matmul)(a, b)
    np.testing.assert_allclose(function(*inputs, beta=0.5, alpha=-2).detach().numpy(), 0.5 * i - 2 * product)


def test_beta_of_zero_ignores_the_input():
    nan = rushlight.tensor([float("nan")])
    assert rushlight.addmm(nan, rushlight.ones(1, 1), rushlight.ones(1, 1), beta=0).tolist() == [[1.0]]


def test_added_in_place():
    x = rushlight.zeros(2, 2)
    assert x.addmm_(rushlight.eye(2), rushlight.eye(2)) is x
    assert x.tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_out():
    out = rushlight.empty(0)
    assert rushlight.mm(rushlight.eye(2), rushlight.eye(2), out=out) is out
    assert out.shape == (2, 2)
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        rushlight.mm(random_leaf(2, 2), random_leaf(2, 2), out=out)


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_vdot_inner_outer_kron(dtype):
    x, y = random_leaf(3, dtype=dtype), random_leaf(3, dtype=dtype, seed=1)
    np.testing.assert_allclose(rushlight.vdot(x, y).item(), np.vdot(x.detach().numpy(), y.detach().numpy()))
    for function in (rushlight.vdot, rushlight.dot, rushlight.inner, rushlight.outer, rushlight.kron):
        check_derivatives(function, x, y)
    a, b = random_leaf(2, 3, dtype=dtype), random_leaf(4, 3, dtype=dtype)
    np.testing.assert_allclose(rushlight.inner(a, b).detach().numpy(), np.inner(a.detach().numpy(), b.detach().numpy()))
    np.testing.assert_allclose(rushlight.kron(a, b).detach().numpy(), np.kron(a.detach().numpy(), b.detach().numpy()))
    np.testing.assert_allclose(rushlight.kron(a, y).detach().numpy(), np.kron(a.detach().numpy(), y.detach().numpy()))


def test_numpy_functions_on_tensors():
    x = random_leaf(2, 3)
    assert np.matmul(x, x.detach().numpy().T).grad_fn.name() == "MmBackward0"
    assert (x.detach().numpy().T @ x).shape == (3, 3)


NUMPY = [
    ("dot", (3,), (3,)),
    ("dot", (2, 3), (3,)),
    ("dot", (2, 3), (3, 4)),
    ("dot", (2, 2, 3), (5, 3, 4)),
    ("dot", (), (3,)),
    ("inner", (2, 3), (4, 3)),
    ("outer", (2, 2), (3,)),
    ("vdot", (2, 2), (4,)),
    ("kron", (2, 2), (3,)),
    ("tensordot", (2, 3, 4), (3, 4, 2)),
    ("cross", (2, 3), (2, 3)),
]


@pytest.mark.parametrize(("name", "left", "right"), NUMPY)
def test_products_of_numpy_on_tensors(name, left, right):
    x, y = random_leaf(*left), random_leaf(*right, seed=1)
    found = getattr(np, name)(x, y)
    assert found.requires_grad
    expected = getattr(np, name)(x.detach().numpy(), y.detach().numpy())
    np.testing.assert_allclose(found.detach().numpy(), expected)


@pytest.mark.parametrize(
    "name", ["inv", "det", "cholesky", "eigvalsh", "svdvals", "norm", "pinv", "matrix_rank", "matrix_norm"]
)
def test_linear_algebra_of_numpy_on_tensors(name):
    x = random_leaf(3, 3)
    x = x @ x.T
    expected = getattr(np.linalg, name)(x.detach().numpy())
    np.testing.assert_allclose(getattr(np.linalg, name)(x).detach().numpy(), expected)
