"""Where gradients lie, also those that pass through tensors in another order than their leaf: beside live PyTorch."""

import pytest

import rushlight

pytorch = pytest.importorskip("torch")
SHAPES = [(3, 4), (2, 3, 4), (1, 3, 3), (2, 1, 4)]
CALLS = {
    **{
        f"{name} {reduction}": lambda t, x, name=name, reduction=reduction: getattr(t.nn.functional, name)(
            x, x.detach() * 2, reduction=reduction
        )
        for name in ("mse_loss", "huber_loss", "smooth_l1_loss", "l1_loss")
        for reduction in ("none", "mean", "sum")
    },
    "target": lambda t, x: t.nn.functional.mse_loss(x.detach() * 2, x),
    "masked_fill": lambda t, x: x.masked_fill(x > 0.3, 0),
    "masked_fill with a tensor": lambda t, x: x.masked_fill(x > 0.3, t.tensor(2.0)),
    "masked_select": lambda t, x: x.masked_select(x > 0.3),
    "take": lambda t, x: x.take(t.tensor([0, 1, 1])),
    "logcumsumexp": lambda t, x: x.logcumsumexp(-1),
    "cumsum": lambda t, x: x.cumsum(0),
    "logsigmoid": lambda t, x: t.nn.functional.logsigmoid(x),
    "softplus": lambda t, x: t.nn.functional.softplus(x),
    "hardtanh": lambda t, x: t.nn.functional.hardtanh(x, 0.2, 0.9),
    "prod": lambda t, x: x.prod(),
    **{
        f"{name} {dim} {keepdim}": lambda t, x, name=name, dim=dim, keepdim=keepdim: getattr(x, name)(
            dim, keepdim=keepdim
        )
        for name in ("prod", "amax", "amin")
        for dim in (0, -1)
        for keepdim in (False, True)
    },
    "amax of two": lambda t, x: x.amax((0, -1)),
    **{
        f"norm {p} {dim}": lambda t, x, p=p, dim=dim: t.linalg.vector_norm(x, p, dim)
        for p in (1, 2, 3)
        for dim in (None, 0, -1)
    },
    "cdist": lambda t, x: t.cdist(x, x.detach() + 1),
    "cdist, second": lambda t, x: t.cdist(x.detach() + 1, x, 1.0),
    "cross": lambda t, x: t.linalg.cross(x[..., :3], t.ones(*x.shape[:-1], 3)),
    "solve": lambda t, x: t.linalg.solve(t.eye(x.shape[-2]), x),
    "pinv": lambda t, x: t.linalg.pinv(x),
    "qr": lambda t, x: t.linalg.qr(x)[1],
    "rows": lambda t, x: t.einsum("...i,...i->...", x, x.detach()),
    "columns": lambda t, x: t.einsum("...ij,ik->...jk", x, t.ones(x.shape[-2], 2)),
    "turned": lambda t, x: t.einsum("...ij,jk->k...i", x, t.ones(x.shape[-1], 2)),
    "weights": lambda t, x: t.einsum("bi,...i->b...", t.ones(5, x.shape[-1]), x),
    "tensordot": lambda t, x: t.tensordot(x, t.ones(x.shape[-1], 2), 1),
    "tensordot, second": lambda t, x: t.tensordot(t.ones(2, x.shape[0]), x, 1),
    "tensordot of all": lambda t, x: t.tensordot(x, t.ones(x.shape), x.dim()),
    **{
        name: lambda t, x, name=name: getattr(t, name)(x)
        for name in ("sin", "exp", "sqrt", "reciprocal", "abs", "tanh", "erf", "sinc", "relu", "square", "nan_to_num")
    },
    **{
        name: lambda t, x, name=name: getattr(t.nn.functional, name)(x)
        for name in ("gelu", "silu", "mish", "elu", "hardswish", "hardsigmoid", "softshrink", "hardshrink", "softsign")
    },
    **{
        f"{name}, {place}": lambda t, x, name=name, place=place: getattr(t, name)(
            *((x, t.ones(x.shape)) if place == "first" else (t.ones(x.shape), x))
        )
        for name in ("mul", "div", "maximum", "atan2", "hypot", "pow", "logaddexp", "copysign", "rsub")
        for place in ("first", "second")
    },
    "number to a power": lambda t, x: 2**x,
    "where": lambda t, x: t.where(x > 0.5, x, t.ones(x.shape)),
    "where, in order": lambda t, x: t.where(t.ones(x.shape) > 0.5, x, 1.0),
    "clamp": lambda t, x: x.clamp(0.2, 0.6),
    "clamp by tensors": lambda t, x: x.clamp(t.full(x.shape, 0.2)),
    "lerp": lambda t, x: t.lerp(x, t.ones(x.shape), 0.3),
    "masked_scatter": lambda t, x: x.masked_scatter(x > 0.5, t.ones(x.numel())),
    "softmax": lambda t, x: x.softmax(-1),
    "std": lambda t, x: x.std(0),
    "sort": lambda t, x: x.sort(-1).values,
    "flip": lambda t, x: x.flip(0),
    "cat": lambda t, x: t.cat([x, x]),
    "expand": lambda t, x: x.expand(2, *x.shape),
    "normalize": lambda t, x: t.nn.functional.normalize(x, dim=-1),
    "renorm": lambda t, x: x.renorm(2, 0, 0.5),
    "angle of complex": lambda t, x: t.complex(x, x).angle(),
    "binary_cross_entropy_with_logits": lambda t, x: t.nn.functional.binary_cross_entropy_with_logits(
        x, t.ones(x.shape), reduction="none"
    ),
}


def lying(t, shape, lies):
    """A tensor in order, transposed, or with gaps; what is a view of a tensor in order is in order."""
    x = (t.arange(1.0, 1 + t.ones(shape).numel()) / 10).reshape(shape)
    if lies == "turned":
        dims = range(len(shape) - 1, -1, -1)
        return x.permute(*dims).contiguous().permute(*dims)
    return t.stack([x, x], -1)[..., 1] if lies == "gaps" else x


def strides(t, call, shape, lies):
    """The strides of the result, and of gradients: of a sum, for a given cotangent, recorded, and as `.grad`."""
    x = lying(t, shape, lies).detach().requires_grad_()
    y = call(t, x.transpose(0, -1) if lies == "view" else x)
    ones = t.ones(y.shape)
    grads = [
        *t.autograd.grad(y.sum(), x, retain_graph=True),
        *t.autograd.grad(y, x, ones, retain_graph=True),
        *t.autograd.grad(y, x, ones, create_graph=True),
    ]
    y.backward(ones)
    seen = [[s for n, s in zip(g.shape, g.stride(), strict=True) if n != 1] for g in (y, *grads, x.grad)]
    return seen, [g.is_contiguous() for g in grads]


@pytest.mark.parametrize("lies", ["order", "turned", "gaps", "view"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", CALLS)
def test_lie_as_in_pytorch(name, shape, lies):
    call = CALLS[name]
    if (name, shape) == ("qr", (1, 3, 3)) or (name == "solve" and shape[-2] == 1):
        pytest.skip("strides of what LAPACK gives back for one row")
    if name == "cross" and lies == "view" and shape[0] < 3:
        pytest.skip("a cross product is one of vectors with three numbers")
    assert strides(rushlight, call, shape, lies) == strides(pytorch, call, shape, lies)


DECOMPOSED = {
    "cholesky": lambda t, A: t.linalg.cholesky(A),
    "cholesky_inverse": lambda t, A: t.cholesky_inverse(A),
    "cholesky_solve": lambda t, A: t.cholesky_solve(t.ones(3, 2), A),
    "det": lambda t, A: t.linalg.det(A),
    "eig": lambda t, A: t.linalg.eig(A).eigenvalues.real,
    "eigh": lambda t, A: t.linalg.eigh(A).eigenvectors,
    "eigvalsh": lambda t, A: t.linalg.eigvalsh(A),
    "inv": lambda t, A: t.linalg.inv(A),
    "lstsq": lambda t, A: t.linalg.lstsq(A, t.ones(A.shape)).solution,
    "lu_factor": lambda t, A: t.linalg.lu_factor(A)[0],
    "pinv": lambda t, A: t.linalg.pinv(A),
    "qr": lambda t, A: t.linalg.qr(A).Q,
    "slogdet": lambda t, A: t.linalg.slogdet(A)[1],
    "solve": lambda t, A: t.linalg.solve(A, t.ones(3, 2)),
    "solve_triangular": lambda t, A: t.linalg.solve_triangular(A, t.ones(3, 2), upper=True),
    "svd": lambda t, A: t.linalg.svd(A).U,
    "svdvals": lambda t, A: t.linalg.svdvals(A),
}


def strides_of_decomposed(t, call, lead, turns, in_order):
    """The strides of the gradients of matrices, in order or turned, for cotangents like the result or in order."""
    A = (4 * t.eye(3) + t.arange(9.0).reshape(3, 3) / 20).repeat(*lead, 1, 1)
    A = (A.mT.contiguous().mT if turns else A).detach().requires_grad_()
    y = call(t, A)
    cotangent = t.ones_like(y).contiguous() if in_order else t.ones_like(y)
    return [t.autograd.grad(y, A, cotangent, create_graph=create)[0].stride() for create in (True, False)]


@pytest.mark.parametrize("in_order", [True, False])
@pytest.mark.parametrize("turns", [True, False])
@pytest.mark.parametrize("lead", [(), (2,)], ids=str)
@pytest.mark.parametrize("name", DECOMPOSED)
def test_gradients_of_decompositions(name, lead, turns, in_order):
    call = DECOMPOSED[name]
    found, expected = [strides_of_decomposed(t, call, lead, turns, in_order) for t in (rushlight, pytorch)]
    assert [tuple(strides) for strides in found] == expected


def test_a_condition_without_dimensions_chooses_gradients_on_tensors():
    torch = rushlight
    x = torch.ones(4, dtype=torch.float64)[::2].requires_grad_()
    condition = torch.tensor(True)
    chosen = torch.where(condition, x * 2, x.exp())
    (grad,) = torch.autograd.grad(chosen.sum(), x)
    assert grad.tolist() == [2.0, 2.0]
    number = torch.tensor(3.0, dtype=torch.float64).requires_grad_()
    (grad,) = torch.autograd.grad(torch.where(condition, number, -number).expand(2, 3).t().sum(), number)
    assert grad.item() == 6.0
