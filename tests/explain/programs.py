"""Runs a piece of a program while it is explained."""

import contextlib
import io
import linecache
import warnings

import rushlight as torch

PREFACE = "import rushlight as torch\nF, nn = torch.nn.functional, torch.nn\ntorch.manual_seed(0)\n"


def explained(source: str, name: str = "program"):
    """The explanation of a program, and the error that it raised, if any. Line 1 is the first of `source`."""
    file = f"<{name}>"
    lines = source.strip("\n") + "\n"
    linecache.cache[file] = (len(lines), None, lines.splitlines(True), file)
    why, caught = torch.autograd.explain(file=False), None
    names = {"__name__": "program", "_why": why, "_program": compile(lines, file, "exec")}
    exec(PREFACE, names)
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            exec("with _why:\n    exec(_program)", names)
        except Exception as error:
            caught = error
        finally:
            torch.set_grad_enabled(True)
    assert not why.watch.troubles, why.watch.troubles
    return why, caught
