"""Where tensors without elements lie: nowhere, though their memory does."""

import pytest

EMPTY = {
    "made": lambda torch, x: torch.empty(0),
    "resized": lambda torch, x: x.clone().resize_(0, 2),
    "view": lambda torch, x: x[0:0].view(0, 1),
    "slice": lambda torch, x: x[:, 2:],
    "permuted": lambda torch, x: x[0:0].t(),
    "meta": lambda torch, x: x.to("meta"),
}


@pytest.mark.parametrize("name", EMPTY)
def test_nothing_lies_at_0(torch, name):
    x = torch.ones(2, 2)
    assert EMPTY[name](torch, x).data_ptr() == 0
    assert x.data_ptr() == x[0:0].untyped_storage().data_ptr() != 0
