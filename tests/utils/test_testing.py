"""`torch.testing` and `torch.utils._pytree`: messages and values compared with PyTorch in the same program."""

from collections import OrderedDict, namedtuple
from importlib import import_module

import numpy as np
import pytest

import rushlight

CASES = [
    "torch.ones(2), torch.ones(2)",
    "torch.ones(2), torch.ones(3)",
    "torch.ones(2), torch.ones(2, dtype=torch.float64)",
    "torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1.0, 4.0, 5.0])",
    "torch.tensor(1.0), torch.tensor(2.0)",
    "torch.tensor([[1, 2], [3, 4]]), torch.tensor([[1, 2], [3, 5]])",
    "1.0, 1.5",
    "1, 1.0",
    "1, 2",
    "1j, 2j",
    "True, False",
    "None, 1",
    "None, None",
    "[1.0, 2.0], (1.0, 3.0)",
    "[1], [1, 2]",
    "{'a': 1}, {'b': 1}",
    "{'a': [torch.ones(1)]}, {'a': [torch.zeros(1)]}",
    "torch.tensor([float('nan')]), torch.tensor([float('nan')])",
    "np.ones(2), np.zeros(2)",
    "np.ones(2), torch.ones(2)",
    "torch.tensor([True]), torch.tensor([False])",
    "torch.tensor([1.0 + 1j]), torch.tensor([1.0 + 2j])",
    "'a', 'a'",
    "torch.ones(2), [1.0, 1.0]",
    "torch.tensor([1.0]), torch.tensor([1.1]), rtol=0, atol=0",
    "torch.tensor([1.0]), torch.tensor([1.1]), rtol=0.2, atol=0",
    "torch.ones(2), torch.ones(2), rtol=1",
    "1.0, 1, check_dtype=False",
    "torch.ones(2), torch.ones(2).double(), check_dtype=False",
    "torch.ones(2, 3), torch.ones(3, 2).T, check_stride=True",
    "torch.ones(1), torch.zeros(1), msg='no'",
    "torch.ones(1), torch.zeros(1), msg=lambda m: 'A ' + m",
    "torch.nn.Parameter(torch.ones(1)), torch.ones(1)",
    "torch.nn.Parameter(torch.ones(1)), torch.ones(1), allow_subclasses=False",
    "float('nan'), float('nan'), equal_nan=True",
    "torch.tensor(3), torch.tensor(4)",
    "torch.ones(0), torch.ones(0)",
]


def outcome(torch, program):
    try:
        result = eval(program, {"torch": torch, "np": np})
    except Exception as error:
        return type(error).__name__, str(error).replace(torch.__name__, "torch")
    return result


@pytest.mark.parametrize("case", CASES)
def test_assert_close(case):
    theirs = pytest.importorskip("torch")
    program = f"torch.testing.assert_close({case})"
    ours, expected = outcome(rushlight, program), outcome(theirs, program)
    if expected and expected[0] == "TypeError":
        ours, expected = ours[:1], expected[:1]
    assert ours == expected


MADE = [
    "(2, 3), dtype=torch.float32",
    "3, dtype=torch.int64, low=-2, high=3",
    "2, 2, dtype=torch.complex64",
    "(4,), dtype=torch.bool",
    "(2, 4), dtype=torch.float64, noncontiguous=True",
    "(), dtype=torch.uint8",
    "(50,), dtype=torch.int8, low=0, high=2, exclude_zero=True",
    "3, dtype=torch.float32, requires_grad=True",
    "2, dtype=torch.uint8, low=-9, high=-3",
    "2, dtype=torch.int64, requires_grad=True",
    "2, dtype=torch.int64, low=3, high=1",
]


@pytest.mark.parametrize("arguments", MADE)
def test_make_tensor(arguments):
    theirs = pytest.importorskip("torch")
    found = []
    for torch in (rushlight, theirs):
        torch.manual_seed(2)
        made = outcome(torch, f"torch.testing.make_tensor({arguments}, device='cpu')")
        if isinstance(made, torch.Tensor):
            made = (made.tolist(), str(made.dtype), made.stride(), made.requires_grad)
        found.append(made)
    assert found[0] == found[1]


Pair = namedtuple("Pair", "a b")
TREES = ["1", "[1, (2, {'b': 3, 'a': 4})]", "Pair([1], (2, 3))", "OrderedDict(x=1, y=[])", "[None, ()]"]


@pytest.mark.parametrize("tree", TREES)
def test_trees(tree):
    pytest.importorskip("torch")
    found = []
    for P in (import_module(f"{library}.utils._pytree") for library in ("rushlight", "torch")):
        t = eval(tree, {"Pair": Pair, "OrderedDict": OrderedDict})
        leaves, spec = P.tree_flatten(t)
        stop = lambda x: isinstance(x, tuple)
        paths = [(P.keystr(k), v) for k, v in P.tree_leaves_with_path(t)]
        found.append(
            [
                leaves,
                spec.num_leaves,
                P.tree_unflatten(leaves, spec) == t,
                P.tree_map(str, t),
                paths,
                P.tree_leaves(t, is_leaf=stop),
                P.tree_map_only(int, lambda n: -n, t),
                P.tree_all_only(int, bool, t),
                P.tree_any(lambda v: v == 2, t),
                P.tree_structure(t) == spec,
                P.tree_map_with_path(lambda k, v: (len(k), v), t),
            ]
        )
    assert found[0] == found[1]


def test_classes_become_containers():
    P = import_module("rushlight.utils._pytree")

    class Box:
        def __init__(self, items):
            self.items = items

    P.register_pytree_node(Box, lambda box: (box.items, None), lambda items, _: Box(list(items)))
    assert P.tree_map(lambda n: n + 1, {"x": Box([1, [2]])})["x"].items == [2, [3]]
    with pytest.raises(ValueError, match="already registered"):
        P.register_pytree_node(Box, None, None)


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2"])
def test_numbers_of_eight_bits_are_compared(torch, name):
    dtype = getattr(torch, name)
    x, y = torch.arange(3.0).to(dtype), torch.tensor([0.0, 1.0, 4.0]).to(dtype)
    assert torch.isclose(x, y, rtol=0, atol=0).tolist() == [True, True, False]
    torch.testing.assert_close(x, x.clone())
    with pytest.raises(AssertionError):
        torch.testing.assert_close(x, y)
