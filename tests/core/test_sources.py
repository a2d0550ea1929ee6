"""The lines of compiled modules are found by whoever shows a traceback, wherever the program runs."""

import inspect
from pathlib import Path

import pytest

import rushlight as torch
from rushlight.core import graph

PACKAGE = Path(torch.__file__).parent


@pytest.mark.skipif(not graph.COMPILED, reason="files have their places where nothing is compiled")
def test_frames_of_compiled_modules_name_their_files():
    with pytest.raises(RuntimeError) as found:
        torch.ones(2, 3) @ torch.ones(9, 2)
    codes = {entry.frame.code.raw for entry in found.traceback}
    compiled = [code for code in codes if code.co_filename == str(PACKAGE / "core" / "arithmetic.py")]
    assert compiled
    for code in compiled:
        lines, _ = inspect.findsource(code)
        assert "".join(lines) == Path(code.co_filename).read_text(encoding="utf-8")
