"""What each pass makes of small programs: kinds and numbers of nodes, and values that stay what they were."""

from collections import Counter

import numpy as np
import pytest
from compiler.writing import Written, normal

from rushlight.compiler.calls import Apart
from rushlight.compiler.fusion import instructions
from rushlight.ops.table import TABLE


def counted(graph):
    return Counter(node.detail[0].__name__ if node.kind == "apply" else node.kind for node in graph.live())


@pytest.fixture
def written():
    return Written()


def elementwise(written, build, *shapes):
    """A program that gives one elementwise result of inputs of some shapes."""
    values = [written.input(normal(*shape, seed=i)) for i, shape in enumerate(shapes or ((4, 3),))]
    return written.returns(build(*values))


IDENTITIES = {
    "x * 1": (lambda w, x: w.call("mul", x, 1), {}),
    "x * -1": (lambda w, x: w.call("mul", x, -1), {"negative": 1}),
    "--x": (lambda w, x: w.call("neg", w.call("neg", x)), {}),
    "x - 0": (lambda w, x: w.call("sub", x, 0), {}),
    "x / 1": (lambda w, x: w.call("div", x, 1), {}),
    "x / 4 is a product": (lambda w, x: w.call("div", x, 4), {"multiply": 1}),
    "x + x": (lambda w, x: w.call("add", x, x), {"multiply": 1}),
    "x + -y": (lambda w, x: w.call("add", x, w.call("neg", w.call("tanh", x))), {"tanh": 1, "subtract": 1}),
    "x ** 1": (lambda w, x: w.call("pow", x, 1), {}),
    "-x * -x": (lambda w, x: w.call("mul", w.call("neg", x), w.call("neg", x)), {"multiply": 1}),
    "the same twice": (lambda w, x: w.call("mul", w.call("tanh", x), w.call("tanh", x)), {"tanh": 1, "multiply": 1}),
    "x * y and y * x": (
        lambda w, x: w.call("sub", w.call("mul", x, w.call("exp", x)), w.call("mul", w.call("exp", x), x)),
        {"exp": 1, "multiply": 1, "subtract": 1},
    ),
    "twice transposed": (lambda w, x: w.call("permute", w.call("permute", x, (1, 0)), (1, 0)), {}),
}


@pytest.mark.parametrize("name", IDENTITIES)
def test_arithmetic_that_need_not_be_done(name, written):
    build, expected = IDENTITIES[name]
    elementwise(written, lambda x: build(written, x))
    found = counted(written.improved())
    assert {kind: n for kind, n in found.items() if kind not in ("input", "constant", "copy")} == expected
    written.check()


@pytest.mark.parametrize("number", [0.0, -0.0, np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("name", IDENTITIES)
def test_it_holds_for_special_numbers(name, number, written):
    x = written.input(np.full((4, 3), number, np.float32))
    value = IDENTITIES[name][0](written, x)
    sign = written.call("copysign", written.constant(np.ones((4, 3), np.float32)), value)
    written.returns(value, *([] if np.isnan(number) else [sign]))
    if "--x" in name or "x * 1" in name or np.isfinite(number):
        written.check()
    else:
        written.returns(value).check()


def test_adding_a_positive_zero_is_done(written):
    """-0 + 0 is 0."""
    elementwise(written, lambda x: written.call("add", x, 0))
    assert counted(written.improved())["add"] == 1


def test_constants_are_computed_beforehand(written):
    one = written.constant(np.array(1, np.float32))
    elementwise(written, lambda x: written.call("mul", x, written.call("exp", one)))
    assert counted(written.improved()) == {"input": 1, "constant": 1, "multiply": 1}
    written.check()


def test_what_nothing_asks_for_is_left_out(written):
    x = written.input(normal(4, 3))
    written.call("exp", x)
    assert counted(written.returns(written.call("tanh", x)).improved()) == {"input": 1, "tanh": 1}


def test_a_function_of_an_expanded_array_is_computed_once(written):
    x = written.input(normal(1, 3))
    wide = written.call("expand", x, (5, 3))
    written.returns(written.call("tanh", wide), written.call("sum_dims", wide, (0,), False, None))
    kinds = counted(written.improved())
    assert kinds["reduce"] == 0
    assert [node.shape for node in written.improved().live() if node.kind == "apply"] == [(1, 3), (3,)]
    written.check()


def test_a_product_with_equal_rows_is_of_one_row(written):
    a, b = written.input(normal(1, 3)), written.input(normal(3, 4))
    written.returns(written.call("mm", written.call("expand", a, (6, 3)), b))
    (product,) = [node for node in written.improved().live() if node.kind == "product"]
    assert product.shape == (1, 4)
    written.check()


def test_a_product_with_ones_is_a_sum(written):
    ones = written.constant(np.array(1, np.float32))
    x = written.input(normal(8, 4))
    written.returns(written.call("mm", written.call("expand", ones, (1, 8)), x))
    found = counted(written.improved())
    assert (found["product"], found["reduce"]) == (0, 1)
    written.check()


def test_a_common_factor(written):
    a, b, c = (written.input(normal(4, 4, seed=i)) for i in range(3))
    written.returns(written.call("add", written.call("mm", a, c), written.call("mm", b, c)))
    found = counted(written.improved())
    assert (found["product"], found["add"]) == (1, 1)
    written.check(8)


def test_a_product_that_is_used_elsewhere_stays(written):
    a, b, c = (written.input(normal(4, 4, seed=i)) for i in range(3))
    first = written.call("mm", a, c)
    written.returns(written.call("add", first, written.call("mm", b, c)), first)
    assert counted(written.improved())["product"] == 2
    written.check(8)


def test_what_is_added_to_a_product(written):
    a, b, bias = written.input(normal(4, 5)), written.input(normal(3, 5)), written.input(normal(3))
    written.returns(written.call("linear", a, b, bias))
    (product,) = [node for node in written.improved().live() if node.kind == "product"]
    assert len(product.inputs) == 3
    written.check(8)


def test_a_column_and_a_row(written):
    a, b = written.input(normal(4, 1)), written.input(normal(1, 3))
    written.returns(written.call("mm", a, b))
    assert counted(written.improved()) == {"input": 2, "multiply": 1}
    written.check()


def test_a_transposed_product(written):
    a, b, c = written.input(normal(4, 5)), written.input(normal(5, 3)), written.input(normal(3, 4))
    written.returns(written.call("add", written.call("permute", written.call("mm", a, b), (1, 0)), c))
    assert [node.shape for node in written.improved().live() if node.kind == "product"] == [(3, 4)]
    written.check(8)


def test_a_transposed_product_that_is_returned_stays(written):
    a, b = written.input(normal(4, 5)), written.input(normal(5, 3))
    written.returns(written.call("permute", written.call("mm", a, b), (1, 0)))
    graph = written.improved()
    assert [node.shape for node in graph.live() if node.kind == "product"] == [(4, 3)]
    assert graph.outputs[0].detail == (0, written.program.outputs[0].strides)
    written.check(8)


def test_transposed_products_of_a_batch(written):
    a, b = written.input(normal(2, 3, 4, 5)), written.input(normal(2, 3, 5, 6))
    c = written.input(normal(2, 3, 6, 4))
    written.returns(written.call("add", written.call("permute", written.call("bmm", a, b), (0, 1, 3, 2)), c))
    assert [node.shape for node in written.improved().live() if node.kind == "product"] == [(2, 3, 6, 4)]
    written.check(8)


def test_functions_and_sums_of_a_turned_array_go_along_its_memory(written):
    x, bias = written.input(normal(2, 3, 4)), written.input(normal(2, 1))
    turned = written.call("permute", x, (2, 0, 1))
    scaled = written.call("mul", written.call("tanh", turned), bias)
    written.returns(*[written.call("sum_dims", scaled, dims, False, None) for dims in ((0,), (2, 1))], scaled)
    nodes = written.improved().live()
    assert {node.shape for node in nodes if node.kind == "apply"} == {(2, 3, 4)}
    assert [node.detail[1] for node in nodes if node.kind == "reduce"] == [(2,), (0, 1)]
    written.check(8)


@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 4)])
def test_rows_by_a_matrix_are_a_product(shape, written):
    a, b = written.input(normal(*shape)), written.input(normal(5, 4))
    written.returns(written.call(lambda x, y: x.dot(y.T), a, b))
    assert [node.kind for node in written.improved().live() if node.kind in ("call", "product")] == ["product"]
    written.check(8)


def test_what_may_be_its_argument_is_no_call(written):
    x, y = written.input(normal(4, 3)), written.input(normal(4, 3))
    written.returns(written.call("tanh", written.call(Apart(TABLE["tied"].forward), x, y)))
    assert counted(written.improved()) == {"input": 2, "tanh": 1}
    written.check()


def recurrent(steps):
    """A sum of outer products of what a loop computes, each from a product of one matrix with a row of the input."""
    written = Written()
    inputs, weight = written.input(normal(steps, 3)), written.input(normal(4, 3))
    total = None
    for row in written.call("unbind", inputs, 0):
        driven = written.call("tanh", written.call("mv", weight, row))
        outer = written.call("outer", driven, row)
        total = outer if total is None else written.call("add", total, outer)
    return written.returns(total)


def test_outer_products_and_products_with_one_matrix_are_gathered():
    written = recurrent(6)
    found = counted(written.improved())
    assert (found["product"], found["stack"], found["add"]) == (2, 1, 0)
    written.check(8)


def test_few_outer_products_stay():
    written = recurrent(3)
    assert counted(written.improved())["stack"] == 0
    written.check(8)


# groups


def groups(written):
    return [[node.kind for node in one.nodes] for one in instructions(written.improved())]


def test_a_chain_is_one_group(written):
    elementwise(written, lambda x: written.call("sin", written.call("mul", written.call("exp", x), 2)))
    assert groups(written) == [["apply"] * 3]


def test_a_sum_is_part_of_its_group(written):
    x = written.input(normal(4, 3))
    y = written.call("exp", x)
    written.returns(y, written.call("sum", y), written.call("sum_dims", y, (1,), True, None))
    assert groups(written) == [["apply", "reduce", "reduce"]]
    written.check()


def test_what_needs_the_whole_sum_is_another_group(written):
    x = written.input(normal(4, 3))
    y = written.call("exp", x)
    whole = written.call("div", y, written.call("sum_dims", y, (1,), True, None))
    written.returns(written.call("mul", whole, y))
    assert len(groups(written)) == 2
    written.check()


def test_what_needs_the_transposed_values_is_another_group(written):
    x = written.input(normal(3, 3))
    y = written.call("exp", x)
    written.returns(written.call("mul", written.call("permute", y, (1, 0)), y))
    assert len(groups(written)) == 2
    written.check()


def test_no_group_needs_itself_through_a_product(written):
    x = written.input(normal(3, 3))
    y = written.call("exp", x)
    written.returns(written.call("add", y, written.call("tanh", written.call("mm", y, y))))
    kinds = groups(written)
    assert kinds[1] == ["product"]
    written.check(8)
