"""Sparse tensors without stored values: of a size alone."""

import pytest


@pytest.mark.parametrize("call", ["size=(5, 3)", "(5, 3)", "[5, 3]", "size=(5, 3), dtype=torch.float64"])
def test_of_a_size_alone(torch, call):
    made = eval(f"torch.sparse_coo_tensor({call})", {"torch": torch})
    assert tuple(made.shape) == (5, 3)
    assert made._nnz() == 0
    assert made.dtype == (torch.float64 if "dtype" in call else torch.float32)
    assert not made.to_dense().any()
