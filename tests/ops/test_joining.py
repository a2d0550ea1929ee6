"""Joining, splitting, padding: values, derivatives, dtypes, errors; and all of it live against PyTorch."""

import numpy as np
import pytest

import rushlight as torch
from tests.derivatives import check_derivatives
from tests.ops.test_shape import as_tuple, example

F = torch.nn.functional

FUNCTIONS = {
    "cat": lambda torch, x: torch.cat([x, x * 2, x[:, :, :1].expand(2, 3, 4)], 1),
    "cat with an empty vector": lambda torch, x: torch.cat([x, torch.zeros(0), x[:1]], 0),
    "concat": lambda torch, x: torch.concat([x, x], -1),
    "stack": lambda torch, x: torch.stack([x, x * x], 1),
    "hstack": lambda torch, x: torch.hstack([x, x]),
    "hstack of vectors": lambda torch, x: torch.hstack([x[0, 0], x[0, 0, 0]]),
    "vstack": lambda torch, x: torch.vstack([x[0, 0], x[0]]),
    "dstack": lambda torch, x: torch.dstack([x[0], x[1]]),
    "column_stack": lambda torch, x: torch.column_stack([x[0, 0], x[0].T]),
    "block_diag": lambda torch, x: torch.block_diag(x[0], x[1, 0], x[0, 0, 0]),
    "split": lambda torch, x: x.split(2, 1),
    "split_with_sizes": lambda torch, x: x.split([1, 0, 3], 2),
    "chunk": lambda torch, x: x.chunk(3, -1),
    "tensor_split": lambda torch, x: x.tensor_split((1, 3), 2),
    "tensor_split evenly": lambda torch, x: x.tensor_split(3, 2),
    "hsplit": lambda torch, x: x.hsplit(3),
    "dsplit": lambda torch, x: x.dsplit((1,)),
    "unsafe_chunk": lambda torch, x: torch.unsafe_chunk(x, 2, 2),
    "unsafe_split": lambda torch, x: torch.unsafe_split(x, 3, 2),
    "split_copy": lambda torch, x: torch.split_copy(x, 2, 1),
    "constant_pad_nd": lambda torch, x: torch.constant_pad_nd(x, (1, -2, 0, 3), 2.5),
    "pad": lambda torch, x: torch.nn.functional.pad(x, (1, 2)),
    "reflect": lambda torch, x: torch.nn.functional.pad(x, (3, 1, 2, 0), mode="reflect"),
    "reflect in 3": lambda torch, x: torch.nn.functional.pad(x[None], (1, 1, 2, 0, 1, 1), mode="reflect"),
    "replicate": lambda torch, x: torch.nn.functional.pad(x, (5, -1), mode="replicate"),
    "circular": lambda torch, x: torch.nn.functional.pad(x, (4, 1, 1, 3), mode="circular"),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives(name):
    check_derivatives(lambda x: as_tuple(FUNCTIONS[name](torch, x * x)), example())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_like_pytorch(name):
    theirs = pytest.importorskip("torch")
    x = theirs.tensor(example().detach().numpy()).requires_grad_()
    ours, expected = as_tuple(FUNCTIONS[name](torch, example())), as_tuple(FUNCTIONS[name](theirs, x))
    for mine, yours in zip(ours, expected, strict=True):
        np.testing.assert_array_equal(mine.detach().numpy(), yours.detach().numpy())
        assert mine.grad_fn.name() == yours.grad_fn.name().removeprefix("torch::autograd::")


def test_gradients_go_to_the_parts_in_their_dtype():
    x = torch.ones(2, requires_grad=True)
    y = torch.ones(3, dtype=torch.float64, requires_grad=True)
    joined = torch.cat([x, torch.tensor([7]), y])
    assert joined.dtype is torch.float64
    joined.backward(torch.arange(6, dtype=torch.float64))
    assert x.grad.dtype is torch.float32
    assert (x.grad.tolist(), y.grad.tolist()) == ([0, 1], [3, 4, 5])


def test_unused_pieces_have_zero_gradients():
    x = torch.arange(6.0).requires_grad_()
    x.split(2)[1].sum().backward()
    assert x.grad.tolist() == [0, 0, 1, 1, 0, 0]
    a, b = torch.ones(2, 2, requires_grad=True)[0], torch.ones(2)
    assert torch.stack([a, b]).requires_grad


def test_reflection_counts_each_element_as_often_as_it_is_seen():
    x = torch.zeros(1, 4, requires_grad=True)
    F.pad(x, (2, 1), mode="reflect").sum().backward()
    assert x.grad.tolist() == [[1, 2, 3, 1]]


ERRORS = [
    (lambda x: torch.cat([]), ValueError, "expected a non-empty list of Tensors"),
    (lambda x: torch.cat([x, 1]), TypeError, "expected Tensor as element 1 in argument 0, but got int"),
    (lambda x: torch.cat([x, x[:, :2]]), RuntimeError, "Sizes of tensors must match except in dimension 0"),
    (lambda x: torch.cat([x, torch.tensor(1.0)]), RuntimeError, r"zero-dimensional tensor \(at position 1\)"),
    (lambda x: torch.stack([x, x[0]]), RuntimeError, "stack expects each tensor to be equal size"),
    (lambda x: x.split([1, 2]), RuntimeError, "split_with_sizes expects split_sizes to sum exactly to 2"),
    (lambda x: x.chunk(0), RuntimeError, "chunk expects `chunks` to be greater than 0, got: 0"),
    (lambda x: x.hsplit(2), RuntimeError, "torch.hsplit attempted to split along dimension 1"),
    (lambda x: F.pad(x, (1,)), RuntimeError, "Padding length must be divisible by 2"),
    (lambda x: F.pad(x, (4, 0), mode="reflect"), RuntimeError, "Padding size should be less than"),
    (lambda x: F.pad(x, (1, 1), mode="foo"), NotImplementedError, "Unrecognised padding mode foo"),
    (lambda x: F.pad(x, (1, 1) * 3, mode="reflect"), NotImplementedError, "Padding size 6 is not supported for 3D"),
]


@pytest.mark.parametrize(("function", "error", "message"), ERRORS)
def test_errors(function, error, message):
    with pytest.raises(error, match=message):
        function(torch.zeros(2, 3, 4))
