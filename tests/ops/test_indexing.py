"""Reading and writing by brackets, index functions, masks, gather and scatter, embeddings."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rushlight as torch
from rushlight.kernels.accumulate import add_rows
from tests.derivatives import check_derivatives
from tests.ops.test_shape import as_tuple, example

F = torch.nn.functional
SHAPE = (3, 4, 2)


def integers(size):
    return st.integers(-size, size - 1)


def slices(size):
    bound = st.none() | st.integers(-size - 1, size + 1)
    return st.builds(slice, bound, bound, st.none() | st.integers(1, 3))


def one(size):
    """One item of a key for a dimension: a number, a slice or a list of numbers."""
    return integers(size) | slices(size) | st.permutations(range(-size, 0)).map(lambda places: places[:2])


@st.composite
def keys(draw):
    """Keys of any kind for the first dimensions of a tensor, with None and Ellipsis between."""
    items = [draw(one(n)) for n in SHAPE[: draw(st.integers(0, 3))]]
    if draw(st.booleans()):
        items.insert(draw(st.integers(0, len(items))), None)
    if draw(st.booleans()):
        items.append(...)
    return tuple(items)


def numpy_key(array, key):
    """What PyTorch reads at a key, in NumPy: a view by its numbers and slices, then a key of all its lists together."""
    basic = [slice(None) if isinstance(item, list) else item for item in key]
    rest = [item for item in key if not isinstance(item, int) and item is not ...]
    lists = [item if is_list(item) else slice(None) for item in rest]
    return array[tuple(basic) if ... in basic else (*basic, ...)], tuple(lists) if any(map(is_list, lists)) else None


def is_list(item):
    return isinstance(item, list)


@given(keys())
def test_reading_like_numpy(key):
    array = np.arange(24.0).reshape(SHAPE)
    view, lists = numpy_key(array, key)
    found = torch.from_numpy(array)[key]
    np.testing.assert_array_equal(found.numpy(), view if lists is None else view[lists])
    assert np.shares_memory(found.numpy(), array) == (lists is None and found.numel() > 0)


@given(keys())
def test_writing_like_numpy(key):
    array = np.arange(24.0).reshape(SHAPE)
    x = torch.from_numpy(array.copy())
    x[key] = -1.0
    view, lists = numpy_key(array, key)
    view[... if lists is None else lists] = -1.0
    np.testing.assert_array_equal(x.numpy(), array)


@settings(max_examples=25)
@given(keys())
def test_gradients_of_reading(key):
    x = torch.from_numpy(np.random.default_rng(0).standard_normal(SHAPE)).requires_grad_()
    check_derivatives(lambda x: (x * x)[key], x, order=1)


@settings(max_examples=25)
@given(keys())
def test_gradients_of_writing(key):
    x = torch.from_numpy(np.random.default_rng(0).standard_normal(SHAPE)).requires_grad_()
    value = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)

    def write(x, value):
        y = x * x
        y[key] = value * value
        return y

    check_derivatives(write, x, value, order=1)


@given(keys())
def test_like_pytorch(key):
    theirs = pytest.importorskip("torch")
    values = np.random.default_rng(0).standard_normal(SHAPE)
    x, y = torch.from_numpy(values).requires_grad_(), theirs.tensor(values, requires_grad=True)
    mine, yours = x[key], y[key]
    np.testing.assert_array_equal(mine.detach().numpy(), yours.detach().numpy())
    assert (mine.grad_fn and mine.grad_fn.name()) == (yours.grad_fn and yours.grad_fn.name())
    (mine * mine).sum().backward()
    (yours * yours).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), y.grad.numpy())


FUNCTIONS = {
    "mask": lambda torch, x: x[x > 0],
    "mask of rows": lambda torch, x: x[torch.tensor([True, False])],
    "mask and list": lambda torch, x: x[torch.tensor([True, True]), [0, 2]],
    "list with repeats": lambda torch, x: x[[1, 0, 1]],
    "lists apart": lambda torch, x: x[[1, 0, 1], :, [0, 0, 0]],
    "tensor of tensors": lambda torch, x: x[:, torch.tensor([[0, 2], [2, 2]])],
    "iteration": lambda torch, x: torch.stack([row * i for i, row in enumerate(x)]),
    "index_put": lambda torch, x: x.index_put((torch.tensor([0, 1]), torch.tensor([2, 1])), x[0, 0] * 2),
    "index_put, accumulating": lambda torch, x: x.index_put((torch.tensor([0, 0]),), x * 3, accumulate=True),
    "index_select": lambda torch, x: x.index_select(1, torch.tensor([2, 0, 2])),
    "index_add": lambda torch, x: x.index_add(1, torch.tensor([0, 0]), x[:, 1:] * 2, alpha=3),
    "index_copy": lambda torch, x: x.index_copy(2, torch.tensor([3, 0]), x[:, :, 1:3] ** 2),
    "index_fill": lambda torch, x: x.index_fill(1, torch.tensor([-1, 0]), 5.0),
    "index_fill by a tensor": lambda torch, x: x.index_fill(1, torch.tensor([2, 0]), x[0, 0, 0] ** 2),
    "masked_fill": lambda torch, x: x.masked_fill(x > 0.3, 5.0),
    "masked_fill by a tensor": lambda torch, x: x.masked_fill(x > 0.3, x.sum()),
    "masked_fill, broadcast": lambda torch, x: x[0].masked_fill(x > 0.3, 5.0),
    "masked_select": lambda torch, x: x.masked_select(x[0] > 0),
    "masked_scatter": lambda torch, x: x.masked_scatter(x[0] > 0.3, x.flip(0)),
    "take": lambda torch, x: x.take(torch.tensor([[0, 5], [-1, 0]])),
    "put": lambda torch, x: x.put(torch.tensor([0, 5]), x[0, 0, :2] ** 2),
    "put, accumulating": lambda torch, x: x.put(torch.tensor([5, 5]), x[0, 0, :2] ** 2, accumulate=True),
    "take_along_dim": lambda torch, x: x.take_along_dim(torch.tensor([[[1], [0], [1]]]), 2),
    "gather": lambda torch, x: x.gather(2, torch.tensor([[[3, 3], [0, 1]]])),
    "scatter": lambda torch, x: x.scatter(1, torch.tensor([[[0, 2, 1, 0]], [[1, 1, 2, 0]]]), x[:, :1] ** 2),
    "scatter a number": lambda torch, x: x.scatter(0, torch.tensor([[[0, 1]]]), 5.0),
    "scatter_add": lambda torch, x: x.scatter_add(2, torch.zeros(2, 3, 4, dtype=torch.int64), x**2),
    "embedding": lambda torch, x: torch.nn.functional.embedding(torch.tensor([[0, 2, 2]]), x[0]),
    "embedding_bag, mean": lambda torch, x: torch.nn.functional.embedding_bag(
        torch.tensor([0, 1, 1, 2]), x[0], torch.tensor([0, 1, 3, 3])
    ),
    "embedding_bag, max": lambda torch, x: torch.nn.functional.embedding_bag(
        torch.tensor([0, 1, 1, 2]), x[0], torch.tensor([0, 1, 1]), mode="max"
    ),
    "embedding_bag, weighed": lambda torch, x: torch.nn.functional.embedding_bag(
        torch.tensor([[0, 1], [1, 2]]), x[0], mode="sum", per_sample_weights=x[1, :2, :2], padding_idx=1
    ),
    **{
        f"scatter_reduce, {how}": lambda torch, x, how=how: x.scatter_reduce(
            2, torch.tensor([[[0, 0, 1], [3, 3, 3], [2, 0, 2]]]), x[:1, :, :3] ** 2 + 1, how
        )
        for how in ("sum", "prod", "mean", "amax", "amin")
    },
    **{
        f"index_reduce, {how}": lambda torch, x, how=how: x.index_reduce(
            1, torch.tensor([1, 1]), x[:, 1:] ** 2 + 1, how, include_self=False
        )
        for how in ("prod", "mean", "amax", "amin")
    },
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_of_functions(name):
    check_derivatives(lambda x: FUNCTIONS[name](torch, x * 1.5), example())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_like_pytorch(name):
    theirs = pytest.importorskip("torch")
    x = theirs.tensor(example().detach().numpy()).requires_grad_()
    ours, expected = as_tuple(FUNCTIONS[name](torch, example())), as_tuple(FUNCTIONS[name](theirs, x))
    for mine, yours in zip(ours, expected, strict=True):
        np.testing.assert_allclose(mine.detach().numpy(), yours.detach().numpy())
        assert mine.grad_fn.name() == yours.grad_fn.name()


@given(st.lists(st.integers(0, 4), max_size=12), st.sampled_from([(), (1,), (3,), (700,)]))
def test_accumulation_is_add_at(index, rest):
    index = np.array(index, np.int64)
    for dtype in (np.float32, np.float64, np.complex64, np.int64, np.float16):
        rows = np.random.default_rng(1).integers(-9, 9, (index.size, *rest)).astype(dtype)
        expected = np.zeros((5, *rest), dtype)
        np.add.at(expected, index, rows)
        found = add_rows(index, rows, 5)
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == dtype


def test_unpacking_is_unbinding():
    x = torch.ones(2, 3, requires_grad=True)
    a, _ = x
    assert repr(a) == "tensor([1., 1., 1.], grad_fn=<UnbindBackward0>)"


def test_an_index_changed_afterwards_does_not_matter():
    x, index = torch.arange(3.0).requires_grad_(), torch.tensor([0, 0])
    y = x[index]
    index += 1
    y.sum().backward()
    assert x.grad.tolist() == [2, 0, 0]


def test_an_index_of_gather_changed_afterwards_is_noticed():
    x, index = torch.arange(3.0).requires_grad_(), torch.tensor([0, 0])
    y = x.gather(0, index)
    index += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_embedding_scales_rows_down():
    table = torch.tensor([[3.0, 4.0], [0.3, 0.4]])
    F.embedding(torch.tensor([0]), table, max_norm=1.0)
    np.testing.assert_allclose(table.numpy(), [[0.6, 0.8], [0.3, 0.4]], rtol=1e-5)


def test_no_gradient_reaches_the_padding_row():
    table = torch.ones(3, 2, requires_grad=True)
    F.embedding(torch.tensor([0, 2, 2]), table, padding_idx=2).sum().backward()
    assert table.grad.tolist() == [[1, 1], [0, 0], [0, 0]]


def test_embedding_scales_gradients_by_frequency():
    table = torch.ones(3, 2, requires_grad=True)
    F.embedding(torch.tensor([0, 2, 2]), table, scale_grad_by_freq=True).sum().backward()
    assert table.grad.tolist() == [[1, 1], [0, 0], [1, 1]]


ERRORS = [
    (lambda x: x[::-1], ValueError, "step must be greater than zero"),
    (lambda x: x[10], IndexError, "index 10 is out of bounds for dimension 0 with size 2"),
    (lambda x: x[0, 0, 0, 0], IndexError, "too many indices for tensor of dimension 3"),
    (lambda x: x[0, 0, 0][0], IndexError, "invalid index of a 0-dim tensor"),
    (lambda x: x[1.5], IndexError, "only integers, slices"),
    (lambda x: x["a"], TypeError, r"new\(\): invalid data type 'str'"),
    (lambda x: x[torch.tensor([0.5])], IndexError, "tensors used as indices must be long, int, byte or bool tensors"),
    (lambda x: x[torch.ones(3) > 0], IndexError, r"The shape of the mask \[3\] at index 0 does not match"),
    (lambda x: x[[0, 1], [0, 1, 2]], IndexError, r"shape mismatch: indexing tensors .* shapes \[2\], \[3\]"),
    (lambda x: x.__setitem__(0, "a"), TypeError, "can't assign a str to a torch.FloatTensor"),
    (lambda x: x.__setitem__(0, torch.ones(2)), RuntimeError, r"The expanded size of the tensor \(4\) must match"),
    (lambda x: x.__setitem__([0], torch.ones(3, 3)), RuntimeError, "shape mismatch: value tensor of shape"),
    (
        lambda x: x[:0].index_put((torch.tensor([0, 0, 0]),), torch.ones(2)),
        IndexError,
        "index is out of bounds for dimension with size 0",
    ),
    (lambda x: x.__setitem__([0], torch.tensor([1])), RuntimeError, "Index put requires the source and"),
    (lambda x: x.index_select(0, torch.tensor([2])), IndexError, "index out of range in self"),
    (lambda x: x.gather(0, torch.tensor([0])), RuntimeError, "Index tensor must have the same number of dimensions"),
    (lambda x: x.gather(0, torch.full((1, 1, 1), 7)), RuntimeError, "index 7 is out of bounds for dimension 0"),
    (lambda x: x.take(torch.tensor([50])), IndexError, "tried to access index 50 on a tensor of 24 elements"),
    (lambda x: F.embedding(torch.tensor([3]), x[0]), IndexError, "index out of range in self"),
    (lambda x: F.one_hot(torch.tensor([-1])), RuntimeError, "Class values must be non-negative"),
    (lambda x: torch.ones(3, requires_grad=True).__setitem__(0, 1), RuntimeError, "a view of a leaf Variable"),
]


@pytest.mark.parametrize(("function", "error", "message"), ERRORS)
def test_errors(function, error, message):
    with pytest.raises(error, match=message):
        function(torch.zeros(2, 3, 4))


def test_coordinates_of_flat_indices(torch):
    rows, columns = torch.unravel_index(torch.tensor([[0, 5], [3, 4]]), (3, 2))
    assert (rows.tolist(), columns.tolist()) == ([[0, 2], [1, 2]], [[0, 1], [1, 0]])
    assert torch.unravel_index(torch.tensor(7, dtype=torch.int32), 10)[0].dtype == torch.int64
    with pytest.raises(TypeError, match=r"expected 'indices' to be integer dtype, but got torch\.float32"):
        torch.unravel_index(torch.tensor(1.0), (3,))
    with pytest.raises(ValueError, match=r"'shape' cannot have negative values, but got \(3, -1\)"):
        torch.unravel_index(torch.tensor(1), (3, -1))


@pytest.mark.parametrize("name", ["scatter", "scatter_add"])
@pytest.mark.parametrize(
    ("shape", "error"),
    [
        ((4,), RuntimeError),
        ((2,), IndexError),
        ((2, 3), IndexError),
        ((1, 4), RuntimeError),
        ((9, 9, 9, 9), RuntimeError),
    ],
)
def test_sources_of_other_dimensions(torch, name, shape, error):
    x, index = torch.zeros(2, 3, 4), torch.zeros(2, 3, 4, dtype=torch.int64)
    with pytest.raises(error):
        getattr(x, name)(0, index, torch.ones(shape)[: 1 if shape == (4,) else None])


def test_a_value_of_another_shape_is_told_before_indices_out_of_bounds(torch):
    x = torch.zeros(2, 3)
    with pytest.raises(RuntimeError, match="shape mismatch"):
        x[torch.tensor([0, 5])] = torch.ones(4)
    with pytest.raises(IndexError, match="out of bounds"):
        x[torch.tensor([0, 5])] = torch.ones(3)
    with pytest.raises(IndexError, match="same number of elements"):
        x.put_(torch.tensor([0, 5]), x)


def test_the_gradient_of_what_an_empty_index_adds_is_zero():
    source = torch.ones(2, 3, 2, requires_grad=True)
    index = torch.zeros(0, 3, 4, dtype=torch.int64)
    torch.zeros(0, 3, 4).scatter_add(-1, index, source).sum().backward()
    assert source.grad.tolist() == torch.zeros(2, 3, 2).tolist()


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize(("key", "row"), [((1,), slice(None)), ((1, -2), -2), ((None, 2), 2), (([1, 0], 3), 3)])
def test_index_put_takes_tensors_without_dimensions_for_numbers(accumulate, key, row):
    x = torch.arange(12.0).reshape(3, 4).requires_grad_()
    indices = [item if item is None else torch.tensor(item) for item in key]
    place = tuple(slice(None) if item is None else item for item in key)
    values = torch.full(x[place].shape, 5.0, requires_grad=True)
    result = torch.index_put(x, indices, values, accumulate)
    wanted = x.detach().numpy().copy()
    wanted[place] = wanted[place] * accumulate + 5
    assert result.tolist() == wanted.tolist()
    result.backward(x.detach())
    kept = x.detach().clone()
    kept[place] *= accumulate
    assert (x.grad.tolist(), values.grad.tolist()) == (kept.tolist(), x.detach()[place].tolist())


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8])
def test_index_add_of_bytes_times_a_negative_number_wraps(dtype):
    ones = torch.ones(1, dtype=dtype)
    result = torch.zeros(2, dtype=dtype).index_add(0, torch.tensor([1]), ones, alpha=-1)
    assert result.tolist() == [0, 255 if dtype is torch.uint8 else -1]


READ_ONCE = {  # they write where they have read
    "add": lambda x, out: torch.add(x, 1, out=out),
    "exp": lambda x, out: torch.exp(x, out=out),
    "where": lambda x, out: torch.where(x > 0, x, -x, out=out),
    "lerp": lambda x, out: torch.lerp(x, x, 0.5, out=out),
    "cumsum": lambda x, out: torch.cumsum(x, 0, out=out),
}
PICKED = {
    "index_select": lambda x, out: torch.index_select(x, 0, torch.arange(4), out=out),
    "gather": lambda x, out: torch.gather(x, 0, torch.arange(4), out=out),
    "take": lambda x, out: torch.take(x, torch.arange(4), out=out),
    "cat": lambda x, out: torch.cat([x[:2], x[2:]], out=out),
    "scatter": lambda x, out: torch.scatter(torch.zeros(4), 0, torch.arange(4), x, out=out),
}


@pytest.mark.parametrize("name", [*READ_ONCE, *PICKED])
def test_an_out_in_memory_that_is_read_meanwhile_is_refused(name):
    memory = torch.arange(5.0)
    with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor"):
        (READ_ONCE | PICKED)[name](memory[:4], memory[1:])
    assert memory.tolist() == [0, 1, 2, 3, 4]
    if name in PICKED:
        with pytest.raises(RuntimeError, match="some elements"):
            PICKED[name](memory[:4], memory[:4])
    else:
        wanted = READ_ONCE[name](memory[:4].clone(), torch.empty(4))
        assert READ_ONCE[name](memory[:4], memory[:4]).tolist() == wanted.tolist()


def test_the_safe_softmax_is_zero_where_all_is_minus_infinity():
    rows = torch.tensor([[0.0, 0.0], [-torch.inf, -torch.inf]], requires_grad=True)
    result = torch.ops.aten._safe_softmax.default(rows, 1)
    assert result.tolist() == [[0.5, 0.5], [0.0, 0.0]]
    result[:, 0].sum().backward()
    assert rows.grad.tolist() == [[0.25, -0.25], [0.0, 0.0]]


@pytest.mark.parametrize("name", ["scatter", "scatter_add", "scatter_reduce"])
@pytest.mark.parametrize(("index", "source"), [((0, 4), (4,)), ((0,), (2, 4)), ((0,), (0, 2))])
def test_an_index_without_elements_scatters_nothing(torch, name, index, source):
    x, src = torch.ones(3, 4, requires_grad=True), torch.ones(source)
    more = ("mean",) if name == "scatter_reduce" else ()
    call = lambda src: getattr(x, name)(1, torch.zeros(index, dtype=torch.int64), src, *more)
    result = call(src)
    assert torch.equal(result, x)
    assert torch.autograd.grad(result.sum(), x)[0].tolist() == [[1.0] * 4] * 3
    with pytest.raises(RuntimeError, match=r"scatter\(\): Expected self.dtype to be equal to src.dtype"):
        call(src.long())


REFUSED = {
    "scatter": lambda torch: scattered(torch, "scatter"),
    "scatter_add": lambda torch: scattered(torch, "scatter_add"),
    "scatter_reduce": lambda torch: scattered(torch, "scatter_reduce", "amax"),
    "gradient of nothing": lambda torch: gradient_of_nothing(torch),
    "index_select along nothing": lambda torch: torch.zeros(0, 3).index_select(0, torch.tensor([0])),
    "index_select of nothing": lambda torch: torch.zeros(0, 3).index_select(1, torch.tensor([5])),
    "index_select of one dimension": lambda torch: torch.zeros(0).index_select(0, torch.tensor([0])),
}


def scattered(torch, name, *options):
    """A scatter whose source is a tensor without dimensions, and whose index has two."""
    return getattr(torch.zeros(1, 4), name)(1, torch.zeros(1, 2, dtype=torch.int64), torch.tensor(2.0), *options)


def gradient_of_nothing(torch):
    """The gradient of what `index_add` adds to a tensor without rows."""
    source = torch.ones(2, 3, requires_grad=True)
    torch.zeros(0, 3).index_add(0, torch.tensor([0, 0]), source).sum().backward()


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_raises_pytorchs_types(name):
    theirs = pytest.importorskip("torch")
    said = []
    for library in (torch, theirs):
        with pytest.raises((RuntimeError, IndexError)) as error:
            REFUSED[name](library)
        said.append((error.type, str(error.value)[:24]))
    assert said[0] == said[1]


@pytest.mark.parametrize("dtype", ["bool", "complex64", "float32"])
@pytest.mark.parametrize("reduce", ["sum", "prod", "mean", "amax", "amin"])
@pytest.mark.parametrize("n", [0, 2])
def test_reductions_of_each_type_into_elements_are_refused_as_in_pytorch(dtype, reduce, n):
    theirs = pytest.importorskip("torch")

    def seen(torch):
        x = torch.ones(n, dtype=getattr(torch, dtype))
        try:
            return x.scatter_reduce(0, torch.arange(n), x, reduce).tolist()
        except RuntimeError as error:
            return f"{type(error).__name__}: {error}".partition(". ")[0]

    assert seen(torch) == seen(theirs)


ASSIGNED_TO_ITSELF = {
    "one element": lambda torch: torch.ones(1, 1),
    "a row": lambda torch: torch.ones(1, 3),
    "a number": lambda torch: torch.ones(1),
}


@pytest.mark.parametrize("name", ASSIGNED_TO_ITSELF)
def test_tensors_assigned_to_their_own_rows(name):
    theirs = pytest.importorskip("torch")

    def seen(torch):
        x = ASSIGNED_TO_ITSELF[name](torch)
        try:
            x[0] = x
        except RuntimeError as error:
            return str(error)
        return x.tolist()

    assert seen(torch) == seen(theirs)


@pytest.mark.parametrize("kind", [torch.int8, torch.int16, torch.int32, torch.uint16])
def test_integers_of_any_size_without_dimensions_select(kind):
    x, i = torch.arange(6).reshape(2, 3), torch.tensor(1, dtype=kind)
    assert x[i].data_ptr() == x[1].data_ptr()
    x[i, i] = 7
    assert x[1].tolist() == [3, 7, 5]
    if kind is not torch.int32:
        with pytest.raises(IndexError, match="tensors used as indices must be long, int, byte or bool tensors"):
            x[i.reshape(1)]


@pytest.mark.parametrize("key", [(slice(None), [0, 1]), (slice(None), [1], None), (torch.tensor([0]), [0])])
def test_indices_along_a_dimension_of_size_0(key):
    with pytest.raises(IndexError, match="index is out of bounds for dimension with size 0"):
        torch.empty(10, 0)[key]
    assert torch.empty(10, 0)[[1, 2]].shape == (2, 0)


def test_shapes_are_compared_before_dtypes():
    x = torch.arange(4)
    with pytest.raises(RuntimeError, match=r"shape mismatch: value tensor of shape \[3\] cannot be broadcast"):
        x[x > -1] = torch.ones(3)
    with pytest.raises(RuntimeError, match=r"source and destination dtypes match, got Long .* and Float"):
        x[x > -1] = torch.ones(4)


def test_elements_cannot_be_deleted():
    with pytest.raises(TypeError, match="Tensor does not support deleting items"):
        del torch.ones(2)[0]


def test_a_mask_of_bytes_warns_once():
    x = torch.ones(3)
    with pytest.warns(UserWarning, match="torch.uint8 is now deprecated") as warned:
        x.index_put_((torch.tensor([1, 0, 1], dtype=torch.uint8),), torch.ones(2), accumulate=True)
    assert len(warned) == 1
    assert x.tolist() == [2, 1, 2]


@pytest.mark.parametrize("dtype", [torch.bool, torch.float32, torch.int32])
def test_take_along_dim_needs_long_indices(dtype):
    with pytest.raises(RuntimeError, match="dtype of indices should be Long"):
        torch.take_along_dim(torch.ones(2, 3), torch.zeros(1, 3, dtype=dtype), 0)


UNFIT = [((1, 2.0), "sequence to only contain ints"), (torch.tensor([2]), "to be int or")]


@pytest.mark.parametrize(("shape", "words"), UNFIT)
def test_shapes_of_unravelled_indices_are_integers(shape, words):
    with pytest.raises(TypeError, match=f"expected 'shape' {words}"):
        torch.unravel_index(torch.tensor([1]), shape)
