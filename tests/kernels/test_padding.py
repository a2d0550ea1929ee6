"""Padding, compiled and with NumPy's functions."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.kernels import padding

DTYPES = ["float32", "float64", "float16", "int64", "int8", "bool", "complex64", "complex128"]
SHAPES = [(3, 5), (2, 3, 5), (2, 1, 4, 6), (2, 3, 2, 3, 4), (1, 1, 3, 700)]
MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


@pytest.fixture(params=["compiled", "plain"])
def form(request, monkeypatch):
    if request.param == "plain":
        monkeypatch.setattr(padding, "fast", None)
    elif padding.fast is None:
        pytest.skip("nothing was compiled")


def numbers(shape, dtype):
    found = np.random.default_rng(0).integers(-9, 9, shape).astype(dtype)
    return found + 1j * found[::-1] if found.dtype.kind == "c" else found


def layouts_of(x):
    """An array in its own order, transposed, and with gaps."""
    wide = np.repeat(x, 2, axis=-1)
    return [x, np.ascontiguousarray(x.swapaxes(0, -1)).swapaxes(0, -1), wide[..., ::2]]


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "widths", [(1, 2), (0, 1), (0, 0), (2, 0, 1, 1), (0, 0, 1, 0), (1, 0, 0, 1, 1, 1), (0, 0, 0, 0, 1, 0)]
)
@pytest.mark.parametrize("shape", SHAPES)
def test_padding_is_numpys(shape, widths, dtype, mode):
    dims = len(widths) // 2
    if mode != "constant" and not dims < len(shape) <= dims + 2:
        pytest.skip("PyTorch pads so many dimensions with constants only")
    if dims > len(shape) or (mode == "reflect" and any(n < 3 for n in shape[-dims:])):
        pytest.skip("there is no room")
    if dtype == "bool" and mode in ("reflect", "replicate"):
        pytest.skip("PyTorch has no kernel for it")
    around = [(0, 0)] * (len(shape) - dims) + [widths[i : i + 2] for i in range(len(widths) - 2, -1, -2)]
    x = numbers(shape, dtype)
    expected = np.pad(x, around, mode=MODES[mode], **({"constant_values": 1} if mode == "constant" else {}))
    for each in layouts_of(x):
        found = torch.nn.functional.pad(torch.from_numpy(each), widths, mode, 1 if mode == "constant" else None)
        assert found.numpy().dtype == expected.dtype
        assert np.array_equal(found.numpy(), expected)


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "places", [[[2, 1, 0, 1, 2]], [[1, 1], [0, 0, 1, 2, 2]], [[1, 0, 1], [0], [3, 3, 0, 2, 1]], [[]]]
)
@pytest.mark.parametrize("shape", [(4, 3, 4), (2, 2, 3, 3, 4)])
def test_what_was_picked_is_added_back(shape, places, dtype):
    places = [padding.as_places(np.array(line, int)) for line in places]
    x = numbers((*shape[: len(shape) - len(places)], *map(len, places)), "int64").astype(dtype)
    expected = np.zeros(shape, dtype)
    np.add.at(expected, (..., *np.ix_(*places)), x)
    for each in layouts_of(x):
        found = padding.added_back(each, shape, places)
        assert found.dtype == expected.dtype
        assert np.array_equal(found, expected)


@pytest.mark.usefixtures("form")
def test_negative_widths_cut_off_and_nan_is_a_constant():
    x = torch.arange(12.0).reshape(3, 4)
    assert torch.nn.functional.pad(x, (-1, 1, 0, -1), value=5.0).tolist() == [[1, 2, 3, 5], [5, 6, 7, 5]]
    assert torch.nn.functional.pad(x, (-2, -2)).shape == (3, 0)
    assert torch.nn.functional.pad(x, (0, 1), value=float("nan"))[:, 4].isnan().all()
    assert torch.nn.functional.pad(torch.zeros(0, 2), (1, 1), value=3.0).shape == (0, 4)
    assert torch.nn.functional.pad(torch.zeros(2, 0), (1, 1), value=3.0).tolist() == [[3.0, 3.0]] * 2
