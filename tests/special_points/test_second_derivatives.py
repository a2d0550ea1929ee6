"""Second derivatives at zeros, ties, repeated indices and bounds, by four ways of differentiating twice."""

import numpy as np
import pytest
from derivatives import check_derivatives, check_first_order, gradient_function, random_leaf

import rushlight as torch
from rushlight.func import jacfwd, jacrev

WAYS = {
    "reverse over reverse": torch.autograd.functional.hessian,
    "forward over reverse": lambda f, x: jacfwd(jacrev(f))(x),
    "reverse over forward": lambda f, x: jacrev(jacfwd(f))(x),
    "forward over forward": lambda f, x: jacfwd(jacfwd(f))(x),
}
F = torch.nn.functional
INF = float("inf")
WEIGHTS = torch.tensor([0.5, -1.0, 2.0, 1.5, -0.7, 0.3, 1.1, -0.4, 0.9], dtype=torch.float64)
SOME = [2.0, 0.0, -1.0, 0.0]
PLACES = torch.tensor([0, 1, 0, 0])


def weighed(x):
    """A sum in which every element has another weight."""
    return (x.reshape(-1) * WEIGHTS[: x.numel()]).sum()


SMOOTH = {  # functions that have a second derivative at the point, and the point
    **{
        f"norm of order {p}, squared": (lambda x, p=p: torch.linalg.vector_norm(x, p) ** 2, SOME)
        for p in (2, 3, 3.5, 4, 5, 6)
    },
    "norm of each column": (lambda x: weighed(x.reshape(2, 2).norm(p=3, dim=0)), [2.0, 1.0, 0.0, -1.0]),
    "dist": (lambda x: torch.dist(x, torch.tensor([1.0, 0.0, 1.0, 0.0]), p=4), SOME),
    "norm of complex": (lambda x: torch.linalg.vector_norm(torch.complex(x[:2], x[2:]), 3), SOME),
    "cdist": (lambda x: weighed(torch.cdist(x.reshape(2, 2), x.reshape(2, 2)[:1] + 1.0, p=3)), SOME),
    "pdist": (lambda x: torch.pdist(x.reshape(2, 2), 4.0).sum(), SOME),
    "euclidean by product": (
        lambda x: weighed(torch.cdist(x.reshape(2, 2), x.reshape(2, 2) + 1.0, 2.0, "use_mm_for_euclid_dist")),
        SOME,
    ),
    "normalize": (lambda x: weighed(F.normalize(x, p=3.0, dim=0)), SOME),
    "cosine_similarity": (lambda x: F.cosine_similarity(x[:2], x[2:], dim=0), SOME),
    "prod": (lambda x: x.prod(), SOME),
    "prod of a row": (lambda x: weighed(x.reshape(2, 2).prod(1)), SOME),
    "cumprod": (lambda x: weighed(x.cumprod(0)), SOME),
    **{
        f"{name} with{'' if own else 'out'} self, zeros: {x}": (
            lambda x, call=call, own=own: weighed(call(torch.cat([x[:2], x.new_ones(1)]), x, own)),
            x,
        )
        for x in ([2.0, 0.0, -1.0, 3.0], [0.0, 0.0, 1.0, 0.0])
        for own in (True, False)
        for name, call in {
            "scatter_reduce": lambda a, b, own: a.scatter_reduce(0, PLACES, b, "prod", include_self=own),
            "index_reduce": lambda a, b, own: a.index_reduce(0, PLACES, b, "prod", include_self=own),
        }.items()
    },
    "det of rank 1": (lambda x: torch.linalg.det(x.reshape(2, 2)), [1.0, 2.0, 2.0, 4.0]),
    "sinc": (lambda x: weighed(torch.sinc(x)), [0.0, 1e-5, 0.25, 1.0]),
    "polar": (lambda x: weighed(torch.view_as_real(torch.polar(x[:2], x[2:]))), [0.0, -2.0, 0.5, 1.0]),
    "whole powers": (lambda x: weighed(x**0 + x**1 + x**2 + x**3), SOME),
    "a tensor of powers": (lambda x: weighed(x ** torch.tensor([3.0, 2.0, 1.0, 0.0])), [0.0, 0.0, 0.0, 0.0]),
    "an exponent of 0": (lambda x: weighed(x[:2] ** x[2:]), [2.0, 3.0, 0.0, 1.0]),
    "xlogy": (lambda x: weighed(torch.xlogy(x[:2], x[2:])), [0.0, 1.0, 2.0, 3.0]),
    "logsumexp with -inf": (lambda x: torch.cat([x, x.new_full((1,), -INF)]).logsumexp(0), SOME),
    "softmax with -inf": (lambda x: weighed(torch.cat([x, x.new_full((1,), -INF)]).softmax(0)), SOME),
    "logcumsumexp after -inf": (lambda x: weighed(torch.cat([x.new_full((2,), -INF), x]).logcumsumexp(0)[2:]), SOME),
    "logaddexp of far apart": (
        lambda x: torch.logaddexp(1e4 * x[0], x[1]) + torch.logaddexp2(x[2], 1e4 * x[3] - 1e5),
        SOME,
    ),
    "ctc_loss": (lambda x: F.ctc_loss(x.reshape(2, 1, 2).log_softmax(2), torch.tensor([[1]]), [2], [1]), SOME),
    "special.i1": (lambda x: weighed(torch.special.i1(x)), [0.0, 1e-4, 1.0, -2.0]),
    "square of std": (lambda x: x.std() ** 2, SOME),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", SMOOTH)
def test_where_it_exists(name, way):
    """It is that of central differences of the gradient."""
    function, point = SMOOTH[name]
    x = torch.tensor(point, dtype=torch.float64)
    found = WAYS[way](function, x).numpy()
    for i in range(len(point)):
        step = torch.zeros_like(x)
        step[i] = 1e-5
        sides = [jacrev(function)(x + sign * step) for sign in (1, -1)]
        expected = ((sides[0] - sides[1]) / 2e-5).numpy()
        np.testing.assert_allclose(found[i], expected, rtol=1e-4, atol=1e-4, err_msg=f"row {i}")


KINKS = {  # functions that have no second derivative at the point, which is kept out of what else depends on it
    **{
        f"norm of order {p}": lambda x, p=p: torch.linalg.vector_norm(x, p)
        for p in (-INF, -1.0, 0, 0.5, 1, 1.5, 2, 3, 4, INF)
    },
    "std": lambda x: x.std(),
    "std_mean": lambda x: torch.std_mean(x)[0],
    "dist": lambda x: torch.dist(x, 0 * x),
    "cdist": lambda x: torch.cdist(x.reshape(2, 2), 0 * x.reshape(2, 2)).sum(),
    "normalize": lambda x: weighed(F.normalize(x, dim=0)),
    "abs": lambda x: weighed(x.abs()),
    "renorm": lambda x: weighed(x.reshape(2, 2).renorm(2, 0, 1.0)),
    "max": lambda x: x.max(),
    "amin": lambda x: x.amin(),
    "maximum": lambda x: weighed(torch.maximum(x, -x)),
    "clamp": lambda x: weighed(x.clamp(0, 1)),
    "atan2": lambda x: torch.atan2(x[:2], x[2:]).sum(),
    "copysign": lambda x: weighed(torch.copysign(x, -x)),
    "sgn": lambda x: weighed(torch.view_as_real(torch.complex(x[:2], x[2:]).sgn())),
    "angle": lambda x: torch.complex(x[:2], x[2:]).angle().sum(),
    "cosine_similarity": lambda x: F.cosine_similarity(x[:2], x[2:], dim=0),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", KINKS)
def test_where_there_is_none(name, way):
    """It is finite, and all ways give the same."""
    x = torch.zeros(4, dtype=torch.float64)
    found, expected = (WAYS[w](KINKS[name], x).numpy() for w in (way, "reverse over reverse"))
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_unpooling_of_repeated_places(dims):
    """The last of several values for a place stays, and so does its tangent."""
    unpool = getattr(F, f"max_unpool{dims}d")
    x = torch.tensor([1.0, 2.0, 3.0]).reshape(1, 3, *[1] * (dims - 1))
    places = torch.tensor([2, 0, 2]).reshape(x.shape)
    tangent = torch.tensor([5.0, 7.0, 11.0]).reshape(x.shape)
    value, pushed = torch.func.jvp(lambda x: unpool(x, places, 2), (x,), (tangent,))
    assert value.flatten()[:3].tolist() == [2.0, 0.0, 3.0]
    assert pushed.flatten()[:3].tolist() == [7.0, 0.0, 11.0]


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("rank", range(5))
def test_determinant_of_any_rank(rank, dtype):
    """First and second derivatives hold for singular matrices; third ones need an inverse."""
    left, right = random_leaf(4, rank, dtype=dtype, seed=1), random_leaf(rank, 4, dtype=dtype, seed=2)
    matrix = (left @ right).detach().clone().requires_grad_()
    check_derivatives(torch.linalg.det, matrix)
    if rank == 4:
        second, values = gradient_function(*gradient_function(torch.linalg.det, [matrix], 0), 1)
        check_first_order(second, *values, atol=1e-4, rtol=1e-4)
