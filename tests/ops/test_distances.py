"""Distances of rows: by the kernel and by parts, against their definition; gradients against central differences."""

import math

import numpy as np
import pytest

import rushlight as torch

EXPONENTS = [0, 0.5, 1, 2, 3, math.inf]
SHAPES = [
    ((7, 5), (9, 5)),
    ((70, 33), (40, 33)),
    ((3, 700), (400, 700)),
    ((2, 1, 6, 4), (3, 5, 4)),
    ((0, 3), (2, 3)),
    ((2, 3), (0, 3)),
]
generator = np.random.default_rng(0)


def by_definition(x, y, p):
    """The p-norms of all differences."""
    sizes = np.abs(x[..., :, None, :] - y[..., None, :, :]).astype(np.float64)
    if p in (0, math.inf):
        return (sizes != 0).sum(-1) if p == 0 else sizes.max(-1)
    return (sizes**p).sum(-1) ** (1 / p)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("p", EXPONENTS)
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_distances(shapes, p, dtype):
    x, y = (generator.standard_normal(shape).astype(dtype) for shape in shapes)
    for a, b in ((x, y), (np.asfortranarray(x), y)):
        found = torch.cdist(torch.from_numpy(a), torch.from_numpy(b), p, "donot_use_mm_for_euclid_dist")
        np.testing.assert_allclose(found.numpy(), by_definition(x, y, p), 1e-4 if dtype == np.float32 else 1e-12)


@pytest.mark.parametrize("p", EXPONENTS)
@pytest.mark.parametrize("shapes", [((3, 40), (4, 40)), ((2, 1, 3, 2), (2, 4, 2)), ((2, 3), (0, 3))], ids=str)
def test_gradients(shapes, p):
    operands = [torch.from_numpy(generator.standard_normal(shape)).requires_grad_() for shape in shapes]

    def function(x, y):
        return torch.cdist(x, y, p, "donot_use_mm_for_euclid_dist")

    assert torch.autograd.gradcheck(function, operands)
    assert torch.autograd.gradgradcheck(function, operands)


@pytest.mark.parametrize("p", EXPONENTS)
def test_equal_rows_pull_nowhere(p):
    x = torch.ones(4, 3, dtype=torch.float64, requires_grad=True)
    torch.cdist(x, x.detach(), p, "donot_use_mm_for_euclid_dist").sum().backward()
    assert x.grad is None or not x.grad.any()


@pytest.mark.parametrize("p", EXPONENTS)
def test_what_is_no_number_stays(p):
    x = torch.zeros(2, 40)
    x[1, 7] = math.nan
    found = torch.cdist(x, torch.ones(3, 40), p, "donot_use_mm_for_euclid_dist")
    assert found[1].isnan().all() or p == 0
    assert not found[0].isnan().any()


@pytest.mark.parametrize("p", EXPONENTS)
def test_each_row_from_those_behind_it(p):
    x = generator.standard_normal((6, 40))
    rows, columns = np.triu_indices(6, 1)
    expected = by_definition(x, x, p)[rows, columns]
    np.testing.assert_allclose(torch.pdist(torch.from_numpy(x), p).numpy(), expected, 1e-12)


@pytest.mark.parametrize("p", EXPONENTS)
@pytest.mark.parametrize("shape", [(6, 40), (4, 3), (2, 5), (1, 3), (0, 3)], ids=str)
def test_gradients_of_rows_behind_each_other(shape, p):
    x = torch.from_numpy(generator.standard_normal(shape)).requires_grad_()
    every = {"check_forward_ad": True, "check_batched_grad": True, "check_batched_forward_grad": True}
    assert torch.autograd.gradcheck(lambda x: torch.pdist(x, p), [x], **every)
    assert torch.autograd.gradgradcheck(lambda x: torch.pdist(x, p), [x])


@pytest.mark.parametrize("p", EXPONENTS)
def test_gradients_of_turned_rows_are_those_of_rows_in_order(p):
    x = torch.from_numpy(generator.standard_normal((40, 6))).t()
    grads = []
    for leaf in (x.detach(), x.detach().contiguous()):
        leaf.requires_grad_()
        grads += torch.autograd.grad(torch.pdist(leaf, p).sum() + torch.cdist(leaf, leaf[:3], p).sum(), leaf)
    assert torch.allclose(*grads)
