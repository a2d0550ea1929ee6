"""Reductions by theme: dtypes, dimensions, names, named tuples, precision, derivatives."""

import pickle

import numpy as np
import pytest
from derivatives import check_derivatives

import rushlight

RNG = np.random.default_rng(5)


def sample(*shape, kind="real"):
    """A float64 or complex128 tensor that requires grad, without ties and near zeros."""
    x = RNG.permutation(np.linspace(-2, 2.2, int(np.prod(shape)) or 1)).reshape(shape)
    tensor = rushlight.from_numpy(x + 1j * RNG.standard_normal(shape) if kind == "complex" else x)
    tensor.requires_grad = True
    return tensor


REAL = {
    "sum": lambda x: x.sum((0, 2)),
    "mean": lambda x: x.mean(1, keepdim=True),
    "mean of all": lambda x: x.mean(),
    "prod": lambda x: x.prod(1),
    "prod of all": lambda x: x[0].prod(),
    "nansum": lambda x: x.nansum(0),
    "amax": lambda x: x.amax((0, 1)),
    "max": lambda x: x.max(),
    "max by dimension": lambda x: x.max(2, keepdim=True).values,
    "aminmax": lambda x: tuple(rushlight.aminmax(x, dim=1)),
    "var": lambda x: x.var((0, 1)),
    "std": lambda x: x.std(1, correction=0),
    "var_mean": lambda x: rushlight.var_mean(x, 0),
    "std_mean": lambda x: rushlight.std_mean(x, (1, 2), keepdim=True),
    "logsumexp": lambda x: x.logsumexp((0, 2)),
    "softmax": lambda x: x.softmax(1),
    "log_softmax": lambda x: x.log_softmax(0),
    "norm": lambda x: x.norm(),
    "1-norm": lambda x: x.norm(1, 1),
    "3-norm": lambda x: x.norm(3, (0, 2)),
    "1.5-norm": lambda x: x.norm(1.5, 1, True),
    "inf-norm": lambda x: x.norm(float("inf"), 0),
    "-2-norm": lambda x: x.norm(-2, 0),
    "dist": lambda x: rushlight.dist(x, 2 * x[0] + 1, 3),
    "cumsum": lambda x: x.cumsum(1),
    "cumprod": lambda x: x.cumprod(2),
    "cummax": lambda x: x.cummax(1).values,
    "logcumsumexp": lambda x: x.logcumsumexp(2),
    "sort": lambda x: x.sort(1, descending=True).values,
    "topk": lambda x: x.topk(2, dim=2, largest=False).values,
    "median": lambda x: x.median(2).values,
    "kthvalue": lambda x: x.kthvalue(2, dim=0).values,
    "quantile": lambda x: x.quantile(0.4, dim=1),
    "cov": lambda x: rushlight.cov(x[0]),
    "corrcoef": lambda x: rushlight.corrcoef(x[0] * x[0] * x[1]),
    "diff": lambda x: x.diff(n=2, dim=2),
    "gradient": lambda x: rushlight.gradient(x, dim=(1, 2), edge_order=1),
    "trapezoid": lambda x: rushlight.trapezoid(x, dx=0.5, dim=1),
}
COMPLEX = (
    "sum",
    "mean",
    "prod",
    "var",
    "std",
    "var_mean",
    "norm",
    "1-norm",
    "3-norm",
    "cumsum",
    "cumprod",
    "logsumexp",
)


@pytest.mark.parametrize("name", REAL)
def test_derivatives(name):
    check_derivatives(REAL[name], sample(2, 3, 4))


@pytest.mark.parametrize("name", COMPLEX)
def test_derivatives_of_complex_numbers(name):
    check_derivatives(REAL[name], sample(2, 3, 4, kind="complex"))


@pytest.mark.parametrize("zeros", [[0], [1, 3], [0, 1, 2, 3]])
def test_products_with_zeros(zeros):
    x = sample(2, 4)
    x._array[:, zeros] = 0
    check_derivatives(lambda x: x.prod(1), x)
    check_derivatives(lambda x: x.cumprod(1), x)
    check_derivatives(lambda x: x.reshape(-1).cumprod(0), x)


def test_integers_are_added_in_int64(torch):
    for dtype in (torch.bool, torch.uint8, torch.int8, torch.int32):
        x = torch.ones(3, dtype=dtype)
        for result in (x.sum(), x.sum(0), x.prod(), x.cumsum(0), x.cumprod(0)):
            assert result.dtype is torch.int64
    assert torch.full((4,), 127, dtype=torch.int8).sum().item() == 508
    assert torch.ones(3).sum(dtype=torch.int64).dtype is torch.int64


def test_dtype_argument_keeps_the_gradient_in_the_input_dtype(torch):
    x = torch.ones(3, dtype=torch.float32, requires_grad=True)
    for result in (
        x.sum(dtype=torch.float64),
        x.mean(0, dtype=torch.float64),
        x.softmax(0, dtype=torch.float64),
    ):
        assert result.dtype is torch.float64
        assert torch.autograd.grad(result.sum(), x)[0].dtype is torch.float32


def test_numpy_names_and_out(torch):
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert torch.sum(x, axis=0, keepdims=True).tolist() == [[4, 6]]
    assert torch.sum(input=x).item() == 10
    out = torch.zeros(2)
    assert torch.sum(x, 0, out=out) is out
    assert out.tolist() == [4, 6]
    values, indices = torch.zeros(2), torch.zeros(2, dtype=torch.int64)
    torch.max(x, 1, out=(values, indices))
    assert (values.tolist(), indices.tolist()) == ([2, 4], [1, 1])


def test_named_tuples_print_as_pytorch(torch):
    result = torch.tensor([[1, 3], [4, 2]]).max(1)
    assert repr(result) == "torch.return_types.max(\nvalues=tensor([3, 4]),\nindices=tensor([1, 0]))"
    values, indices = result
    assert values is result.values is result[0]
    assert indices is result.indices
    assert type(pickle.loads(pickle.dumps(result))) is type(result)


def test_names_of_nodes(torch):
    x = torch.rand(3, 4, requires_grad=True)
    names = {
        "SumBackward0": x.sum(),
        "SumBackward1": x.sum(0),
        "MeanBackward0": x.mean(),
        "MeanBackward1": x.mean(0),
        "ProdBackward0": x.prod(),
        "ProdBackward1": x.prod(0),
        "MaxBackward0": x.max(0)[0],
        "MaxBackward1": x.max(),
        "AmaxBackward0": x.amax(),
        "StdBackward0": x.std(),
        "VarMeanBackward0": torch.var_mean(x)[0],
        "LinalgVectorNormBackward0": x.norm(),
        "DistBackward0": torch.dist(x, x + 1),
        "SoftmaxBackward0": x.softmax(0),
        "LogSoftmaxBackward0": x.log_softmax(0),
        "LogsumexpBackward0": x.logsumexp(0),
        "SortBackward0": x.sort()[0],
        "SortBackward1": x.sort(stable=True)[0],
        "MedianBackward0": x.median(),
        "MedianBackward1": x.median(0)[0],
        "CumsumBackward0": x.cumsum(0),
        "LogcumsumexpBackward0": x.logcumsumexp(0),
        "Unique2Backward0": x.unique(),
    }
    assert [result.grad_fn.name() for result in names.values()] == list(names)


def test_long_sums_are_precise(torch):
    x = torch.full((200_000, 3), 0.1)
    assert x.sum(0).tolist() == pytest.approx([20_000.0] * 3, rel=1e-5)
    assert x.half().sum().item() == 60_000
    assert torch.full((3, 4000), 0.1).half().sum(1).tolist() == pytest.approx([400] * 3, rel=1e-3)


def test_softmax_does_not_overflow(torch):
    x = torch.tensor([1000.0, 1000.0, -1000.0], requires_grad=True)
    assert x.softmax(0).tolist() == [0.5, 0.5, 0]
    assert x.log_softmax(0).tolist() == pytest.approx([-0.693147, -0.693147, -2000.693], rel=1e-5)
    assert torch.autograd.grad(x.log_softmax(0)[0], x)[0].tolist() == [0.5, -0.5, 0]


def test_signatures_of_var(torch):
    x = torch.tensor([[1.0, 2.0], [4.0, 8.0]])
    assert x.var(False).item() == pytest.approx(7.1875)
    assert x.var(0, False).tolist() == pytest.approx([2.25, 9])
    assert x.var(0, unbiased=True, keepdim=True).tolist() == [[4.5, 18]]
    assert x.var(dim=(0, 1), correction=2).item() == pytest.approx(14.375)


def test_all_and_any(torch):
    x = torch.tensor([[1, 0], [2, 3]])
    assert (x.all().item(), x.any().item()) == (False, True)
    assert x.all(1).tolist() == [False, True]
    assert x.any((0, 1)).item() is True
    assert x.byte().all(0).dtype is torch.uint8
    assert list(x.all(dim=()).shape) == [2, 2]
    assert x.count_nonzero(0).tolist() == [2, 1]


def test_unique_has_no_derivative(torch):
    x = torch.tensor([2.0, 1.0, 2.0], requires_grad=True)
    values, inverse, counts = x.unique(return_inverse=True, return_counts=True)
    assert (values.tolist(), inverse.tolist(), counts.tolist()) == ([1, 2], [1, 0, 1], [1, 2])
    with pytest.raises(NotImplementedError, match="the derivative for '_unique2' is not"):
        values.sum().backward()


def test_places_in_sorted_sequences(torch):
    rows = torch.tensor([[1.0, 2.0, 4.0], [0.0, 1.0, 3.0]])
    values = torch.tensor([[2.0, 5.0], [-1.0, 1.0]])
    assert torch.searchsorted(rows, values).tolist() == [[1, 3], [0, 1]]
    assert torch.searchsorted(rows, values, right=True, out_int32=True).tolist() == [[2, 3], [0, 2]]
    assert torch.bucketize(2.0, torch.tensor([1.0, 2.0])).item() == 1
    shuffled = torch.tensor([3.0, 1.0, 2.0])
    assert torch.searchsorted(shuffled, torch.tensor([2.5]), sorter=shuffled.argsort()).tolist() == [2]


def test_counting(torch):
    x = torch.tensor([1, 2, 2])
    assert torch.bincount(x, weights=torch.tensor([0.5, 1, 2]), minlength=5).tolist() == [0, 0.5, 3, 0, 0]
    assert torch.histc(torch.tensor([1.0, 2.0, 1.0]), bins=4).tolist() == [2, 0, 0, 1]
    assert torch.histc(torch.ones(2), bins=4).tolist() == [0, 0, 2, 0]
    rows = torch.tensor([[3, 1], [3, 1], [1, 1]])
    assert torch.unique_consecutive(rows, dim=0, return_counts=True)[1].tolist() == [2, 1]
    assert torch.unique(rows, dim=0, return_inverse=True)[1].tolist() == [1, 1, 0]


def test_sorting_keeps_the_order_of_equal_elements_and_takes_nan_for_the_largest(torch):
    x = torch.tensor([float("nan"), 2, 2, 1, 3])
    assert x.argsort(stable=True).tolist() == [3, 1, 2, 4, 0]
    assert x.sort(descending=True).indices.tolist() == [0, 4, 1, 2, 3]
    assert x.topk(2).indices.tolist() == [0, 4]
    big = torch.tensor([float(99 - i) for i in range(100)])
    assert big.topk(3).values.tolist() == [99, 98, 97]
    assert big.topk(3, largest=False).indices.tolist() == [99, 98, 97]


@pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_quantiles(torch, interpolation):
    expected = {
        "linear": [1.3, 3.5, 2.6, 7],
        "lower": [1, 2, 2, 7],
        "higher": [2, 5, 5, 7],
        "midpoint": [1.5, 3.5, 3.5, 7],
        "nearest": [1, 5, 2, 7],
    }
    x, q = torch.tensor([5.0, 1, 7, 2]), torch.tensor([0.1, 0.5, 0.4, 1])
    assert x.quantile(q, interpolation=interpolation).tolist() == pytest.approx(expected[interpolation])
    assert list(x.reshape(2, 2).quantile(q, dim=0, keepdim=True).shape) == [4, 1, 2]


def test_gradient_with_uneven_places(torch):
    places, values = torch.tensor([0.0, 1, 3, 4]), torch.tensor([1.0, 2, 4, 8])
    assert torch.gradient(values, spacing=(places,))[0].tolist() == pytest.approx([1, 1, 3, 4])
    assert torch.gradient(values, edge_order=2)[0].tolist() == pytest.approx([0.5, 1.5, 3, 5])


@pytest.mark.parametrize("missing", [0, 1, 3, 12])
@pytest.mark.parametrize("dtype", [rushlight.float32, rushlight.float64])
def test_medians_of_all_numbers(dtype, missing):
    numbers = [5.0, -1.0, 4.0, 4.0, 0.0, -7.0, 2.0, 9.0, 1.5, 3.0, 8.0, -2.0]
    x = rushlight.tensor([np.nan] * missing + numbers[missing:], dtype=dtype).reshape(3, 4)
    rest = sorted(numbers[missing:])
    expected = rest[(len(rest) - 1) // 2] if rest else np.nan
    np.testing.assert_equal(rushlight.nanmedian(x).item(), expected)
    np.testing.assert_equal(rushlight.median(x).item(), np.nan if missing else expected)
    assert rushlight.median(x).dtype == rushlight.nanmedian(x).dtype == dtype
    rows = [sorted(v for v in row if not np.isnan(v)) for row in x.tolist()]
    by_rows = [row[(len(row) - 1) // 2] if row else np.nan for row in rows]
    np.testing.assert_equal(rushlight.nanmedian(x, 1).values.tolist(), by_rows)


@pytest.mark.parametrize("dtype", [rushlight.float32, rushlight.float64, rushlight.float16, rushlight.int64])
def test_multiples_added_in_place(dtype):
    x, y = rushlight.arange(6).to(dtype).reshape(2, 3), rushlight.arange(6, 12).to(dtype).reshape(2, 3)
    assert x.clone().add_(y, alpha=3).tolist() == rushlight.add(x, y, alpha=3).tolist()
    assert x.clone().sub_(y[0], alpha=3).tolist() == rushlight.sub(x, y[0], alpha=3).tolist()
    z = x.flatten()
    with pytest.raises(RuntimeError, match="single memory"):
        z[:4].add_(z[2:], alpha=2)


@pytest.mark.parametrize("name", ["max", "min", "median", "nanmedian"])
@pytest.mark.parametrize("cotangent", [np.nan, np.inf])
def test_elements_that_are_not_extreme_have_no_gradient_whatever_the_cotangent(name, cotangent):
    x = rushlight.tensor([1.0, 3.0, -2.0, 2.0, 0.0], requires_grad=True)
    result = getattr(x, name)()
    result.backward(rushlight.tensor(cotangent))
    chosen = x.detach() == result.detach()
    assert not rushlight.isfinite(x.grad[chosen]).any()
    assert (x.grad[~chosen] == 0).all()


@pytest.mark.parametrize(
    "values", [[1.0, 1.0, np.inf], [-np.inf, 1.0], [-np.inf, np.inf], [np.inf, np.inf], [1.0, 4.0]]
)
@pytest.mark.parametrize("interpolation", ["linear", "midpoint", "lower", "higher", "nearest"])
def test_quantiles_beside_infinity(values, interpolation):
    torch = pytest.importorskip("torch")
    for q in (0.0, 0.1, 0.25, 0.5, 0.6, 0.75, 0.9, 1.0):
        ours, theirs = (
            library.quantile(library.tensor(values), q, interpolation=interpolation).item()
            for library in (rushlight, torch)
        )
        np.testing.assert_equal(ours, theirs)


@pytest.mark.parametrize("shape", [(7,), (40, 30), (3, 200, 1), (2, 5, 90)], ids=str)
@pytest.mark.parametrize("dtype", ["int64", "int32", "bool"])
def test_cumulative_functions_of_integers(shape, dtype):
    array = np.random.default_rng(0).integers(-3, 4, shape).astype(dtype)
    x = rushlight.from_numpy(array)
    for dim in range(len(shape)):
        np.testing.assert_array_equal(x.cumsum(dim).numpy(), np.cumsum(array, dim, np.int64))
        np.testing.assert_array_equal(x.cumprod(dim).numpy(), np.cumprod(array, dim, np.int64))
        for found, ufunc in ((x.cummax(dim), np.maximum), (x.cummin(dim), np.minimum)):
            np.testing.assert_array_equal(found.values.numpy(), ufunc.accumulate(array, dim))
            np.testing.assert_array_equal(np.take_along_axis(array, found.indices.numpy(), dim), found.values.numpy())
