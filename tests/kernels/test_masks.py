"""Where truths are true, in both forms: against NumPy."""

import numpy as np
import pytest
from kernels.forms import both_forms

import rushlight as torch
from rushlight.kernels import masks

form = both_forms(masks)
SHAPES = [(), (1,), (7,), (5, 9), (3, 4, 5), (2, 0, 3), (3, 10_000)]
SHARES = [0.0, 0.3, 1.0]


def truths(shape, share):
    return np.random.default_rng(0).random(shape) < share


def layouts_of(x):
    """An array in its own order, transposed, and with gaps."""
    return [x, np.asfortranarray(x), np.repeat(x, 2, -1)[..., ::2]] if x.ndim else [x]


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("shape", SHAPES)
def test_places(shape, share):
    for mask in layouts_of(np.asarray(truths(shape, share))):
        for x in map(np.asarray, (mask, mask * np.float32(-0.5), mask * np.int64(3), np.where(mask, np.nan, -0.0))):
            assert np.array_equal(masks.places(x), np.argwhere(x))
            assert np.array_equal(torch.from_numpy(x).nonzero().numpy(), np.argwhere(x))
            first = np.full((4, x.ndim), -1)
            first[: len(np.argwhere(x))] = np.argwhere(x)[:4]
            assert np.array_equal(torch.nonzero_static(torch.from_numpy(x), size=4).numpy(), first)


@pytest.mark.parametrize("dtype", ["bool", "float16", "float32", "int64", "complex128"])
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("shape", SHAPES)
def test_values_where_a_mask_is_true(shape, share, dtype):
    mask = np.asarray(truths(shape, share))
    values, given = (np.asarray(np.random.default_rng(i).integers(0, 9, shape)).astype(dtype) for i in (1, 2))
    for x in layouts_of(given):
        expected = x.copy()
        expected[mask] = values.reshape(-1)[: np.count_nonzero(mask)]
        assert np.array_equal(masks.scattered(x, mask, values), expected)
        assert np.array_equal(masks.selected(x, mask), x[mask])
        assert masks.selected(x, mask).dtype == x.dtype
    if mask.all() and mask.size:
        whole, where, few = (torch.from_numpy(np.asarray(a)) for a in (given, mask, values.reshape(-1)[1:]))
        with pytest.raises(RuntimeError, match="Number of elements of source"):
            whole.masked_scatter(where, few)
