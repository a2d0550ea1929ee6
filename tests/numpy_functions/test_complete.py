"""The calls of the other tests name every function of NumPy that takes tensors, and every parameter of each."""

import ast
import inspect

import numpy as np
import pytest
from numpy_functions.cases import CALLS, CONSTANT
from numpy_functions.test_calls import PLAIN, WRITES

import rushlight as torch
from rushlight.ops.protocol import FUNCTIONS, UFUNCS

HOMES = {"": np, "linalg.": np.linalg, "fft.": np.fft}
ELSEWHERE = {  # test_calls.py, test_namespace.py and the tests of printing
    *("shape size ndim allclose array_equal array_equiv result_type can_cast common_type min_scalar_type").split(),
    *("copyto fill_diagonal put place putmask put_along_axis may_share_memory shares_memory einsum_path").split(),
    *("array2string array_repr array_str iscomplexobj isrealobj").split(),
}
CREATION = set("arange array asanyarray asarray ascontiguousarray asfortranarray require".split()) | set(
    "empty eye fromfunction full identity ones tri zeros".split()
)  # dispatched by like=, which tensors do not take
OPTIONS = {  # layouts, and classes of arrays: tensors have their own
    *("out", "like", "dtype", "subok", "order", "casting", "device", "kwargs", "copy", "kw", "max_work"),
    "overwrite_input",
}
INTEGERS = {"bitwise_and", "bitwise_or", "bitwise_xor", "invert", "left_shift", "right_shift", "gcd", "lcm"}


def served():
    """The functions for tensors by their full names, without the ufuncs of integers."""
    np.median(torch.ones(2))  # loads them
    found = {}
    for prefix, home in HOMES.items():
        for name in home.__all__:
            function = getattr(home, name, None)
            if callable(function) and (
                function in FUNCTIONS if not isinstance(function, np.ufunc) else function in UFUNCS
            ):
                found[prefix + name] = function
    return {name: function for name, function in found.items() if function.__name__ not in INTEGERS}


def given():
    """For each function in a call the parameters that some call gives."""
    found = {}
    names = {id(function): name for name, function in served().items()}
    for call in CALLS + CONSTANT:
        for node in ast.walk(ast.parse(f"np.{call}")):
            text = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            function = eval(text, {"np": np}) if text.startswith("np.") and "(" not in text else None
            if id(function) in names:
                found.setdefault(id(function), set()).update(parameters(function, node))
    return found


def parameters(function, node):
    """The parameters that a call gives."""
    names = {keyword.arg for keyword in node.keywords}
    if isinstance(function, np.ufunc):
        return names
    signature = inspect.signature(function)
    return names | set(signature.bind_partial(*node.args).arguments)


GIVEN = given()
SERVED = {name: f for name, f in served().items() if name not in ELSEWHERE and name not in CREATION}


def test_tests_elsewhere_exist():
    assert {name for name in ("copyto", "fill_diagonal", "put", "place") if name not in WRITES} == set()
    assert {name for name in ("shape", "size", "ndim", "allclose") if name not in PLAIN} == set()


@pytest.mark.parametrize("name", SERVED)
def test_every_parameter_is_given(name):
    function = SERVED[name]
    assert id(function) in GIVEN, "no call"
    if not isinstance(function, np.ufunc):
        parameters = {
            p.name for p in inspect.signature(function).parameters.values() if p.kind is not p.VAR_KEYWORD
        } - OPTIONS
        assert parameters - GIVEN[id(function)] == set()
