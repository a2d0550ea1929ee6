"""The documents' programs, unchanged, as scripts: `rushlight run` prints what PyTorch prints.

The expected outputs are recorded from PyTorch by record_scripts.py; that of the fifth document is in the document.
"""

import re

import numpy as np
import pytest
from documents.programs import PYTORCH, RUSHLIGHT, comparable, run, script

LIBRARIES = {1: ["matplotlib"], 3: ["mlxtend", "tqdm"]}
ACCURACY = re.compile(r"[\d.]+(?=%)")


def check(number, way, folder):
    """Runs a program, and compares what it prints with what was recorded; returns the finished process.

    All has to be the same to the last digit, but for accuracies: rounding grows in training, which may turn an image
    or two of 500, or 0.4 %.
    """
    for library in LIBRARIES.get(number, []):
        pytest.importorskip(library)
    done = run(number, way, folder)
    assert done.returncode == 0, done.stderr
    printed, recorded = comparable(done.stdout), script(number).with_suffix(".txt").read_text()
    assert ACCURACY.sub("", printed) == ACCURACY.sub("", recorded)
    accuracies, expected = (np.array(ACCURACY.findall(text), float) for text in (printed, recorded))
    np.testing.assert_allclose(accuracies, expected, atol=0.5)
    return done


@pytest.mark.parametrize("number", [0, 1, 2, 4])
def test_rushlight_prints_what_was_recorded(number, tmp_path):
    assert check(number, RUSHLIGHT, tmp_path).stderr == ""


def test_rushlight_trains_as_was_recorded(tmp_path):
    with_grad, _, with_backward = ACCURACY.findall(check(3, RUSHLIGHT, tmp_path).stdout)
    assert with_grad == with_backward


@pytest.mark.parametrize("number", range(4))
def test_pytorch_prints_what_was_recorded(number, tmp_path):
    pytest.importorskip("torch")
    check(number, PYTORCH, tmp_path)
