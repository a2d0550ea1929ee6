"""docs/parity.md says what is here and why other names are not; the miss of a name says the same."""

import re
from importlib import import_module

import pytest
from beside import beside

from rushlight.absent import left_out

PAGE = beside("docs/parity.md")
SECTIONS = PAGE.read_text().split("\n## ")[1:]


def test_the_names_of_the_page_are_here():
    lost = []
    for section in SECTIONS:
        home = section.split(":")[0]
        here = re.search(r"^Here: (.*)\.$", section, re.M)
        if home.startswith("torch") and here:
            try:
                module = import_module(home.replace("torch", "rushlight", 1))
            except ModuleNotFoundError:
                continue  # a class
            lost += [f"{home}.{name}" for name in here[1].split(", ") if not is_there(module, name)]
    assert lost == []


def is_there(module, name):
    try:
        return hasattr(module, name) or import_module(f"{module.__name__}.{name}") is not None
    except ModuleNotFoundError:
        return False


def test_enough_names_are_here():
    share = float(re.search(r"are here \(([\d.]+)%\)", PAGE.read_text())[1])
    assert share > 90


@pytest.mark.parametrize("line", left_out.LEFT_OUT, ids=lambda line: line.names.split()[0])
def test_each_line_of_the_table_says_why(line):
    assert line.reason.endswith(".")
    assert len(line.reason) > 30
    for name in line.names.split():
        plain = re.sub(r"\[.*?\]|\*", "1", name)
        assert left_out.reason(plain) is not None
    assert left_out.reason("torch.nn.Linear") is None


@pytest.mark.parametrize("name", ["cuda.nccl", "quantize_per_tensor", "jit.load", "utils.data.datapipes"])
def test_the_miss_of_a_name_gives_the_reason(name):
    home, _, last = f"rushlight.{name}".rpartition(".")
    reason = left_out.reason(f"torch.{name}")
    with pytest.raises(AttributeError) as error:
        getattr(import_module(home), last)
    assert str(error.value).endswith(reason)
