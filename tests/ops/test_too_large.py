"""What takes more memory than there is ends in PyTorch's RuntimeError, at once."""

import pytest

import rushlight as torch

HUGE = 1 << 55
USES = {
    "clone": lambda x: x.clone(),
    "contiguous": lambda x: x.contiguous(),
    "sum with a number": lambda x: x + 1,
    "another type": lambda x: x.double(),
}


@pytest.mark.parametrize("use", USES)
def test_copies_of_a_huge_expanded_tensor_are_refused(use):
    with pytest.raises(RuntimeError, match=r"DefaultCPUAllocator|overflow"):
        USES[use](torch.zeros(1).expand(HUGE))


def test_pieces_without_number_are_refused():
    with pytest.raises(RuntimeError, match="bad_alloc"):
        torch.zeros(3).tensor_split(HUGE)
