"""`out=`: every function that takes it writes there, in one way, whatever shape, dtype and place in memory it has."""

import re
import warnings

import pytest

import rushlight as torch

x = torch.tensor([[4.0, 1.0], [2.0, 3.0]])
flags = torch.tensor([True, False])
FUNCTIONS = {
    "unary": lambda out: torch.exp(x, out=out),
    "binary": lambda out: torch.add(x, 1, out=out),
    "number first": lambda out: torch.sub(1, x, out=out),
    "reduction": lambda out: torch.sum(x, 0, out=out),
    "product": lambda out: torch.mm(x, x, out=out),
    "cat": lambda out: torch.cat([x, x], out=out),
    "linalg": lambda out: torch.linalg.inv(x, out=out),
    "where": lambda out: torch.where(x > 2, x, x, out=out),
    "arange": lambda out: torch.arange(4.0, out=out),
    "linspace": lambda out: torch.linspace(0, 1, 4, out=out),
    "zeros": lambda out: torch.zeros(3, out=out),
    "isin": lambda out: torch.isin(x, x, out=out),
    "scatter": lambda out: torch.scatter(x, 0, torch.tensor([[1, 0]]), 5.0, out=out),
    "scatter_add": lambda out: torch.scatter_add(x, 0, torch.tensor([[1, 0]]), x, out=out),
    "scatter_reduce": lambda out: torch.scatter_reduce(x, 0, torch.tensor([[1, 0]]), x, "amax", out=out),
    "index_add": lambda out: torch.index_add(x, 0, torch.tensor([1]), x[:1], out=out),
    "index_copy": lambda out: torch.index_copy(x, 0, torch.tensor([1]), x[:1], out=out),
    "index_reduce": lambda out: torch.index_reduce(x, 0, torch.tensor([1]), x[:1], "prod", out=out),
    "slice_scatter": lambda out: torch.slice_scatter(x, x[:1], 0, 1, out=out),
    "take": lambda out: torch.take(x, torch.tensor([3, 0]), out=out),
    "bucketize": lambda out: torch.bucketize(x, torch.tensor([1.0, 2.0]), out=out),
    "gelu": lambda out: torch.nn.functional.gelu(x, out=out),
    "softplus": lambda out: torch.nn.functional.softplus(x, out=out),
    "logsigmoid": lambda out: torch.nn.functional.logsigmoid(x, out=out),
    "hardshrink": lambda out: torch.nn.functional.hardshrink(x, out=out),
    "softshrink": lambda out: torch.nn.functional.softshrink(x, out=out),
    "linear": lambda out: torch.nn.functional.linear(x, x, out=out),
    "avg_pool2d": lambda out: torch.nn.functional.avg_pool2d(x[None], 2, out=out),
    "avg_pool3d": lambda out: torch.nn.functional.avg_pool3d(x[None, None], (1, 2, 2), out=out),
}


def result_of(name):
    """A function's result without `out`, as a new tensor to write into gets it."""
    return FUNCTIONS[name](None)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_writes_into_the_tensor(name):
    """The tensor itself comes back, with the result, in its own memory, also where its elements lie apart."""
    wanted = result_of(name)
    apart = torch.zeros(*[2 * n for n in wanted.shape], dtype=wanted.dtype)[(slice(None, None, 2),) * wanted.dim()]
    for out in (torch.zeros_like(wanted), apart):
        place = out.data_ptr()
        assert FUNCTIONS[name](out) is out
        assert out.data_ptr() == place
        assert torch.equal(out, wanted)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_takes_the_shape_of_the_result(name):
    """Silently where it had no elements, else with a warning; creation functions give none."""
    wanted = result_of(name)
    out = torch.empty(0, dtype=wanted.dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FUNCTIONS[name](out)
    assert torch.equal(out, wanted)
    out = torch.ones(7, dtype=wanted.dtype)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        FUNCTIONS[name](out)
    assert torch.equal(out, wanted)
    messages = [str(w.message)[:37] for w in found]
    if name == "arange":
        assert messages == ["The number of elements in the out ten"]
    else:
        assert messages == [] if name in ("linspace", "zeros") else ["An output with one or more elements w"]


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if result_of(name).is_floating_point()])
def test_gradients(name):
    """Refused while they would be recorded; without recording, a leaf that requires grad is written to."""
    wanted = result_of(name)
    out = torch.zeros_like(wanted).requires_grad_()
    with pytest.raises(
        RuntimeError, match=r"functions with out=\.\.\. arguments don't support automatic differentiation"
    ):
        FUNCTIONS[name](out)
    with torch.no_grad():
        FUNCTIONS[name](out)
    assert torch.equal(out.detach(), wanted)
    assert out.requires_grad
    assert out.is_leaf


@pytest.mark.parametrize(
    ("name", "dtype", "words"),
    [
        ("unary", torch.int64, "result type Float can't be cast to the desired output type Long"),
        ("binary", torch.bool, "result type Float can't be cast to the desired output type Bool"),
        ("product", torch.float64, "Expected out tensor to have dtype float, but got double instead"),
        ("linalg", torch.float64, "Expected out tensor to have dtype float, but got double instead"),
        ("scatter", torch.int64, "Expected out tensor to have dtype float, but got long int instead"),
        ("gelu", torch.float64, "Found dtype Double but expected Float"),
        ("take", torch.float64, r"take\(\): self and out expected to have the same dtype"),
        ("where", torch.float64, "Expected out type to be Float but got Double"),
    ],
)
def test_dtypes_that_are_refused(name, dtype, words):
    """What cannot be cast, and what some functions want exactly; nothing is changed then."""
    out = torch.ones(7, dtype=dtype)
    with pytest.raises(RuntimeError, match=words):
        FUNCTIONS[name](out)
    assert torch.equal(out, torch.ones(7, dtype=dtype))


def test_casts():
    """To a dtype that can hold the result."""
    out = torch.zeros(2, 2, dtype=torch.complex128)
    torch.add(x, 1, out=out)
    assert torch.equal(out, (x + 1).to(torch.complex128))


def test_absolute_values_of_complex_numbers_are_cast():
    """Those of real numbers are not."""
    z = torch.tensor([3 + 4j])
    assert torch.abs(z, out=torch.empty(1, dtype=torch.float64)).tolist() == [5.0]
    with pytest.raises(RuntimeError, match="Found dtype Double but expected Float"):
        torch.abs(z.real, out=torch.empty(1, dtype=torch.float64))


def test_bounds_that_are_tensors_have_the_result_cast():
    """Those that are numbers do not."""
    ends = torch.tensor([0.0, 1.0])
    assert torch.clamp(ends, ends, ends, out=torch.empty(2, dtype=torch.float64)).tolist() == [0.0, 1.0]
    for clamp in (torch.clamp, torch.clamp_min, torch.clamp_max):
        with pytest.raises(RuntimeError, match="Found dtype Double but expected Float"):
            clamp(ends, 0, out=torch.empty(2, dtype=torch.float64))


@pytest.mark.parametrize(
    ("name", "told"), [("fft", "fft"), ("ifft2", "fftn"), ("rfft2", "rfftn"), ("ihfftn", "ihfftn")]
)
def test_transforms_want_complex_results(name, told):
    with pytest.raises(RuntimeError, match=f"^{told} expects a complex output tensor, but got Float"):
        getattr(torch.fft, name)(torch.ones(4, 4), out=torch.empty(0))


def test_ranges_fill_any_shape_of_as_many_elements():
    """So `out` may be a view, of several dimensions."""
    base = torch.zeros(2, 2, 3)
    torch.linspace(0, 1, 6, out=base[1])
    assert base[1].tolist() == torch.linspace(0, 1, 6).view(2, 3).tolist()
    torch.arange(2.0, out=base[0, :, 0])
    assert base[0].tolist() == [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]


def test_a_view_grows_within_its_base():
    """Resized, it shows more of the memory that it lies in; beyond that it gets memory of its own."""
    base = torch.zeros(5)
    view = base[1:3]
    with pytest.warns(UserWarning, match="An output with one or more elements was resized"):
        torch.add(torch.ones(3), 1, out=view)
    assert base.tolist() == [0.0, 2.0, 2.0, 2.0, 0.0]
    with pytest.warns(UserWarning, match="An output with one or more elements was resized"):
        torch.add(torch.ones(6), 1, out=view)
    assert view.tolist() == [2.0] * 6


@pytest.mark.parametrize("function", [torch.unbind_copy, torch.split_copy])
def test_several_copies(function):
    """A tensor for each; what does not fit is refused before anything is written."""
    arguments = (x,) if function is torch.unbind_copy else (x, 1)
    wanted = function(*arguments)
    outs = [torch.zeros_like(part) for part in wanted]
    assert function(*arguments, out=outs) is None
    assert all(torch.equal(out, part) for out, part in zip(outs, wanted, strict=True))
    outs = [torch.zeros_like(wanted[0]), torch.zeros_like(wanted[1], dtype=torch.int64)]
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype"):
        function(*arguments, out=outs)
    assert not outs[0].any()


def test_several_results():
    """The fields of the result are the tensors that were given."""
    outs = torch.zeros(2), torch.zeros(2, dtype=torch.int64)
    result = torch.max(x, 0, out=outs)
    assert result.values is outs[0]
    assert result.indices is outs[1]
    assert outs[0].tolist() == [4.0, 3.0]
    assert outs[1].tolist() == [0, 1]
    mantissa, exponent = torch.zeros(1), torch.zeros(1, dtype=torch.int32)
    torch.frexp(torch.tensor([6.0]), out=(mantissa, exponent))
    assert mantissa.item() == 0.75
    assert exponent.item() == 3


OTHER_TYPES = {  # of a result of float32, or of the second of two results
    "mv": lambda t, out: t.mv(t.ones(2, 2), t.ones(2), out=out),
    "inner": lambda t, out: t.inner(t.ones(2), t.ones(2), out=out),
    "addbmm": lambda t, out: t.addbmm(t.ones(2, 2), t.ones(1, 2, 2), t.ones(1, 2, 2), out=out),
    "heaviside": lambda t, out: t.heaviside(t.ones(2), t.ones(2), out=out),
    "multinomial": lambda t, out: t.multinomial(t.ones(2), 2, out=out),
    "histc": lambda t, out: t.histc(t.ones(2), out=out),
    "vecdot": lambda t, out: t.linalg.vecdot(t.ones(2), t.ones(2), out=out),
    "multi_dot": lambda t, out: t.linalg.multi_dot([t.ones(2, 2)] * 2, out=out),
    "linalg.norm": lambda t, out: t.linalg.norm(t.ones(2), out=out),
    "matrix_norm": lambda t, out: t.linalg.matrix_norm(t.ones(2, 2), out=out),
    "irfft": lambda t, out: t.fft.irfft(t.ones(3), out=out),
    "max": lambda t, out: t.max(t.ones(2, 2), 1, out=(out, t.zeros(2, dtype=t.int64))),
    "max's indices": lambda t, out: t.max(t.ones(2, 2), 1, out=(t.zeros(2), out)),
    "mode": lambda t, out: t.mode(t.ones(2), out=(out, t.zeros(1, dtype=t.int64))),
    "frexp": lambda t, out: t.frexp(t.ones(2), out=(out, t.zeros(2, dtype=t.int32))),
    "kthvalue's indices": lambda t, out: t.kthvalue(t.ones(2), 1, out=(t.zeros(1), out)),
    "sum with a dtype": lambda t, out: t.sum(t.ones(2, 2), 0, dtype=t.float32, out=out),
    "nansum": lambda t, out: t.nansum(t.ones(2, 2), 0, out=out),
    "bernoulli": lambda t, out: t.bernoulli(t.ones(2), out=out),
    "ifft": lambda t, out: t.fft.ifft(t.ones(2), out=out),
    "ihfft": lambda t, out: t.fft.ihfft(t.ones(2), out=out),
    "ormqr": lambda t, out: t.ormqr(t.eye(2), t.zeros(2), t.eye(2), out=out),
    "ldl_solve": lambda t, out: t.linalg.ldl_solve(t.eye(2), t.ones(2, dtype=t.int32), t.eye(2), out=out),
    "ldl_factor": lambda t, out: t.linalg.ldl_factor(t.eye(2), out=(out, t.zeros(2, dtype=t.int32))),
}


@pytest.mark.parametrize("name", OTHER_TYPES)
def test_an_out_of_another_type_is_refused(torch, name):
    with pytest.raises(RuntimeError):
        OTHER_TYPES[name](torch, torch.zeros(2, dtype=torch.complex128))


@pytest.mark.parametrize("name", ["cat", "stack", "hstack"])
def test_joined_tensors_are_not_cast_down(torch, name):
    with pytest.raises(TypeError, match="input types can't be cast to the desired output type Int"):
        getattr(torch, name)([torch.ones(2)] * 2, out=torch.zeros(4, dtype=torch.int32))


def test_sums_are_computed_in_the_type_of_out(torch):
    x = torch.tensor([[1.5, 2.5], [0.25, 3.75]])
    outs = {name: torch.zeros(0, dtype=torch.int32) for name in ("sum", "prod", "cumsum", "cumprod")}
    found = {name: getattr(torch, name)(x, 0, out=out).tolist() for name, out in outs.items()}
    assert found == {"sum": [1, 5], "prod": [0, 6], "cumsum": [[1, 2], [1, 5]], "cumprod": [[1, 2], [0, 6]]}
    for name in ("cumsum", "cumprod"):
        with pytest.raises(NotImplementedError, match=f"\"{name}_out_cpu\" not implemented for 'Bool'"):
            getattr(torch, name)(x, 0, out=torch.zeros(0, dtype=torch.bool))
    flips = torch.bernoulli(torch.ones(2), out=torch.zeros(2, dtype=torch.int32))
    assert (flips.tolist(), flips.dtype) == ([1, 1], torch.int32)


@pytest.mark.parametrize("dtype", ["float64", "complex64"])
def test_normal_numbers_are_drawn_in_the_type_of_out(dtype):
    mean, std = torch.tensor([1.0, -1.0]), torch.tensor([2.0, 0.5])
    out = torch.zeros(2, dtype=getattr(torch, dtype))
    torch.manual_seed(3)
    torch.normal(mean, std, out=out)
    torch.manual_seed(3)
    assert torch.allclose(out, torch.randn(2, dtype=out.dtype) * std + mean)
    with pytest.raises(NotImplementedError, match="\"normal_kernel_cpu\" not implemented for 'Int'"):
        torch.normal(mean, std, out=torch.zeros(2, dtype=torch.int32))


def test_histogram_writes_both_parts(torch):
    counts, edges = torch.zeros(0), torch.zeros(0)
    torch.histogram(torch.tensor([1.0, 2.0, 1.0]), 2, out=(counts, edges))
    assert (counts.tolist(), edges.tolist()) == ([2.0, 1.0], [1.0, 1.5, 2.0])


CLASHES = [  # a call with an `out` that its result cannot be written to, and what is said then
    (
        lambda t, x, out: t.linalg.cond(x, out=out),
        "linalg.cond: Expected result to be safely castable from Float dtype",
    ),
    (lambda t, x, out: t.orgqr(x, x[0], out=out), "torch.linalg.householder_product: Expected result to be safely"),
    (lambda t, x, out: t.linalg.matrix_power(x, 2, out=out), "matrix_power: Expected result to be safely castable"),
    (lambda t, x, out: t.linalg.eigvals(x, out=out), "torch.linalg.eigvals: Expected eigenvalues to be safely"),
    (lambda t, x, out: t.diag(x[0], out=out), "diag: result type Float can't be cast to the desired out= type Bool"),
    (lambda t, x, out: t.diag(x, out=out), "Expected out tensor to have dtype float, but got bool instead"),
    (lambda t, x, out: t.max(x, out=out), "Expected canCast( typeMetaToScalarType"),
    (lambda t, x, out: t.mean(x, out=out), "mean.dtype_out(): input types can't be cast to the desired output type"),
    (lambda t, x, out: t.mean(x, 0, out=out), "result type Float can't be cast to the desired output type Bool"),
    (lambda t, x, out: t.ldexp(x, x, out=out), "ldexp can't be cast to the desired output type Bool"),
    (lambda t, x, out: t.logsumexp(x, 0, out=out), "logsumexp(): Expected floating point type for result tensor"),
    (lambda t, x, out: t.bucketize(x, x[0], out=out), "torch.searchsorted(): output tensor's dtype is wrong"),
    (lambda t, x, out: t.nanquantile(x, 0.5, out=out), "quantile() out tensor must be same dtype as the input tensor"),
    (lambda t, x, out: t.narrow_copy(x, 0, 0, 1, out=out), "Expected self.dtype() == output.dtype() to be true"),
    (lambda t, x, out: t.matmul(x, x, out=out), "Expected out tensor to have dtype float, but got bool instead"),
    (
        lambda t, x, out: t.matmul(x, x[0], out=out.new_zeros(2)),
        "addmv input tensors must have the same dtype, but got Bool",
    ),
    (lambda t, x, out: t.matmul(x[0], x[0], out=out), "result dtype Bool does not match input dtype Float"),
    (lambda t, x, out: t.norm(x, "nuc", out=out), "linalg.matrix_norm expected out tensor dtype Float but got: Bool"),
]
NO_KERNEL = [  # calls with such an `out` that have no kernel either: PyTorch looks for that later
    (lambda t, x, out: t.floor(x.bool(), out=out.float()), "Found dtype Float but expected Bool"),
    (lambda t, x, out: t.round(x.bool(), out=out.float()), "Found dtype Float but expected Bool"),
    (lambda t, x, out: t.clip(x.bool(), True, True, out=out.float()), "Found dtype Float but expected Bool"),
    (lambda t, x, out: t.bitwise_not(x, out=out), "Found dtype Bool but expected Float"),
    (lambda t, x, out: t.clamp_min(x + 0j, x + 0j, out=out), "result type ComplexFloat can't be cast to the desired"),
    (lambda t, x, out: t.remainder(x + 0j, x, out=out), "result type ComplexFloat can't be cast to the desired"),
    (lambda t, x, out: t.floor_divide(x + 0j, 2, out=out), "result type ComplexFloat can't be cast to the desired"),
]


@pytest.mark.parametrize(("call", "words"), CLASHES + NO_KERNEL)
def test_each_function_refuses_a_dtype_in_its_own_words(torch, call, words):
    with pytest.raises(RuntimeError, match=re.escape(words)):
        call(torch, torch.tensor([[4.0, 1.0], [1.0, 3.0]]), torch.zeros(0, dtype=torch.bool))


@pytest.mark.parametrize("name", ["all", "any"])
def test_truths_are_written_as_bytes_too(torch, name):
    out = torch.zeros(2, dtype=torch.uint8)
    assert getattr(torch, name)(torch.tensor([[1.0, 5.0], [2.0, 3.0]]), 1, out=out).tolist() == [1, 1]
