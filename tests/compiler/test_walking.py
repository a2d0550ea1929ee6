"""Plans against the reference: shapes, types, layouts, memory, writes, checks, and random programs."""

import weakref

import numpy as np
import pytest
from compiler.writing import Written, normal

from rushlight.compiler.planning import planned
from rushlight.compiler.program import CHECK, OPAQUE, RANDOM, WRITE, Mismatch, Step, Value
from rushlight.compiler.walking import Executor, executor

DTYPES = [np.float32, np.float64]


@pytest.fixture
def written():
    return Written()


SHAPES = [
    ((), ()),
    ((3,), ()),
    ((4, 3), (3,)),
    ((4, 1), (1, 3)),
    ((2, 1, 5), (7, 1)),
    ((1, 1), (1,)),
    ((300, 40), (40,)),
    ((70000,), ()),
    ((90, 1), (1000,)),
    ((0, 3), (3,)),
    ((2, 3, 4, 5), (3, 1, 5)),
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shapes", SHAPES)
def test_operands_that_broadcast(shapes, dtype, written):
    x, y = (written.input(normal(*shape, dtype=dtype, seed=i)) for i, shape in enumerate(shapes))
    total = written.call("add", written.call("tanh", written.call("mul", x, y)), y)
    chosen = written.call("where", written.call("gt", total, 0.1), total, written.call("neg", x))
    written.returns(chosen, written.call("gt", chosen, y))
    written.check()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [*range(1, 18), 63])
def test_few_elements(size, dtype, written):
    """Arithmetic, functions and comparisons of every length about a vector's."""
    x, y = (written.input(normal(size, dtype=dtype, seed=i)) for i in range(2))
    number = written.input(normal(dtype=dtype))
    quotient = written.call("div", written.call("sub", x, number), written.call("neg", y))
    both = written.call("add", x, y)
    product = written.call("mul", written.call("tanh", quotient), both)
    wide = written.call("mul", both, written.input(np.array([2.0])))
    chosen = written.call("where", written.call("gt", product, quotient), product, x)
    total = written.call("sum", written.call("abs", chosen))
    written.returns(product, wide, chosen, total, written.call("gt", chosen, y))
    written.check()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("dims", [(0,), (1,), (2,), (0, 1), (1, 2), (0, 2), (0, 1, 2)])
@pytest.mark.parametrize("shape", [(2, 3, 4), (70, 5, 300), (1, 1, 1), (3, 1, 2)])
def test_sums(shape, dims, dtype, written):
    x = written.input(normal(*shape, dtype=dtype))
    y = written.call("mul", written.call("exp", x), 2)
    written.returns(
        written.call("sum_dims", y, dims, False, None),
        written.call("mean_dims", x, dims, True, None),
        written.call("sum", y),
    )
    written.check(64)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("turned", range(4))
@pytest.mark.parametrize(
    "sizes",
    [(1, 1, 1), (4, 5, 6), (1, 7, 3), (5, 1, 2), (7, 40, 1), (64, 32, 32), (16, 1000, 20), (130, 90, 110), (2, 300, 9)],
)
def test_products(sizes, turned, dtype, written):
    m, depth, n = sizes
    a = written.input(normal(*((depth, m) if turned & 1 else (m, depth)), dtype=dtype))
    b = written.input(normal(*((n, depth) if turned & 2 else (depth, n)), dtype=dtype, seed=1))
    a = written.call("permute", a, (1, 0)) if turned & 1 else a
    b = written.call("permute", b, (1, 0)) if turned & 2 else b
    product = written.call("mm", a, b)
    bias = written.input(normal(n, dtype=dtype))
    again = written.call("add", written.call("mm", a, b), bias)
    written.returns(product, again, written.call("sum", product))
    written.check(256)
    other = Written()
    a, b = (other.input(written.arrays[x].copy()) for x in (a, b))
    other.returns(other.call("add", other.call("mm", a, b), other.input(normal(n, dtype=dtype))))
    other.check(256)


@pytest.mark.parametrize("dtype", DTYPES)
def test_batches_of_products(dtype, written):
    a, b = written.input(normal(2, 3, 4, 5, dtype=dtype)), written.input(normal(2, 3, 6, 5, dtype=dtype))
    turned = written.call("permute", b, (0, 1, 3, 2))
    mixed = written.call("permute", written.input(normal(3, 2, 4, 5, dtype=dtype)), (1, 0, 2, 3))
    written.returns(written.call("broadcast", a, turned), written.call("broadcast", mixed, turned))
    written.check(64)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", [(64, 16, 64), (1, 16, 5), (7, 3, 1), (40, 300, 8)])
def test_products_of_heads(sizes, dtype, written):
    """Factors in the memory of one matrix, with their samples and heads apart in it, and what one is transposed."""
    m, depth, n = sizes
    packed = [written.input(normal(2, rows, 3, depth, dtype=dtype, seed=i)) for i, rows in enumerate((m, n))]
    a = written.call("permute", packed[0], (0, 2, 1, 3))
    b = written.call("permute", packed[1], (0, 2, 3, 1))
    product = written.call("bmm", a, b)
    turned = written.call("tanh", written.call("permute", product, (0, 1, 3, 2)))
    written.returns(product, written.call("permute", product, (0, 2, 1, 3)), turned)
    written.check(64)


@pytest.mark.parametrize("dim", range(3))
@pytest.mark.parametrize("dtype", [*DTYPES, np.int64])
def test_piles(dim, dtype, written):
    x = written.input(normal(3, 4, dtype=np.float64).astype(dtype))
    other = written.input(normal(4, 3, dtype=np.float64).astype(dtype))
    turned = written.call("permute", other, (1, 0))
    pile = written.call("pile", [written.call("add", x, turned), turned, x, x], dim, None)
    written.returns(pile, written.call("add", pile, pile))
    written.check()


@pytest.mark.parametrize(
    "view",
    [
        ("permute", (1, 0)),
        ("select", (2,)),
        ("slice", (slice(1, 4, 2),)),
        ("view", (15,)),
        ("unsqueeze", 1),
        ("t",),
        ("expand", (2, 5, 3)),
        ("diagonal", 0, 0, 1),
        ("transpose", 0, 1),
    ],
)
def test_views(view, written):
    x = written.input(normal(5, 3))
    name, *args = view
    y = written.call("exp", x)
    seen, of_input = written.call(name, y, *args), written.call(name, x, *args)
    written.returns(seen, written.call("tanh", seen), of_input, written.call("sum", seen))
    written.check(8)


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.complex64, np.float16, bool])
def test_other_types_are_right(dtype, written):
    x = written.input((normal(4, 3) * 5).astype(dtype))
    y = written.call("mul", x, x)
    written.returns(y, written.call("permute", y, (1, 0)), written.call("sum", written.call("where", x != 0, x, y)))
    written.check(64)


def test_arguments_that_do_not_lie_in_order(written):
    x = written.input(np.asfortranarray(normal(5, 3)))
    written.returns(written.call("tanh", x), written.call("permute", x, (1, 0)), written.call("sum", x))
    written.check(8)


def test_numbers_are_inputs(written):
    x, rate, count = written.input(normal(4, 3)), written.input(0.5), written.input(3)
    written.returns(written.call("mul", written.call("add", x, count), rate))
    plan = written.check()
    (found,) = executor(plan)([written.inputs[0], 2.0, 0])
    np.testing.assert_allclose(found, written.inputs[0] * 2)


def test_outputs_do_not_lie_in_planned_memory(written):
    x = written.input(normal(40, 30))
    y = written.call("exp", x)
    written.returns(y, written.call("permute", y, (1, 0)), written.call("cumsum", y, 0, None, True), x)
    runs = executor(planned(written.improved()))
    first = runs(written.inputs)
    kept = [array.copy() for array in first]
    second = runs([written.inputs[0] + 1])
    for array, copy in zip(first[:3], kept, strict=False):
        np.testing.assert_array_equal(array, copy)
    assert not any(np.shares_memory(a, b) for a, b in zip(first, second, strict=True))
    assert np.shares_memory(first[0], first[1])
    assert first[3] is written.inputs[0] or np.shares_memory(first[3], written.inputs[0])


def test_each_output_has_memory_of_its_own(written):
    x = written.input(normal(4, 3))
    y = written.call("exp", x)
    copies = [written.call("mul", x, 1), written.call("exp", x), *[written.call("clone", v, None) for v in (x, y)]]
    written.returns(x, written.call("view", x, (12,)), y, written.call("view", y, (12,)), *copies)
    written.check()
    found = executor(planned(written.improved()))(written.inputs)
    owners = [0, 0, 1, 1, 2, 3, 4, 5]
    for i, one in enumerate(found):
        for k, other in enumerate(found):
            assert np.shares_memory(one, other) == (owners[i] == owners[k])
    assert np.shares_memory(found[0], written.inputs[0])


def test_constants_among_the_outputs_can_be_written_to(written):
    constant = np.ones((2, 2), np.float32)
    written.input(normal(2))
    written.returns(written.constant(constant))
    runs = executor(planned(written.improved()))
    runs(written.inputs)[0][...] = 5
    assert runs(written.inputs)[0].tolist() == [[1, 1], [1, 1]]


# writes, checks, random numbers


def descend(param, grad, rate):
    param -= grad * rate


def test_writes_in_place_come_last(written):
    param, x, rate = written.input(normal(4, 3)), written.input(normal(5, 4)), written.input(0.5)
    product = written.call("mm", x, param)
    grad = written.call("mm", written.call("permute", x, (1, 0)), product)
    after = Value.like(written.arrays[param])
    written.program.steps.append(Step(descend, (param, grad, rate), (after,), WRITE, changes=(0,)))
    written.program.writes = [(param, after)]
    written.returns(written.call("sum", product), written.call("sum", param))
    assert written.check(64).code[-1].writes


def test_what_was_written_is_read_again(written):
    param, rate = written.input(normal(4, 3)), written.input(0.5)
    after = Value.like(written.arrays[param])
    written.program.steps.append(Step(descend, (param, param, rate), (after,), WRITE, changes=(0,)))
    written.arrays[after] = written.arrays[param] * 0.5
    written.program.writes = [(param, after)]
    written.returns(written.call("sum", after))
    written.check(8)


def test_values_that_inputs_get(written):
    x, y = written.input(normal(4, 3)), written.input(normal(4, 3, seed=1))
    written.program.writes = [(x, written.call("mul", x, 2)), (y, x)]
    written.returns(written.call("sum", x)).check()


@pytest.mark.parametrize("called", [False, True])
@pytest.mark.parametrize("dtype", [*DTYPES, np.int64])
@pytest.mark.parametrize("order", "CF")
def test_inputs_of_any_order_are_overwritten_at_the_end(order, dtype, called, written):
    x, y = (written.input(np.arange(15).astype(dtype).reshape(3, 5).copy(one)) for one in ("C", order))
    both = written.call("add", x, y)
    other = written.call(np.flipud, both) if called else written.call("mul", both, both)
    written.returns(both)
    written.program.writes = [(x, other), (y, both)]
    written.check()


@pytest.mark.parametrize("make", [executor, Executor])
def test_a_failed_check_comes_before_all_writes(make, written):
    x = written.input(np.ones((2, 2), np.float32))
    written.program.steps.append(Step(lambda array: bool(array.sum() > 0), (x,), (), CHECK))
    written.program.writes = [(x, written.call("neg", x))]
    runs = make(planned(written.graph()))
    given = written.inputs[0].copy()
    runs([given])
    assert given.tolist() == [[-1, -1], [-1, -1]]
    with pytest.raises(Mismatch):
        runs([given])
    assert given.tolist() == [[-1, -1], [-1, -1]]


def test_random_numbers_are_drawn_in_their_order(written):
    drawn = []

    def draw(number):
        drawn.append(number)
        return np.full((2,), number, np.float32)

    values = [written.call(draw, number, kind=RANDOM) for number in range(5)]
    written.returns(written.call("add", values[4], values[1]))
    runs = executor(planned(written.improved()))
    drawn.clear()
    assert runs([])[0].tolist() == [5, 5]
    assert drawn == [0, 1, 2, 3, 4]


def test_a_shape_that_depends_on_values(written):
    x = written.input(np.array([1, 0, 2], np.float32))
    written.returns(written.call("masked_select", x, written.call("gt", x, 0)))
    runs = executor(planned(written.improved()))
    assert runs(written.inputs)[0].tolist() == [1, 2]
    with pytest.raises(Mismatch):
        runs([np.ones(3, np.float32)])


def test_a_call_from_within_a_run(written):
    """The arena is one run's: a run that begins meanwhile has its own."""
    x = written.input(normal(30, 30))
    inner, entered = [], []

    def again(array):
        if len(entered) == 1:
            entered.append(None)
            inner.append(runs([written.inputs[0] * 2])[0])
        return array.copy()

    y = written.call("exp", x)
    written.returns(written.call("mul", written.call(again, y, kind=OPAQUE), y))
    runs = executor(planned(written.improved()))
    entered.append(None)
    (outer,) = runs(written.inputs)
    np.testing.assert_allclose(outer, np.exp(written.inputs[0]) ** 2, rtol=1e-5)
    np.testing.assert_allclose(inner[0], np.exp(written.inputs[0] * 2) ** 2, rtol=1e-5)


# random programs

UNARY = ("tanh", "exp", "neg", "sin", "relu", "sigmoid", "abs", "square")
BINARY = ("add", "sub", "mul", "maximum")


def random_program(seed):
    """A program of elementwise functions, sums, products and views on a few shapes."""
    rng = np.random.default_rng(seed)
    written = Written()
    dtype = DTYPES[seed % 2]
    sizes = rng.integers(1, 9, 3).tolist() if seed % 3 else [24, 1, 40]
    values = [
        written.input(normal(*shape, dtype=dtype, seed=i))
        for i, shape in enumerate([(sizes[0], sizes[1]), (sizes[1], sizes[2]), (sizes[2],), (sizes[0], sizes[1]), ()])
    ]
    for _ in range(int(rng.integers(4, 30))):
        x, y = (values[int(rng.integers(len(values)))] for _ in range(2))
        way = rng.integers(6)
        if way == 0:
            values.append(written.call(UNARY[rng.integers(len(UNARY))], x))
        elif way in (1, 2):
            try:
                np.broadcast_shapes(x.shape, y.shape)
            except ValueError:
                continue
            values.append(written.call(BINARY[rng.integers(len(BINARY))], x, y))
        elif way == 3 and len(x.shape) == 2:
            values.append(written.call("sum_dims", x, (int(rng.integers(2)),), bool(rng.integers(2)), None))
        elif way == 4 and len(x.shape) == 2:
            values.append(written.call("permute", x, (1, 0)))
        elif way == 5:
            fits = [v for v in values if len(v.shape) == 2 and len(x.shape) == 2 and v.shape[0] == x.shape[1]]
            if fits:
                scaled = written.call("tanh", written.call("mm", x, fits[int(rng.integers(len(fits)))]))
                values.append(scaled)
        if np.abs(written.arrays[values[-1]]).max(initial=0) > 50:
            values.append(written.call("tanh", values.pop()))
    picks = sorted({int(i) for i in rng.integers(0, len(values), 3)} | {len(values) - 1})
    return written.returns(*[values[i] for i in picks])


@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed):
    written = random_program(seed)
    with np.errstate(all="ignore"):
        written.check(2000)


def test_results_of_calls_are_let_go_after_their_last_use(written):
    """A plan holds no more of them at a time than the function did."""
    made, alive = [], []

    def larger(array):
        alive.append(sum(one() is not None for one in made))
        made.append(weakref.ref(found := np.sort(array) + 1))
        return found

    x = written.input(normal(50))
    first = written.call(larger, x)
    third = written.call(larger, written.call(larger, first))
    written.returns(written.call("add", third, x), written.call(np.sort, first))
    plan = planned(written.improved())
    for runs in (Executor(plan), executor(plan)):
        made.clear()
        alive.clear()
        runs([normal(50)])
        assert alive[:2] == [0, 1]
        assert alive[2] <= 2
        assert not any(one() is not None for one in made)


@pytest.mark.parametrize("order", [(0, 3, 1, 2), (1, 2, 3, 0), (3, 2, 1, 0)])
def test_results_of_calls_stay_as_they_lie(order, written):
    """What reads them gets them so, without a copy."""
    given = []

    def laid(array):
        return np.ascontiguousarray(array.transpose(order)).transpose(np.argsort(order))

    def read(array):
        given.append(array)
        return np.sort(array, 0)

    x = written.input(normal(2, 3, 4, 5))
    y = written.call(laid, x)
    written.returns(y, written.call(read, written.call("tanh", y)), written.call("mul", y, x))
    plan = written.check(8)
    given.clear()
    for runs in (Executor(plan), executor(plan)):
        runs([normal(2, 3, 4, 5)])
    assert {one.strides for one in given} == {laid(np.empty((2, 3, 4, 5), np.float32)).strides}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("step", [1, 3])
def test_large_matrices_by_vectors(dtype, turned, step, written):
    a = written.input(normal(200, 90, dtype=dtype) if turned else normal(90, 200, dtype=dtype))
    a = written.call("permute", a, (1, 0)) if turned else a
    x = written.call(lambda array: array[:, :1], written.input(normal(200, step, dtype=dtype)), kind="view")
    row = written.call(lambda array: array[:, :1].T, written.input(normal(90, step, dtype=dtype)), kind="view")
    start = written.input(normal(90, 1, dtype=dtype))
    column = written.call("mm", a, x)
    written.returns(column, written.call("add", written.call("mm", a, x), start), written.call("mm", row, a))
    written.check(8)
