"""An import that was interrupted, say by Ctrl-C in a notebook, can be repeated: each file may run a second time."""

import subprocess
import sys

PROGRAM = """
import pkgutil, sys
from importlib import import_module
import rushlight

for found in pkgutil.walk_packages(rushlight.__path__, "rushlight."):
    name = found.name
    parent, _, leaf = name.rpartition(".")
    if leaf == "__main__" or ".interop." in name or ".kernels.compiled." in name:
        continue
    try:
        first = import_module(name)
    except ImportError:  # a library is missing
        continue
    if first.__spec__.loader.__class__.__name__ != "SourceFileLoader":
        continue
    del sys.modules[name]
    import_module(name)
    sys.modules[name] = first
    setattr(sys.modules[parent], leaf, first)
    print(name)
"""


def test_each_file_runs_again():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "rushlight.nn\n" in done.stdout
    assert "rushlight.compiler\n" in done.stdout
