"""`topk` with k = 0: results without elements, whatever the operand."""

import pytest


@pytest.mark.parametrize("options", [{}, {"largest": False}, {"sorted": False}, {"dim": 0}], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "float16", "uint8"])
@pytest.mark.parametrize("shape", [(2, 3, 4), (5,), (0, 2)], ids=str)
def test_none_of_the_elements(torch, shape, dtype, options):
    values, indices = torch.topk(torch.ones(shape).to(getattr(torch, dtype)), 0, **options)
    assert values.shape == indices.shape == ((0, *shape[1:]) if "dim" in options else (*shape[:-1], 0))
    assert (values.dtype, indices.dtype) == (getattr(torch, dtype), torch.int64)
