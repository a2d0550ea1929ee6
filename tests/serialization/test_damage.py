"""Damaged and hostile files: one error, whatever the damage, and no code runs."""

import argparse

from verify.parts import files


def test_damaged_and_hostile_files():
    found = files.run(argparse.Namespace(count=400, seed=1, step=7))
    assert [figure.unexplained for figure in found] == [[], [], [], []]
    assert all(figure.checked >= 100 for figure in found)
