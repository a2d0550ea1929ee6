"""Convolution and its two adjoints: against their definition, each other, and PyTorch."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernels.cases import CONVOLUTIONS, Arrays, Convolution, waves

from rushlight.kernels import convolution as module
from rushlight.kernels import depthwise, direct, few_taps, pointwise
from rushlight.kernels.convolution import convolution, convolution_input, convolution_weight

each_case = pytest.mark.parametrize("name", CONVOLUTIONS)


@pytest.fixture(scope="module", params=["compiled", "few taps", "special", "numpy"], autouse=True)
def form(request: pytest.FixtureRequest):
    """Every test runs on the compiled kernels, where they are, on those for few taps, and on the NumPy form.

    "special" are the forms for one channel in each group and for kernels of one element, at all sizes.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(few_taps, "FEW", 1 << 40 if request.param == "few taps" else 0)
        for special in (depthwise, pointwise):
            patch.setattr(special, "LONG", 1 if request.param == "special" else 1 << 40)
        patch.setattr(depthwise, "MOST_CHANNELS", 1 << 40)
        patch.setattr(direct, "takes", lambda shape, sizes, groups, *operands: direct.fit(*operands))
        patch.setattr(direct, "takes_weight", lambda shape, groups, *operands: direct.fit(*operands))
        if request.param in ("few taps", "special"):
            if few_taps.fast is None:
                pytest.skip("nothing was compiled")
            if request.param == "special":
                patch.setattr(direct, "fast", None)
            yield request.param
            return
        if request.param == "numpy":
            patch.setattr(direct, "fast", None)
        elif direct.fast is None or not direct.fast.AVAILABLE:
            pytest.skip("there are no kernels for this CPU")
        yield request.param


@st.composite
def convolutions(draw: st.DrawFn) -> Convolution:
    dims = draw(st.integers(1, 3))

    def sizes(low: int, high: int) -> tuple[int, ...]:
        return tuple(draw(st.integers(low, high)) for _ in range(dims))

    groups = draw(st.integers(1, 3))
    kernel, dilation, padding = sizes(1, 3), sizes(1, 2), sizes(0, 2)
    spare = sizes(0, 3)
    spatial = tuple(
        max(1, d * (k - 1) + 1 - 2 * p + s) for k, d, p, s in zip(kernel, dilation, padding, spare, strict=True)
    )
    samples = draw(st.sampled_from((1, 2, 7, 8, 9)))
    inner, outer = draw(st.integers(1, 2)), draw(st.sampled_from((1, 2, 11)))
    return Convolution(
        (samples, groups * inner, *spatial),
        (groups * outer, inner, *kernel),
        sizes(1, 3),
        padding,
        dilation,
        groups,
        draw(st.sampled_from(("float64", "complex128"))),
    )


def by_definition(x: np.ndarray, w: np.ndarray, case: Convolution) -> np.ndarray:
    """Sum over the taps, place by place."""
    padded = np.pad(x, [(0, 0), (0, 0), *((p, p) for p in case.padding)])
    output = np.zeros((x.shape[0], w.shape[0], *case.places()), x.dtype)
    inner, outer = w.shape[1], w.shape[0] // case.groups
    for place in np.ndindex(*case.places()):
        corner = [at * by for at, by in zip(place, case.stride, strict=True)]
        window = tuple(
            slice(c, c + d * (k - 1) + 1, d) for c, d, k in zip(corner, case.dilation, w.shape[2:], strict=True)
        )
        for group in range(case.groups):
            seen = padded[(slice(None), slice(group * inner, (group + 1) * inner), *window)]
            filters = w[group * outer : (group + 1) * outer]
            output[(slice(None), slice(group * outer, (group + 1) * outer), *place)] = np.tensordot(
                seen, filters, (tuple(range(1, x.ndim)), tuple(range(1, x.ndim)))
            )
    return output


def ours(case: Convolution) -> Arrays:
    x, w, g = case.operands(case.places())
    return {
        "output": convolution(x, w, *case.settings),
        "input": convolution_input(g, w, x.shape, *case.settings),
        "weight": convolution_weight(g, x, w.shape, *case.settings),
    }


def assert_close(actual: Arrays, expected: Arrays) -> None:
    for part, array in expected.items():
        assert actual[part].dtype == array.dtype
        tolerance = 1e-5 if array.dtype == np.float32 else 1e-12
        np.testing.assert_allclose(actual[part], array, tolerance, tolerance)


@pytest.fixture(scope="module")
def golden() -> Arrays:
    with np.load(Path(__file__).with_name("convolution.npz")) as file:
        return dict(file)


@each_case
def test_golden_numbers(name: str, golden: Arrays) -> None:
    parts = ("output", "input", "weight")
    assert_close(ours(CONVOLUTIONS[name]), {part: golden[f"{name}/{part}"] for part in parts})


@each_case
def test_live(name: str) -> None:
    torch = pytest.importorskip("torch")
    assert_close(ours(CONVOLUTIONS[name]), CONVOLUTIONS[name].by_torch(torch))


@settings(max_examples=150)
@given(convolutions())
def test_definition(case: Convolution) -> None:
    x, w, _ = case.operands(case.places())
    np.testing.assert_allclose(convolution(x, w, *case.settings), by_definition(x, w, case), 1e-12, 1e-12)


@settings(max_examples=150)
@given(convolutions())
def test_adjoints(case: Convolution) -> None:
    x, w, g = case.operands(case.places())
    for array in (x, w, g):
        array.flags.writeable = False
    result = ours(case)
    pairing = np.sum(result["output"] * g)
    assert np.isclose(np.sum(x * result["input"]), pairing, rtol=1e-10, atol=1e-10)
    assert np.isclose(np.sum(w * result["weight"]), pairing, rtol=1e-10, atol=1e-10)


@each_case
def test_small_blocks_change_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ours(CONVOLUTIONS[name])
    monkeypatch.setattr(module, "BLOCK_BYTES", 1)
    assert_close(ours(CONVOLUTIONS[name]), whole)


@pytest.mark.parametrize("samples", [4, 64])
def test_memory_layout(samples: int) -> None:
    """A large batch lies innermost in memory, a small one outermost; either kind of argument will do."""
    x, w = waves((samples, 2, 5, 5), "float32", 0), waves((3, 2, 3, 3), "float32", 1)
    arguments = ((1, 1), (1, 1), (1, 1), 1)
    y = convolution(x, w, *arguments)
    dx = convolution_input(y, w, x.shape, *arguments)
    for array in (y, dx):
        in_memory = np.moveaxis(array, 0, -1) if samples == 64 else array
        assert in_memory.flags.c_contiguous
    for other in (np.asfortranarray(x), np.moveaxis(np.moveaxis(x, 0, -1).copy(), -1, 0)):
        np.testing.assert_allclose(convolution(other, w, *arguments), y, 1e-6, 1e-6)
        np.testing.assert_allclose(
            convolution_weight(y, other, w.shape, *arguments),
            convolution_weight(y.copy(), x, w.shape, *arguments),
            1e-5,
            1e-5,
        )


def test_no_samples() -> None:
    x, w = np.ones((0, 2, 5, 5)), np.ones((3, 2, 3, 3))
    arguments = ((1, 1), (0, 0), (1, 1), 1)
    y = convolution(x, w, *arguments)
    assert y.shape == (0, 3, 3, 3)
    assert convolution_input(y, w, x.shape, *arguments).shape == x.shape
    assert not convolution_weight(y, x, w.shape, *arguments).any()


@pytest.mark.parametrize(("stride", "dilation", "extra"), [(2, 1, 1), (1, 3, 2), (3, 2, 2)])
def test_output_padding(stride: int, dilation: int, extra: int) -> None:
    """The transposed convolution's shape may reach beyond the places of its argument."""
    torch = pytest.importorskip("torch")
    g, w = waves((2, 3, 4, 4), "float64", 0), waves((3, 2, 3, 3), "float64", 1)
    expected = torch.nn.functional.conv_transpose2d(
        torch.from_numpy(g), torch.from_numpy(w), None, stride, 1, extra, 1, dilation
    ).numpy()
    actual = convolution_input(g, w, expected.shape, (stride,) * 2, (1, 1), (dilation,) * 2, 1)
    np.testing.assert_allclose(actual, expected, 1e-12, 1e-12)


@pytest.mark.parametrize(
    ("x", "w", "groups", "words"),
    [
        ((1, 2, 4, 4), (1, 3, 3, 3), 1, r"Given groups=1, weight of size \[1, 3, 3, 3\], expected input"),
        ((1, 2, 4, 4), (3, 1, 3, 3), 2, "Given groups=2, expected weight to be divisible by 2"),
        ((1, 4, 4, 4), (2, 1, 3, 3), 4, "Given groups=4, expected weight to be at least 4"),
        ((1, 2, 4, 4), (1, 2, 5, 5), 1, r"Calculated padded input size per channel: \(4 x 4\)"),
    ],
)
def test_errors(x: tuple[int, ...], w: tuple[int, ...], groups: int, words: str) -> None:
    with pytest.raises(RuntimeError, match=words):
        convolution(np.ones(x), np.ones(w), (1, 1), (0, 0), (1, 1), groups)


def test_transposed_error() -> None:
    with pytest.raises(RuntimeError, match="Given transposed=1, weight of size"):
        convolution_input(np.ones((1, 2, 2)), np.ones((3, 1, 3)), (1, 1, 4), (1,), (0,), (1,), 1)
