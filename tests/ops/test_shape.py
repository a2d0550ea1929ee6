"""Views, shapes, the order of dimensions, rearranging: values, derivatives, what shares memory, errors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rushlight as torch
from tests.derivatives import check_derivatives

VIEWS = {
    "view": lambda torch, x: x.view(6, 4),
    "view_as": lambda torch, x: x.view_as(torch.zeros(4, 6)),
    "reshape": lambda torch, x: x.reshape(3, -1),
    "reshape of a transpose": lambda torch, x: x.transpose(0, 1).reshape(6, 4),
    "flatten": lambda torch, x: x.flatten(1),
    "ravel": lambda torch, x: x.T.ravel(),
    "unflatten": lambda torch, x: x.unflatten(2, (2, -1)),
    "squeeze": lambda torch, x: x[:1].squeeze(0),
    "unsqueeze": lambda torch, x: x.unsqueeze(-2),
    "expand": lambda torch, x: x[:, :1].expand(3, 2, 5, 4),
    "broadcast_tensors": lambda torch, x: torch.broadcast_tensors(x[0], x[:, :1])[1],
    "permute": lambda torch, x: x.permute(2, 0, 1),
    "movedim": lambda torch, x: x.movedim((0, 1), (2, 0)),
    "mT": lambda torch, x: x.mT,
    "adjoint": lambda torch, x: torch.adjoint(x),
    "H": lambda torch, x: x[0].H,
    "narrow": lambda torch, x: x.narrow(2, -3, 2),
    "select": lambda torch, x: x.select(1, -1),
    "diagonal": lambda torch, x: x.diagonal(1, 0, 2),
    "diagonal below": lambda torch, x: x.diagonal(-1, 1, 2),
    "unfold": lambda torch, x: x.unfold(2, 2, 1),
    "unfold apart": lambda torch, x: x.unfold(1, 1, 2),
    "as_strided": lambda torch, x: (x * 1).as_strided((3, 2), (2, 1), 1),
    "as_strided, overlapping": lambda torch, x: (x * 1)[1].as_strided((3, 3), (1, 1)),
    "unbind": lambda torch, x: x.unbind(1)[2],
    "clone": lambda torch, x: x.clone(),
    "contiguous": lambda torch, x: x.permute(2, 1, 0).contiguous(),
    "atleast_3d": lambda torch, x: torch.atleast_3d(x[0, 0]),
    "expand_copy": lambda torch, x: torch.expand_copy(x, (2, 2, 3, 4)),
    "unfold_copy": lambda torch, x: torch.unfold_copy(x, 0, 2, 1),
    "select_scatter": lambda torch, x: torch.select_scatter(x, x[1] * 2, 0, 0),
    "slice_scatter": lambda torch, x: torch.slice_scatter(x, x[:, :2] ** 2, 1, 0, 3, 2),
    "diagonal_scatter": lambda torch, x: torch.diagonal_scatter(x, x.diagonal() ** 2),
    "as_strided_scatter": lambda torch, x: torch.as_strided_scatter(x, x[0, 0, :2] ** 2, (2,), (3,), 1),
    "in place": lambda torch, x: x.clone().transpose_(0, 2).unsqueeze_(1).squeeze_(),
    "sum_to_size": lambda torch, x: x.sum_to_size(3, 1),
    "flip": lambda torch, x: x.flip(0, 2),
    "roll": lambda torch, x: x.roll((1, -2), (0, 2)),
    "roll all": lambda torch, x: x.roll(5),
    "rot90": lambda torch, x: x.rot90(-1, (1, 2)),
    "repeat": lambda torch, x: x.repeat(2, 1, 1, 3),
    "tile": lambda torch, x: x.tile(2, 1),
    "repeat_interleave": lambda torch, x: x.repeat_interleave(torch.tensor([2, 0, 1]), dim=1),
    "repeat_interleave evenly": lambda torch, x: x.repeat_interleave(2, dim=-1),
    "tril": lambda torch, x: x.tril(1),
    "triu": lambda torch, x: x.triu(-1),
    "diag": lambda torch, x: x[0].diag(1),
    "diag of a vector": lambda torch, x: x[0, 0].diag(-1),
    "diag_embed": lambda torch, x: torch.diag_embed(x[0], 1, 0, 2),
    "diagflat": lambda torch, x: torch.diagflat(x[0]),
    "trace": lambda torch, x: x[0].trace(),
    "meshgrid": lambda torch, x: torch.meshgrid(x[0, 0], x[1, 1, :2], indexing="xy"),
    "cartesian_prod": lambda torch, x: torch.cartesian_prod(x[0, 0], x[1, 1, :2]),
    "combinations": lambda torch, x: torch.combinations(x[0, 0], 2, with_replacement=True),
}


def example():
    """A tensor of shape (2, 3, 4) without special values."""
    values = np.random.default_rng(3).standard_normal((2, 3, 4))
    return torch.from_numpy(values).requires_grad_()


@pytest.mark.parametrize("name", VIEWS)
def test_derivatives(name):
    check_derivatives(lambda x: as_tuple(VIEWS[name](torch, x * x)), example())


COMPLEX = ["adjoint", "H", "mT", "as_strided", "unfold", "select_scatter", "trace", "repeat", "clone"]


@pytest.mark.parametrize("name", COMPLEX)
def test_complex_derivatives(name):
    x = (example().detach() + 1j * example().detach().flip(0)).requires_grad_()
    check_derivatives(lambda x: as_tuple(VIEWS[name](torch, x * x)), x)


@pytest.mark.parametrize("name", VIEWS)
def test_like_pytorch(name):
    theirs = pytest.importorskip("torch")
    x = theirs.tensor(example().detach().numpy()).requires_grad_()
    ours, expected = as_tuple(VIEWS[name](torch, example())), as_tuple(VIEWS[name](theirs, x))
    for mine, yours in zip(ours, expected, strict=True):
        np.testing.assert_array_equal(mine.detach().numpy(), yours.detach().numpy())
        assert mine.grad_fn.name() == yours.grad_fn.name()


def as_tuple(result):
    """One or several tensors as a tuple."""
    return tuple(result) if isinstance(result, (tuple, list)) else (result,)


@pytest.mark.parametrize(
    "name",
    [*list(VIEWS)[:3], "squeeze", "unsqueeze", "expand", "permute", "narrow", "select", "diagonal", "unfold", "unbind"],
)
def test_views_share_memory_and_version(name):
    x = example().detach()
    y = as_tuple(VIEWS[name](torch, x))[0]
    assert np.shares_memory(x.numpy(), y.numpy())
    assert y._base is x
    x.add_(1)
    assert y._version == 1


@given(st.lists(st.integers(0, 3), max_size=4), st.data())
def test_reshape_keeps_the_elements(shape, data):
    array = np.arange(int(np.prod(shape))).reshape(shape)
    x = torch.from_numpy(array.copy())
    target = data.draw(st.sampled_from([(-1,) if array.size else (0,), (*shape, 1), (1, *shape), tuple(shape)]))
    np.testing.assert_array_equal(x.reshape(target).numpy(), array.reshape(target))
    order = data.draw(st.permutations(range(len(shape))))
    if order:
        np.testing.assert_array_equal(x.permute(*order).numpy(), array.transpose(order))


def test_clone_keeps_the_order_of_dimensions_in_memory():
    assert torch.zeros(2, 3).T.clone().stride() == (1, 3)
    assert torch.zeros(3).expand(2, 3).clone().stride() == (3, 1)
    assert torch.zeros(2, 3, 4, 5).contiguous(memory_format=torch.channels_last).stride() == (60, 1, 15, 3)


def test_contiguous_and_flatten_return_the_tensor_itself():
    x = torch.zeros(2, 3)
    assert x.contiguous() is x
    assert x[0].flatten().grad_fn is None
    assert torch.atleast_1d(x) is x


SCATTERED = {  # what is laid over the memory of an input, by its strides, and the result: as PyTorch gives them
    "transposed": (lambda x: x.t(), None, [[-1, 3], [-1, 4], [-1, 5]]),
    "with gaps": (lambda x: x[:, ::2], 1, [[0, -1], [-1, 5]]),
    "before the first element": (lambda x: x[1], 1, [-1, 4, 5]),
    "expanded": (lambda x: x[0].expand(2, 3), None, [[-1, -1, -1], [0, 1, 2]]),
}


@pytest.mark.parametrize("name", SCATTERED)
def test_as_strided_scatter_writes_to_memory(name):
    view, offset, expected = SCATTERED[name]
    x = view(torch.arange(6.0).reshape(2, 3).requires_grad_())
    result = torch.as_strided_scatter(x, torch.full((3,), -1.0), (3,), (1,), offset)
    assert result.tolist() == expected
    (grad,) = torch.autograd.grad(result.sum(), x)
    assert torch.equal(grad, (result != -1).float())


@pytest.mark.parametrize("make", [lambda x, n: x.as_strided([1] * n, [1] * n), lambda x, n: x.expand([1] * n)])
def test_more_dimensions_than_numpy_has(make):
    assert make(torch.zeros(1), 64).ndim == 64
    with pytest.raises(RuntimeError, match="only tensors with up to 64 dims are supported"):
        make(torch.zeros(1), 65)


def test_resize():
    x = torch.tensor([[1, 2], [3, 4]])
    assert x.resize_(3).tolist() == [1, 2, 3]
    with pytest.raises(RuntimeError, match="cannot resize variables that require grad"):
        torch.ones(2, requires_grad=True).resize_(3)


ERRORS = [
    (lambda x: x.view(5), RuntimeError, r"shape '\[5\]' is invalid for input of size 24"),
    (lambda x: x.transpose(0, 1).view(24), RuntimeError, "view size is not compatible"),
    (lambda x: x.view(-1, -1), RuntimeError, "only one dimension can be inferred"),
    (lambda x: x.squeeze(7), IndexError, r"Dimension out of range \(expected to be in range of \[-3, 2\], but got 7\)"),
    (lambda x: x.expand(2, 3, 5), RuntimeError, r"The expanded size of the tensor \(5\) must match the existing size"),
    (lambda x: x.permute(0, 1, 1), RuntimeError, r"permute\(\): duplicate dims are not allowed"),
    (lambda x: x.t(), RuntimeError, r"t\(\) expects a tensor with <= 2 dimensions, but self is 3D"),
    (lambda x: x.narrow(0, 1, 2), RuntimeError, r"start \(1\) \+ length \(2\) exceeds dimension size \(2\)"),
    (lambda x: x.unfold(0, 5, 1), RuntimeError, "maximum size for tensor at dimension 0 is 2 but size is 5"),
    (lambda x: x.as_strided((99,), (1,)), RuntimeError, "setStorage: sizes"),
    (lambda x: x.repeat(2), RuntimeError, "Number of dimensions of repeat dims can not be smaller"),
    (lambda x: x.flip(0, 0), RuntimeError, "dim 0 appears multiple times in the list of dims"),
    (lambda x: x.trace(), RuntimeError, "trace: expected a matrix, but got tensor with dim 3"),
    (lambda x: torch.broadcast_shapes((2,), (3,)), RuntimeError, "Attempting to broadcast a dimension of length 3"),
]


@pytest.mark.parametrize(("function", "error", "message"), ERRORS)
def test_errors(function, error, message):
    with pytest.raises(error, match=message):
        function(torch.zeros(2, 3, 4))


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 2)])
def test_reversed(shape):
    x = torch.arange(float(np.prod(shape))).reshape(shape)
    assert torch.equal(reversed(x), x.flip(0) if shape else x)


def test_differences_with_what_does_not_fit():
    x = torch.ones(2, 3)
    for options in ({"prepend": torch.ones(3, 1)}, {"append": torch.ones(2, 2), "dim": 0}):
        with pytest.raises(RuntimeError, match="diff expects the shape of tensor to prepend or append to match"):
            torch.diff(x, **options)
    assert torch.diff(x, append=torch.ones(2, 2)).shape == (2, 4)


def test_slopes_between_equal_positions_are_infinite():
    (slopes,) = torch.gradient(torch.tensor([1.0, 2.0, 4.0]), spacing=(torch.tensor([0.0, 0.0, 1.0]),))
    assert slopes[0] == torch.inf
    assert slopes[2] == 2


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_gradients_of_strided_views_in_narrow_types(dtype):
    x = torch.arange(16.0).to(dtype).requires_grad_()
    torch.as_strided(x, (2, 1, 1, 2), (1, 7, 7, 1)).sum().backward()
    assert x.grad.tolist() == [1, 2, 1] + [0] * 13
