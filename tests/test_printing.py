"""Printing: golden text recorded from PyTorch, the options, and PyTorch live where it is installed."""

import json
from pathlib import Path

import numpy as np
import pytest
from golden.record_printing import array_of, printed
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rushlight.printing import get_printoptions, printoptions, set_printoptions, tensor_str

GOLDEN = json.loads(Path(__file__).with_name("golden").joinpath("printing.json").read_text())
DEFAULTS = {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None}


def ours(array: np.ndarray, options: dict, keywords: dict) -> str:
    if "default_dtype" in keywords:
        keywords = keywords | {"default_dtype": np.dtype(keywords["default_dtype"])}
    with printoptions(**options):
        return tensor_str(array, **keywords)


@pytest.mark.parametrize("case", GOLDEN, ids=range(len(GOLDEN)))
def test_prints_as_recorded_from_pytorch(case):
    array = array_of(case["values"], case["dtype"], tuple(case["shape"]))
    assert ours(array, case["options"], case["keywords"]) == case["text"]


def test_the_record_covers_every_kind_of_text():
    texts = "\n".join(case["text"] for case in GOLDEN)
    elements = ["e+08", "nan", "-inf", "1.,", " ...", "\n        ...", "\n\n", "True", "-0.j"]
    suffixes = ["size=(0, 3)", "float16", ",\n       dtype=", "grad_fn=<Cl", "requires_grad=True)"]
    assert [part for part in elements + suffixes if part not in texts] == []


def test_memory_layout_does_not_show():
    array = np.arange(60.0, dtype=np.float32).reshape(3, 4, 5)
    assert tensor_str(array.T) == tensor_str(np.ascontiguousarray(array.T))
    assert tensor_str(array[::-1, ::2]) == tensor_str(array[::-1, ::2].copy())
    assert tensor_str(np.broadcast_to(array[0, 0], (4, 5))) == tensor_str(np.tile(array[0, 0], (4, 1)))


def test_printing_leaves_the_array_alone():
    array = np.array([[1.5, np.nan], [1e9, -0.0]])
    before = array.tobytes()
    tensor_str(array)
    assert array.tobytes() == before


@pytest.mark.parametrize("shape", [(), (3,), (30,), (4, 9), (2, 0)])
def test_indent_counts_as_text_to_the_left(shape):
    array = np.ones(shape)
    whole = tensor_str(array, prefix="tangent=tensor(", requires_grad=True)
    assert whole == "tangent=" + tensor_str(array, indent=len("tangent="), requires_grad=True)


def test_options_start_at_the_defaults_and_come_back():
    assert get_printoptions() == DEFAULTS
    with printoptions(precision=2, sci_mode=True):
        assert get_printoptions() == DEFAULTS | {"precision": 2, "sci_mode": True}
        with printoptions(linewidth=40):
            assert get_printoptions() == DEFAULTS | {"precision": 2, "linewidth": 40}
        assert get_printoptions()["sci_mode"] is True
    assert get_printoptions() == DEFAULTS


def test_options_come_back_after_an_error():
    with pytest.raises(ZeroDivisionError), printoptions(precision=1):
        raise ZeroDivisionError
    assert get_printoptions() == DEFAULTS


def test_profiles():
    with printoptions():
        set_printoptions(profile="short", linewidth=60)
        assert get_printoptions() == DEFAULTS | {"precision": 2, "edgeitems": 2, "linewidth": 60}
        set_printoptions(profile="full")
        assert get_printoptions() == DEFAULTS | {"threshold": np.inf}
        set_printoptions(profile="default")
        assert get_printoptions() == DEFAULTS


def test_options_handed_out_are_a_copy():
    get_printoptions()["precision"] = 9
    assert get_printoptions() == DEFAULTS


@pytest.fixture(scope="module")
def pytorch():
    return pytest.importorskip("torch")


DTYPES = ["float16", "float32", "float64", "complex64", "complex128", "bool", "uint8", "int16", "int64"]
SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4) | st.tuples(st.integers(0, 40))
ARRAYS = st.sampled_from(DTYPES).flatmap(lambda dtype: hnp.arrays(dtype, SHAPES))
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "precision": st.integers(0, 12),
        "threshold": st.sampled_from([0, 6, 1000, np.inf]),
        "edgeitems": st.integers(0, 4),
        "linewidth": st.integers(1, 130),
        "profile": st.sampled_from(["default", "short", "full"]),
        "sci_mode": st.sampled_from([None, True, False]),
    },
)


@pytest.mark.usefixtures("pytorch")
@given(ARRAYS, OPTIONS, st.booleans(), st.sampled_from(["float16", "float32", "float64"]))
def test_prints_as_pytorch_live(array, options, wants_grad, default_dtype):
    grad = {"requires_grad": True} if wants_grad and array.dtype.kind in "fc" else {}
    keywords = grad | {"default_dtype": default_dtype}
    assert ours(array, options, keywords) == printed(array, options, keywords)


MAGNITUDES = st.lists(
    st.builds(lambda digits, power: digits / 100 * 10.0**power, st.integers(-999, 999), st.integers(-6, 9)),
    min_size=1,
    max_size=12,
)


@pytest.mark.usefixtures("pytorch")
@given(MAGNITUDES, st.sampled_from(["float32", "float64"]), OPTIONS)
def test_chooses_the_notation_as_pytorch_live(values, dtype, options):
    array = np.array(values, dtype)
    assert ours(array, options, {}) == printed(array, options, {})
