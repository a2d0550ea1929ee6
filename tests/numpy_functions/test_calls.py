"""NumPy's functions on tensors beside their values: batches, plain values, what is written into, what is refused."""

import io

import numpy as np
import pytest

import rushlight as torch

IN_BATCHES = {
    "sum": lambda x: np.sum(x, axis=0, where=x > 0),
    "median": np.median,
    "percentile": lambda x: np.percentile(x, [20, 70]),
    "std": lambda x: np.std(x, ddof=1),
    "pad": lambda x: np.pad(x, 2, "reflect"),
    "gradient": np.gradient,
    "convolve": lambda x: np.convolve(x, x[:2]),
    "interp": lambda x: np.interp(x, [-1.0, 0.0, 1.0], x[:3]),
    "clip": lambda x: np.clip(x, -0.5, 0.5),
    "sort": np.sort,
    "outer": lambda x: np.subtract.outer(x, x),
    "cov": lambda x: np.cov(x, x * x),
    "stack": lambda x: np.stack([x, 2 * x]),
    "norm": np.linalg.norm,
}


@pytest.mark.parametrize("name", IN_BATCHES)
def test_batches_are_loops(name):
    function, x = IN_BATCHES[name], torch.randn(3, 5, dtype=torch.float64)
    expected = torch.stack([torch.as_tensor(function(row.clone().requires_grad_()).detach()) for row in x])
    np.testing.assert_allclose(torch.vmap(function)(x).numpy(), expected.numpy())
    gradients = torch.func.vmap(torch.func.grad(lambda row: np.sum(function(row) ** 2)))(x)
    for row, gradient in zip(x, gradients, strict=True):
        leaf = row.clone().requires_grad_()
        (function(leaf) ** 2).sum().backward()
        np.testing.assert_allclose(gradient.numpy(), leaf.grad.numpy())


def saved(x):
    file = io.BytesIO()
    np.save(file, x)
    return np.load(io.BytesIO(file.getvalue()))


PLAIN = {
    "allclose": lambda x: np.allclose(x, x + 1e-9),
    "shape": np.shape,
    "size": lambda x: np.size(x, 1),
    "ndim": np.ndim,
    "histogram": np.histogram,
    "save": saved,
    "packbits": lambda x: np.packbits(x > 0),
    "ix_": lambda x: np.ix_(x[0] > 0),
    "sort_complex": np.sort_complex,
    "array_equal": lambda x: np.array_equal(x, x),
    "bitwise_count": lambda x: np.bitwise_count(np.abs(x) > 0),
    "reduceat": lambda x: np.add.reduceat(x, [0, 1]),
    "sqrt of negative numbers": np.emath.sqrt,
    "atleast_1d": lambda x: np.atleast_1d(x).astype(int),
    "sliding_window_view": lambda x: np.lib.stride_tricks.sliding_window_view(x, 2, axis=1),
    "result_type": np.result_type,
    "polynomial": lambda x: np.polynomial.polynomial.polyval(x, [1, 2.0]),
    "mean of ints": lambda x: np.mean(np.sign(x).astype(int) if type(x) is np.ndarray else np.sign(x).int()),
    "type": lambda x: np.zeros(2, x.dtype),
}


@pytest.mark.parametrize("name", PLAIN)
def test_any_function_takes_plain_values(name):
    array = np.random.default_rng(1).standard_normal((3, 4))
    found, expected = PLAIN[name](torch.tensor(array)), PLAIN[name](array)
    if isinstance(expected, (tuple, list)):
        assert len(found) == len(expected)
        assert all(np.array_equal(ours, theirs) for ours, theirs in zip(found, expected, strict=True))
    elif isinstance(expected, (np.ndarray, np.generic, float)):
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-6)
    else:
        assert found == expected


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            "np.histogram(x)",
            "np.histogram is not available for tensors that require grad or are batched: use torch.histc",
        ),
        ("np.save('none.npy', x)", "use torch.save"),
        ("np.savez('none.npz', a=x)", "use torch.save"),
        ("np.spacing(x)", "use torch.nextafter"),
        ("np.packbits(x)", "use torch.bitwise_left_shift"),
        ("np.sort_complex(x)", "use torch.sort"),
        ("np.add.reduceat(x, [0])", "np.add.reduceat is not available"),
        ("np.add(x, 1, out=np.zeros(3))", "np.add cannot write a tensor that requires grad"),
        ("np.sum(x, unknown=1)", "unexpected keyword argument 'unknown'"),
        ("np.sqrt(x, casting='no')", "np.sqrt with casting"),
        ("np.busday_count(x, x)", "detach and convert first"),
        ("np.ravel(x, 'A')", "order='A' depends on where"),
        ("np.copyto(np.zeros(3), x)", "np.copyto cannot write a tensor that requires grad"),
        ("np.put(np.zeros(3), [0], x)", "np.put cannot write a tensor that requires grad"),
    ],
)
def test_what_has_no_meaning_raises_by_name(call, words):
    x = torch.ones(3, requires_grad=True)
    with pytest.raises(TypeError, match=words.replace("(", r"\(")):
        eval(call, {"np": np, "x": x})
    with pytest.raises((TypeError, RuntimeError)):
        torch.vmap(lambda x: eval(call, {"np": np, "x": x}))(torch.ones(2, 3))


WRITES = {
    "copyto": lambda a, b: np.copyto(a, b, where=b > 0),
    "fill_diagonal": lambda a, b: np.fill_diagonal(a, 5.0),
    "put": lambda a, b: np.put(a, [0, 5, -1], b[0, :2]),
    "place": lambda a, b: np.place(a, a > 0, b[0, :3]),
    "putmask": lambda a, b: np.putmask(a, a > 0, b[1]),
    "add.at": lambda a, b: np.add.at(a, [0, 1, 0], b[:3]),
    "put_along_axis": lambda a, b: np.put_along_axis(a, np.array([[0], [2], [1]]), b[:, :1], 1),
    "multiply.at": lambda a, b: np.multiply.at(a, [0, 2], b[:2]),
    "out": lambda a, b: np.add(b, 1.0, out=a),
    "out and where": lambda a, b: np.add(b, 1.0, out=a, where=b > 0),
    "sum into": lambda a, b: np.cumsum(b, axis=1, out=a),
}


@pytest.mark.parametrize("name", WRITES)
def test_what_is_written_into_tensors(name):
    rng = np.random.default_rng(2)
    a, b = rng.standard_normal((3, 4)), rng.standard_normal((3, 4))
    x, y = torch.tensor(a), torch.tensor(b)
    version = x._version
    WRITES[name](x, y)
    WRITES[name](a, b)
    np.testing.assert_allclose(x.numpy(), a)
    assert x._version > version
    if "out" not in name and name != "sum into":
        leaf = torch.tensor(b, requires_grad=True)
        changed = torch.tensor(rng.standard_normal((3, 4)), requires_grad=True) * 1.0
        WRITES[name](changed, leaf)
        changed.sum().backward()
        assert (name == "fill_diagonal") == (leaf.grad is None)


def test_arrays_are_written_into_where_values_are_plain():
    a = np.ones(3)
    a += torch.ones(3)
    assert a.tolist() == [2.0, 2.0, 2.0]
    assert np.sum(torch.ones(3), out=np.zeros(())) == 3


def test_special_functions_of_scipy():
    special = pytest.importorskip("scipy.special")
    x = torch.tensor([0.3, 0.7], dtype=torch.float64, requires_grad=True)
    for name in ("erf", "erfc", "expit", "gammaln", "psi", "i0e", "ndtr", "log_ndtr", "entr"):
        found = getattr(special, name)(x)
        assert found.requires_grad
        np.testing.assert_allclose(found.detach().numpy(), getattr(special, name)(x.detach().numpy()))
    np.testing.assert_allclose(special.xlogy(x, 2.0).detach().numpy(), special.xlogy(x.detach().numpy(), 2.0))
    np.testing.assert_allclose(special.jv(1, x.detach()).numpy(), special.jv(1, x.detach().numpy()))


def test_solvers_of_scipy_take_functions_of_tensors():
    optimize, integrate = pytest.importorskip("scipy.optimize"), pytest.importorskip("scipy.integrate")
    t = torch.arange(5.0, dtype=torch.float64)

    def with_gradient(p):
        p = torch.tensor(p, requires_grad=True)
        loss = np.sum((p - 1) ** 2)
        loss.backward()
        return loss.detach(), p.grad

    assert integrate.solve_ivp(lambda t, y: -torch.as_tensor(y), t[:2], torch.ones(2), rtol=1e-8).y[
        0, -1
    ] == pytest.approx(np.exp(-1))
    assert optimize.curve_fit(lambda x, a, b: a * torch.as_tensor(x) + b, t, 2 * t + 1)[0] == pytest.approx([2, 1])
    assert optimize.root(lambda p: torch.as_tensor(p) ** 2 - 2, torch.ones(2)).x == pytest.approx(np.sqrt([2, 2]))
    assert optimize.least_squares(lambda p: torch.as_tensor(p) - 2, torch.ones(2)).x == pytest.approx([2, 2])
    assert optimize.minimize(with_gradient, torch.zeros(2), jac=True).x == pytest.approx([1, 1])
