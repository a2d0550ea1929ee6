"""`torch.testing.assert_close` of sparse tensors compares indices and values, in PyTorch's words."""

import pytest

import rushlight as torch

DENSE = torch.tensor([[0.0, 1.0], [2.0, 0.0]])
MORE = DENSE + torch.eye(2)


@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr, torch.sparse_csc], ids=str)
def test_equal_ones_and_different_ones(layout):
    sparse, name = DENSE.to_sparse(layout=layout), str(layout).removeprefix("torch.sparse_").upper()
    torch.testing.assert_close(sparse, sparse.clone())
    torch.testing.assert_close(sparse, DENSE, check_layout=False)
    with pytest.raises(AssertionError, match="The values for attribute 'layout' do not match"):
        torch.testing.assert_close(sparse, DENSE)
    with pytest.raises(AssertionError, match=f"Sparse {name} values are not close!"):
        torch.testing.assert_close(sparse, 2 * sparse)
    with pytest.raises(AssertionError, match=f"specified values in sparse {name} tensors does not match: 2 != 4"):
        torch.testing.assert_close(sparse, MORE.to_sparse(layout=layout))


@pytest.mark.parametrize(
    ("layout", "which"),
    [
        (torch.sparse_coo, "COO indices"),
        (torch.sparse_csr, "CSR col_indices"),
        (torch.sparse_csc, "CSC row_indices"),
    ],
)
def test_other_indices(layout, which):
    identity = torch.eye(2).to_sparse(layout=layout)
    with pytest.raises(AssertionError, match=f"Sparse {which} are not equal!"):
        torch.testing.assert_close(identity, DENSE.to_sparse(layout=layout))


def test_repeated_indices_count():
    repeated = torch.sparse_coo_tensor([[0, 0], [1, 1]], [1.0, 2.0], (2, 2))
    torch.testing.assert_close(repeated, repeated.clone())
    with pytest.raises(AssertionError, match="specified values"):
        torch.testing.assert_close(repeated, repeated.coalesce())
