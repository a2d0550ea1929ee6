"""Strides along dimensions of size 1 and 0, of results, views and gradients, as PyTorch's."""

import math

import pytest

import rushlight

SHAPES = [(3, 1), (1, 3), (2, 1, 3), (1, 2, 3), (2, 3, 1), (1, 3, 1), (1, 1), (1, 2, 1, 3), (2, 1, 4, 1)]
EMPTY = [(0,), (0, 3), (3, 0), (2, 1, 0)]


def numbers(library, shape):
    """Different numbers in order."""
    return (library.arange(float(math.prod(shape))) / 7 + 0.1).reshape(shape)


LIES = {
    "order": numbers,
    "turned": lambda t, shape: numbers(t, shape[::-1]).permute(*reversed(range(len(shape)))),
    "sliced": lambda t, shape: numbers(t, [n + 1 for n in shape])[tuple([slice(1, None)] * len(shape))],
    "picked": lambda t, shape: numbers(t, (*shape, 2))[..., 1],
}
CALLS = {
    "times a number": lambda t, x: x * 2,
    "less than a number": lambda t, x: x < 0.5,
    "power": lambda t, x: x**2,
    "two of one shape": lambda t, x: x * x,
    "broadcast": lambda t, x: x + t.ones(x.shape[-1:]),
    "a new first": lambda t, x: x.unsqueeze(0) + t.ones(3, *x.shape),
    "where": lambda t, x: t.where(x > 0.3, x, 0),
    "softplus": lambda t, x: t.nn.functional.softplus(x),
    "clone": lambda t, x: x.clone(),
    "int": lambda t, x: x.int(),
    "zeros_like": lambda t, x: t.zeros_like(x),
    "sum": lambda t, x: x.sum(0, keepdim=True),
    "flip": lambda t, x: x.flip(0),
    "cat": lambda t, x: t.cat([x, x], -1),
    "argsort": lambda t, x: x.argsort(0, descending=True),
    "topk": lambda t, x: x.topk(1, 0)[1],
}
PARTS = {
    "view": lambda t, x: x.unsqueeze(1).view(1, *x.shape, 1),
    "reshape": lambda t, x: x.reshape(*x.shape[:1], 1, *x.shape[1:]),
    "unsqueeze": lambda t, x: x.unsqueeze(-1).unsqueeze(0),
    "expand": lambda t, x: x.expand(2, *x.shape),
    "nothing": lambda t, x: x[1:1],
    "nothing of the last": lambda t, x: x[..., 1:1],
    "nothing behind": lambda t, x: x[7:],
    "none and nothing": lambda t, x: x[None, 1:1],
    "steps": lambda t, x: x[0:9:3],
    "split": lambda t, x: x.split(1, -1)[0],
    "rows": lambda t, x: x[[0, -1]],
    "columns": lambda t, x: x[..., [0, 0]],
    "places": lambda t, x: x[:1, t.tensor([[0, 0]])],
}


def seen(tensor):
    """What can be seen of a tensor's place in memory."""
    return tuple(tensor.shape), tensor.stride(), tensor.storage_offset(), tensor.is_contiguous()


def check(call, lies, shape):
    torch = pytest.importorskip("torch")
    ours, theirs = (seen(call(library, LIES[lies](library, shape))) for library in (rushlight, torch))
    assert ours == theirs


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("lies", LIES)
@pytest.mark.parametrize("name", CALLS)
def test_results(name, lies, shape):
    check(CALLS[name], lies, shape)


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if len(shape) > 1], ids=str)
@pytest.mark.parametrize("lies", LIES)
@pytest.mark.parametrize("name", PARTS)
def test_parts(name, lies, shape):
    if name in ("view", "places") and lies not in ("order", "turned"):
        pytest.skip("there is no such view")
    check(PARTS[name], lies, shape)


@pytest.mark.parametrize("shape", EMPTY, ids=str)
@pytest.mark.parametrize("lies", LIES)
@pytest.mark.parametrize(
    "name", ["times a number", "clone", "int", "zeros_like", "broadcast", "flip", "two of one shape"]
)
def test_of_nothing(name, lies, shape):
    check(CALLS[name], lies, shape)


GRADIENTS = {
    "sum": lambda x: x.sum(),
    "sum of rows": lambda x: x.sum(0),
    "sum of columns": lambda x: x.sum(-1),
    "sum, kept": lambda x: x.sum(0, keepdim=True),
    "mean": lambda x: x.mean(0),
    "clone": lambda x: x.clone(),
    "double": lambda x: x.double(),
    "view": lambda x: x.reshape(1, *x.shape),
    "squeeze": lambda x: x.squeeze(),
    "new dimension": lambda x: x[:, None],
    "expand": lambda x: x.expand(2, *x.shape),
}


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if math.prod(shape) > 1], ids=str)
@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name, shape):
    torch = pytest.importorskip("torch")
    places = []
    for library in (rushlight, torch):
        x = numbers(library, shape).requires_grad_()
        result = GRADIENTS[name](x)
        (summed,) = library.autograd.grad(result.sum(), x, retain_graph=True)
        (alone,) = library.autograd.grad(result, x, library.ones(result.shape), retain_graph=True)
        result.sum().backward()
        places.append([seen(grad) for grad in (summed, alone, x.grad)])
    assert places[0] == places[1]


def test_without_pytorch(torch):
    x = torch.arange(6.0).reshape(2, 3)
    assert x[1:1].storage_offset() == 3
    assert x[0:1].T.unsqueeze(-1).stride() == (1, 3, 1)
    assert (x[0:1].T * 2).stride() == (1, 3)
    assert (x[0:1].T * x[0:1].T).stride() == (1, 1)
    assert torch.unique(torch.ones(2, 3, 4), dim=1).stride() == (4, 8, 1)
    row = torch.ones(1, requires_grad=True)
    assert torch.autograd.grad(row.sum(), row)[0].stride() == (0,)
