"""The benchmark of many processes: what cannot begin, or does not end, is reported with its reason."""

import os
import sys
import time

import pytest

from benchmarks import distributed
from benchmarks.process import Cannot

TOLD = {
    "ours": {"sum of 100 MB": 2.0, "the same by hand": 4.0},
    "theirs": {"sum of 100 MB": 8.0},
    "alone": {"perceptron, DDP": 3.0, "perceptron, alone": 2.0},
}


def starts(monkeypatch, program):
    """Has a Python program stand for the one that is measured."""
    monkeypatch.setitem(distributed.STARTERS, "torch", ["-c", program])


def is_there(process):
    """Whether there is a process of this number."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_figures_are_the_last_line(monkeypatch):
    starts(monkeypatch, "print('begun'); print('{{\"work\": 1.5}}')")
    assert distributed.figures("torch", 2) == {"work": 1.5}


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("raise RuntimeError('no address')", "ended with 1: RuntimeError: no address"),
        ("import time; time.sleep(600)", "not done after 0.5 s"),
        ("print('figures are lost')", "no figures: figures are lost"),
        ("pass", "no figures: nothing said"),
    ],
)
def test_what_gives_no_figures_says_why(monkeypatch, program, reason):
    starts(monkeypatch, program)
    with pytest.raises(Cannot, match=reason):
        distributed.figures("torch", 2, patience=0.5 if "sleep" in program else 60)


def test_processes_that_a_launcher_leaves_are_ended(monkeypatch, tmp_path):
    left = tmp_path / "left"
    worker = f"import os, time; open({str(left)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    launcher = f"import subprocess, sys; subprocess.run([{sys.executable!r}, '-c', {worker!r}])"
    starts(monkeypatch, launcher)
    with pytest.raises(Cannot, match="not done"):
        distributed.figures("torch", 2, patience=5)
    until = time.monotonic() + 10
    while is_there(int(left.read_text())) and time.monotonic() < until:
        time.sleep(0.01)
    assert not is_there(int(left.read_text()))


def test_the_table_has_what_could_be_measured(monkeypatch):
    asked = []

    def figures(library, processes):
        asked.append((library, processes))
        if library == "torch":
            raise Cannot("ended with 1: no address")
        return dict.fromkeys(["sum of one number", *TOLD["ours"]], 1.0) | dict.fromkeys(
            [f"{work}, {way}" for work in ("perceptron", "wide perceptron") for way in ("DDP", "alone")], 2.0
        )

    monkeypatch.setattr(distributed, "figures", figures)
    monkeypatch.setattr(distributed, "has_mpi", lambda: True)
    monkeypatch.setattr(distributed, "installed", lambda names: names)
    text = distributed.report(runs=2)
    assert "| perceptron, DDP over none | 1.00 (1.00–1.00) | 1.05 |" in text
    assert "| sum of 100 MB over PyTorch with gloo | not measured | 0.8 |" in text
    assert "- torch, processes 2: ended with 1: no address" in text
    assert asked.count(("torch", 2)) == 1, "what could not be done once is not tried again"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sum of 100 MB over mpi4py by hand", 0.5),
        ("sum of 100 MB over PyTorch with gloo", 0.25),
        ("perceptron, DDP over none", 1.5),
    ],
)
def test_ratios(name, expected):
    assert distributed.ratio(name, TOLD) == expected
