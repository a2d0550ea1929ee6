"""Reductions of segments, and other functions that PyTorch's own libraries call: values, derivatives, errors."""

import numpy as np
import pytest

import rushlight
from rushlight.ops.reductions import segments

REDUCTIONS = ["sum", "mean", "prod", "max", "min"]
CUTS = [((6,), [2, 0, 4], 0), ((6, 3), [0, 6, 0], 0), ((2, 4, 3), [[1, 2, 1], [0, 0, 4]], 1), ((0,), [0], 0)]


def reduced(torch, reduce, shape, lengths, axis, initial, offsets, seed=0):
    """A segment reduction of whole numbers, so that extremes tie and factors are zero, and its gradient."""
    numbers = np.random.default_rng(seed).integers(-2, 3, shape).astype(np.float64)
    x = torch.from_numpy(numbers).requires_grad_()
    lengths = torch.tensor(lengths)
    if offsets:
        lengths = torch.cat([torch.zeros((*lengths.shape[:-1], 1), dtype=torch.int64), lengths.cumsum(-1)], -1)
    given = {"offsets" if offsets else "lengths": lengths}
    y = torch.segment_reduce(x, reduce, **given, axis=axis, initial=initial)
    weights = torch.arange(1.0, y.numel() + 1, dtype=torch.float64).reshape(y.shape)
    return y.detach().numpy(), torch.autograd.grad((y * weights).sum(), x)[0].numpy()


@pytest.mark.parametrize("offsets", [False, True])
@pytest.mark.parametrize("initial", [None, 2.0])
@pytest.mark.parametrize(("shape", "lengths", "axis"), CUTS)
@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_segments_as_in_pytorch(reduce, shape, lengths, axis, initial, offsets):
    oracle = pytest.importorskip("torch")
    found, expected = (reduced(t, reduce, shape, lengths, axis, initial, offsets) for t in (rushlight, oracle))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(90,), (90, 40), (90, 300), (90, 2, 3), (90, 0)], ids=str)
@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_the_kernel_and_numpys_functions_agree(monkeypatch, reduce, shape, dtype):
    x = rushlight.from_numpy(np.random.default_rng(0).uniform(0.9, 1.1, shape).astype(dtype))
    if x.numel():
        x[3] = np.nan
    lengths = rushlight.tensor([2, 0, 30, 18, 1, 39])
    found = []
    for kernel in (segments.fast, None):
        monkeypatch.setattr(segments, "fast", kernel)
        for each in (x.clone(), x.clone().mT.contiguous().mT if x.dim() == 2 else x.clone()):
            leaf = each.detach().requires_grad_()
            y = rushlight.segment_reduce(leaf, reduce, lengths=lengths, initial=0.75)
            found.append((y.detach(), rushlight.autograd.grad(y.sum(), leaf)[0]))
    for others in found[1:]:
        for a, b in zip(found[0], others, strict=True):
            assert rushlight.allclose(a, b, rtol=1e-5, equal_nan=True)


@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_every_order_and_direction_of_derivative(reduce):
    lengths = rushlight.tensor([[2, 0, 3], [1, 3, 1]])
    x = rushlight.randn(
        2, 5, 2, dtype=rushlight.float64, generator=rushlight.Generator().manual_seed(0)
    ).requires_grad_()

    def function(x):
        return rushlight.segment_reduce(x, reduce, lengths=lengths, axis=1, initial=9.0 if reduce == "min" else 0.5)

    every = {"check_forward_ad": True, "check_batched_grad": True, "check_batched_forward_grad": True}
    assert rushlight.autograd.gradcheck(function, (x,), **every)
    assert rushlight.autograd.gradgradcheck(function, (x,))


def test_series_and_batches_of_segments():
    x, v = rushlight.arange(1.0, 9.0).reshape(2, 4), rushlight.ones(4)
    lengths = rushlight.tensor([[1, 3], [2, 2]])
    batched = rushlight.vmap(lambda x, n: rushlight.segment_reduce(x, "prod", lengths=n))(x, lengths)
    assert batched.tolist() == [[1, 24], [30, 56]]
    value, (first, second) = rushlight.func.jet(
        lambda x: rushlight.segment_reduce(x * x, "sum", lengths=lengths[0]), (x[0],), ((v, 0 * v),)
    )
    assert (value.tolist(), first.tolist(), second.tolist()) == ([1, 29], [2, 18], [2, 6])


def test_places_of_no_segment_have_no_gradient(torch):
    x = torch.arange(5.0).requires_grad_()
    torch.segment_reduce(x, "sum", lengths=torch.tensor([2, 1]), unsafe=True).sum().backward()
    assert x.grad.tolist() == [1, 1, 1, 0, 0]


def test_replayed_calls_look_at_their_lengths():
    compiled = rushlight.compile(lambda x, n: rushlight.segment_reduce(x, "sum", lengths=n))
    x = rushlight.arange(4.0)
    for lengths in ([1, 3], [2, 2], [4, 0], [0, 4]) * 3:
        n = rushlight.tensor(lengths)
        assert rushlight.equal(compiled(x, n), rushlight.segment_reduce(x, "sum", lengths=n))
    with pytest.raises(RuntimeError, match="Expected all rows of lengths"):
        compiled(x, rushlight.tensor([1, 1]))


@pytest.mark.parametrize(
    ("words", "error", "options"),
    [
        ("Either lengths or offsets must be defined", RuntimeError, {}),
        ("reduce argument must be either", RuntimeError, {"reduce": "median", "lengths": [3]}),
        ("indices based reduction is not supported", RuntimeError, {"indices": [0, 0, 1]}),
        ("Expected all rows of lengths", RuntimeError, {"lengths": [1, 1]}),
        ("lengths contains negative value", RuntimeError, {"lengths": [4, -1]}),
        ("last dimension of lengths", RuntimeError, {"axis": 1, "lengths": [1, 2]}),
        ("data.dim.. >= lengths_value.dim", RuntimeError, {"lengths": [[[3]]]}),
        ("segments reach beyond the 3 places", RuntimeError, {"offsets": [0, 4]}),
        ("not implemented for 'Float'", NotImplementedError, {"lengths": [1.0, 2.0]}),
    ],
)
def test_what_segments_are_refused(words, error, options):
    options = {"reduce": "sum"} | {k: rushlight.tensor(v) if isinstance(v, list) else v for k, v in options.items()}
    with pytest.raises(error, match=words):
        rushlight.segment_reduce(rushlight.ones(3, 2), **options)


def test_segments_of_integers_are_refused(torch):
    with pytest.raises(NotImplementedError, match="_segment_reduce_cpu"):
        torch.segment_reduce(torch.ones(3, dtype=torch.int64), "sum", lengths=torch.tensor([3]))


CALLS = [
    "torch.nonzero_static(torch.tensor([[1, 0], [2, 3]]), size=5)",
    "torch.nonzero_static(torch.tensor([[1, 0], [2, 3]]), size=2, fill_value=7)",
    "torch.nonzero_static(torch.zeros(0, 3), size=2)",
    "torch.tensor(3).nonzero_static(size=2)",
    "torch.vmap(lambda row: torch.nonzero_static(row, size=3))(torch.tensor([[1, 0], [2, 3]]))",
    "torch.empty_permuted((2, 3, 5), (1, 0, 2)).fill_(1)",
    "torch.empty_permuted((2, 0, 5), (2, 0, 1))",
    "torch.empty_permuted((), ()).fill_(1)",
    "torch.empty_permuted((2, 3), (1, 0), dtype=torch.int8).fill_(1)",
    "torch.conv_tbc(count(5, 2, 3), count(3, 3, 4), count(4))",
    "torch.conv_tbc(count(5, 2, 3), count(3, 3, 4), count(4), 1)",
    "torch.max_pool1d_with_indices(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)[1]",
]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.filterwarnings("ignore:There is a performance drop")
def test_calls_as_in_pytorch(call):
    found, expected = (
        eval(call, {"torch": t, "count": lambda *shape, t=t: t.arange(float(np.prod(shape))).reshape(shape)})
        for t in (rushlight, pytest.importorskip("torch"))
    )
    assert found.stride() == expected.stride()
    assert str(found.dtype) == str(expected.dtype)
    np.testing.assert_allclose(found.numpy(), expected.numpy())


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("torch.nonzero_static(torch.ones(2), size=-1)", "'size' must be an non-negative integer"),
        ("torch.nonzero_static(torch.ones(2), size=1, fill_value=0.5)", "argument 'fill_value' must be int, not float"),
        ("torch.empty_permuted((2, 3), (1,))", "does not match the length of the physical_layout"),
        ("torch.empty_permuted((2, 3), (1, 1))", "Duplicate dim not allowed"),
        ("torch.empty_permuted((2, 3), (0, -1))", "expected to be between 0 and 1, but got -1 at index 1"),
        ("torch.empty_permuted(5, (0,))", "argument 'size' .* must be tuple of ints, not int"),
        ("torch.conv_tbc(x[0], x, x[0, 0])", "Input must have 3 dims"),
        ("torch.conv_tbc(x, x[0], x[0, 0])", "Weight tensor must have 3 dims"),
        ("torch.conv_tbc(x, x, x)", "Bias must be 1-D"),
        ("torch.conv_tbc(x, x, x[0, 0])", "is not == dim 1 in the weight tensor"),
        ("torch.conv_tbc(x, x.mT, x[0, 0])", "Bias size must equal dim 2"),
    ],
)
def test_what_is_refused(torch, call, words):
    with pytest.raises((RuntimeError, TypeError), match=words):
        eval(call, {"torch": torch, "x": torch.ones(2, 3, 4)})
