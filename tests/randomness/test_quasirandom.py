"""Sobol' sequences: PyTorch's, number for number."""

import pytest

import rushlight as torch
from rushlight.quasirandom import SobolEngine

FIRST = [[0.0, 0.0, 0.0], [0.5, 0.5, 0.5], [0.75, 0.25, 0.25], [0.25, 0.75, 0.75], [0.375, 0.375, 0.625]]


def test_first_points():
    engine = SobolEngine(3)
    assert engine.draw(2).tolist() == FIRST[:2]
    assert engine.draw().tolist() == FIRST[2:3]
    assert engine.fast_forward(1).draw().tolist() == FIRST[4:5]
    assert engine.reset().draw(5, dtype=torch.float64).tolist() == FIRST
    out = torch.empty(0)
    assert engine.reset().draw_base2(2, out=out) is out
    assert out.tolist() == FIRST[:4]
    assert repr(SobolEngine(3, scramble=True, seed=1)) == "SobolEngine(dimension=3, scramble=True, seed=1)"


def test_scrambled_points_fill_the_cube():
    points = SobolEngine(5, scramble=True, seed=7).draw(1024)
    cells = (points * 8).long()
    assert ((cells >= 0) & (cells < 8)).all()
    for dim in range(5):
        assert cells[:, dim].bincount().tolist() == [128] * 8


@pytest.mark.parametrize("dimension", [1, 2, 7, 60, 300])
@pytest.mark.parametrize("scramble", [False, True])
def test_points_are_pytorchs(dimension, scramble):
    theirs = pytest.importorskip("torch").quasirandom.SobolEngine(dimension, scramble, seed=3)
    ours = SobolEngine(dimension, scramble, seed=3)
    for step in (1, 5, 0, 16):
        assert ours.draw(step).tolist() == theirs.draw(step).tolist()
    ours.fast_forward(9)
    theirs.fast_forward(9)
    assert ours.draw(3).tolist() == theirs.draw(3).tolist()


def test_what_is_refused():
    with pytest.raises(ValueError, match="Supported range of dimensionality"):
        SobolEngine(0)
    engine = SobolEngine(2)
    engine.draw(3)
    with pytest.raises(ValueError, match=r"n to be a power of 2\. 3 points have been"):
        engine.draw_base2(2)
