"""torch.masked: the elements where the mask is False do not count, nor do they receive a gradient."""

import pytest

MASK = [[True, False, True], [False, False, False]]
VALUES = {
    "sum": [4, 0],
    "prod": [3, 1],
    "amax": [3, float("-inf")],
    "amin": [1, float("inf")],
    "mean": [2, float("nan")],
    "var": [2, float("nan")],
    "std": [2**0.5, float("nan")],
    "median": [1, float("nan")],
    "norm": [10**0.5, 0],
    "logsumexp": [3.1269280, float("-inf")],
}


def sample(torch):
    return torch.tensor([[1.0, 5.0, 3.0], [7.0, 8.0, 9.0]], requires_grad=True), torch.tensor(MASK)


@pytest.mark.parametrize("name", VALUES)
def test_reductions_leave_out_what_is_masked(torch, name):
    x, mask = sample(torch)
    ops = torch.masked if hasattr(torch.masked, "softmax") else torch.masked._ops
    result = getattr(ops, name)(x, dim=1, mask=mask) if name != "norm" else ops.norm(x, 2, 1, mask=mask)
    assert result.tolist() == pytest.approx(VALUES[name], nan_ok=True)
    (grad,) = torch.autograd.grad(result[0], x)
    assert grad[0, 1].item() == 0


def test_normalisations_leave_out_what_is_masked(torch):
    x, mask = sample(torch)
    x, mask = x[:1], mask[:1]
    assert torch.masked.softmax(x, 1, mask=mask).tolist()[0] == pytest.approx([0.1192029, 0, 0.8807971])
    assert torch.masked.log_softmax(x, 1, mask=mask).tolist()[0] == pytest.approx([-2.126928, float("-inf"), -0.126928])
    assert torch.masked.softmin(x, 1, mask=mask).tolist()[0] == pytest.approx([0.8807971, 0, 0.1192029])
    assert torch.masked.cumsum(x, 1, mask=mask).tolist() == [[1, 1, 4]]
    assert torch.masked.cumprod(x, 1, mask=mask).tolist() == [[1, 1, 3]]
    assert torch.masked.normalize(x, 1.0, 1, mask=mask).tolist() == [[0.25, 0, 0.75]]


def test_masks_broadcast_but_not_beyond_the_input(torch):
    x = torch.ones(2, 3)
    assert torch.masked.sum(x, mask=torch.tensor([True, False, True])).item() == 4
    with pytest.raises(IndexError, match="_input_mask expected broadcastable mask"):
        torch.masked.sum(x, mask=torch.ones(1, 2, 3).bool())


def test_integers_need_an_average(torch):
    with pytest.raises(ValueError, match="Could not infer output dtype"):
        torch.masked.mean(torch.ones(2).long())
    with pytest.raises(ValueError, match="no fully masked out rows"):
        torch.masked.median(torch.ones(2).long(), 0, mask=torch.zeros(2).bool())
