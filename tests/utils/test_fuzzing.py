"""`Fuzzer`: the same parameters and tensors as PyTorch's for the same seed, which were recorded from it."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.utils.benchmark import FuzzedParameter, FuzzedTensor, Fuzzer, ParameterAlias
from rushlight.utils.benchmark.op_fuzzers.binary import BinaryOpFuzzer
from rushlight.utils.benchmark.op_fuzzers.unary import UnaryOpFuzzer

SMALL = {
    "parameters": [
        FuzzedParameter("rows", minval=2, maxval=40, distribution="loguniform"),
        [FuzzedParameter("scale", minval=0.5, maxval=1, distribution="uniform")],
        FuzzedParameter("dim", distribution={1: 0.5, 2: 0.5}, strict=True),
        FuzzedParameter("columns", distribution={1: 0.5, ParameterAlias("rows"): 0.5}),
    ],
    "tensors": [
        FuzzedTensor("x", ("rows", 3), steps=(1, 2), min_elements=10, dim_parameter="dim"),
        FuzzedTensor("y", ("rows", "columns"), probability_contiguous=0.0, max_elements=200, dtype=torch.int16),
    ],
    "seed": 7,
}
ROWS = [(10, 0.7506, 2, 1), (14, 0.847, 1, 1), (12, 0.9751, 1, 12)]
SUMS = [15.71676, 8.1447, 6.11641]
STRIDES = [((1, 1), 570), ((1, 1), 950), ((1, 12), 9445)]
RATE = 0.4


def test_the_same_seed_gives_pytorchs_tensors():
    fuzzer = Fuzzer(**SMALL)
    taken = list(fuzzer.take(3))
    assert [(p["rows"], round(p["scale"], 4), p["dim"], p["columns"]) for *_, p in taken] == ROWS
    assert [float(t["x"].sum()) for t, *_ in taken] == pytest.approx(SUMS)
    assert [(t["y"].stride(), int(t["y"].sum())) for t, *_ in taken] == STRIDES
    assert taken[0][1]["y"]["is_contiguous"] == taken[0][0]["y"].is_contiguous()
    assert fuzzer.rejection_rate == pytest.approx(RATE)
    again = next(fuzzer.take(1))[0]
    assert all(torch.equal(again[name], taken[0][0][name]) for name in "xy")


@pytest.mark.parametrize("make", [BinaryOpFuzzer, UnaryOpFuzzer])
def test_sizes_of_operands(make):
    fuzzer = make(seed=0)
    for _ in range(5):
        params = fuzzer._generate(np.random.RandomState(_))
        assert 1 <= params["dim"] <= 3
        assert all(16 <= params[f"k{i}"] <= 2**24 for i in range(3))
        assert all(params.get(f"y_k{i}", 1) in (1, params[f"k{i}"]) for i in range(3))


def test_mistakes():
    with pytest.raises(AssertionError, match="Unknown distribution: normal"):
        FuzzedParameter("a", 1, 2, "normal")
    with pytest.raises(AssertionError, match="'minval' must be None"):
        FuzzedParameter("a", 1, distribution={1: 1.0})
    with pytest.raises(ValueError, match="Duplicate names"):
        Fuzzer([FuzzedParameter("a", 1, 2, "uniform")], [FuzzedTensor("a", (2,))])
    circle = [FuzzedParameter(a, distribution={ParameterAlias(b): 1.0}) for a, b in ("ab", "ba")]
    with pytest.raises(ValueError, match="cycle"):
        next(Fuzzer(circle, []).take(1))
    with pytest.raises(ValueError, match="Failed to generate"):
        next(Fuzzer([], [FuzzedTensor("x", (2,), min_elements=3)]).take(1))
