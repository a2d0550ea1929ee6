"""Operands given by NumPy's names, which PyTorch takes wherever its parameters are `input` and `other`."""

from functools import reduce

import numpy as np
import pytest

import rushlight
from rushlight.refusals.signatures import recorded

pytorch = pytest.importorskip("torch")
NAMES = {"input": ["input", "x", "x1", "a"], "other": ["other", "x2"]}
RANDOM = ("empty_like", "rand_like", "randn_like", "bernoulli", "poisson")


def functions():
    """The functions whose operands are one tensor or two, by their place."""
    for place, signatures in recorded().items():
        for signature in signatures:
            needed = [p for p in signature.parameters if not p.optional]
            if [p.name for p in needed] in (["input"], ["input", "other"]) and {p.kind for p in needed} == {"Tensor"}:
                if not place.startswith("Tensor."):
                    yield place, [p.name for p in needed]
                break


FUNCTIONS = dict(functions())


def at(library, place):
    return reduce(getattr, place.strip(".").split("."), library)


def called(library, place, names):
    """The result of a call, as a list of arrays; None if it is refused."""
    values = np.array([[0.5, 0.25], [0.25, 0.75]])
    try:
        result = at(library, place)(**{name: library.tensor(values) for name in names})
    except (TypeError, RuntimeError):
        return None
    return [as_array(part) for part in (result if isinstance(result, (tuple, list)) else [result])]


def as_array(value):
    return np.asarray(value.resolve_conj() if hasattr(value, "resolve_conj") else value)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("place", sorted(FUNCTIONS))
def test_as_pytorch(place):
    for first in NAMES["input"]:
        for second in NAMES["other"]:
            names = [first, second][: len(FUNCTIONS[place])]
            theirs, ours = called(pytorch, place, names), called(rushlight, place, names)
            assert (theirs is None) == (ours is None), names
            for a, b in zip(theirs or (), ours or (), strict=True):
                assert a.shape == b.shape
                if not place.endswith(RANDOM):
                    np.testing.assert_allclose(b, a, rtol=1e-6, err_msg=str(names))


@pytest.mark.parametrize(
    "call",
    [
        "mul(t, t, t)",
        "mul(t, x=t)",
        "mul(x=t)",
        "mul(x=t, a=t)",
        "sin()",
        "sin(t, t)",
        "sin(t, x=t)",
        "sin(y=t)",
        "mm(t)",
        "mm(x=t)",
        "mm(t, t, x=t)",
        "mm(t, mat2=t, a=t)",
        "relu()",
        "relu(t, x=t)",
        "matmul(x1=t)",
        "addmm(x=t)",
    ],
)
def test_refused(call):
    for torch in (pytorch, rushlight):
        with pytest.raises(TypeError, match=call.partition("(")[0]):
            eval(f"torch.{call}", {"torch": torch, "t": torch.ones(2)})


def test_results_are_recorded_and_written():
    x = rushlight.ones(2, requires_grad=True)
    rushlight.mul(x1=x, x2=3.0).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    out = rushlight.empty(2)
    assert rushlight.exp(x=x.detach(), out=out) is out
    assert x.detach().mul(x2=2).tolist() == [2.0, 2.0]
