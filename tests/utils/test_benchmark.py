"""`torch.utils.benchmark`, with a clock of its own: nothing depends on how busy the machine is."""

from itertools import count

import pytest

from rushlight.utils import benchmark


def clock(step):
    """A clock that goes on by a step each time it is looked at."""
    ticks = count()
    return lambda: next(ticks) * step


def test_runs_are_counted():
    calls = []
    found = benchmark.Timer("calls.append(1)", globals={"calls": calls}, timer=clock(0.5)).timeit(10)
    assert len(calls) == 12  # two to warm up
    assert found.times == [0.05]
    assert (found.median, found.mean, found.iqr, found.number_per_run) == (0.05, 0.05, 0.0, 10)
    assert "0.05" in repr(found) or "50.00 ms" in repr(found)


def test_runs_until_the_time_is_over():
    told = []
    timer = benchmark.Timer("pass", timer=clock(0.01), label="nothing", sub_label="a", description="b")
    found = timer.blocked_autorange(lambda number, time: told.append((number, round(time, 6))), min_run_time=0.05)
    assert told == [(1, 0.01)] * len(found.raw_times)
    assert 5 <= len(found.raw_times) <= 6
    assert len(timer.adaptive_autorange(min_run_time=0.02, max_run_time=1.0).raw_times) == 5
    assert not found.has_warnings
    assert found.title == "nothing: a"


def test_tables():
    made = [
        benchmark.Timer(
            "pass", timer=clock(step), label="steps", sub_label=f"row {row}", description=f"step {step}"
        ).timeit(1)
        for row in "ab"
        for step in (0.25, 0.5)
    ]
    text = str(benchmark.Compare(made))
    assert [[cell.strip() for cell in line.split("|")] for line in text.split("\n")[1:4]] == [
        ["", "step 0.25", "step 0.5"],
        ["1 threads: row a", "250.0", "500.0"],
        ["1 threads: row b", "250.0", "500.0"],
    ]
    assert text.endswith("Times are in ms.")
    compare = benchmark.Compare(made)
    compare.colorize()
    assert str(compare).count("*250.0") == str(compare).count("*500.0") == 2  # the best of each column
    compare.colorize(rowwise=True)
    assert str(compare).count("*250.0") == str(compare).count("*") == 2
    with pytest.raises(ValueError, match="Expected an instance of `Measurement`"):
        compare.extend_results([1])


def test_what_is_not_measured_is_refused():
    with pytest.raises(ValueError, match="Python only"):
        benchmark.Timer("1", language="c++")
    with pytest.raises(NotImplementedError, match="blocked_autorange"):
        benchmark.Timer("1").repeat()
    with pytest.raises(NotImplementedError, match="valgrind"):
        benchmark.Timer("1").collect_callgrind()
    assert benchmark.select_unit(3e-6) == ("us", 1e-6)
    assert benchmark.trim_sigfig(0.012345, 3) == pytest.approx(0.0123)
