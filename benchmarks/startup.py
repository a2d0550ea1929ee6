"""What `import` costs, in a new process each time."""

import os
import subprocess
import sys

from benchmarks.harness import Workload


def importing(name):
    """A step that imports a module in a new interpreter."""

    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}  # as installed: with bytecode

    def step():
        subprocess.run([sys.executable, "-c", f"import {name}"], env=environment, check=True)

    return lambda _: step


WORKLOADS = [
    Workload(
        "import in a new process",
        {name: importing(name) for name in ("rushlight", "torch", "jax", "autograd", "numpy")},
    )
]
