"""Windows over an array's memory, compiled and plain."""

import math

import numpy as np
import pytest

from rushlight import layouts
from rushlight.core import windows

DTYPES = ["float32", "float64", "int64", "bool", "complex64", "float16"]


@pytest.fixture(params=["compiled", "plain"])
def form(request, monkeypatch):
    if request.param == "plain":
        monkeypatch.setattr(layouts, "fast", None)
        monkeypatch.setattr(windows, "fast", None)
    elif layouts.fast is None:
        pytest.skip("nothing was compiled")


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("shape", "steps", "offset"),
    [
        ((2, 3), (4, 1), 0),
        ((3, 2, 2), (1, 1, 2), 5),
        ((), (), 7),
        ((0, 4), (4, 1), 0),
        ((3, 5), (0, 2), 1),
        ((4,), (-2,), 9),
    ],
)
def test_what_is_laid_over_memory_shows_its_elements(dtype, shape, steps, offset):
    memory = np.arange(24).astype(dtype)
    size = memory.itemsize
    places = np.full(shape, offset)
    for dim, step in enumerate(steps):
        places = places + step * np.arange(shape[dim]).reshape((-1,) + (1,) * (len(shape) - dim - 1))
    found = layouts.laid_over(memory, shape, tuple(step * size for step in steps), offset * size)
    assert (found.shape, found.dtype) == (shape, memory.dtype)
    assert np.array_equal(found, memory[places])
    if found.size:
        assert np.shares_memory(found, memory)
        assert windows.address(found) == windows.address(memory) + offset * size


@pytest.mark.usefixtures("form")
def test_a_window_can_be_written_to_where_its_memory_can_and_keeps_it_alive():
    memory = np.zeros((4, 4))
    window = layouts.laid_over(memory, (4,), (40,))
    window += 1
    assert np.array_equal(memory, np.eye(4))
    memory.flags.writeable = False
    assert not layouts.laid_over(memory, (2,), (8,)).flags.writeable
    del memory
    assert np.array_equal(window, np.ones(4))


def test_sizes_and_strides_that_do_not_fit_are_refused():
    if layouts.fast is None:
        pytest.skip("nothing was compiled")
    with pytest.raises(ValueError, match="strides"):
        layouts.fast.laid_over(np.zeros(4), (2, 2), (8,))


SHAPES = [(4, 6), (2, 1, 12), (24,), (1, 24), (2, 3, 4), (3, 8, 1), (1, 1, 24, 1), (2, 2, 2, 3), (5, 5), ()]
ORDERS = {
    "in order": lambda x: x,
    "turned": lambda x: x.transpose(),
    "with gaps": lambda x: np.stack([x, x], -1)[..., 0],
    "backwards": lambda x: x[::-1] if x.ndim else x,
}


@pytest.mark.skipif(layouts.fast is None, reason="nothing was compiled")
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("shape", SHAPES)
def test_views_in_other_shapes_are_those_of_the_plain_form(shape, order):
    array = ORDERS[order](np.arange(math.prod(shape), dtype=np.float32).reshape(shape))
    for new in SHAPES:
        if math.prod(new) != array.size:
            continue
        strides = layouts.strides_of_view(array.shape, array.strides, new, array.itemsize)
        found = layouts.fast.reshaped(array, new)
        assert (None if found is None else found.strides) == strides
        if found is not None:
            assert np.array_equal(found, array.reshape(new))
            assert np.shares_memory(found, array)


@pytest.mark.skipif(layouts.fast is None, reason="nothing was compiled")
@pytest.mark.parametrize("shape", [(3, 4), (1, 4), (), (1, 3, 1)])
def test_expanded_arrays_are_those_of_the_plain_form(shape):
    array = np.arange(math.prod(shape), dtype=np.float32).reshape(shape)
    for front in [(), (2,), (1,), (2, 1), (1, 2)]:
        for fill in (1, 5):
            new = (*front, *[fill if n == 1 else n for n in shape])
            found = layouts.fast.expanded(array, new)
            assert (found.shape, found.strides) == (new, layouts.expanded_strides(array, new))
            assert np.array_equal(found, np.broadcast_to(array, new))


@pytest.mark.skipif(layouts.fast is None, reason="nothing was compiled")
@pytest.mark.parametrize(
    ("shape", "count", "expected"),
    [
        ((2, -1), 6, (2, 3)),
        ((-1,), 6, (6,)),
        ((2, 3), 6, (2, 3)),
        ((), 1, ()),
        ((-1, -1), 4, None),
        ((4, -1), 6, None),
        ((0, -1), 0, None),
        ((-2, 3), 6, None),
        ((7,), 6, None),
        ((2**62, 4), 6, None),
    ],
)
def test_a_size_is_inferred_where_there_is_nothing_to_say_about_it(shape, count, expected):
    assert layouts.fast.inferred(shape, count) == expected
