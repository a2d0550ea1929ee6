"""unfold and fold: against a sliding window, each other, and PyTorch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernels.cases import waves

from rushlight.kernels import patches
from rushlight.kernels.patches import added, fold, unfold


@pytest.fixture(scope="module", params=["compiled", "numpy"], autouse=True)
def form(request: pytest.FixtureRequest):
    """Every test runs on the compiled kernel of columns, where it is, and on its NumPy form."""
    if request.param == "compiled" and patches.fast is None:
        pytest.skip("nothing was compiled")
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "numpy":
            patch.setattr(patches, "fast", None)
        yield


pairs = st.tuples(st.integers(1, 2), st.integers(1, 3))


@settings(max_examples=80)
@given(st.sampled_from((1, 3, 9)), st.integers(1, 3), pairs, pairs, pairs, pairs)
def test_columns_and_adjoint(samples: int, channels: int, kernel, dilation, stride, padding) -> None:
    x = waves((samples, channels, 6, 7), "float64", 0)
    columns = unfold(x, kernel, dilation, padding, stride)
    padded = np.pad(x, [(0, 0), (0, 0), *((p, p) for p in padding)])
    reach = [d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True)]
    seen = np.lib.stride_tricks.sliding_window_view(padded, reach, (2, 3))
    seen = seen[:, :, :: stride[0], :: stride[1], :: dilation[0], :: dilation[1]]
    np.testing.assert_array_equal(columns, seen.transpose(0, 1, 4, 5, 2, 3).reshape(columns.shape))
    g = waves(columns.shape, "float64", 1)
    back = fold(g, x.shape[2:], kernel, dilation, padding, stride)
    assert np.isclose(np.sum(columns * g), np.sum(x * back), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("samples", [2, 9])
def test_live(samples: int) -> None:
    torch = pytest.importorskip("torch")
    x = waves((samples, 3, 7, 6), "float32", 0)
    arguments = ((3, 2), (1, 2), (1, 0), (2, 1))
    columns = unfold(x, *arguments)
    expected = torch.nn.functional.unfold(torch.from_numpy(x), *arguments)
    np.testing.assert_array_equal(columns, expected.numpy())
    image = torch.nn.functional.fold(expected, (7, 6), *arguments)
    np.testing.assert_allclose(fold(columns, (7, 6), *arguments), image.numpy(), 1e-5, 1e-5)


def test_kernel_too_large() -> None:
    with pytest.raises(RuntimeError, match="Kernel size can't be greater than actual input size"):
        unfold(np.ones((1, 1, 2, 2)), (3, 3), (1, 1), (0, 0), (1, 1))


@settings(max_examples=150)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=3), st.data())
def test_overlapping_windows_are_added(shape, data) -> None:
    """The adjoint of a view of windows of any size and distance, along any dimension."""
    dim = data.draw(st.integers(0, len(shape) - 1))
    size, step = data.draw(st.integers(1, shape[dim])), data.draw(st.integers(1, 5))
    dtype = data.draw(st.sampled_from(("float32", "float64", "complex128")))
    x = waves(tuple(shape), "float64", 0).astype(dtype)
    before = (slice(None),) * dim
    windows = np.lib.stride_tricks.sliding_window_view(x, size, dim)[(*before, slice(None, None, step))]
    expected = np.zeros(shape, dtype)
    for place in np.ndindex(windows.shape):
        at = list(place[:-1])
        at[dim] = at[dim] * step + place[-1]
        expected[tuple(at)] += windows[place]
    np.testing.assert_allclose(added(windows, tuple(shape), dim, step), expected, rtol=1e-5, atol=1e-5)
