"""Sums, products and quotients with sparse tensors, also in place: their types and indices are PyTorch's."""

from itertools import product

import pytest

import rushlight as torch

DTYPES = ["uint8", "int8", "int16", "float32", "float64", "bool"]
LAYOUTS = [("sparse", "sparse"), ("dense", "sparse"), ("sparse", "dense")]


def matrix(library, dtype, layout="sparse"):
    made = library.tensor([[1, 0], [0, 2]], dtype=getattr(library, dtype))
    return made.to_sparse() if layout == "sparse" else made


def outcome(library, name, dtypes, layouts):
    """The dtype and the elements of what a method gives, or the type of its exception."""
    first, second = (matrix(library, *one) for one in zip(dtypes, layouts, strict=True))
    try:
        result = getattr(first, name)(second)
    except Exception as error:
        return type(error).__name__
    return str(result.dtype), (result.to_dense() if result.is_sparse else result).tolist()


@pytest.mark.parametrize("layouts", LAYOUTS, ids="-".join)
@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "add_", "sub_", "mul_", "div_"])
def test_pytorch_gives_and_refuses_the_same(name, layouts):
    reference = pytest.importorskip("torch")
    for dtypes in product(DTYPES, DTYPES):
        if dtypes != ("bool", "bool"):  # which PyTorch has not implemented
            assert outcome(torch, name, dtypes, layouts) == outcome(reference, name, dtypes, layouts), dtypes


@pytest.mark.parametrize("name", ["add_", "sub_", "mul_"])
def test_changes_in_place_keep_the_dtype(name):
    kept = matrix(torch, "int8")
    getattr(kept, name)(matrix(torch, "int16"))
    assert kept.dtype == torch.int8
    with pytest.raises(RuntimeError, match="Can't convert result type Float to output Char"):
        getattr(kept, name)(matrix(torch, "float32"))
    assert kept.dtype == torch.int8


@pytest.mark.parametrize("change", [lambda x: x.sin_(), lambda x: x.div_(2), lambda x: x.floor_divide_(2.5)])
def test_no_change_in_place_makes_integers_floats(change):
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Int"):
        change(matrix(torch, "int32"))


def test_products_with_numbers_in_place_keep_the_dtype():
    with pytest.raises(RuntimeError, match=r"dtype of values \(Float\) must match dtype of sparse tensor \(Int\)"):
        matrix(torch, "int32").mul_(2.5)


@pytest.mark.parametrize("layout", ["sparse", "dense"])
def test_sums_are_computed_in_their_own_dtype(layout):
    difference = matrix(torch, "int16", layout) - matrix(torch, "uint8")
    assert (difference.to_dense() if difference.is_sparse else difference).tolist() == [[0, 0], [0, 0]]


def test_quotients_are_rounded_down():
    negative = torch.tensor([[5, 0], [0, -7]]).to_sparse()
    for quotient in (negative // 2, torch.floor_divide(negative, 2), negative.clone().floor_divide_(2)):
        assert quotient.dtype == torch.int64
        assert quotient.to_dense().tolist() == [[2, 0], [0, -4]]
    for refused in (lambda: negative % 2, lambda: torch.fmod(negative, 2)):
        with pytest.raises(NotImplementedError, match="Could not run"):
            refused()


def test_there_is_no_subtraction_of_truth_values():
    truths = matrix(torch, "bool")
    for operands in ((truths, matrix(torch, "int8")), (matrix(torch, "int8"), True)):
        with pytest.raises(RuntimeError, match="with a bool tensor is not supported"):
            torch.sub(*operands)
    with pytest.raises(RuntimeError, match="alpha must not be a floating point number"):
        torch.add(matrix(torch, "int8"), matrix(torch, "int8"), alpha=2.5)


SUMS = [  # two lists of indices, and those of the sum of the tensors, as PyTorch 2.13 merges them
    ([1, 2], [2], [1, 2], [1, 2]),
    ([1, 2], [2, 1], [1, 2, 1], [1, 2, 1]),
    ([2, 1], [1, 2], [1, 2, 1], [1, 2, 1]),
    ([1, 1], [1], [1, 1], [2, 1]),
    ([3, 1, 2], [1, 3], [1, 3, 1, 2], [1, 2, 1, 1]),
    ([5, 5, 2], [5, 2, 2, 5], [5, 2, 2, 5, 2], [2, 1, 1, 2, 1]),
    ([], [4], [4], [1]),
]


@pytest.mark.parametrize(("first", "second", "indices", "values"), SUMS)
def test_indices_of_sums_are_merged_as_by_pytorch(first, second, indices, values):
    operands = [torch.sparse_coo_tensor([one], torch.ones(len(one)), (9,)) for one in (first, second)]
    found = operands[0] + operands[1]
    assert found._indices().tolist() == [indices]
    assert found._values().tolist() == values
    assert not found.is_coalesced()
