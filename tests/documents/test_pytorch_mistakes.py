"""The page on PyTorch's mistakes: PyTorch gives what is said there, and its own central differences are against it."""

import doctest
import re

import numpy as np
import pytest
from beside import beside

PAGE = beside("docs/pytorch-mistakes.md").read_text()
VERSION = "2.13"
STATED = re.compile(r"^    PyTorch: (.*)$", re.MULTILINE)
PROGRAMS = [part for part in PAGE.split("\n### ")[1:] if STATED.search(part)]


@pytest.fixture(scope="module")
def given():
    """What each expression of the page gives in PyTorch: its value, or the name of its error."""
    torch = pytest.importorskip("torch")
    if not torch.__version__.startswith(VERSION):
        pytest.skip(f"the page is about PyTorch {VERSION}")
    names, found = {}, {}
    for part in PAGE.split("\n### "):
        for example in doctest.DocTestParser().get_examples(part):
            source = example.source.replace("import rushlight as torch", "import torch").replace("rushlight", "torch")
            if not example.want:
                exec(source, names)
                continue
            try:
                value = eval(source, names)
            except RuntimeError as error:
                value = type(error).__name__
            found.setdefault(part, []).append((value, eval(example.want)))
    return found


@pytest.mark.parametrize("part", PROGRAMS, ids=[part.partition("\n")[0] for part in PROGRAMS])
def test_as_stated(given, part):
    stated = STATED.search(part)[1]
    (value, right), (differences, expected) = given[part]
    if stated.startswith("["):
        stated = eval(stated, {"nan": np.nan, "inf": np.inf})
        assert not np.allclose(stated, right, atol=1e-3)
        np.testing.assert_allclose(value, stated, atol=2e-3)
    else:
        assert value == stated
    np.testing.assert_allclose(differences, expected, atol=2e-3)
    assert right == expected
