"""Gradients of reductions at special points: ties, zeros, NaN and infinity, as PyTorch gives them."""

import pytest

NAN, INF = float("nan"), float("inf")

CASES = {
    "max over all shares": (lambda t, x: x.max(), [1, 3, 3, 0], [0, 0.5, 0.5, 0]),
    "min over all shares": (lambda t, x: x.min(), [1, 3, 1, 4], [0.5, 0, 0.5, 0]),
    "max along a dimension takes the first": (lambda t, x: x.max(0).values, [1, 3, 3, 0], [0, 1, 0, 0]),
    "min along a dimension takes the first": (lambda t, x: x.min(0).values, [1, 3, 1, 1], [1, 0, 0, 0]),
    "amax shares": (lambda t, x: x.reshape(2, 2).amax((0, 1)), [3, 1, 3, 3], [1 / 3, 0, 1 / 3, 1 / 3]),
    "aminmax shares": (lambda t, x: sum(t.aminmax(x)), [1, 3, 3, 1, 1], [1 / 3, 0.5, 0.5, 1 / 3, 1 / 3]),
    "max of NaN": (lambda t, x: x.max(), [1, NAN, 3], [0, 1, 0]),
    "max of two tensors": (lambda t, x: x.max(x * 0 + 3), [1, 3, 5], [0, 0.5, 1]),
    "median over all shares": (lambda t, x: x.median(), [1, 2, 2, 2, 3], [0, 1 / 3, 1 / 3, 1 / 3, 0]),
    "median of NaN": (lambda t, x: x.median(), [1, 2, 2, NAN, 3], [0, 0, 0, 1, 0]),
    "nanmedian": (lambda t, x: x.nanmedian(), [1, 2, 2, NAN, 3], [0, 0.5, 0.5, 0, 0]),
    "prod with a zero": (lambda t, x: x.prod(), [2, 0, 3], [0, 6, 0]),
    "prod with two zeros": (lambda t, x: x.prod(), [2, 0, 0], [0, 0, 0]),
    "prod along a dimension": (lambda t, x: x.reshape(2, 3).prod(1), [2, 0, 3, 0, 0, 4], [0, 6, 0, 0, 0, 0]),
    "cumprod with zeros": (lambda t, x: x.cumprod(0), [2, 0, 3, 0, 5], [1, 8, 0, 0, 0]),
    "2-norm at 0": (lambda t, x: x.norm(), [0, 0], [0, 0]),
    "1-norm at 0": (lambda t, x: x.norm(1), [0, -2], [0, -1]),
    "3-norm at 0": (lambda t, x: x.norm(3), [0, 0], [0, 0]),
    "1.5-norm": (lambda t, x: x.norm(1.5), [0, 2, -1], [0, 0.9040132, -0.6392339]),
    "0.5-norm": (lambda t, x: x.norm(0.5), [0, 2, -1], [0, 1.7071068, -2.4142136]),
    "-1-norm": (lambda t, x: x.norm(-1), [1, 2, -1], [0.16, 0.04, -0.16]),
    "inf-norm shares": (lambda t, x: x.norm(INF), [1, -3, 3], [0, -0.5, 0.5]),
    "-inf-norm shares": (lambda t, x: x.norm(-INF), [1, -1, 3], [0.5, -0.5, 0]),
    "norm of rows": (lambda t, x: x.reshape(2, 2).norm(2, 1), [0, 0, 3, 4], [0, 0, 0.6, 0.8]),
    "distance of 0": (lambda t, x: t.dist(x, x.detach()), [1, 2], [0, 0]),
    "std of equal elements": (lambda t, x: x.std(), [2, 2, 2], [0, 0, 0]),
    "1-norm of NaN": (lambda t, x: x.norm(1), [NAN, -2], [0, -1]),
    "abs of NaN": (lambda t, x: x.abs().sum(), [NAN, -2, 0], [0, -1, 0]),
    "l1_loss of NaN": (lambda t, x: t.nn.functional.l1_loss(x, x.detach() * 2), [NAN, -2], [0, 0.5]),
    "nansum": (lambda t, x: x.nansum(), [1, NAN, 2], [1, 0, 1]),
    "nanmean": (lambda t, x: x.nanmean(), [1, NAN, 2], [0.5, 0, 0.5]),
    "logsumexp of -inf": (lambda t, x: x.logsumexp(0), [-INF, 1], [0, 1]),
    "logsumexp of -inf alone": (lambda t, x: x.logsumexp(0), [-INF, -INF], [NAN, NAN]),
    "softmax of -inf": (lambda t, x: x.log_softmax(0)[1:], [-INF, 1, 2], [0, 0.4621172, -0.4621172]),
    "logcumsumexp of large numbers": (lambda t, x: x.logcumsumexp(0), [1000, 1, -1000], [3, 0, 0]),
    "cummax takes the latest": (lambda t, x: x.cummax(0).values, [1, 3, 3, 2, NAN, 4], [1, 1, 2, 0, 2, 0]),
    "cummin takes the latest": (lambda t, x: x.cummin(0).values, [3, 3, 1, 2, 1], [1, 1, 2, 0, 1]),
    "sort is stable": (
        lambda t, x: x.sort(0, True).values * t.tensor([1.0, 2, 3, 4]),
        [1, 3, 3, 2],
        [4, 1, 2, 3],
    ),
    "topk": (lambda t, x: x.topk(2).values * t.tensor([1.0, 2.0]), [1, 5, 3, 2], [0, 1, 2, 0]),
    "kthvalue": (lambda t, x: x.kthvalue(2).values, [1, 5, 3, 2], [0, 0, 0, 1]),
    "mode takes the last": (lambda t, x: x.mode().values, [1, 3, 3, 2], [0, 0, 1, 0]),
    "quantile": (lambda t, x: x.quantile(0.3), [1, 5, 3, 2], [0.1, 0, 0, 0.9]),
    "nanquantile": (lambda t, x: x.nanquantile(0.3), [1, NAN, 3, 2], [0.4, 0, 0, 0.6]),
    "multilabel margin of 0": (
        lambda t, x: t.nn.functional.multilabel_margin_loss(x, t.tensor([0, -1, -1])),
        [1, 0, 3],
        [-1 / 3, 0, 1 / 3],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_gradient_at_special_point(torch, name):
    function, point, expected = CASES[name]
    x = torch.tensor(point, dtype=torch.float64, requires_grad=True)
    (found,) = torch.autograd.grad(function(torch, x).sum(), x)
    assert found.tolist() == pytest.approx(expected, abs=1e-6, nan_ok=True)


def test_second_order_of_prod_at_zeros(torch):
    x = torch.tensor([2.0, 0.0, 0.0, 3.0], requires_grad=True)
    (grad,) = torch.autograd.grad(x.prod(), x, create_graph=True)
    (second,) = torch.autograd.grad(grad[1], x)
    assert grad.tolist() == [0, 0, 0, 0]
    assert second.tolist() == [0, 0, 6, 0]


def test_third_order_of_cumprod_at_zeros(torch):
    x = torch.tensor([0.0, 0.0, 0.0], dtype=torch.float64, requires_grad=True)
    (first,) = torch.autograd.grad(x.cumprod(0).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first[0], x, create_graph=True)
    (third,) = torch.autograd.grad(second[1], x)
    assert first.tolist() == [1, 0, 0]
    assert second.tolist() == [0, 1, 0]
    assert third.tolist() == [0, 0, 1]


def test_norm_0_has_no_gradient():
    import rushlight as torch

    x = torch.tensor([0.0, 2.0], requires_grad=True)
    (grad,) = torch.autograd.grad(x.norm(0), x, allow_unused=True)
    assert grad is None or grad.tolist() == [0, 0]
