"""A plugin of pytest: writes the outcome of each test of PyTorch's files, line by line, into the file that NOTES names.

With LIBRARY=rushlight, rushlight is the `torch` of the tests. A test that has an outcome already is skipped; one that
was begun and has none has crashed the process.
"""

import json
import os
import signal
import sys
from pathlib import Path

import pytest

from verify.pytorch_files.absent import Absent, Placeholder

LONGEST = 60  # seconds for a test
NOTES, FOLDER = Path(os.environ["NOTES"]), Path(os.environ["FOLDER"])
if os.environ["LIBRARY"] == "rushlight":
    from verify.pytorch_files.serving import serve

    serve(FOLDER)


def note(test: str, came: str, why: str = "") -> None:
    """Adds a line to the notes."""
    with NOTES.open("a") as notes:
        notes.write(json.dumps([test, came, why]) + "\n")


def noted() -> dict[str, list[str]]:
    """How each test came out that is noted."""
    return {test: [came, why] for test, came, why in map(json.loads, NOTES.read_text().splitlines())}


def pytest_collection_modifyitems(items):
    """Leaves out what is noted already."""
    done = noted() if NOTES.exists() else {}
    items[:] = [item for item in items if item.nodeid.partition("::")[2] not in done]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    """Notes that a test begins: what it comes to is noted later."""
    note(item.nodeid.partition("::")[2], "ended")
    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(LONGEST)
    Placeholder.running = True
    yield
    Placeholder.running = False
    signal.alarm(0)


def too_long(number, frame):
    """Ends a test that takes too long."""
    raise TimeoutError(f"more than {LONGEST} s")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Notes how a test came out."""
    report = (yield).get_result()
    if report.when == "call" or report.outcome != "passed":
        note(item.nodeid.partition("::")[2], report.outcome, words(call.excinfo.value) if call.excinfo else "")


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
