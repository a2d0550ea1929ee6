"""The order in which dimensions lie in memory."""

from itertools import permutations

import pytest


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_permuted_dimensions(torch, order):
    x = torch.empty([2, 3, 5, 7]).permute(order)
    found = x.dim_order(ambiguity_check=True)
    assert [x.stride(dim) for dim in found] == sorted(x.stride(), reverse=True)


def test_channels_last(torch):
    x = torch.empty(2, 3, 5, 7, memory_format=torch.channels_last)
    assert x.dim_order() == (0, 2, 3, 1)
    assert torch.empty(()).dim_order() == ()


def test_several_orders_are_refused_where_one_is_asked_for(torch):
    x = torch.empty(1, 2, 3, 4)
    assert x.dim_order() == (0, 1, 2, 3)
    assert x.dim_order(ambiguity_check=[torch.contiguous_format, torch.channels_last]) == (0, 1, 2, 3)
    with pytest.raises(RuntimeError, match="does not have unique dim order"):
        x.dim_order(ambiguity_check=True)
    with pytest.raises(RuntimeError, match="does not have unique dim order"):
        torch.ones(3, 1, 2).expand(3, 4, 2).dim_order(ambiguity_check=True)
    with pytest.raises(TypeError, match="must be a bool or a list of memory formats"):
        x.dim_order(ambiguity_check="no")
