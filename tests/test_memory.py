"""Kept memory: bounded, given back on demand, off by an environment variable."""

import os
import subprocess
import sys

import numpy as np
import pytest

from rushlight import memory

PROGRAM = """
import numpy as np, rushlight
for _ in range(3):
    array = np.ones((1 << 23,))
    del array
print(rushlight.memory.memory_info()["held"])
"""


@pytest.mark.skipif(memory.glibc() is None, reason="only glibc keeps or gives back blocks as it is told")
def test_freed_blocks_are_held_unless_switched_off():
    held = {}
    for limit in ("0", "512"):
        environment = {**os.environ, "RUSHLIGHT_KEEP_MEMORY": limit}
        run = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
        )
        held[limit] = int(run.stdout)
    assert held["512"] >= 1 << 26
    assert held["0"] < 1 << 25


@pytest.mark.skipif(memory.glibc() is None, reason="only glibc keeps or gives back blocks as it is told")
def test_empty_cache_gives_back():
    array = np.ones(1 << 23)
    del array
    memory.empty_cache()
    assert memory.memory_info()["held"] < 1 << 26
