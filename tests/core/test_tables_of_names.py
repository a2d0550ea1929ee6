"""Tables that name operators or functions name those that are there: a rename must not drop a rule silently."""

from importlib import import_module

import pytest

import rushlight as torch
from rushlight.ops.table import TABLE

ROOMS = ["nn.functional", "linalg", "fft", "special", "sparse", "masked"]  # where operators are entered late
OPERATORS = {
    "compiler.lowering": "RULES",
    "dispatch.renderings": "RENDERINGS",
    "explain.bad_values": "TAME",
    "explain.kinds.looked_at": "BOUNDED",
    "explain.kinds.not_finite": "EXPONENTIALS TABLE",
    "explain.kinds.zero": "BOUNDS FACTORS SAMPLERS",
    "explain.passes": "AT_ZERO PRODUCTS RECTIFIERS",
    "explain.readings": "BETWEEN CHOICES CURVES LOSSES PARTS PICKING PRODUCTS VIEWS",
    "explain.ways": "ALONG BENT JOINING LINEAR SUMS",
}
FUNCTIONS = {
    "core.writing": "APART ANYHOW ALIKE",
    "ops.out": "CONTIGUOUS CONTIGUOUS_UNLESS_EMPTY IN_STEP PICKED",
    "ops.out_types": "CASTS CAST_RULES JOINED KINDS RULES TRUTHS",
    "refusals.guard": "QUICK QUICK_METHODS",
}
PLACES = (torch, torch.Tensor, torch.nn.functional)
PACKAGES = {"fft_": torch.fft, "linalg_": torch.linalg, "": torch.linalg, "special_": torch.special}


@pytest.fixture(scope="module", autouse=True)
def every_operator():
    for room in ROOMS:
        import_module(f"rushlight.{room}")


def names_in(tables):
    for module, names in tables.items():
        for name in names.split():
            for entry in getattr(import_module(f"rushlight.{module}"), name):
                yield f"{module}.{name}", entry


def is_function(name):
    name = name.partition("[")[0]  # `max[1]` is the second result of max
    if name in TABLE or any(hasattr(place, name) for place in PLACES):
        return True
    return any(name.startswith(p) and hasattr(package, name.removeprefix(p)) for p, package in PACKAGES.items())


def test_operators():
    assert [(table, name) for table, name in names_in(OPERATORS) if name not in TABLE] == []


def test_functions():
    assert [(table, name) for table, name in names_in(FUNCTIONS) if not is_function(name)] == []
