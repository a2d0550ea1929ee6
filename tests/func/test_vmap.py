"""`vmap`: dimensions, trees, nesting, randomness, changes in place and errors, as PyTorch's."""

from collections import OrderedDict, namedtuple

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import rushlight

Pair = namedtuple("Pair", "first second")


def close(found, expected):
    """Compares two tensors."""
    np.testing.assert_allclose(found.detach().numpy(), expected.detach().numpy(), rtol=1e-5, atol=1e-6)


def numbers(torch, *shape):
    """Some numbers, the same for both libraries."""
    return torch.from_numpy(np.sin(1 + np.arange(np.prod(shape), dtype=np.float64)).reshape(shape))


def test_default_dimensions(torch):
    x, y = numbers(torch, 3, 4), numbers(torch, 3, 4)
    close(torch.vmap(torch.dot)(x, y), (x * y).sum(1))


def test_dimensions_of_inputs_and_outputs(torch):
    x, y = numbers(torch, 4, 3), numbers(torch, 4, 5)
    outer = torch.vmap(torch.outer, in_dims=(1, None), out_dims=2)(x, y[:, 0])
    assert outer.shape == (4, 4, 3)
    close(outer, torch.stack([torch.outer(x[:, i], y[:, 0]) for i in range(3)], 2))
    close(torch.vmap(torch.dot, in_dims=(-1, -1))(x, x), (x * x).sum(0))


def test_nested(torch):
    x, y = numbers(torch, 3, 4), numbers(torch, 5, 4)
    close(torch.vmap(torch.vmap(torch.dot, (None, 0)), (0, None))(x, y), x @ y.T)
    close(
        torch.vmap(torch.vmap(lambda a, b: a * b - a.sum(), (0, None)), (None, 0))(x, y),
        x * y[:, None] - x.sum(1)[:, None],
    )


def test_trees(torch):
    x = numbers(torch, 3, 4)

    def function(pair, options, last):
        return {"sum": pair.first + pair.second, "rest": (options["a"][0] * 2, [last])}

    args = Pair(x, x[0]), OrderedDict(a=[x.T]), 1.0 * x
    dims = (Pair(0, None), OrderedDict(a=[1]), None)
    out = torch.vmap(function, in_dims=dims, out_dims={"sum": 0, "rest": (1, [0])})(*args)
    close(out["sum"], x + x[0])
    close(out["rest"][0], (2 * x).T)
    assert out["rest"][1][0].shape == (3, 3, 4)


def test_keywords_and_unbatched_outputs(torch):
    x = numbers(torch, 3)
    close(torch.vmap(lambda x, factor: x * factor)(x, factor=x[1]), x * x[1])
    close(torch.vmap(lambda x: x[0] * 0 + 1, in_dims=1)(numbers(torch, 1, 3)), torch.ones(3, dtype=torch.float64))
    close(torch.vmap(lambda x: torch.ones(2, dtype=torch.float64))(x), torch.ones(3, 2, dtype=torch.float64))


@pytest.mark.parametrize("chunk_size", [1, 2, 3, 7, 20])
def test_chunks(torch, chunk_size):
    x = numbers(torch, 4, 7)
    close(torch.vmap(lambda x: x.sin().sum(), in_dims=1, chunk_size=chunk_size)(x), x.sin().sum(0))


def test_shape_of_an_example(torch):
    seen = []

    def function(x):
        seen.append((x.shape, x.dim(), x.numel(), x.dtype, x.is_contiguous(), len(x)))
        return x

    torch.vmap(function, in_dims=1)(numbers(torch, 4, 3, 2))
    assert seen[0][:4] == ((4, 2), 2, 8, torch.float64)
    assert seen[0][5] == 4


def test_gradients_through_vmap(torch):
    x, w = numbers(torch, 3, 4).requires_grad_(), numbers(torch, 4).requires_grad_()
    torch.vmap(lambda x, w: (x * w).tanh().sum(), (0, None))(x, w).pow(2).sum().backward()
    y, v = x.detach().clone().requires_grad_(), w.detach().clone().requires_grad_()
    (y * v).tanh().sum(1).pow(2).sum().backward()
    close(x.grad, y.grad)
    close(w.grad, v.grad)


def test_gradient_of_what_all_examples_share(torch):
    w = numbers(torch, 2).requires_grad_()
    torch.vmap(lambda x: w.exp().sum() * 1)(numbers(torch, 3)).sum().backward()
    close(w.grad, 3 * w.exp())


def test_changes_in_place(torch):
    def function(x):
        y = torch.zeros_like(x)
        y[1:] = x[:-1] * 2
        y.add_(x).mul_(0.5)
        y[0] -= x.sum()
        return y

    x = numbers(torch, 3, 4).requires_grad_()
    out = torch.vmap(function)(x)
    expected = torch.stack([function(row) for row in x])
    close(out, expected)
    weights = numbers(torch, 3, 4)
    close(torch.autograd.grad(out, x, weights)[0], torch.autograd.grad(expected, x, weights)[0])


def test_change_of_a_shared_tensor_is_refused(torch):
    with pytest.raises(RuntimeError, match=r"vmap: inplace arithmetic|output with shape"):
        torch.vmap(lambda x: torch.zeros(2, dtype=torch.float64).add_(x))(numbers(torch, 3, 2))


def test_new_tensors_can_be_changed(torch):
    x = numbers(torch, 3, 2)
    close(torch.vmap(lambda x: x.new_zeros(2).add_(x))(x), x)


def test_indices_of_their_own(torch):
    x, i = numbers(torch, 3, 4, 5), torch.tensor([[0, 3], [1, 1], [2, 0]])
    for function in (lambda x, i: x[i], lambda x, i: x[:, i], lambda x, i: x[i, i], lambda x, i: x[i[0]]):
        close(torch.vmap(function)(x, i), torch.stack([function(x[k], i[k]) for k in range(3)]))
    close(torch.vmap(lambda i: x[0][i])(i), x[0][i])


@pytest.mark.parametrize("draw", ["rand", "randn"])
def test_random_numbers(torch, draw):
    x = numbers(torch, 3)
    function = lambda x: x * 0 + getattr(torch, draw)(4, dtype=torch.float64)
    torch.manual_seed(3)
    different = torch.vmap(function, randomness="different")(x[:, None].expand(3, 4))
    torch.manual_seed(3)
    close(different, getattr(torch, draw)(3, 4, dtype=torch.float64))
    same = torch.vmap(function, randomness="same")(x[:, None].expand(3, 4))
    close(same[0], same[2])


def test_dropout_differs(torch):
    ones = torch.ones(4, 50)
    out = torch.vmap(lambda x: torch.nn.functional.dropout(x, 0.5), randomness="different")(ones)
    assert set(out.unique().tolist()) == {0.0, 2.0}
    assert not torch.equal(out[0], out[1])


def test_randomness_errors(torch):
    x = numbers(torch, 3)
    with pytest.raises(RuntimeError, match="vmap: called random operation while in randomness error mode"):
        torch.vmap(lambda x: x + torch.rand(()))(x)
    with pytest.raises(RuntimeError, match="Only allowed values for randomness are"):
        torch.vmap(torch.sin, randomness="none")(x)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x.item(), "vmap: It looks like you're calling .item"),
        (lambda x: x if x > 0 else -x, "vmap: It looks like you're"),
    ],
)
def test_values_of_an_example_are_refused(torch, function, message):
    with pytest.raises(RuntimeError, match=message):
        torch.vmap(function)(numbers(torch, 3))


def test_result_of_unknown_shape_is_refused(torch):
    with pytest.raises(RuntimeError, match="vmap: "):
        torch.vmap(lambda x: x[x > 0])(numbers(torch, 3, 4))


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((), {}, "got no inputs"),
        ((1.0,), {}, "Got in_dim=0 for an input but the input is of type"),
        (("x",), {"in_dims": None}, "expected `in_dims` to be int"),
        (("x",), {"in_dims": (None,)}, "Expected at least one Tensor to vmap over"),
        (("x",), {"in_dims": 2}, "Got in_dim=2 for some input, but that input is a Tensor of dimensionality 2"),
        (("x",), {"in_dims": ([0],)}, "in_dims is not compatible with the structure of `inputs`"),
        (("x",), {"in_dims": ("0",)}, "Got in_dim=0 for an input but in_dim must be"),
        (("x", "y"), {}, "Expected all tensors to have the same size in the mapped dimension"),
        (("x",), {"out_dims": "0"}, "`out_dims` must be an int"),
        (("x",), {"out_dims": (0, 0)}, "out_dims is not compatible with the structure of `outputs`"),
        (("x",), {"out_dims": None}, "can not return a BatchedTensor when out_dim is None"),
        (("x",), {"chunk_size": 0}, "chunk_size should be None or greater than 0"),
    ],
)
def test_errors(torch, arguments, options, message):
    tensors = {"x": numbers(torch, 3, 4), "y": numbers(torch, 2, 4)}
    with pytest.raises(ValueError, match=message):
        torch.vmap(lambda *args: args[0] * 1, **options)(*[tensors.get(a, a) for a in arguments])


def test_output_that_is_no_tensor(torch):
    with pytest.raises(ValueError, match="must only return Tensors, got type <class 'int'>"):
        torch.vmap(lambda x: 1)(numbers(torch, 3))
    assert torch.vmap(lambda x: 1, out_dims=None)(numbers(torch, 3)) == 1


@settings(max_examples=60)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=4), st.data())
def test_dimensions_are_moved_and_put_back(sizes, data):
    torch = rushlight
    x = numbers(torch, *sizes)
    start = data.draw(st.integers(-len(sizes), len(sizes) - 1))
    end = data.draw(st.integers(-len(sizes), len(sizes) - 1))
    close(torch.vmap(lambda x: x * 2, in_dims=start, out_dims=end)(x), torch.movedim(2 * x, start, end))


@settings(max_examples=60)
@given(st.data())
def test_operands_of_any_dimensions(data):
    torch = rushlight
    shapes = [tuple(data.draw(st.lists(st.sampled_from([1, 2]), max_size=3))) for _ in range(2)]
    tensors = [numbers(torch, *shape) for shape in shapes]
    places = [data.draw(st.one_of(st.none(), st.integers(0, len(shape)))) for shape in shapes]
    assume(places != [None, None])
    wide = [x if d is None else torch.stack([x, 2 * x, x + 1], d) for x, d in zip(tensors, places, strict=True)]
    function = lambda a, b: a * b + a.sum() - b
    expected = [
        function(*[x if d is None else x.select(d, k) for x, d in zip(wide, places, strict=True)]) for k in range(3)
    ]
    close(torch.vmap(function, tuple(places))(*wide), torch.stack(expected))


def test_text(torch):
    texts = []
    torch.vmap(lambda x: (texts.append(repr(x)), x)[1])(torch.ones(2))
    assert texts[0].startswith("BatchedTensor(lvl=")
    assert texts[0].endswith("value=\n    tensor([1., 1.])\n)")


@pytest.mark.parametrize("function", [lambda n: 2**n, lambda n: n**n, lambda n: n ** (n - 2)])
def test_powers_of_integers(function):
    n = rushlight.tensor([-1, 1, 2, 3])
    assert rushlight.vmap(function)(n).tolist() == function(n).tolist()


STRIDED = {
    "within": (lambda x: x.as_strided((2, 2), (1, 2), 5), True),
    "its last element": (lambda x: x.as_strided((2, 2), (1, 2), 6), True),
    "one beyond": (lambda x: x.as_strided((2, 2), (1, 2), 7), False),
    "the next example": (lambda x: x.as_strided((2, 2), (1, 2), 10), False),
    "far beyond": (lambda x: x.as_strided((3,), (1,), 1000), False),
    "nothing": (lambda x: x.as_strided((0, 2), (1, 2), 50), True),
    "before a part": (lambda x: x[2:].as_strided((2,), (1,), 0), False),
    "a part": (lambda x: x[2:].as_strided((2,), (1,)), True),
    "of nothing": (lambda x: x[:0].as_strided((1,), (1,)), False),
    "of a result": (lambda x: (x * 1).as_strided((2,), (5,), 5), False),
}


@pytest.mark.parametrize("name", STRIDED)
def test_as_strided_stays_within_an_example(torch, name):
    function, fits = STRIDED[name]
    x = numbers(torch, 3, 10)
    if fits:
        return close(torch.vmap(function)(x), torch.stack([function(row.clone()) for row in x]))
    with pytest.raises(RuntimeError, match="can access memory outside of `tensor`"):
        torch.vmap(function)(x)
