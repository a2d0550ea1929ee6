"""Kept memory: bounded, given back on demand, off by an environment variable."""

import os
import subprocess
import sys

import pytest

from rushlight.machine import memory

PROGRAM = """
import numpy as np, rushlight
for _ in range(3):
    array = np.ones((1 << 23,))
    del array
info = rushlight.machine.memory.memory_info
held = info()["held"]
rushlight.machine.memory.empty_cache()
empty = info()["held"]
with rushlight.machine.memory.blocks_returned():
    array = np.ones((1 << 23,))
    mapped = info()["mapped"]
    del array
returned = info()["mapped"]
array = np.ones((1 << 23,))
print(held, empty, mapped, returned, info()["mapped"])
"""


def held_with(limit):
    """What a new process holds after it has freed 64 MiB, before and after `empty_cache`.

    Then what it has mapped for as much where blocks are returned, once that is freed, and for as much after this.
    """
    environment = {**os.environ, "RUSHLIGHT_KEEP_MEMORY": limit}
    run = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)
    return [int(size) for size in run.stdout.split()]


@pytest.mark.skipif(memory.glibc() is None, reason="only glibc keeps or gives back blocks as it is told")
def test_freed_blocks_are_held_until_they_are_asked_back():
    before, after, *_ = held_with("512")
    assert before >= 1 << 26
    assert after < 1 << 25


@pytest.mark.skipif(memory.glibc() is None, reason="only glibc keeps or gives back blocks as it is told")
def test_an_environment_variable_switches_it_off():
    before, *_ = held_with("0")
    assert before < 1 << 25


@pytest.mark.skipif(memory.glibc() is None, reason="only glibc keeps or gives back blocks as it is told")
def test_blocks_are_returned_one_by_one_for_a_while():
    *_, mapped, returned, after = held_with("512")
    assert mapped >= 1 << 26
    assert max(returned, after) < 1 << 25
