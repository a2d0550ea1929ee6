"""All contenders do the same work: from the same numbers in float64 come the same losses, gradients and weights."""

from functools import cache

import numpy as np
import pytest

from benchmarks.contenders import CONTENDERS
from benchmarks.themes import arrays, chain, convolution, equation, functions, perceptron, recurrent, transformer
from benchmarks.workload import Workload

STEPS = 3
COMPARED = [name for name in CONTENDERS if name not in ("rushlight", "torch, blocks kept", "torch.compile")]
THEMES = (chain, recurrent, perceptron, transformer, arrays, functions)
SMALL = [equation.equation(16), convolution.reference_network(3, 8), chain.differentiated(20)]  # sooner done
LONG = 1000  # operations from which on compiling takes longer than a test may
MEASURED = [workload for theme in THEMES for workload in theme.WORKLOADS] + SMALL


def in_double(arrays):
    """Arrays with their floating-point numbers in float64."""
    return [array.astype(np.float64) if array.dtype.kind == "f" else array.copy() for array in arrays]


def as_array(value) -> np.ndarray:
    """A copy of a tensor or array: steps write over their weights."""
    return np.array(value.detach().numpy() if hasattr(value, "detach") else value)


@cache
def results(workload: Workload, name: str) -> list[np.ndarray]:
    """What the first steps give."""
    if not CONTENDERS[name].installed:
        pytest.skip(f"{name} is not installed")
    module = CONTENDERS[name].load()
    if name == "jax":
        module.config.update("jax_enable_x64", True)
    step = workload.forms[name](module, *map(in_double, workload.data()))
    return [as_array(value) for _ in range(STEPS) for value in step()]


@pytest.mark.parametrize("name", COMPARED)
@pytest.mark.parametrize("workload", MEASURED, ids=lambda workload: workload.name)
def test_a_contender_computes_what_rushlight_computes(workload, name):
    if name not in workload.forms:
        pytest.skip("has no form of this work")
    if name.startswith("rushlight") and workload.per_step >= LONG:
        pytest.skip("a short one of the kind is compiled")
    ours, theirs = results(workload, "rushlight"), results(workload, name)
    assert len(ours) == len(theirs) > 0
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.shape == other.shape
        np.testing.assert_allclose(mine, other, rtol=1e-6, atol=1e-9 * max(1.0, np.abs(mine).max()))
