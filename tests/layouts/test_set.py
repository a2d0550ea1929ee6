"""`set_`: a tensor that gets the memory of another, in place."""

import pytest


def test_shares_memory(torch):
    source, x = torch.arange(6.0), torch.zeros(3)
    assert x.set_(source) is x
    x.add_(1)
    assert source.tolist() == [1, 2, 3, 4, 5, 6]
    assert (x.shape, x._version) == ((6,), 2)


@pytest.mark.parametrize(
    ("args", "values"),
    [
        ((1, (2, 2), (2, 1)), [[1, 2], [3, 4]]),
        ((2, (3,), (1,)), [2, 3, 4]),
        ((0, (2, 3), (1, 2)), [[0, 2, 4], [1, 3, 5]]),
    ],
)
def test_with_sizes_and_strides(torch, args, values):
    source = torch.arange(6.0)
    x = torch.zeros(1).set_(source, *args)
    assert (x.tolist(), x.stride(), x.storage_offset()) == (values, args[2], args[0])
    x.zero_()
    assert source.sum() < 15


def test_without_a_source_it_is_empty(torch):
    assert torch.zeros(3).set_().shape == (0,)


def test_a_leaf_only_without_grad(torch):
    x = torch.zeros(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        x.set_(torch.ones(2))
    with torch.no_grad():
        x.set_(torch.ones(2))
    (x * 3).sum().backward()
    assert x.grad.tolist() == [3, 3]


def test_another_type_is_refused(torch):
    x = torch.zeros(3, dtype=torch.int32)
    with pytest.raises(RuntimeError, match="Could not set tensor of type float to a tensor of type int"):
        x.set_(torch.ones(2))
    assert x.tolist() == [0, 0, 0]
