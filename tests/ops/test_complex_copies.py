"""The copying forms of the views of complex numbers as pairs: equal to the views, in memory of their own."""

import rushlight as torch


def test_copies_of_pairs():
    x = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    pairs = torch.view_as_real_copy(x)
    assert pairs.tolist() == torch.view_as_real(x).tolist()
    assert pairs.data_ptr() != x.data_ptr()
    (pairs * torch.tensor([2.0, 3.0])).sum().backward()
    assert x.grad.tolist() == [2 + 3j, 2 + 3j]
    assert torch.view_as_complex_copy(pairs.detach()).tolist() == x.tolist()
