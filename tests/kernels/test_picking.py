"""Elements picked along a dimension by an index or by rank, and halves, in both forms: against NumPy."""

import numpy as np
import pytest
from kernels.forms import both_forms

import rushlight
from rushlight.kernels import casts, picking, ranking, selection

form = both_forms(picking, ranking, casts, selection)
DTYPES = ["bool", "int16", "int32", "float16", "float32", "float64", "complex64", "complex128"]
LAYOUTS = {
    "in order": lambda x: x,
    "transposed": lambda x: np.asfortranarray(x),
    "with gaps": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "backwards": lambda x: x[::-1],
}


def numbers(shape, dtype):
    return (np.random.default_rng(0).standard_normal(shape) * 3).astype(dtype)


def looped(index, dim):
    """Pairs of places: in the index, and along the dimension."""
    for place in np.ndindex(index.shape):
        target = list(place)
        target[dim] = index[place]
        yield place, tuple(target)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dim", [0, 1, 2])
def test_gather_scatter_and_scatter_add(dim, layout, dtype):
    shape = (4, 5, 6)
    x = LAYOUTS[layout](numbers(shape, dtype))
    sizes = tuple(7 if d == dim else n - 1 for d, n in enumerate(shape))
    index = LAYOUTS[layout](
        np.random.default_rng(1).permuted(np.arange(7) % shape[dim], axis=0)[
            np.arange(np.prod(sizes)).reshape(sizes) % 7
        ]
    )
    source = LAYOUTS[layout](numbers(sizes, dtype))
    taken, put, added = np.empty(sizes, dtype), x.copy(), x.copy()
    for place, target in looped(index, dim):
        taken[place] = x[target]
        put[target] = 1
        added[target] += source[place]
    tensors = [
        rushlight.from_numpy(np.ascontiguousarray(a)) if layout == "backwards" else rushlight.from_numpy(a)
        for a in (x, index, source)
    ]
    t, i, s = tensors
    np.testing.assert_array_equal(t.gather(dim, i).numpy(), taken)
    np.testing.assert_array_equal(t.scatter(dim, i, 1).numpy(), put)
    if dtype != "bool":
        found = t.scatter_add(dim, i, s).numpy()
        np.testing.assert_allclose(found, added, rtol=1e-2 if dtype == "float16" else 1e-5, atol=1e-2)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.maximum, np.minimum])
def test_slices_are_reduced_at_a_vector_of_indices(ufunc, layout, dtype):
    name = {np.multiply: "prod", np.maximum: "amax", np.minimum: "amin"}.get(ufunc)
    index = np.asarray([2, 0, 2, 3, 2])
    for dim in range(3):
        x = np.ascontiguousarray(LAYOUTS[layout](numbers((4, 5, 18), dtype)))
        source = LAYOUTS[layout](numbers([5 if d == dim else n for d, n in enumerate(x.shape)], dtype)).copy("K")
        source[0, 0, 0] = np.nan
        expected = x.copy()
        ufunc.at(expected, (*[slice(None)] * dim, index), source)
        t, i, s = rushlight.tensor(x), rushlight.tensor(index), rushlight.from_numpy(source)
        found = t.index_reduce(dim, i, s, name) if name else t.index_add(dim, i, s)
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_elements_at_an_array_of_indices(layout):
    x = LAYOUTS[layout](numbers((4, 5, 6), "float32")).copy("K")
    for dim in range(3):
        for index in ([2, 0, 3, 3], [[2, -1], [0, 3]], [-1, 1]):
            key = (*[slice(None)] * dim, np.asarray(index))
            found = rushlight.from_numpy(x)[(*[slice(None)] * dim, rushlight.tensor(index))]
            np.testing.assert_array_equal(found.numpy(), x[key])


def test_an_index_out_of_bounds_is_refused_and_nothing_is_changed():
    x = rushlight.zeros(3, 2)
    for call in (x.gather, lambda dim, i: x.scatter_(dim, i, 1.0), lambda dim, i: x.scatter_add_(dim, i, x[:1] + 1)):
        for wrong in (3, -1):
            with pytest.raises(RuntimeError, match="out of bounds"):
                call(0, rushlight.tensor([[0, wrong]]))
    assert not x.any()


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("k", [1, 3, 20, 40])
def test_topk_is_the_beginning_of_the_sorted_elements(k, largest, dtype):
    x = numbers((60, 50), dtype)
    if dtype != "int64":
        x[3, :2] = np.nan
        x[4] = 0
        x[5, 7] = np.inf
    for dim in (0, 1):
        values, places = rushlight.from_numpy(x).topk(k, dim, largest)
        expected = np.sort(x if largest is False else -x, dim)  # NaN comes last: first where the largest are wanted
        if largest:
            expected = -np.where(
                np.isnan(x).any(dim, keepdims=True), np.sort(-np.nan_to_num(x, nan=1e30), dim), expected
            )
            expected = np.where(expected == 1e30, np.nan, expected).astype(dtype)
        np.testing.assert_array_equal(values.numpy(), expected.take(np.arange(k), dim))
        np.testing.assert_array_equal(np.take_along_axis(x, places.numpy(), dim), values.numpy())
        assert (np.diff(np.sort(places.numpy(), dim), axis=dim) > 0).all()


@pytest.mark.parametrize("shape", [(0,), (1,), (7,), (8,), (3, 67), (300, 301)], ids=str)
def test_halves_are_rounded_to_the_nearest(shape):
    x = numbers(shape, "float32") * np.float32(1e4)
    special = np.array(
        [0.0, -0.0, np.inf, -np.inf, np.nan, 65504, 65519.99, 65520, 1e-8, 6e-8, 5.96e-8, 1 + 2**-11], "f"
    )
    x.ravel()[: special.size] = special[: x.size]
    for given in (x, x.T, x[..., ::2]):
        half = rushlight.from_numpy(given.copy(order="K")).half()
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(half.numpy(), given.astype(np.float16))
        np.testing.assert_array_equal(half.float().numpy(), given.astype(np.float16).astype(np.float32))


UFUNCS = {"sum": np.add, "prod": np.multiply, "amax": np.maximum, "amin": np.minimum}


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("reduce", UFUNCS)
def test_values_reduced_along_a_dimension(reduce, layout, dtype):
    x, source = numbers((4, 5, 6), dtype), numbers((4, 9, 6), dtype)
    if dtype != "int64":
        source[1, 2, 3] = x[2, 1, 0] = np.nan
    index = np.random.default_rng(1).integers(0, 5, source.shape)
    for include_self in (True, False):
        expected = x.copy()
        if not include_self:
            for _, target in looped(index, 1):
                expected[target] = {"sum": 0, "prod": 1}.get(reduce, expected[target])
            if reduce in ("amax", "amin"):
                for _, target in looped(index, 1):
                    limit = np.iinfo(dtype) if dtype == "int64" else None
                    ends = (limit.min, limit.max) if limit else (-np.inf, np.inf)
                    expected[target] = ends[reduce == "amin"]
        UFUNCS[reduce].at(expected, tuple(np.array([t for _, t in looped(index, 1)]).T), source.reshape(-1))
        t, i, s = (rushlight.from_numpy(np.ascontiguousarray(LAYOUTS[layout](a))) for a in (x, index, source))
        if layout == "backwards":
            expected = expected[::-1]
        found = t.scatter_reduce(1, i, s, reduce, include_self=include_self).numpy()
        np.testing.assert_allclose(found, expected, rtol=2e-2 if dtype == "float16" else 1e-5, atol=2e-2)


@pytest.mark.parametrize("reduce", UFUNCS)
@pytest.mark.parametrize("dim", [0, 1])
def test_slices_reduced_by_an_index(dim, reduce):
    x, source, index = numbers((5, 5), "float32"), numbers((5, 5), "float32"), np.array([0, 3, 3, 1, 0])
    expected = x.copy()
    UFUNCS[reduce].at(expected if dim == 0 else expected.T, index, source if dim == 0 else source.T)
    t, i, s = map(rushlight.from_numpy, (x, index, source))
    if reduce == "sum":
        found = t.index_add(dim, i, s)
        np.testing.assert_allclose(t.index_add(dim, i, s, alpha=2).numpy(), 2 * expected - x, rtol=1e-5, atol=1e-5)
    else:
        found = t.index_reduce(dim, i, s, reduce)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_bounds_in_place(layout, dtype):
    x = numbers((4, 6), dtype)
    x[1, 2] = np.nan
    calls = {"clamp_": (-1, 2.5), "clamp_min_": (0.5,), "clamp_max_": (0.5,), "relu_": ()}
    for name, bounds in calls.items():
        array = np.ascontiguousarray(LAYOUTS[layout](x)) if layout == "backwards" else LAYOUTS[layout](x.copy())
        changed, expected = rushlight.from_numpy(array), rushlight.from_numpy(array.copy())
        version = changed._version
        assert getattr(changed, name)(*bounds) is changed
        assert changed._version == version + 1
        np.testing.assert_array_equal(changed.numpy(), getattr(expected, name[:-1])(*bounds).numpy())
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        rushlight.ones(3, requires_grad=True).clamp_(0, 1)
