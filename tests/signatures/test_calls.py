"""Functions and classes of PyTorch's packages, called by position, by name and with options, beside PyTorch.

What `verify calls` does for functions of `torch`, tensors and `nn.functional` is done here for a choice of the others.
"""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import rushlight

pytorch = pytest.importorskip("torch")

CALLS = Path(__file__).with_name("calls.txt").read_text().splitlines()
PACKAGES = {  # the letters that the calls have for packages
    "U": "nn.utils",
    "I": "nn.init",
    "D": "utils.data",
    "V": "func",
    "G": "autograd",
    "P": "utils._pytree",
    "W": "optim.swa_utils",
    "S": "optim.lr_scheduler",
    "Q": "distributions",
    "K": "utils.checkpoint",
    "F": "nn.functional",
    "n": "nn",
}
LOADED = ("nn.utils.prune", "nn.utils.stateless", "hub", "utils.data.distributed", "nn.grad")


def squares(x):
    """A function to differentiate."""
    return (x**2).sum()


def given(t):
    """What the calls use: the library, its packages, a matrix, a parameter with a gradient, a layer, an optimizer."""
    t.manual_seed(0)
    for name in LOADED:
        import_module(f"{t.__name__}.{name}")
    x = t.arange(6.0).reshape(2, 3) / 3 - 0.5
    p = t.nn.Parameter(x.clone())
    p.grad = x * 3
    packages = {letter: import_module(f"{t.__name__}.{name}") for letter, name in PACKAGES.items()}
    identity = lambda a: a
    identity.__annotations__ = {"a": t.Tensor, "return": t.Tensor}
    layer, optimizer = t.nn.Linear(3, 2), t.optim.SGD([t.nn.Parameter(t.ones(1))], lr=0.1)
    return {"t": t, "x": x, "p": p, "L": layer, "O": optimizer, "f": squares, "g": identity, "np": np, **packages}


def plain(value):
    """A result as NumPy's arrays and text, which are the same in both libraries."""
    if isinstance(value, (pytorch.Tensor, rushlight.Tensor)):
        return [str(value.dtype), value.detach().to_dense().numpy()]
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, dict):
        return [[key, plain(part)] for key, part in value.items()]
    return value if isinstance(value, np.ndarray) else repr(value).replace("rushlight", "torch").partition(" at 0x")[0]


def assert_same(ours, theirs):
    """Checks that two results are the same to rounding."""
    if isinstance(theirs, list):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            assert_same(one, other)
    elif isinstance(theirs, np.ndarray):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)
    else:
        assert ours == theirs


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS)
def test_calls(call):
    ours, theirs = (plain(eval(call, given(t))) for t in (rushlight, pytorch))
    assert_same(ours, theirs)
