"""The old classes of sparse tensors: what they make, and what counts as an instance."""

import pytest

import rushlight as torch


def test_old_classes_of_sparse_tensors():
    indices, values = torch.tensor([[0, 1], [1, 0]]), torch.tensor([1.0, 2.0], requires_grad=True)
    made = torch.sparse.FloatTensor(indices, values, torch.Size([2, 3]))
    assert made.to_dense().tolist() == [[0.0, 1.0, 0.0], [2.0, 0.0, 0.0]]
    assert isinstance(made, torch.sparse.FloatTensor)
    assert not isinstance(made, torch.sparse.DoubleTensor)
    assert torch.sparse.LongTensor(2, 3).to_dense().tolist() == [[0, 0, 0], [0, 0, 0]]
    torch.mm(made, torch.ones(3, 1)).sum().backward()
    assert values.grad.tolist() == [1.0, 1.0]
    with pytest.raises(TypeError, match="only accepts sizes"):
        torch.sparse.FloatTensor([1, 2])
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        torch.sparse.FloatTensor("a")
