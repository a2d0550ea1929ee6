"""The logarithms of sums of exponentials, by the kernel and step by step in NumPy."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.ops.reductions import softmax

SHAPES = {
    (50, 8): ((1,), (0,)),
    (3,): ((0,),),
    (4, 5, 6): ((1,), (0, 1), (1, 2), (0, 2), (0, 1, 2)),
    (30, 200): ((1,), (0,)),
    (300, 70): ((0,), (1,)),
    (3, 1000): ((1,), (0,)),
    (70, 3, 2): ((1,),),
}


def spoiled(x, kind):
    """An array with infinities or NaN, or sums that would overflow."""
    if kind == "nan":
        x.flat[::7], x.flat[3::5] = np.nan, np.inf
    elif kind == "nothing":
        x[...], x.flat[0] = -np.inf, 3
    elif kind == "infinite":
        x.flat[1::3] = np.inf
    return x


@pytest.mark.parametrize("kind", ["large", "nan", "nothing", "infinite"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_kernel_and_the_steps_agree(monkeypatch, shape, dtype, kind):
    x = torch.from_numpy(spoiled((np.random.default_rng(0).standard_normal(shape) * 300).astype(dtype), kind))
    for dims in SHAPES[shape]:
        for keepdim in (False, True):
            found = x.logsumexp(dims, keepdim)
            with monkeypatch.context() as patch:
                patch.setattr(softmax, "fast_sums", None)
                expected = x.logsumexp(dims, keepdim)
            assert found.stride() == expected.stride()
            torch.testing.assert_close(found, expected, equal_nan=True)


def test_strided_arrays():
    x = torch.randn(20, 30, dtype=torch.float64)
    torch.testing.assert_close(x.T.logsumexp(1), x.exp().sum(0).log())
    torch.testing.assert_close(x[::2, ::3].logsumexp(0), x[::2, ::3].exp().sum(0).log())
