"""`Tensor.type` with the class of all tensors, which stands for the default dtype."""

import rushlight as torch


def test_the_class_of_all_tensors_is_the_default_dtype():
    assert torch.ones(2, dtype=torch.bool).type(torch.Tensor).dtype is torch.float32
    assert torch.ones(2, dtype=torch.float64).type("torch.Tensor").dtype is torch.float32
    assert torch.ones(2).type(torch.LongTensor).dtype is torch.int64
    assert torch.ones(2).type(torch.float64).dtype is torch.float64
