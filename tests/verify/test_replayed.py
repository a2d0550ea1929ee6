"""What is kept of a result of a compiled program, to be compared with what later calls give."""

import pytest

import rushlight

pytest.importorskip("torch")

from verify.programs.replayed import differs, frozen


def left(factor):
    """A tensor that left vmap: its array still has a dimension for the examples."""
    kept = []
    rushlight.vmap(lambda x: kept.append(x * factor) or x)(rushlight.arange(3.0))
    return kept[0]


def test_a_tensor_that_left_vmap():
    tensor = left(2)
    kept = frozen(tensor)
    assert kept[0] is rushlight.float32
    assert kept[-1].tolist() == [0, 2, 4]
    tensor._array.array[...] = 7
    assert kept[-1].tolist() == [0, 2, 4]
    assert not differs(kept, frozen(left(2)))
    assert differs(kept, frozen(left(3)))
    assert not differs(frozen([{"a": left(2)}]), frozen([{"a": left(2)}]))


def test_any_other_tensor():
    tensor = rushlight.arange(6.0).reshape(2, 3).T.requires_grad_()
    kept = frozen(tensor)
    assert kept[:3] == (rushlight.float32, [1, 3], True)
    tensor.data.zero_()
    assert kept[-1].sum() == 15


def test_strides_that_lead_to_no_element_do_not_count():
    assert not differs(frozen(rushlight.ones(3, 1)), frozen(rushlight.ones(1, 3).mT))
    assert differs(frozen(rushlight.ones(3, 3)), frozen(rushlight.ones(3, 3).mT))
