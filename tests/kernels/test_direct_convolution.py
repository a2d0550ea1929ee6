"""The compiled kernels of convolution against their NumPy form: tails, layouts, numbers that are none, threads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernels.cases import Arrays, Convolution, waves

from rushlight.kernels import direct, few_taps
from rushlight.kernels.convolution import convolution, convolution_input, convolution_weight
from rushlight.machine import threads

pytestmark = pytest.mark.skipif(
    direct.fast is None or not direct.fast.AVAILABLE, reason="there are no kernels for this CPU"
)

SAMPLES = (1, 2, 7, 8, 9, 15, 16, 17, 33, 64, 70)
OUTER = (*range(1, 15), 16, 32, 37)
LAYERS = {
    "samples innermost": Convolution((70, 5, 6, 6), (7, 5, 3, 3), (1, 1), (1, 1), (1, 1), 1, "float32"),
    "samples innermost, stride": Convolution((33, 7, 9, 8), (13, 7, 4, 4), (2, 2), (1, 1), (1, 1), 1, "float32"),
    "padded and dealt out": Convolution((3, 4, 9, 50), (7, 4, 3, 3), (2, 3), (1, 2), (1, 1), 1, "float32"),
    "whole planes": Convolution((2, 4, 7, 7), (9, 4, 3, 3), (1, 1), (1, 1), (1, 1), 1, "float32"),
    "channels innermost": Convolution((2, 20, 7, 7), (9, 20, 3, 3), (1, 1), (1, 1), (1, 1), 1, "float32"),
    "cotangents innermost": Convolution((70, 5, 6, 6), (37, 5, 3, 3), (1, 1), (1, 1), (1, 1), 1, "float32"),
    "cotangents in parts": Convolution((96, 3, 9, 9), (64, 3, 3, 3), (1, 2), (0, 1), (1, 1), 1, "float32"),
    "depthwise": Convolution((32, 8, 6, 6), (8, 1, 3, 3), (1, 1), (1, 1), (1, 1), 8, "float32"),
    "many sums": Convolution((64, 8, 20, 20), (16, 8, 3, 3), (1, 1), (1, 1), (1, 1), 1, "float32"),
}
each_layer = pytest.mark.parametrize("name", LAYERS)


@pytest.fixture(scope="module", autouse=True)
def without_other_ways():
    """All sizes take the kernels that are tested here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(few_taps, "FEW", 0)
        patch.setattr(direct, "takes", lambda shape, sizes, groups, *operands: direct.fit(*operands))
        patch.setattr(direct, "takes_weight", lambda shape, groups, *operands: direct.fit(*operands))
        yield


@st.composite
def layers(draw: st.DrawFn) -> Convolution:
    dims = draw(st.integers(1, 3))

    def sizes(low: int, high: int) -> tuple[int, ...]:
        return tuple(draw(st.integers(low, high)) for _ in range(dims))

    groups, inner, outer = draw(st.integers(1, 3)), draw(st.sampled_from((1, 3, 7, 17))), draw(st.sampled_from(OUTER))
    kernel, dilation, padding, spare = sizes(1, 3), sizes(1, 3), sizes(0, 2), sizes(0, 7 if dims < 3 else 2)
    lines = zip(dilation, kernel, padding, spare, strict=True)
    spatial = tuple(max(1, d * (k - 1) + 1 - 2 * p + more) for d, k, p, more in lines)
    shapes = (draw(st.sampled_from(SAMPLES)), groups * inner, *spatial), (groups * outer, inner, *kernel)
    dtype = draw(st.sampled_from(("float32", "float64")))
    return Convolution(*shapes, sizes(1, 3), padding, dilation, groups, dtype)


def results(case: Convolution, x: np.ndarray, w: np.ndarray, g: np.ndarray) -> Arrays:
    bias, other = waves(w.shape[:1], case.dtype, 3), waves(x.shape[1:2], case.dtype, 4)
    return {
        "output": convolution(x, w, *case.settings, bias),
        "input": convolution_input(g, w, x.shape, *case.settings, other),
        "weight": convolution_weight(g, x, w.shape, *case.settings),
    }


def both(case: Convolution, *operands: np.ndarray) -> tuple[Arrays, Arrays]:
    """The results of the compiled kernels and of the NumPy form."""
    compiled = results(case, *operands)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(direct, "fast", None)
        return compiled, results(case, *operands)


def assert_same(compiled: Arrays, plain: Arrays, sizes: Arrays | None = None) -> None:
    """`sizes`: sums of absolute values, with which the rounding of long sums grows (Higham 2002, section 4.2)."""
    for part, expected in plain.items():
        actual = compiled[part]
        assert actual.shape == expected.shape
        assert actual.dtype == expected.dtype
        exact = np.where(np.isfinite(expected), np.abs(expected), 0).max(initial=1)
        tolerance = (2e-5 if expected.dtype == np.float32 else 1e-12) * exact
        if sizes is not None:
            tolerance = max(tolerance, np.finfo(expected.dtype).eps * sizes[part].max(initial=0))
        np.testing.assert_allclose(actual, expected, tolerance, tolerance, err_msg=part)


@settings(max_examples=250, deadline=None)
@given(layers())
def test_forms_agree(case: Convolution) -> None:
    operands = case.operands(case.places())
    assert_same(*both(case, *operands), results(case, *map(np.abs, operands)))


@each_layer
def test_layers(name: str) -> None:
    case = LAYERS[name]
    compiled, plain = both(case, *case.operands(case.places()))
    assert_same(compiled, plain)
    for part in ("output", "input"):
        assert compiled[part].strides == plain[part].strides
    assert compiled["weight"].flags.c_contiguous


def reached(case: Convolution, x: np.ndarray, w: np.ndarray, g: np.ndarray) -> Arrays:
    """What an element that is no finite number reaches, where the padding is nothing."""
    bad, worse = (~np.isfinite(a) * np.float32(1) for a in (x, g))
    ones, every = np.ones_like(g), np.ones_like(x)
    from_x, from_g = (
        convolution_weight(ones, bad, w.shape, *case.settings),
        convolution_weight(worse, every, w.shape, *case.settings),
    )
    return {
        "output": convolution(bad, np.ones_like(w), *case.settings) > 0,
        "input": convolution_input(worse, np.ones_like(w), x.shape, *case.settings) > 0,
        "weight": from_x + from_g > 0,
    }


@each_layer
@pytest.mark.parametrize("place", [0, -1])
def test_nan_and_infinity(name: str, place: int) -> None:
    """They reach what sees them, and nothing beside or beyond a row; a zero of the padding times NaN may be either."""
    case = LAYERS[name]
    x, w, g = case.operands(case.places())
    x[0, 0, place, -1], g[-1, -1, place, 0] = np.nan, -np.inf
    with np.errstate(invalid="ignore"):
        compiled, plain = both(case, x, w, g)
    for part, must in reached(case, x, w, g).items():
        bad, allowed = ~np.isfinite(compiled[part]), ~np.isfinite(plain[part])
        assert not np.any(must & ~bad)
        assert not np.any(bad & ~allowed)
        assert must.any()
    assert_same(
        *({part: np.where(np.isfinite(plain[part]), form[part], 0) for part in plain} for form in (compiled, plain))
    )


@each_layer
def test_layouts(name: str) -> None:
    case = LAYERS[name]
    x, w, g = case.operands(case.places())
    expected = results(case, x, w, g)
    innermost = [np.moveaxis(np.moveaxis(a, 0, -1).copy(), -1, 0) for a in (x, g)]
    assert_same(results(case, innermost[0], np.asfortranarray(w), innermost[1]), expected)
    backwards = [a[::-1].copy()[::-1] for a in (x, w, g)]
    assert_same(results(case, *backwards), expected)
    ones = np.broadcast_to(np.float32(1), g.shape)
    assert_same(results(case, x, w, ones), results(case, x, w, ones.copy()))


@each_layer
def test_threads_change_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = LAYERS[name]
    operands = case.operands(case.places())
    monkeypatch.setattr(direct, "PART", 1000)
    several = results(case, *operands)
    monkeypatch.setattr(threads, "NUMBER", 1)
    for part, expected in results(case, *operands).items():
        np.testing.assert_array_equal(several[part], expected)


def test_what_is_left_to_numpy() -> None:
    """Other types and no elements."""
    single, double = np.ones((2, 1, 4), np.float32), np.ones((1, 1, 3))
    assert direct.fit(single, single)
    swapped, whole, complex_ = single.astype(">f4"), single.astype(int), single.astype(complex)
    for operands in ((single, double), (whole, whole), (single[:0], single), (swapped, swapped), (complex_, complex_)):
        assert not direct.fit(*operands)
