"""What PyTorch saves decides whether a second pass through a graph raises."""

import pytest

import rushlight as torch

F = torch.nn.functional


def image(*shape):
    return torch.rand(*shape, requires_grad=True)


SAVED = {
    "index": lambda: image(5, 5)[[1, 2]],
    "index by a tensor": lambda: image(5, 5)[torch.tensor([1, 2])],
    "index by a mask": lambda: image(3)[torch.tensor([True, False, True])],
    "index_put": lambda: image(5, 5).index_put((torch.tensor([4]),), torch.ones(5)),
    "gather": lambda: image(3).gather(0, torch.tensor([0, 1])),
    "avg_pool1d": lambda: F.avg_pool1d(image(1, 1, 6), 2),
    "avg_pool2d": lambda: F.avg_pool2d(image(1, 1, 6, 6), 2),
    "avg_pool3d": lambda: F.avg_pool3d(image(1, 1, 2, 2, 2), 2),
    "adaptive_avg_pool2d": lambda: F.adaptive_avg_pool2d(image(1, 1, 6, 6), 3),
    "reflect": lambda: F.pad(image(1, 1, 4, 4), (1, 1, 1, 1), mode="reflect"),
    "replicate": lambda: F.pad(image(1, 1, 4), (1, 1), mode="replicate"),
    "div": lambda: torch.div(image(3), image(3), rounding_mode="trunc"),
    "nll_loss": lambda: F.nll_loss(image(2, 3), torch.tensor([0, 2])),
    "rfft": lambda: torch.fft.rfft(image(4)).abs(),
    "grid_sample": lambda: F.grid_sample(
        image(1, 1, 3, 3), torch.zeros(1, 2, 2, 2), mode="nearest", align_corners=True
    ),
}
UNSAVED = {
    "affine_grid": lambda: F.affine_grid(image(1, 2, 3), [1, 1, 2, 2], align_corners=True),
    "slice": lambda: image(5)[1:3],
    "sum": lambda: image(5).sum(),
    "constant pad": lambda: F.pad(image(1, 3), (1, 1)),
    "interpolate": lambda: F.interpolate(image(1, 1, 4), 2),
    "stack": lambda: torch.stack([image(2), image(2)]),
    "expand": lambda: image(2, 2).expand(3, 2, 2),
}


def twice(make):
    y = make()
    y.sum().backward()
    y.sum().backward()


@pytest.mark.parametrize("make", SAVED.values(), ids=SAVED)
def test_refused(make):
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        twice(make)


@pytest.mark.parametrize("make", UNSAVED.values(), ids=UNSAVED)
def test_allowed(make):
    twice(make)


def test_a_pass_from_nowhere_does_nothing():
    x = torch.ones(2, requires_grad=True)
    torch.autograd.backward([])
    assert torch.autograd.grad([], [x], allow_unused=True) == (None,)
    with pytest.raises(RuntimeError, match="appears to not have been used"):
        torch.autograd.grad([], [x])


def test_forward_mode_of_what_has_no_derivative():
    x = torch.tensor([1.0, -2.0, 0.0], dtype=torch.float64)
    pushed = lambda x: torch.func.linearize(lambda x: x.relu(), x)[1](x * 2).sum()
    assert torch.func.hessian(pushed)(x).tolist() == [[0.0] * 3] * 3


@pytest.mark.parametrize("function", [torch.fmod, torch.remainder])
def test_a_derivative_that_is_constant_leads_nowhere(function):
    x, y = (torch.tensor([5.0, 7.0], requires_grad=True) for _ in range(2))
    slope = torch.autograd.grad(function(x, y).sum(), y, create_graph=True)[0]
    assert slope.requires_grad
    second = torch.autograd.grad((slope**2).sum(), x, create_graph=True)[0]
    assert not second.requires_grad
    assert second.tolist() == [0, 0]
