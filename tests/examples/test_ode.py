"""The example that solves an ordinary differential equation runs, and finds the solution."""

import importlib.util

import pytest
from beside import beside

PATH = beside("examples/ode.py")


@pytest.fixture
def ode():
    for name in ("tqdm", "matplotlib"):
        pytest.importorskip(name)
    spec = importlib.util.spec_from_file_location("ode", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_quick(ode, tmp_path, capsys):
    errors = ode.main(["--quick", "--output", str(tmp_path / "ode.png")])
    assert (tmp_path / "ode.png").stat().st_size > 1000
    assert set(errors) == {"grad", "jacfwd"}
    assert errors["grad"] == pytest.approx(errors["jacfwd"], rel=1e-3)  # the same steps by either way
    assert "grad: largest error against cos t" in capsys.readouterr().out


def test_solution(ode, tmp_path):
    errors = ode.main(["--way", "grad", "--output", str(tmp_path / "ode.png")])
    assert errors["grad"] < 0.01
