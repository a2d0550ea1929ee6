"""The reference: every public name has its signature, says what it does, and shows an example that runs."""

import doctest
import inspect
import subprocess
import sys
from importlib import import_module
from operator import attrgetter

import pytest
from beside import ROOT, beside

import rushlight

sys.path.append(str(beside("docs")))

import tried
from reference import MODULES, public_names

OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
# Programs' commands rather than functions: they put a script in the place of the one that calls them.
WITHOUT_EXAMPLE = {"run_module", "run_script", "run_text"}
PLACES = [place for place in MODULES.values() if place != "rushlight.Tensor"]


def shown(place: str) -> dict[str, object]:
    """The names on a page of the reference."""
    return public_names(import_module(place))


def in_its_module(value) -> bool:
    """Whether pytest finds the examples in the module that a name comes from."""
    own = inspect.unwrap(value)
    home = own.__globals__["__name__"] if inspect.isfunction(own) else own.__module__
    found = vars(sys.modules.get(home, sys)).get(own.__name__)
    return inspect.unwrap(found) is own if callable(found) else False


@pytest.mark.parametrize("place", PLACES)
def test_every_name_has_an_example(place):
    missing = {name for name, value in shown(place).items() if ">>>" not in value.__doc__}
    assert missing <= WITHOUT_EXAMPLE


@pytest.mark.parametrize("place", [place for place in PLACES if place != "rushlight.distributed"])
def test_examples_of_names_that_tables_make(place):
    """Those that pytest does not find by itself, as their functions stand in no module under their names."""
    runner = doctest.DocTestRunner(optionflags=OPTIONS, verbose=False)
    for name, value in shown(place).items():
        if not in_its_module(value):
            runner.run(doctest.DocTestParser().get_doctest(value.__doc__, {}, f"{place}.{name}", None, 0))
    assert runner.failures == 0


IN_A_PROCESS_GROUP = """
import doctest, sys
sys.path[:0] = [{root!r}, {docs!r}]
import rushlight.distributed
from rushlight.distributed import autograd, nn, optim, rpc
from reference import public_names
rushlight.distributed.init_process_group("gloo", rank=0, world_size=1)
runner = doctest.DocTestRunner(optionflags={options})
for room in (rushlight.distributed, autograd, nn, optim, rpc):
    for name, value in public_names(room).items():
        runner.run(doctest.DocTestParser().get_doctest(value.__doc__ or "", {{}}, name, None, 0))
print(runner.tries, "examples,", runner.failures, "failures")
"""


def test_examples_in_a_process_group():
    """They are left out where pytest finds them (see conftest.py), as MPI is not to be started in its process."""
    pytest.importorskip("mpi4py")
    program = IN_A_PROCESS_GROUP.format(root=str(ROOT), docs=str(ROOT / "docs"), options=OPTIONS)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.endswith(" 0 failures\n"), done.stdout + done.stderr


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("sin", ["Shape: that of `input`, any.", "TypeError for what is no tensor."]),
        ("maximum", ["RuntimeError for shapes that do not fit."]),
        ("amax", ["IndexError for a dimension that there is not."]),
        ("nn.Tanh", ["Shape: that of `input`, any.", "TypeError for what is no tensor."]),
        ("manual_seed", []),
        ("nn.Linear", ["TypeError for what is no tensor", "RuntimeError for sizes that do not fit."]),
        ("nn.Conv1d", ["RuntimeError for an input of 1 or 4 or 5 dimensions"]),
        ("nn.ModuleList", []),
    ],
)
def test_the_reference_tells_what_was_tried(name, lines):
    told = " ".join(tried.found(attrgetter(name)(rushlight), ""))
    assert all(line.rstrip(".") in told for line in lines)
    assert bool(told) is bool(lines)


def test_what_a_docstring_says_is_not_said_again():
    assert tried.found(rushlight.sin, "RuntimeError for vectors.") == []
