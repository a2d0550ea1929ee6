"""Programs on several processes. Each checks itself, against NumPy or against one process with all the work."""

import os
import re
import subprocess
import time

import pytest
from distributed.launch import ENVIRONMENT, command_for, needs_mpi, needs_mpich, passes, run

pytestmark = needs_mpi


@pytest.mark.parametrize("processes", [2, 4])
def test_collectives(processes):
    passes(processes, "collectives.py")


@pytest.mark.parametrize("processes", [2, 3])
def test_disagreements(processes):
    passes(processes, "disagreements.py")


@pytest.mark.parametrize("processes", [2, 4])
def test_replicas(processes):
    passes(processes, "replicas.py")


@pytest.mark.parametrize("processes", [2, 4])
def test_memory_in_common(processes):
    passes(processes, "common_memory.py")


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("lost", r"rushlight: rank 1 \(.*\) was killed by signal 9 \(SIGKILL\); this ends all others\."),
        ("late", r"all_reduce \(communication \d of the group\): timed out after 1 seconds\. Missing: rank [0-2, ]*1"),
    ],
)
def test_processes_are_missed_where_memory_is_in_common(how, words):
    done = run(3, "common_memory.py", how)
    assert done.returncode != 0
    assert re.search(words, done.stderr), done.stderr
    assert "nobody failed" not in done.stdout


@pytest.mark.parametrize("processes", [2, 3])
def test_workers(processes):
    passes(processes, "workers.py")


@pytest.mark.parametrize("processes", [2, 4])
def test_parts(processes):
    passes(processes, "parts.py")


@pytest.mark.parametrize("processes", [2, 4])
def test_shards(processes):
    passes(processes, "shards.py")


@pytest.mark.parametrize("processes", [2, 4])
def test_wrapped_modules(processes):
    passes(processes, "wrapped.py")


@pytest.mark.parametrize("processes", [2, 4])
def test_checkpoints_in_sharded_modules(processes):
    passes(processes, "recomputed.py")


@pytest.mark.parametrize("processes", [2, 4])
def test_pipelines(processes):
    passes(processes, "stages.py")


def test_a_checkpoint_is_read_by_another_number_of_processes(tmp_path):
    folder = str(tmp_path / "checkpoint")
    sums = [
        re.findall(r"sum up to ([\d.]+);", passes(processes, "shards.py", way, folder))
        for processes, way in ((4, "save"), (2, "load"))
    ]
    assert sums[0] == sums[1]
    assert len(sums[0]) == 1


@pytest.mark.parametrize("processes", [2, 4])
def test_checkpoints_beside_further_work(processes, tmp_path):
    passes(processes, "shards.py", str(tmp_path))


@pytest.mark.parametrize(
    ("how", "words"),
    [
        (
            "early",
            r"KeyError: 'before there is a group'\nrushlight: rank 1 \(.*\) ended with exit status 1; this ends all",
        ),
        ("twice", r"ValueError: rank is 0, but another of the 3 processes gave the same"),
        ("raise", r"KeyError: 'the cause'\nrushlight: rank 1 \(.*\) ended with exit status 1; this ends all others\."),
        ("kill", r"rushlight: rank 1 \(.*\) was killed by signal 9 \(SIGKILL\); this ends all others\."),
        ("exit", r"rushlight: rank 1 \(.*\) ended with exit status 3; this ends all others\."),
        ("words", r"no more data\nrushlight: rank 1 \(.*\) ended with exit status 1; this ends all others\."),
        # the others may be late too on a busy machine: then they are named too, or it is they who tell
        ("late", r"all_reduce \(communication 2 of the group\): timed out after 1 seconds\. Missing: rank [0-2, ]*1"),
        ("astray", r"Out of step: rank (1 waits in broadcast|\d waits in all_reduce) \(communication 2\)"),
        ("barrier", r"Ranks? 1(, 2)? failed to pass monitoredBarrier in 500 ms|Rank 2 reached monitoredBarrier, but"),
    ],
)
def test_the_end_of_one_process_ends_all(how, words):
    done = run(3, "failures.py", how)
    assert done.returncode == 1, "as torchrun"
    assert "BAD TERMINATION" not in done.stdout
    assert re.search(r"rushlight: rank \d \(.*\) (ended|was killed)", done.stderr), done.stderr
    assert re.search(words, done.stdout + done.stderr), done.stdout + done.stderr
    assert "nobody failed" not in done.stdout


def ends(number):
    """Whether a process ends; those that are ended take their time on a busy machine."""
    for _ in range(6000):
        try:
            os.kill(number, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False


def test_the_end_of_the_launcher_ends_all():
    command = command_for(2, "failures.py", "ended")
    with subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True) as launcher:
        numbers: list[str] = []
        for line in launcher.stdout:  # lines of two processes may get into each other
            numbers += re.findall(r"process (\d+)", line)
            if len(numbers) == 2:
                break
        launcher.terminate()
    assert len(numbers) == 2
    assert all(ends(int(number)) for number in numbers)


def test_processes_come_together_in_several_groups(tmp_path):
    passes(4, "meetings.py", str(tmp_path))


@needs_mpich
@pytest.mark.parametrize("program", ["spawned.py", "lessons.py", "meetings.py"])
def test_processes_that_the_program_starts(tmp_path, program):
    assert passes(0, program, str(tmp_path)) == "passed\n"
