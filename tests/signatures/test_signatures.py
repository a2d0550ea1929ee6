"""Functions, classes and methods take what PyTorch's take: parameters of the same names, order, kinds and defaults.

`recorded.txt` has PyTorch's signatures (written by `record.py`), `differences.txt` those that differ here, with the
reasons. There may be more parameters than PyTorch's, where they have defaults and come last or are given by name.
"""

import datetime
import importlib
import inspect
import math
from pathlib import Path

import pytest

import rushlight
from rushlight.interop.imports import OURS

BESIDE = Path(__file__).parent
RECORDED = dict(line.split("(", 1) for line in (BESIDE / "recorded.txt").read_text().splitlines())
LISTED = [line.partition(": ")[0].split() for line in (BESIDE / "differences.txt").read_text().splitlines()]
DIFFERENT = {name for names in LISTED for name in names}
WORDS = {"torch": rushlight, "inf": math.inf, "datetime": datetime}
Parameter = inspect.Parameter
BY_POSITION = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
STARRED = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
HOMES = sorted({name.rpartition(".")[0] for name in RECORDED})


def home_of(name):
    """The module or class here that something of PyTorch's is in."""
    root, dot, rest = name.rpartition(".")[0].partition(".")
    found = OURS[root] + dot + rest
    try:
        return importlib.import_module(found)
    except ImportError:
        module, _, kind = found.rpartition(".")
        return getattr(importlib.import_module(module), kind)


def theirs(name):
    """The parameters of PyTorch's function, without `self`."""
    namespace = {}
    exec(f"def function({RECORDED[name]}: ...", WORDS, namespace)
    found = list(inspect.signature(namespace["function"]).parameters.values())
    return found[1:] if found and found[0].name == "self" else found


def ours(name):
    """The parameters of our function, without the object of a method; None where it is compiled and does not tell."""
    home, last = home_of(name), name.rpartition(".")[2]
    value = getattr(home, last)
    try:
        found = list(inspect.signature(value).parameters.values())
    except ValueError:
        return None
    of_object = isinstance(home, type) and not inspect.ismethod(value) and not isinstance(value, type)
    return found[1:] if of_object and not isinstance(inspect.getattr_static(home, last), staticmethod) else found


def problem(theirs, ours):
    """What of PyTorch's signature ours does not take as well; nothing where it takes all."""
    named = {p.name: p for p in ours if p.kind not in (*STARRED, Parameter.POSITIONAL_ONLY)}
    positions = [p for p in ours if p.kind in BY_POSITION]
    for index, parameter in enumerate(theirs):
        if parameter.kind in STARRED:
            if parameter.kind not in {p.kind for p in ours}:
                return f"no {parameter}"
            continue
        same = named.get(parameter.name)
        if parameter.kind is Parameter.POSITIONAL_ONLY:
            same = positions[index] if index < len(positions) else None
        elif parameter.kind in BY_POSITION and positions[index : index + 1] != [same]:
            return f"{parameter} is not at place {index}"
        if same is None or not equal(parameter.default, same.default):
            return f"{parameter} is {same}"
    count = sum(p.kind in BY_POSITION for p in theirs)
    known = {p.name for p in [*theirs, *positions[:count]]}
    more = [p for p in ours if p.name not in known and p.default is p.empty and p.kind not in STARRED]
    return f"{more[0]} has to be given" if more else ""


def equal(theirs, ours):
    """Whether defaults are the same; `...` stands for what has no literal."""
    if theirs is ... or ours is Parameter.empty or theirs is Parameter.empty:
        return ours is theirs or (theirs is ... and ours is not Parameter.empty)
    return (type(ours) is type(theirs) and ours == theirs) or (theirs == () and tuple(ours) == ())


def compare(name):
    """What is wrong with a signature here, or nothing."""
    try:
        found = ours(name)
    except (AttributeError, NotImplementedError) as error:
        return f"is not here: {str(error)[:100]}"
    return "" if found is None else problem(theirs(name), found)


@pytest.mark.parametrize("home", HOMES)
def test_signatures(home):
    names = [name for name in RECORDED if name.rpartition(".")[0] == home]
    found = {name: text for name in names if (text := compare(name))}
    assert {name: text for name, text in found.items() if name not in DIFFERENT} == {}
    assert [name for name in names if name in DIFFERENT and name not in found] == []  # they are as PyTorch's now


def test_listed_names_are_recorded():
    assert DIFFERENT - set(RECORDED) == set()
