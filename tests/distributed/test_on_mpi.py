"""Programs on several processes. Each checks itself, against NumPy or against one process with all the work."""

import re

import pytest
from distributed.launch import needs_mpi, passes, run

pytestmark = needs_mpi


@pytest.mark.parametrize("processes", [2, 4])
def test_collectives(processes):
    passes(processes, "collectives.py")


@pytest.mark.parametrize("processes", [2, 4])
def test_replicas(processes):
    passes(processes, "replicas.py")


@pytest.mark.parametrize("processes", [2, 4])
def test_shards(processes):
    passes(processes, "shards.py")


def test_a_checkpoint_is_read_by_another_number_of_processes(tmp_path):
    folder = str(tmp_path / "checkpoint")
    sums = [
        re.findall(r"sum up to ([\d.]+);", passes(processes, "shards.py", way, folder))
        for processes, way in ((4, "save"), (2, "load"))
    ]
    assert sums[0] == sums[1]
    assert len(sums[0]) == 1


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("raise", "KeyError: 'the cause'"),
        ("kill", "KILLED BY SIGNAL: 9|TERMINATION"),
        ("exit", "Abort"),
        ("late", r"all_reduce \(communication 2 of the group\): timed out after 1 seconds. Missing: rank 1"),
        ("astray", r"Out of step: rank 1 waits in broadcast|Out of step: rank \d waits in all_reduce"),
        ("barrier", "Rank 1 failed to pass monitoredBarrier in 500 ms"),
    ],
)
def test_the_end_of_one_process_ends_all(how, words):
    done = run(3, "failures.py", how)
    assert done.returncode != 0
    assert re.search(words, done.stdout + done.stderr), done.stdout + done.stderr
    assert "nobody failed" not in done.stdout


def test_processes_that_the_program_starts(tmp_path):
    assert passes(0, "spawned.py", str(tmp_path)) == "passed\n"
