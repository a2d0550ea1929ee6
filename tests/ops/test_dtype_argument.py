"""What functions make of `dtype=`: results of that dtype, or the exception that PyTorch raises."""

import numpy as np
import pytest

import rushlight

ASKED = {
    "sum": lambda t, x, d: t.sum(x, 0, dtype=d),
    "sum of all": lambda t, x, d: t.sum(x, dtype=d),
    "nansum": lambda t, x, d: t.nansum(x, 0, dtype=d),
    "nansum of all": lambda t, x, d: t.nansum(x, dtype=d),
    "mean": lambda t, x, d: t.mean(x, 0, dtype=d),
    "mean of all": lambda t, x, d: t.mean(x, dtype=d),
    "nanmean": lambda t, x, d: t.nanmean(x, 0, dtype=d),
    "prod": lambda t, x, d: t.prod(x, 0, dtype=d),
    "prod of all": lambda t, x, d: t.prod(x, dtype=d),
    "cumsum": lambda t, x, d: t.cumsum(x, 0, dtype=d),
    "cumprod": lambda t, x, d: t.cumprod(x, 0, dtype=d),
    "softmax": lambda t, x, d: t.softmax(x, 0, dtype=d),
    "log_softmax": lambda t, x, d: t.log_softmax(x, 0, dtype=d),
    "softmin": lambda t, x, d: t.nn.functional.softmin(x, 0, dtype=d),
    "norm": lambda t, x, d: t.norm(x, 2, 0, dtype=d),
    "vector_norm": lambda t, x, d: t.linalg.vector_norm(x, 3, 0, dtype=d),
    "matrix_norm": lambda t, x, d: t.linalg.matrix_norm(x, dtype=d),
    "full_like": lambda t, x, d: t.full_like(x, 2, dtype=d),
    "masked.sum": lambda t, x, d: t.masked.sum(x, 0, dtype=d),
    "masked.mean": lambda t, x, d: t.masked.mean(x, 0, dtype=d),
    "masked.prod": lambda t, x, d: t.masked.prod(x, 0, dtype=d),
    "masked.var": lambda t, x, d: t.masked.var(x, 0, dtype=d),
    "masked.softmax": lambda t, x, d: t.masked.softmax(x, 0, dtype=d),
    "masked.logsumexp": lambda t, x, d: t.masked.logsumexp(x, 0, dtype=d),
}
DTYPES = ("bool", "int16", "float16", "bfloat16", "float32", "float64", "int64", "complex64", "complex128")
ERRORS = (RuntimeError, NotImplementedError, TypeError, ValueError)


def result_or_error(library, function, own, asked):
    """The dtype and the values of a result, or the type of the error."""
    x = library.tensor([[1.5, 2.25, 3.0], [0.5, 1.0, 2.0], [1.0, 1.0, 1.0]]).to(getattr(library, own))
    try:
        result = function(library, x, getattr(library, asked))
    except ERRORS as error:
        return type(error).__name__, None
    return str(result.dtype), result.to(library.complex128).numpy()


@pytest.mark.parametrize("own", ["bool", "uint8", "int16", "float16", "bfloat16", "float32", "float64", "int64"])
@pytest.mark.parametrize("name", ASKED)
def test_as_pytorch(name, own):
    torch = pytest.importorskip("torch")
    for asked in DTYPES:
        found, values = result_or_error(rushlight, ASKED[name], own, asked)
        expected, expected_values = result_or_error(torch, ASKED[name], own, asked)
        assert found == expected, asked
        if values is not None:
            np.testing.assert_allclose(values, expected_values, rtol=2e-2, err_msg=asked)


@pytest.mark.parametrize("name", ["sum", "sum of all", "nansum", "nansum of all", "mean", "nanmean", "prod", "cumsum"])
@pytest.mark.parametrize("asked", ["float32", "float64"])
def test_a_wider_dtype_is_the_result_s(name, asked):
    assert result_or_error(rushlight, ASKED[name], "float16", asked)[0] == f"torch.{asked}"


@pytest.mark.parametrize("name", ["sum", "mean", "prod", "cumsum", "softmax"])
def test_a_compiled_function_keeps_to_it(name):
    step = rushlight.compile(lambda x: ASKED[name](rushlight, x * 2, rushlight.float64))
    x = rushlight.tensor([[0.1, 0.7, 0.3]] * 5, dtype=rushlight.float32)
    expected = ASKED[name](rushlight, x * 2, rushlight.float64)
    for _ in range(4):
        rushlight.testing.assert_close(step(x), expected, rtol=0, atol=0)
