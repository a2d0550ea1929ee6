"""The lines of compiled modules are found by whoever shows a traceback, wherever the program runs."""

import inspect
import linecache
import sys
from pathlib import Path

import pytest

import rushlight as torch
from rushlight.core import graph, sources


@pytest.mark.skipif(not graph.COMPILED, reason="files have their places where nothing is compiled")
def test_frames_of_compiled_modules_have_their_lines(monkeypatch, tmp_path):
    with pytest.raises(RuntimeError) as found:
        torch.ones(2, 3) @ torch.ones(9, 2)
    codes = {entry.frame.code.raw for entry in found.traceback}
    compiled = [code for code in codes if code.co_filename.startswith("rushlight")]
    assert compiled
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setattr(linecache, "cache", {})
    sources.lend_sources()
    for code in compiled:
        lines, _ = inspect.findsource(code)
        assert "".join(lines) == (Path(sources.PACKAGE).parent / code.co_filename).read_text(encoding="utf-8")
