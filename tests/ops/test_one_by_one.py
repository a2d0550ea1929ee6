"""Elements changed by Python functions, as PyTorch's `apply_`, `map_` and `map2_` do."""

import pytest

import rushlight

DTYPES = "bool uint8 int16 int64 bfloat16 float16 float32 float64 complex64".split()


@pytest.mark.parametrize("dtype", DTYPES)
def test_values_and_numbers_are_pytorchs(dtype):
    theirs = pytest.importorskip("torch")
    assert changed(rushlight, dtype) == changed(theirs, dtype)


def changed(torch, dtype):
    x, given = torch.tensor([[0, 1, 2], [3, 4, 5]]).to(getattr(torch, dtype)).t(), []
    assert x.apply_(lambda n: given.append(type(n)) or n + 1) is x
    x.map_(torch.ones(1, dtype=x.dtype), lambda a, b: a - b)
    x.map2_(x.clone(), torch.ones(3, 2, dtype=x.dtype), lambda a, b, c: a + b * c)
    return given, x.tolist()


def test_what_is_refused():
    torch, x, grown = rushlight, rushlight.ones(2), rushlight.ones(2, requires_grad=True)
    for call in (lambda: grown.apply_(abs), lambda: grown.map_(x, max), lambda: x.map2_(x, grown, max)):
        with pytest.raises(RuntimeError, match=r"Can't call \w+_\(\) on Variable that requires grad. Use var.detach"):
            call()
    with pytest.raises(TypeError, match=r"expected a tensor of torch\.float32"):
        x.map_(torch.ones(2, dtype=torch.int64), max)
    with pytest.raises(TypeError, match="not callable"):
        x.apply_(3)
    with pytest.raises(TypeError, match="argument 'tensor'"):
        x.map_(3, max)
    with pytest.raises(RuntimeError, match="expanded size"):
        x.map_(torch.ones(3), max)
