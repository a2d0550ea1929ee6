"""Batching rules: every operator has one, and any part of a call's tensors may be batched, along any dimension."""

import gc
import itertools

import numpy as np
import pytest

import rushlight
from rushlight.core.operators import Operator


def numbers(torch, *shape):
    """Some numbers."""
    return torch.from_numpy(np.sin(1 + np.arange(np.prod(shape), dtype=np.float64)).reshape(shape))


def integers(torch, *shape, below=3):
    """Some integers from 0 to below a bound."""
    return torch.from_numpy((np.arange(np.prod(shape)) * 7 % 5 % below).reshape(shape))


def test_every_operator_has_a_rule():
    for name in dir(rushlight):  # operators of rooms that are loaded late
        getattr(rushlight, name)
    for room in (rushlight.linalg, rushlight.fft, rushlight.special):
        assert [getattr(room, name) for name in room.__all__]
    operators = [value for value in gc.get_objects() if issubclass(type(value), Operator)]
    assert len(operators) > 400
    assert [op.name for op in operators if op.batch is None and not op.broadcasts] == []


F = "nn.functional"
CASES = {  # a function of the library and of tensors, and the shapes of these: floats, or integers below a bound
    "take": (lambda t, x, i: t.take(x, i), (2, 3), ((4,), 6)),
    "put": (lambda t, x, i, y: x.put(i, y), (2, 3), ((2,), 3), (2,)),
    "put added": (lambda t, x, i, y: x.put(i - 2, y, accumulate=True), (2, 3), ((4,), 3), (4,)),
    "masked_fill": (lambda t, x, y: x.masked_fill(y > 0, 5.0), (2, 3), (2, 3)),
    "masked_fill by a tensor": (lambda t, x, y, z: x.masked_fill(y > 0, z), (2, 3), (2, 3), ()),
    "masked_scatter": (lambda t, x, y, z: x.masked_scatter(y > 0, z), (2, 3), (3,), (7,)),
    "isin": (lambda t, x, y: t.isin(x, y), ((4,), 5), ((2, 2), 3)),
    "searchsorted": (lambda t, x, y: t.searchsorted(x.cumsum(0).abs().cumsum(0), y), (5,), (2, 3)),
    "bucketize": (lambda t, x, y: t.bucketize(x, y.abs().cumsum(0), out_int32=True), (2, 3), (4,)),
    "bincount": (lambda t, x, w: t.bincount(x, w, minlength=6), ((5,), 4), (5,)),
    "histc": (lambda t, x: t.histc(x, 4), (6,)),
    "median": (lambda t, x: x.median(), (2, 3)),
    "nanmedian": (lambda t, x: (x / (x > 0)).nanmedian(), (2, 3)),
    "quantile": (lambda t, x, q: t.quantile(x, q.abs(), 0), (5, 2), (3,)),
    "frexp": (lambda t, x: t.frexp(x), (3,)),
    "glu": (lambda t, x: t.nn.functional.glu(x, 0), (4, 2)),
    "dist": (lambda t, x, y: t.dist(x, y, 3), (2, 3), (3,)),
    "cdist": (lambda t, x, y: t.cdist(x, y, compute_mode="use_mm_for_euclid_dist"), (2, 3), (4, 3)),
    "pinv": (lambda t, x: t.linalg.pinv(x), (3, 2)),
    "pinv with tolerances": (lambda t, x, y: t.linalg.pinv(x, rtol=y.abs() / 9), (2, 3, 2), (2,)),
    "matrix_rank": (lambda t, x: t.linalg.matrix_rank(x), (3, 2)),
    "lstsq": (lambda t, x, y: t.linalg.lstsq(x, y).solution, (4, 2), (4, 3)),
    "geqrf": (lambda t, x: t.geqrf(x.detach()), (3, 2)),
    "multi_dot": (lambda t, x, y, z: t.linalg.multi_dot([x, y, z]), (2, 3), (3, 4), (4,)),
    "block_diag": (lambda t, x, y, z: t.block_diag(x, y, z), (2, 3), (2,), ()),
    "lu_solve": (lambda t, x, y: t.linalg.lu_solve(*t.linalg.lu_factor(x + t.eye(3)), y), (3, 3), (3, 2)),
    "grid_sample": (
        lambda t, x, y: t.nn.functional.grid_sample(x, y, padding_mode="reflection", align_corners=False),
        (1, 2, 4, 4),
        (1, 3, 3, 2),
    ),
    "as_strided": (lambda t, x: t.as_strided(x, (2, 2), (1, 2)), (6,)),
    "as_strided_scatter": (lambda t, x, y: t.as_strided_scatter(x, y, (2,), (2,)), (6,), (2,)),
    "linspace": (lambda t, x, y: t.linspace(x, y, 5, dtype=t.float64), (), ()),
    "logspace": (lambda t, x, y: t.logspace(x, y, 5, dtype=t.float64), (), ()),
    "cat": (lambda t, x, y: t.cat([x, y], 1), (0,), (2, 3)),
    "repeat_interleave": (lambda t, x, i: x.repeat_interleave(i * 0 + 2, 0), (3, 2), ((3,), 3)),
    "cross_entropy": (
        lambda t, x, i, w: t.nn.functional.cross_entropy(x, i, w.abs(), label_smoothing=0.1),
        (4, 3),
        ((4,), 3),
        (3,),
    ),
    "nll_loss": (lambda t, x, i, w: t.nn.functional.nll_loss(x, i, w.abs(), ignore_index=1), (4, 3), ((4,), 3), (3,)),
    "multilabel_margin_loss": (lambda t, x, i: t.nn.functional.multilabel_margin_loss(x, i - 1), (2, 3), ((2, 3), 3)),
    "embedding": (lambda t, x, i: t.nn.functional.embedding(i, x, 1, scale_grad_by_freq=True), (4, 2), ((3,), 3)),
    "embedding_bag": (lambda t, x, i: t.nn.functional.embedding_bag(i, x, padding_idx=1), (4, 2), ((3, 2), 3)),
    "embedding_bag sums": (
        lambda t, x, i, w: t.nn.functional.embedding_bag(i, x, mode="sum", per_sample_weights=w),
        (4, 2),
        ((3, 2), 3),
        (3, 2),
    ),
    "batch_norm": (
        lambda t, x, m, v, w, b: t.nn.functional.batch_norm(x, m.detach(), v.detach().abs(), w, b),
        (2, 3, 2),
        (3,),
        (3,),
        (3,),
        (3,),
    ),
    "batch_norm in training": (
        lambda t, x, w, b: t.nn.functional.batch_norm(x, None, None, w, b, True),
        (2, 3, 2),
        (3,),
        (3,),
    ),
    "instance_norm": (lambda t, x, w, b: t.nn.functional.instance_norm(x, None, None, w, b), (2, 3, 4), (3,), (3,)),
    "lstm": (lambda t, x, c: t.nn.functional.recurrence._lstm_states(x, c), (2, 8), (2, 2)),
}
CASES |= {
    name: (lambda t, x, name=name: getattr(x * 3, name)(), shape)
    for name, shape in itertools.product(("int", "long", "bool", "half", "byte", "char", "short"), ((), (2, 3)))
}


def tensors_of(torch, shapes):
    """Tensors of floats, or of integers where a shape comes with a bound."""
    nested = [shape for shape in shapes if shape and isinstance(shape[0], tuple)]
    return [
        integers(torch, *shape[0], below=shape[1]) if shape in nested else numbers(torch, *shape) for shape in shapes
    ]


def several(result):
    """The tensors that a call returns."""
    return tuple(result) if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize("name", CASES)
def test_any_part_of_the_tensors_may_be_batched(name):
    torch = rushlight
    function, *shapes = CASES[name]
    examples = tensors_of(torch, shapes)
    for chosen in itertools.islice(itertools.product((True, False), repeat=len(shapes)), 2 ** len(shapes) - 1):
        for place in (0, -1):
            spread = [
                torch.stack([x, x.flip(0) if x.dim() else x * 0.9, x], place if x.dim() else 0) if batched else x
                for x, batched in zip(examples, chosen, strict=True)
            ]
            leaves = [x.clone().requires_grad_() if x.is_floating_point() else x for x in spread]
            dims = tuple(place if batched else None for batched in chosen)
            found = torch.vmap(lambda *xs: several(function(torch, *xs)), dims)(*leaves)
            rows = [
                several(function(torch, *[x.select(place, k) if b else x for x, b in zip(leaves, chosen, strict=True)]))
                for k in range(3)
            ]
            expected = [torch.stack(column) for column in zip(*rows, strict=True)]
            compare(torch, found, expected, [x for x in leaves if x.requires_grad])


def compare(torch, found, expected, inputs):
    """Compares results, and the gradients of their sums of squares."""
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one.detach().numpy(), other.detach().numpy(), rtol=1e-9, atol=1e-9)
    grads = []
    for results in (found, expected):
        live = [(out * out).sum() for out in results if out.requires_grad]
        grads.append(torch.autograd.grad(live, inputs, allow_unused=True) if live else [])
    for one, other in zip(*grads, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-8, atol=1e-8)


def test_statistics_of_a_batch_are_kept(torch):
    x, mean, variance = numbers(torch, 3, 4, 2), torch.zeros(3, 2).double(), torch.ones(3, 2).double()
    torch.vmap(lambda x, m, v: torch.nn.functional.batch_norm(x, m, v, training=True))(x, mean, variance)
    for k in range(3):
        m, v = torch.zeros(2).double(), torch.ones(2).double()
        torch.nn.functional.batch_norm(x[k], m, v, training=True)
        np.testing.assert_allclose(mean[k].numpy(), m.numpy())
        np.testing.assert_allclose(variance[k].numpy(), v.numpy())


@pytest.mark.parametrize(
    "function",
    [
        lambda t, x: x.nonzero(),
        lambda t, x: x.unique(),
        lambda t, x: t.bincount((x > 0).long()),
        lambda t, x: x.repeat_interleave((x > 0).long(), 0),
    ],
)
def test_results_of_unlike_shapes_are_refused(function):
    x = rushlight.tensor([[1.0, -1.0], [-1.0, -1.0]])
    with pytest.raises(RuntimeError, match="vmap: We do not support batching operators that can output dynamic shape"):
        rushlight.vmap(lambda x: function(rushlight, x))(x)


@pytest.mark.parametrize("dims", [(0, 0), (1, 0), (-1, 1), (0, -1)])
def test_rules_of_custom_functions_are_told_where_the_examples_are(dims):
    torch, told = rushlight, []

    class Product(torch.autograd.Function):
        @staticmethod
        def forward(x, y):
            return x * y

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, grad):
            x, y = ctx.saved_tensors
            return grad * y, grad * x

        @staticmethod
        def vmap(info, in_dims, x, y):
            told.append(in_dims)
            moved = [t if d is None else t.movedim(d, 0) for t, d in zip((x, y), in_dims, strict=True)]
            return [Product.apply(*moved)], [0]

    x, y = numbers(torch, 3, 3), numbers(torch, 3, 3).exp()
    found = torch.vmap(Product.apply, dims)(x, y)[0]
    np.testing.assert_allclose(found.numpy(), torch.vmap(torch.mul, dims)(x, y).numpy())
    assert told == [tuple(d if d is None else d % 2 for d in dims)]


def test_no_examples():
    x = rushlight.zeros(0, 3)
    assert rushlight.vmap(lambda x: x.exp() * x.sum())(x).shape == (0, 3)
    assert rushlight.vmap(lambda x: x.mul_(2)[1:].median())(x).shape == (0,)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda t, x: x if x > 0 else -x, "vmap: It looks like you're attempting to use a Tensor in some data"),
        (lambda t, x: float(x), "vmap: It looks like you're calling .item"),
        (lambda t, x: int(x), "vmap: It looks like you're calling .item"),
        (lambda t, x: x.numpy(), "Cannot access data pointer of Tensor that doesn't have storage"),
        (lambda t, x: t.allclose(x, x), "vmap over torch.allclose"),
        (lambda t, x: t.zeros(()).copy_(x), "vmap: inplace arithmetic"),
    ],
)
def test_what_needs_values_of_one_example_is_refused(function, message):
    with pytest.raises(RuntimeError, match=message):
        rushlight.vmap(lambda x: function(rushlight, x))(rushlight.ones(3))
