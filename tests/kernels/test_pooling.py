"""Maximum and average pooling and their adjoints: against their definition, each other, and PyTorch."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from kernels.cases import POOLINGS, Arrays, Pooling, waves

from rushlight.kernels import pooling
from rushlight.kernels.pooling import (
    avg_pool,
    avg_pool_input,
    gather_planes,
    max_pool,
    pooled_size,
    scatter_planes,
)

each_case = pytest.mark.parametrize("name", POOLINGS)


@pytest.fixture(scope="module", params=["compiled", "numpy"], autouse=True)
def averages(request: pytest.FixtureRequest):
    """Every test runs on the compiled kernel of averages, where it is, and on their NumPy form."""
    if request.param == "compiled" and pooling.averages is None:
        pytest.skip("nothing was compiled")
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "numpy":
            patch.setattr(pooling, "averages", None)
        yield


@st.composite
def poolings(draw: st.DrawFn) -> Pooling:
    dims = draw(st.integers(1, 3))

    def sizes(low: int, high: int) -> tuple[int, ...]:
        return tuple(draw(st.integers(low, high)) for _ in range(dims))

    kernel, dilation = sizes(1, 3), sizes(1, 2)
    reach = tuple(d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True))
    padding = tuple(draw(st.integers(0, k // 2)) for k in kernel)
    spatial = tuple(max(1, r - 2 * p + s) for r, p, s in zip(reach, padding, sizes(0, 4), strict=True))
    return Pooling(
        (draw(st.sampled_from((1, 2, 9))), draw(st.integers(1, 2)), *spatial),
        kernel,
        sizes(1, 3),
        padding,
        dilation,
        draw(st.booleans()),
        draw(st.booleans()),
        draw(st.sampled_from((None, 3))),
        draw(st.booleans()),
    )


def innermost(x: np.ndarray) -> np.ndarray:
    """The same array with the batch innermost in memory."""
    return np.moveaxis(np.moveaxis(x, 0, -1).copy(), -1, 0)


def ours(case: Pooling, x: np.ndarray) -> Arrays:
    window = (case.kernel, case.stride, case.padding)
    largest, indices = max_pool(x, *window, case.dilation, case.ceil_mode)
    result = {
        "largest": largest,
        "indices": indices,
        "scattered": scatter_planes(np.ones_like(largest), indices, x.shape[2:]),
    }
    if set(case.dilation) == {1}:
        mean = avg_pool(x, *window, case.ceil_mode, case.include_pad, case.divisor)
        ones = np.ones_like(mean)
        spread = avg_pool_input(ones, x.shape, *window, case.include_pad, case.divisor)
        result |= {"mean": mean, "spread": spread}
    return result


def assert_close(actual: Arrays, expected: Arrays) -> None:
    for part, array in expected.items():
        assert actual[part].dtype == array.dtype
        np.testing.assert_allclose(actual[part], array, 1e-12, 1e-12, err_msg=part)


def window_at(case: Pooling, place: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The positions inside the input that a window sees, in scan order."""
    lines = []
    for at, size, k, s, p, d in zip(
        place, case.input[2:], case.kernel, case.stride, case.padding, case.dilation, strict=True
    ):
        seen = (at * s - p + tap * d for tap in range(k))
        lines.append([position for position in seen if 0 <= position < size])
    return list(product(*lines))


@pytest.fixture(scope="module")
def golden() -> Arrays:
    with np.load(Path(__file__).with_name("pooling.npz")) as file:
        return dict(file)


@each_case
@pytest.mark.parametrize("layout", [np.ascontiguousarray, innermost])
def test_golden_numbers(name: str, layout, golden: Arrays) -> None:
    expected = {key.split("/")[1]: array for key, array in golden.items() if key.split("/")[0] == name}
    case = POOLINGS[name]
    assert_close(ours(case, layout(case.values)), expected)


@each_case
def test_live(name: str) -> None:
    torch = pytest.importorskip("torch")
    assert_close(ours(POOLINGS[name], POOLINGS[name].values), POOLINGS[name].by_torch(torch))


@settings(max_examples=150)
@given(poolings())
def test_maximum_by_definition(case: Pooling) -> None:
    x = case.values
    largest, indices = max_pool(x, case.kernel, case.stride, case.padding, case.dilation, case.ceil_mode)
    for at in np.ndindex(*largest.shape):
        window = window_at(case, at[2:])
        if not window:
            assert np.isneginf(largest[at])  # a dilated kernel can step over a small input: see below
            continue
        values = [x[at[:2] + position] for position in window]
        missing = [i for i, value in enumerate(values) if np.isnan(value)]
        first = missing[-1] if missing else int(np.argmax(values))
        np.testing.assert_array_equal(largest[at], values[first])
        assert indices[at] == np.ravel_multi_index(window[first], x.shape[2:])


@settings(max_examples=100)
@given(poolings())
def test_maximum_adjoints(case: Pooling) -> None:
    x = case.values
    largest, indices = max_pool(x, case.kernel, case.stride, case.padding, case.dilation, case.ceil_mode)
    assume(not np.isneginf(largest).any())
    np.testing.assert_array_equal(gather_planes(x, indices), largest)
    y, g = waves(x.shape, "float64", 3), waves(largest.shape, "float64", 4)
    for at, other in ((indices, innermost), (innermost(indices), np.ascontiguousarray)):
        pairing = np.sum(gather_planes(other(y), at) * g)
        assert np.isclose(np.sum(y * scatter_planes(other(g), at, x.shape[2:])), pairing, rtol=1e-10, atol=1e-10)


@settings(max_examples=100)
@given(poolings())
def test_mean_by_definition_and_adjoint(case: Pooling) -> None:
    case = Pooling(**{**vars(case), "dilation": (1,) * len(case.kernel), "nan": False})
    case = Pooling(**{**vars(case), "padding": tuple(k // 2 for k in case.kernel)})
    x, window = case.values, (case.kernel, case.stride, case.padding)
    mean = avg_pool(x, *window, case.ceil_mode, case.include_pad, case.divisor)
    for at in np.ndindex(*mean.shape):
        values = [x[at[:2] + position] for position in window_at(case, at[2:])]
        count = case.divisor or (counted(case, at[2:]) if case.include_pad else len(values))
        assert np.isclose(mean[at], sum(values) / count)
    g = waves(mean.shape, "float64", 4)
    spread = avg_pool_input(g, x.shape, *window, case.include_pad, case.divisor)
    assert np.isclose(np.sum(mean * g), np.sum(x * spread), rtol=1e-10, atol=1e-10)


def counted(case: Pooling, place: tuple[int, ...]) -> int:
    """The size of a window, of which only what lies inside the padded input counts."""
    lines = zip(place, case.input[2:], case.kernel, case.stride, case.padding, strict=True)
    return int(np.prod([min(at * s + k, n + 2 * p) - at * s for at, n, k, s, p in lines]))


def test_all_minus_infinity() -> None:
    """The first tap inside the input wins where nothing is larger, never the padding."""
    values, indices = max_pool(np.full((1, 1, 3, 3), -np.inf), (2, 2), (1, 1), (1, 1), (1, 1), False)
    assert np.isneginf(values).all()
    assert indices[0, 0].tolist() == [[0, 0, 1, 2], [0, 0, 1, 2], [3, 3, 4, 5], [6, 6, 7, 8]]


def test_window_without_input() -> None:
    """A dilated kernel that steps over a small input: PyTorch's numbers, and no other plane is touched."""
    largest, indices = max_pool(np.ones((1, 2, 1, 1)), (2, 2), (1, 1), (1, 1), (2, 2), False)
    assert np.isneginf(largest).all()
    assert indices.ravel().tolist() == [2, 2]
    with pytest.raises(RuntimeError, match="Found an invalid max index: 2"):
        scatter_planes(np.ones_like(largest), indices, (1, 1))
    with pytest.raises(RuntimeError, match="Found an invalid max index: -1"):
        gather_planes(np.ones((1, 1, 2)), np.array([[[-1]]]))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("kernel", "stride", "dilation"), [(2, 2, 1), (3, 1, 1), (3, 2, 2), (2, 5, 3), (1, 1, 1)])
def test_windows_of_a_line(
    monkeypatch: pytest.MonkeyPatch, dtype: str, kernel: int, stride: int, dilation: int
) -> None:
    """Windows that all look alike, with equal numbers and NaN among them; many planes, which threads share."""
    x = waves((30, 40, 101), dtype, 0).round(1)
    x[3, 2, 10:13] = x[5, 7, 0] = x[9, 9, -1] = np.nan
    window = (kernel,), (stride,), (0,), (dilation,), False
    values, indices = max_pool(x, *window)
    monkeypatch.setattr(pooling, "fast", None)
    expected, places = max_pool(x, *window)
    np.testing.assert_array_equal(values, expected)
    np.testing.assert_array_equal(indices, places)


def test_integers() -> None:
    x = np.array([[[[-3, 2], [1, -1]]]])
    values, indices = max_pool(x, (2, 2), (2, 2), (1, 1), (1, 1), False)
    assert values.tolist() == [[[[-3, 2], [1, -1]]]]
    assert indices.tolist() == [[[[0, 1], [2, 3]]]]
    mean = avg_pool(x, (2, 2), (2, 2), (0, 0), False, True, None)
    assert (mean.tolist(), mean.dtype) == ([[[[0]]]], x.dtype)


def test_large_windows() -> None:
    """More taps than a byte can number."""
    x = waves((2, 1, 40, 40), "float32", 0)
    _, indices = max_pool(x, (40, 40), (40, 40), (0, 0), (1, 1), False)
    assert indices.ravel().tolist() == x.reshape(2, -1).argmax(1).tolist()


def test_scatter_accumulates() -> None:
    planes = scatter_planes(np.array([[[1.0, 2.0, 4.0]]]), np.array([[[1, 1, 3]]]), (2, 2))
    assert planes.tolist() == [[[[0, 3], [0, 4]]]]


def test_batch_stays_innermost() -> None:
    x = innermost(waves((20, 3, 6, 6), "float32", 0))
    window = ((2, 2), (2, 2), (1, 1))
    largest, indices = max_pool(x, *window, (1, 1), False)
    mean = avg_pool(x, *window, False, True, None)
    back = avg_pool_input(mean, x.shape, *window, True, None)
    for array in (
        largest,
        indices,
        mean,
        back,
        scatter_planes(largest, indices, (6, 6)),
        gather_planes(x, indices),
    ):
        assert np.moveaxis(array, 0, -1).flags.c_contiguous


@pytest.mark.parametrize(
    ("kernel", "stride", "padding", "dilation", "words"),
    [
        (3, 1, 2, 1, "pad should be at most half of effective kernel size, but got pad=2, kernel_size=3"),
        (
            5,
            5,
            0,
            1,
            r"Given input size: \(2x4x4\). Calculated output size: \(2x0x0\). Output size is too small",
        ),
        (3, 1, 2, 2, "pad should be smaller than or equal to half of kernel size"),
        (3, 0, 0, 1, "stride should not be zero"),
        (2, 2, -1, 1, "pad must be non-negative, but got pad: -1"),
        (2, 2, 0, 0, "dilation should be greater than zero, but got dilation"),
    ],
)
def test_errors(kernel: int, stride: int, padding: int, dilation: int, words: str) -> None:
    with pytest.raises(RuntimeError, match=words):
        pooled_size((1, 2, 4, 4), (kernel,) * 2, (stride,) * 2, (padding,) * 2, (dilation,) * 2, False)


def test_unsupported() -> None:
    with pytest.raises(NotImplementedError, match='"max_pool2d" not implemented'):
        max_pool(np.ones((1, 1, 2, 2), complex), (2, 2), (2, 2), (0, 0), (1, 1), False)
    with pytest.raises(RuntimeError, match="divisor must be not zero"):
        avg_pool(np.ones((1, 1, 2, 2)), (2, 2), (2, 2), (0, 0), False, True, 0)
