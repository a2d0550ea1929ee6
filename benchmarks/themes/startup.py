"""The time of `import`, in a new process each time."""

import os
import subprocess
import sys
from functools import partial

from benchmarks.workload import Workload

LIBRARIES = ("rushlight", "torch", "jax", "autograd", "numpy")


def importing(name, module, inputs, weights):
    """A step that imports a library in a new interpreter, as installed: with bytecode."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}

    def step():
        subprocess.run([sys.executable, "-c", f"import {name}"], env=environment, check=True)
        return []

    return step


def data():
    """Nothing."""
    return [], []


WORKLOADS = [Workload("import in a new process", {name: partial(importing, name) for name in LIBRARIES}, data)]
