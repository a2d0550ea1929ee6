"""A plugin of pytest: writes the outcome of each test of PyTorch's files, line by line, into the file that NOTES names.

With LIBRARY=rushlight, rushlight is the `torch` of the tests. With ONLY, only the tests run that passed in those notes;
with MOST, at most so many, evenly spaced. A test that has an outcome already is skipped; one that was begun and has
none has crashed the process.
"""

import math
import os
import signal
import sys
from pathlib import Path

import pytest

from verify.pytorch_files import notes
from verify.pytorch_files.absent import Absent, Placeholder
from verify.pytorch_files.serving import Beside, serve

LONGEST = 60  # seconds of computing for a test
STUCK = 300  # seconds after which a test is ended that only waits
NOTES, ONLY, FOLDER = (Path(os.environ.get(name, "")) for name in ("NOTES", "ONLY", "FOLDER"))
MOST = int(os.environ.get("MOST", "1000000"))
if os.environ["LIBRARY"] == "rushlight":
    serve(FOLDER)
else:
    sys.meta_path.insert(0, Beside(FOLDER))


def pytest_collection_modifyitems(items):
    """Leaves out what is noted already, and what did not pass with the other library."""
    named = {item.nodeid.partition("::")[2]: item for item in items}
    done, elsewhere = notes.read(NOTES), notes.read(ONLY)
    chosen = list(named)[:: math.ceil(len(named) / MOST) or 1]
    if ONLY.name:
        chosen = [test for test in named if test in elsewhere and elsewhere[test][0] == "passed"]
    items[:] = [named[test] for test in chosen if test not in done]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    """Notes that a test begins: what it comes to is noted later."""
    notes.write(NOTES, item.nodeid.partition("::")[2], "ended")
    limit(LONGEST, STUCK)
    Placeholder.running = True
    yield
    Placeholder.running = False
    limit(0, 0)


def limit(computing: int, waiting: int) -> None:
    """Lets a test compute, and wait, so long; 0 takes the limit away."""
    for kind, timer, seconds in (
        (signal.SIGPROF, signal.ITIMER_PROF, computing),
        (signal.SIGALRM, signal.ITIMER_REAL, waiting),
    ):
        signal.signal(kind, too_long)
        signal.setitimer(timer, seconds)


def too_long(number, frame):
    """Ends a test that takes too long."""
    raise TimeoutError(f"more than {LONGEST} s, or {STUCK} s of waiting")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Notes how a test came out."""
    report = (yield).get_result()
    if report.when == "call" or report.outcome != "passed":
        notes.write(
            NOTES, item.nodeid.partition("::")[2], report.outcome, words(call.excinfo.value) if call.excinfo else ""
        )


def words(error: BaseException) -> str:
    """What is said of a failure: the name that is absent, or the exception's type and first line."""
    if isinstance(error, Absent):
        return f"absent {error.name}"
    if isinstance(error, (AttributeError, ImportError)) and (name := lacking(error)):
        return f"absent {name}"
    return f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}"[:300]


def lacking(error: Exception) -> str:
    """The name of PyTorch's that an error says is missing, or nothing."""
    owner, name = getattr(error, "obj", None), error.name
    if isinstance(error, ImportError) or owner is None:
        return name if name and name.startswith("torch") else ""
    tensor = sys.modules["torch"].Tensor
    if isinstance(owner, tensor) or (isinstance(owner, type) and issubclass(owner, tensor)):
        return f"torch.Tensor.{name}"
    place = getattr(owner, "__name__", "")
    return f"{place.replace('rushlight', 'torch', 1)}.{name}" if place.startswith(("rushlight", "torch")) else ""
