"""What reductions refuse, in PyTorch's words, and what they give for no elements and no dimensions."""

import pytest

ERRORS = {
    "sequences of other sizes, before their dtype": (
        lambda t: t.searchsorted(t.ones(2, 3), t.ones(3, 3, dtype=t.complex64)),
        RuntimeError,
        "torch.searchsorted(): boundaries tensor should be 1 dimension",
    ),
    "sequences of complex numbers": (
        lambda t: t.searchsorted(t.ones(3), t.ones(3, 3, dtype=t.complex64)),
        NotImplementedError,
        '"searchsorted_out_cpu" not implemented for',
    ),
    "mean of integers": (
        lambda t: t.ones(3).long().mean(),
        RuntimeError,
        "mean(): could not infer output dtype. Input dtype",
    ),
    "mean as integers": (
        lambda t: t.ones(3).mean(dtype=t.int64),
        RuntimeError,
        "mean(): could not infer output dtype. Opt",
    ),
    "no such dimension": (
        lambda t: t.ones(3).sum(5),
        IndexError,
        "Dimension out of range (expected to be in range of [-1, 0]",
    ),
    "dimension twice": (
        lambda t: t.ones(3, 3).sum((0, 0)),
        RuntimeError,
        "dim 0 appears multiple times in the list of dims",
    ),
    "sum of a list": (
        lambda t: t.sum([1, 2]),
        TypeError,
        "sum(): argument 'input' (position 1) must be Tensor, not list",
    ),
    "max of nothing": (
        lambda t: t.zeros(0).max(),
        RuntimeError,
        "max(): Expected reduction dim to be specified",
    ),
    "max of no rows": (
        lambda t: t.zeros(0, 3).max(0),
        IndexError,
        "max(): Expected reduction dim 0 to have non-zero size.",
    ),
    "amax of nothing": (
        lambda t: t.zeros(0).amax(),
        RuntimeError,
        "amax(): Expected reduction dim to be specified",
    ),
    "amin of no rows": (
        lambda t: t.zeros(0, 3).amin(0),
        IndexError,
        "amin(): Expected reduction dim 0 to have non-zero",
    ),
    "argmax of nothing": (
        lambda t: t.zeros(0).argmax(),
        IndexError,
        "argmax(): Expected reduction dim to be specified",
    ),
    "argmax of bools": (
        lambda t: t.ones(3).bool().argmax(),
        RuntimeError,
        "argmax(): does not support bool input",
    ),
    "max of complex": (
        lambda t: t.ones(3).cfloat().max(0),
        RuntimeError,
        "max(): does not support complex input",
    ),
    "std of integers": (
        lambda t: t.ones(3).long().std(),
        RuntimeError,
        "std and var only support floating point and complex",
    ),
    "norm of integers": (
        lambda t: t.ones(3).long().norm(),
        RuntimeError,
        "linalg.vector_norm: Expected a floating point or",
    ),
    "inf-norm of nothing": (
        lambda t: t.zeros(0).norm(float("inf")),
        RuntimeError,
        "linalg.vector_norm cannot compute the inf",
    ),
    "unknown norm": (
        lambda t: t.ones(3).norm("abc"),
        RuntimeError,
        "linalg.matrix_norm: Order abc not supported.",
    ),
    "softmax of integers": (
        lambda t: t.ones(3).long().softmax(0),
        NotImplementedError,
        '"softmax_lastdim_kernel_impl" not impl',
    ),
    "sort of complex": (
        lambda t: t.ones(3).cfloat().sort(),
        RuntimeError,
        " Sort does not support complex dtypes on CPU",
    ),
    "topk of too many": (lambda t: t.ones(3).topk(4), RuntimeError, "selected index k out of range"),
    "kthvalue of too many": (
        lambda t: t.ones(3).kthvalue(4),
        RuntimeError,
        "kthvalue(): selected number k out of range for dim",
    ),
    "median of no columns": (
        lambda t: t.zeros(0, 3).median(0),
        IndexError,
        "median(): Expected reduction dim 0 to have non-ze",
    ),
    "quantile of nothing": (
        lambda t: t.zeros(0).quantile(0.5),
        RuntimeError,
        "quantile() input tensor must be non-empty",
    ),
    "quantile above 1": (
        lambda t: t.ones(3).quantile(1.5),
        RuntimeError,
        "quantile() q must be in the range [0, 1] but got 1.5",
    ),
    "quantile of integers": (
        lambda t: t.ones(3).long().quantile(0.5),
        RuntimeError,
        "quantile() input tensor must be either",
    ),
    "diff of a number": (
        lambda t: t.tensor(1.0).diff(),
        RuntimeError,
        "diff expects input to be at least one-dimensional",
    ),
    "gradient of one sample": (
        lambda t: t.gradient(t.ones(1)),
        RuntimeError,
        "torch.gradient expected each dimension size to",
    ),
    "bincount of negatives": (
        lambda t: t.bincount(t.tensor([-1])),
        RuntimeError,
        "bincount only supports 1-d non-negative",
    ),
    "covariance in space": (
        lambda t: t.cov(t.ones(2, 2, 2)),
        RuntimeError,
        "cov(): expected input to have two or fewer dim",
    ),
    "sides at odds": (
        lambda t: t.searchsorted(t.ones(2), t.ones(2), right=True, side="left"),
        RuntimeError,
        "torch.searchsorted(): side and right can't be set to opposites, got side of left while right",
    ),
    "out that requires grad": (
        lambda t: t.sum(t.ones(2, requires_grad=True), 0, out=t.zeros(())),
        RuntimeError,
        "sum(): functions with out=... arguments don't support automatic differentiation",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_error(torch, name):
    call, kind, words = ERRORS[name]
    with pytest.raises(kind) as error:
        call(torch)
    assert type(error.value) is kind
    assert str(error.value).startswith(words)


EMPTY = {
    "sum": (lambda t: t.zeros(0).sum(), [], 0),
    "mean": (lambda t: t.zeros(0).mean(), [], float("nan")),
    "prod": (lambda t: t.zeros(0).prod(), [], 1),
    "norm": (lambda t: t.zeros(0).norm(), [], 0),
    "logsumexp": (lambda t: t.zeros(0).logsumexp(0), [], float("-inf")),
    "median": (lambda t: t.zeros(0).median(), [], float("nan")),
    "max of rows": (lambda t: t.zeros(0, 3).max(1).values, [0], []),
    "sum of columns": (lambda t: t.zeros(0, 2).sum(0), [2], [0, 0]),
    "softmax": (lambda t: t.zeros(0, 2).softmax(0), [0, 2], []),
    "sort": (lambda t: t.zeros(0).sort().values, [0], []),
    "cummax": (lambda t: t.zeros(0).cummax(0).values, [0], []),
    "unique": (lambda t: t.zeros(0).unique(), [0], []),
    "all": (lambda t: t.zeros(0).all(), [], True),
}


@pytest.mark.parametrize("name", EMPTY)
def test_no_elements(torch, name):
    call, shape, values = EMPTY[name]
    result = call(torch)
    assert list(result.shape) == shape
    assert result.tolist() == pytest.approx(values, nan_ok=True)


@pytest.mark.parametrize(
    "name",
    [
        "sum",
        "mean",
        "prod",
        "amax",
        "amin",
        "argmax",
        "std",
        "norm",
        "median",
        "mode",
        "cumsum",
        "cumprod",
        "logcumsumexp",
        "softmax",
        "log_softmax",
        "logsumexp",
        "cummax",
        "sort",
        "kthvalue",
        "topk",
        "max",
        "nanmedian",
        "all",
    ],
)
def test_no_dimensions(torch, name):
    x = torch.tensor(2.0)
    arguments = {
        "std": {"correction": 0},
        "kthvalue": {"k": 1, "dim": 0},
        "topk": {"k": 1, "dim": 0},
        "norm": {"dim": 0},
    }
    result = getattr(torch, name)(x, **arguments.get(name, {"dim": 0}))
    if isinstance(result, tuple):
        assert result.indices.tolist() == 0
        result = result.values
    assert list(result.shape) == []
    expected = {"argmax": 0, "std": 0, "softmax": 1, "log_softmax": 0, "all": True}.get(name, 2)
    assert result.item() == expected


def test_degrees_of_freedom_warn(torch):
    with pytest.warns(UserWarning, match="degrees of freedom is <= 0"):
        assert torch.isnan(torch.ones(1).var())


WITHOUT_OUT = {
    "sum of all": lambda t: t.sum(t.ones(3), out=t.zeros(())),
    "prod of all": lambda t: t.prod(t.ones(3), out=t.zeros(())),
    "median of all": lambda t: t.median(t.ones(3), out=t.zeros(())),
    "count_nonzero": lambda t: t.count_nonzero(t.ones(3), 0, out=t.zeros((), dtype=t.int64)),
    "std_mean": lambda t: t.std_mean(t.ones(3), 0, out=(t.zeros(()), t.zeros(()))),
    "a method": lambda t: t.ones(3).sum(0, out=t.zeros(())),
    "a method of two results": lambda t: t.ones(3).median(0, out=(t.zeros(()), t.zeros((), dtype=t.int64))),
}


@pytest.mark.parametrize("name", WITHOUT_OUT)
def test_forms_without_out(torch, name):
    with pytest.raises(TypeError):
        WITHOUT_OUT[name](torch)


def test_out_of_another_type(torch):
    """In PyTorch's words."""
    whole = torch.zeros((), dtype=torch.int32)
    with pytest.raises(
        RuntimeError, match=r"logsumexp\(\): Expected floating point type for result tensor, but got: Int"
    ):
        torch.logsumexp(torch.ones(3), 0, out=whole)
    with pytest.raises(RuntimeError, match=r"type torch\.IntTensor does not equal torch\.FloatTensor \(while checking"):
        torch.median(torch.ones(3), 0, out=(whole, torch.zeros((), dtype=torch.int64)))
    with pytest.raises(RuntimeError, match="input tensor and bin_edges tensor should have the same dtype"):
        torch.histogram(torch.ones(3), 2, out=(torch.zeros(2), torch.zeros(3).double()))
    with pytest.raises(RuntimeError, match="nonzero does not support the out kwarg when as_tuple is True"):
        torch.nonzero(torch.ones(2), as_tuple=True, out=torch.zeros(2, 1, dtype=torch.int64))


@pytest.mark.parametrize("keepdim", [False, True])
def test_variance_without_degrees_of_freedom(torch, keepdim):
    """Its gradient is NaN where an element is the mean, else infinite, and does not depend on the elements."""
    assert torch.autograd.functional.hessian(lambda x: x.var(), torch.ones(1)).tolist() == [[0.0]]
    x = torch.tensor([1.0, 3.0, 2.0], requires_grad=True)
    (grad,) = torch.autograd.grad(x.var(correction=4, keepdim=keepdim).sum(), x)
    assert str(grad) == "tensor([inf, inf, nan])"


def test_picking_into_repeated_memory(torch):
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        torch.index_select(torch.ones(3, 6), 1, torch.tensor([0, 1]), out=torch.zeros(1, 6).expand(2, 6))
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        torch.gather(torch.ones(3, 6), 1, torch.tensor([[0, 1]]), out=torch.zeros(1, 1).expand(1, 2))


@pytest.mark.parametrize("name", ["std", "var"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_deviation_of_halves_into_a_wider_type(torch, name, dtype):
    """PyTorch has no kernel for one over all elements, which it finds where the result is of another type."""
    deviation, x = getattr(torch, name), torch.ones(2, 2, dtype=getattr(torch, dtype))
    word = {"float16": "Half", "bfloat16": "BFloat16"}[dtype]
    for call in (
        lambda wider: deviation(x[0], 0, out=torch.ones((), dtype=wider)),
        lambda wider: deviation(x, dim=None, out=torch.ones((), dtype=wider)),
        lambda wider: deviation(x, (0, 1), out=torch.ones((), dtype=wider)),
    ):
        for wider in (torch.float32, torch.float64):
            with pytest.raises(RuntimeError, match=f"std_var_all: Unsupported dtype {word}$"):
                call(wider)
        assert call(torch.float16).item() == 0
    assert deviation(x, 0, out=torch.ones(2)).tolist() == [0, 0]
