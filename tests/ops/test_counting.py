"""Unique numbers, histograms, quantiles and repeated elements, compared with PyTorch."""

import numpy as np
import pytest

import rushlight

INTEGERS = ["uint8", "int8", "int16", "int32", "int64"]
SHAPES = [(0,), (1,), (7,), (3, 4), (60, 50)]


def both(make, call):
    """What PyTorch and we give for a call, as arrays."""
    found = []
    for library in (pytest.importorskip("torch"), rushlight):
        results = call(library, *[library.from_numpy(x.copy()) for x in make])
        found.append([part.numpy() for part in (results if isinstance(results, tuple) else (results,))])
    return found


def check(make, call, tolerance=0.0):
    for theirs, ours in zip(*both(make, call), strict=True):
        assert ours.dtype == theirs.dtype
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("counts", [False, True])
@pytest.mark.parametrize("dtype", [*INTEGERS, "float32"])
@pytest.mark.parametrize("shape", SHAPES)
def test_unique(shape, dtype, counts, inverse):
    x = np.random.default_rng(0).integers(0, 50, shape).astype(dtype) - np.array(dtype != "uint8").astype(dtype) * 20
    check([x.astype(dtype)], lambda t, x: t.unique(x, return_inverse=inverse, return_counts=counts))


def test_unique_numbers_far_apart():
    x = np.array([2**62, -(2**62), 2**62, 0])
    check([x], lambda t, x: t.unique(x, return_inverse=True, return_counts=True))
    check([np.array([255, 0, 255], np.uint8)], lambda t, x: t.unique(x, return_counts=True))


@pytest.mark.parametrize("limits", [(0, 0), (-1, 1), (0.25, 0.5), (2, 2)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", SHAPES[1:])
def test_histc(shape, dtype, limits):
    x = np.random.default_rng(0).standard_normal(shape).astype(dtype)
    check([x], lambda t, x: t.histc(x, 7, *limits))
    check([np.full(shape, 3, dtype)], lambda t, x: t.histc(x, 7, *limits))


@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_quantiles(interpolation, holes, name):
    x = np.random.default_rng(0).standard_normal((5, 8))
    if holes:
        x[1, 2:5] = x[3] = np.nan
    q = np.array([0.0, 0.3, 0.5, 1.0])
    for dim in (0, 1, None):
        call = lambda t, x, q, dim=dim: getattr(t, name)(x, q, dim=dim, interpolation=interpolation)
        check([x, q], call, tolerance=1e-12)


def test_indices_that_are_put():
    x, y, i = np.zeros((4, 5)), np.arange(20.0).reshape(4, 5), np.array([3, -1, 0, 3])
    check([x, y, i], lambda t, x, y, i: x.index_put((i,), y))
    check([x, y, i], lambda t, x, y, i: x.index_put((i,), y, accumulate=True))
    check([x, y, i], lambda t, x, y, i: x.put(i, y[0, :4]))
    check([x, y, i], lambda t, x, y, i: x.index_put((i,), y[:1]))


@pytest.mark.parametrize("dim", [0, 1])
def test_gradients_of_products_and_selections(dim):
    torch = pytest.importorskip("torch")
    draw = np.random.default_rng(0)
    for x in (draw.standard_normal((4, 5)), draw.integers(-1, 2, (4, 5)).astype(float), draw.standard_normal((5, 4)).T):
        for call in (
            lambda x: x.prod(dim),
            lambda x: x.prod(),
            lambda x: x.amax(dim),
            lambda x: x.norm(p=1, dim=dim),
            lambda x: x.norm(p=3, dim=dim),
            lambda x: x.sort(dim).values,
        ):
            grads = []
            for library in (torch, rushlight):
                leaf = library.from_numpy(x.copy(order="K")).requires_grad_()
                result = call(leaf)
                (grad,) = library.autograd.grad(result, leaf, library.ones_like(result) * 0.5, create_graph=True)
                (again,) = library.autograd.grad(grad.sin().sum() + leaf.sum(), leaf)
                (alone,) = library.autograd.grad(call(leaf), leaf, library.ones_like(result) * 0.5)
                grads.append((grad, alone, again))
            assert [grad.stride() for grad in grads[0][:2]] == [grad.stride() for grad in grads[1][:2]]
            for theirs, ours in zip(*grads, strict=True):
                np.testing.assert_allclose(ours.detach().numpy(), theirs.detach().numpy(), rtol=1e-9, atol=1e-12)
