"""A condition that a hook for saved tensors makes numbers of: the backward pass refuses it."""

import pytest


@pytest.mark.parametrize("n", [4, 10_000])
def test_numbers_for_a_condition(torch, n):
    x = torch.arange(float(n)).requires_grad_()
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 1, lambda t: t):
        result = torch.where(x > 1, x, 0.0)
    with pytest.raises(
        RuntimeError, match="expected condition to be a boolean tensor, but got a tensor with dtype Long"
    ):
        result.sum().backward()
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 1, lambda t: t.bool()):
        result = torch.where(x > 1, x, 0.0)
    result.sum().backward()
    assert x.grad.sum() == n - 2
