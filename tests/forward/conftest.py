"""What the tests of forward mode share."""

import pytest


@pytest.fixture
def fw(torch):
    return torch.autograd.forward_ad


@pytest.fixture
def dual(torch, fw):
    """A tensor with a tangent, on a level that ends with the test."""
    with fw.dual_level():
        yield fw.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.5]))


@pytest.fixture
def tangent(fw):
    """The tangent of a tensor as a list, None where it has none."""

    def read(tensor):
        found = fw.unpack_dual(tensor).tangent
        return None if found is None else found.tolist()

    return read
