"""What PyTorch says of old ways of calling: its words, as its 2.13 gives them, where the program calls."""

import pytest

import rushlight as torch

ONES, VECTOR, CUBE = torch.tensor([1, 0, 1], dtype=torch.uint8), torch.ones(3), torch.zeros(2, 3, 4)
ZERO_DIM = r"is deprecated on 0-D tensors\. This function is the identity in these cases\.$"
CONJ = r"is deprecated on 0-D tensors\. Consider using x\.conj\(\)\.$"
OLD = {
    "T of three": (lambda: CUBE.T, r"^The use of `x\.T` on tensors of dimension other than 2 to reverse their shape"),
    "T of one": (lambda: VECTOR.T, r"^The use of `x\.T` on tensors of dimension other than 2 to reverse their shape"),
    "T of none": (lambda: torch.tensor(1.0).T, r"^Tensor\.T " + ZERO_DIM),
    "mT of none": (lambda: torch.tensor(1.0).mT, r"^Tensor\.mT " + ZERO_DIM),
    "H of none": (lambda: torch.tensor(1.0).H, r"^Tensor\.H " + CONJ),
    "mH of none": (lambda: torch.tensor(1.0).mH, r"^Tensor\.mH " + CONJ),
    "adjoint of none": (lambda: torch.adjoint(torch.tensor(1.0)), r"^adjoint\(\) " + CONJ),
    "bytes as a mask": (lambda: VECTOR[ONES], r"^indexing with dtype torch\.uint8 is now deprecated"),
    "bytes among others": (lambda: CUBE[:, ONES], r"^indexing with dtype torch\.uint8 is now deprecated"),
    "bytes that choose": (lambda: torch.where(ONES, VECTOR, VECTOR), r"^where received a uint8 condition tensor\."),
    "a list of lists": (lambda: CUBE[[[0], [1]]], r"^Using a non-tuple sequence for multidimensional indexing"),
    "a list of slices": (lambda: CUBE[[slice(0, 1), [1]]], r"^Using a non-tuple sequence for multidimensional"),
    "chain_matmul": (lambda: torch.chain_matmul(torch.eye(2), torch.eye(2)), r"^torch\.chain_matmul is deprecated"),
}
NEW = {
    "T of a matrix": lambda: torch.eye(2).T,
    "mT, mH": lambda: (CUBE.mT, CUBE.mH, torch.eye(2).H),
    "a mask": lambda: VECTOR[ONES.bool()],
    "a list of numbers": lambda: CUBE[[0, 1]],
    "a tuple of lists": lambda: CUBE[[0], [1]],
    "a condition": lambda: torch.where(ONES.bool(), VECTOR, VECTOR),
    "multi_dot": lambda: torch.linalg.multi_dot([torch.eye(2), torch.eye(2)]),
}


@pytest.mark.parametrize(("call", "words"), OLD.values(), ids=OLD)
def test_old_ways(call, words):
    with pytest.warns(UserWarning, match=words) as caught:
        call()
    assert [one.filename for one in caught] == [__file__]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("call", NEW.values(), ids=NEW)
def test_new_ways_are_silent(call):
    call()
