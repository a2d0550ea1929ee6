"""The benchmarks' machinery: processes that stop between turns, results, tables."""

import json
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from beside import beside

import rushlight
from benchmarks import growth, table, worker
from benchmarks.measure import Result, Team
from benchmarks.process import ROOT, Cannot, Process, environment
from benchmarks.themes import WORKLOADS, arrays, chain, recurrent
from benchmarks.workload import Workload
from rushlight.machine import memory

WRONG_DATA = Workload("recurrent loop of a chain", recurrent.FORMS, chain.data)
pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="processes are stopped by signals")


@pytest.fixture
def process():
    made = Process("numpy", dict(os.environ))
    yield made
    made.end()


def result(**times):
    found = Result(chain.WORKLOADS[0])
    found.times = times
    return found


def test_a_process_times_what_it_has_prepared(process):
    process.ask("prepare", recurrent.WORKLOADS[0])
    assert process.ask("time", 0.001) > 0


def timed(monkeypatch, durations, *asked):
    """What a worker makes of calls that take so long, by a clock that only they move; how many it made."""
    moment, calls = [0.0], [0]

    def step():
        moment[0] += durations[min(calls[0], len(durations) - 1)]
        calls[0] += 1

    monkeypatch.setattr(worker.time, "perf_counter", lambda: moment[0])
    made = worker.Worker.__new__(worker.Worker)
    made.step = step
    return made.time(*asked), calls[0]


@pytest.mark.parametrize(
    ("durations", "asked", "expected"),
    [
        ([0.02, 1e-4], (0.001,), 1e-4),  # the first call waited for a thread
        ([0.02, 1e-4, 0.01, 1e-4], (0.001, "perf_counter", 3), 1e-4),  # and so did a later one, in another part
        ([0.01], (0.001, "perf_counter", 3), 0.01),
        ([0.3, 0.2], (0.001, "perf_counter", 3), 0.3),  # a long call is timed once
    ],
)
def test_calls_in_which_threads_waited_do_not_count(monkeypatch, durations, asked, expected):
    found, calls = timed(monkeypatch, durations, *asked)
    assert found == pytest.approx(expected)
    assert calls <= 100


def test_a_process_is_stopped_between_questions(process):
    status = Path(f"/proc/{process.process.pid}/status")
    if not status.exists():
        pytest.skip("needs Linux's /proc")
    os.waitid(os.P_PID, process.process.pid, os.WSTOPPED)
    assert "stopped" in next(line for line in status.read_text().splitlines() if line.startswith("State"))


def test_what_a_contender_cannot_do_is_told_and_it_goes_on(process):
    with pytest.raises(Cannot, match="TypeError"):
        process.ask("prepare", WRONG_DATA)
    process.ask("prepare", recurrent.WORKLOADS[0])


def test_a_process_that_cannot_begin_is_ended(monkeypatch):
    started = []

    class Recorded(subprocess.Popen):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            started.append(self)

    def refuse(self, command):
        raise Cannot(command)

    monkeypatch.setattr(subprocess, "Popen", Recorded)
    monkeypatch.setattr(Process, "ask", refuse)
    with pytest.raises(Cannot, match="describe"):
        Process("rushlight", dict(os.environ))
    assert started[0].returncode is not None


def test_a_process_that_takes_too_long_is_ended(process):
    process.ask("prepare", recurrent.WORKLOADS[0])
    with pytest.raises(Cannot, match="not ready after"):
        process.ask("time", 60.0, patience=0.2)
    assert process.ended


@pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's /proc")
def test_the_peak_of_memory_is_that_of_the_arrays_of_a_step(process):
    small, million = arrays.elementwise_workload(10), arrays.elementwise_workload(1000)
    megabytes = process.ask("peak", small, million, 2) / 4e6
    assert 3 < megabytes < 12  # arrays of a million floats: the sine, the tangent, the products on their way


def test_a_run_notes_times_and_who_cannot():
    with Team(["rushlight", "numpy"], dict(os.environ)) as team:
        good, bad = Result(recurrent.WORKLOADS[0]), Result(WRONG_DATA)
        team.run(good, 2)
        team.run(bad, 2)
    assert {name: [len(run) for run in runs] for name, runs in good.times.items()} == {"rushlight": [2], "numpy": [2]}
    assert set(bad.cannot) == {"rushlight", "numpy"}
    assert bad.times == {}


def test_the_environment_of_the_measured_processes(monkeypatch):
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    assert environment([], [])["OPENBLAS_CORETYPE"] == "Haswell"
    assert "OPENBLAS_CORETYPE" not in environment([], ["OPENBLAS_CORETYPE"])
    found = environment(["OPENBLAS_CORETYPE=Zen", "OMP_NUM_THREADS=1"], [])
    assert table.settings({name: found[name] for name in ("OPENBLAS_CORETYPE", "OMP_NUM_THREADS")}) == (
        "`OMP_NUM_THREADS=1` `OPENBLAS_CORETYPE=Zen`"
    )


def test_a_ratio_is_the_median_over_rounds_of_each_run():
    found = result(rushlight=[[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]], torch=[[2.0, 2.0, 2.0], [4.0, 5.0, 1.0]])
    assert found.ratios("torch") == [1.0, 0.25]
    assert table.ratio(found, "torch").endswith("(0.25–1.00)")


def test_a_table_has_times_ratios_and_reasons():
    found = result(rushlight=[[1e-6] * 3] * 3, torch=[[4e-6] * 3] * 3)
    found.cannot["torch.compile"] = "CompilerError: no g++\nand more"
    heads, rule, row, empty, reason = table.table([found], ["rushlight", "torch", "torch.compile"]).splitlines()
    assert heads == "| work | rushlight | PyTorch | ratio to PyTorch | at most | torch.compile |"
    assert row == f"| {found.workload.name} | 1 µs | 4 µs | 0.25 (0.25–0.25) | 0.4 | cannot |"
    assert (rule, empty) == ("|" + " --- |" * 6, "")
    assert reason == f"- torch.compile cannot do “{found.workload.name}”: CompilerError: no g++"


@pytest.mark.parametrize(
    ("seconds", "text"), [(1.234, "1.23 s"), (0.0123, "12.3 ms"), (4.56e-6, "4.56 µs"), (7.8e-9, "7.8 ns")]
)
def test_times_have_three_digits(seconds, text):
    assert table.readable(seconds) == text


def test_the_page_keeps_what_is_around_the_table(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- benchmarks: begin -->\nold\n<!-- benchmarks: end -->\nz\n")
    write = partial(table.write_page, "benchmarks", page=page)
    write("new")
    write("newer")
    assert page.read_text() == "a\n<!-- benchmarks: begin -->\nnewer\n<!-- benchmarks: end -->\nz\n"


@pytest.mark.parametrize("mark", ["benchmarks", "memory", "footprint"])
def test_the_page_has_the_places(mark):
    text = beside("docs/benchmarks.md").read_text()
    assert text.count(f"<!-- {mark}: begin -->") == text.count(f"<!-- {mark}: end -->") == 1


def test_every_workload_is_there_for_rushlight_and_pytorch():
    assert all({"rushlight", "torch"} <= set(workload.forms) for workload in WORKLOADS)
    assert len({workload.name for workload in WORKLOADS}) == len(WORKLOADS)


@pytest.mark.parametrize("series", growth.SERIES, ids=lambda series: series.title)
def test_what_grows_can_be_small(series):
    workload = series.workload(series.sizes[0])
    loss, *others = workload.forms["rushlight"](rushlight, *workload.data())()
    assert loss.isfinite()
    assert others


def test_the_command_measures_and_writes(tmp_path):
    words = ["recurrent", "--against", "rushlight", "numpy", "--runs", "2", "--rounds", "1"]
    command = [sys.executable, "-m", "benchmarks", *words, "--json", tmp_path / "times.json", "--without", "HOME"]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "| work | rushlight | NumPy by hand |" in output
    ((name, measured),) = json.loads((tmp_path / "times.json").read_text())["workloads"].items()
    assert name in output
    assert [len(runs) for runs in measured["seconds"].values()] == [2, 2]
    assert len(measured["ratios"]["numpy"]) == 2


def test_a_library_is_loaded_before_numpy():
    program = "import sys, benchmarks.worker; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True).stdout == "False\n"


@pytest.mark.skipif(memory.glibc() is None, reason="only glibc keeps blocks as it is told")
def test_blocks_are_kept_in_a_process_without_rushlight():
    program = """
import sys, numpy as np
from benchmarks.contenders import keep_blocks, part_of_rushlight
keep_blocks()
array = np.ones(1 << 23)
del array
print(part_of_rushlight("memory").memory_info()["held"] >> 20, "rushlight" in sys.modules)
"""
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    held, loaded = run.stdout.split()
    assert int(held) >= 64
    assert loaded == "False"
