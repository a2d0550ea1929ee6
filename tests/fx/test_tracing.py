"""Graphs of programs: what they say, that they compute the same, and what cannot be traced."""

import copy
import math
import pickle

import pytest

import rushlight as torch
from rushlight import fx, nn
from rushlight.fx.passes.shape_prop import ShapeProp
from rushlight.nn import functional as F


class Block(nn.Module):
    """Layers, a parameter, a buffer, an attribute and a constant made on the way."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 4)
        self.weight = nn.Parameter(torch.ones(4))
        self.register_buffer("shift", torch.zeros(4))
        self.constant = torch.ones(4)
        self.tail = nn.Sequential(nn.ReLU(), nn.Linear(4, 2))

    def forward(self, x, scale: float = 2.0, *, flag=None):
        y = self.linear(x) + self.weight * scale
        y = torch.sigmoid(y) + self.shift + self.constant + torch.ones(4)
        y = torch.cat([y, y], dim=1)[:, :4].view(x.size(0), -1)
        first, second = torch.chunk(y, 2, dim=1)
        return {"tail": self.tail(y), "parts": [first, (second, None)], "rest": (-y, 1 - y, y**2, y.shape[0])}


CODE = """
def forward(self, x, scale : float = 2.0, flag = None):
    linear = self.linear(x)
    weight = self.weight
    mul = weight * scale;  weight = scale = None
    add = linear + mul;  linear = mul = None
    sigmoid = torch.sigmoid(add);  add = None
    shift = self.shift
    add_1 = sigmoid + shift;  sigmoid = shift = None
    constant = self.constant
    add_2 = add_1 + constant;  add_1 = constant = None
    _tensor_constant0 = self._tensor_constant0
    add_3 = add_2 + _tensor_constant0;  add_2 = _tensor_constant0 = None
    cat = torch.cat([add_3, add_3], dim = 1);  add_3 = None
    getitem = cat[(slice(None, None, None), slice(None, 4, None))];  cat = None
    size = x.size(0);  x = None
    view = getitem.view(size, -1);  getitem = size = None
    chunk = torch.chunk(view, 2, dim = 1)
    getitem_1 = chunk[0]
    getitem_2 = chunk[1];  chunk = None
    tail_0 = getattr(self.tail, "0")(view)
    tail_1 = getattr(self.tail, "1")(tail_0);  tail_0 = None
    neg = -view
    sub = 1 - view
    pow_1 = view ** 2
    getattr_1 = view.shape;  view = None
    getitem_3 = getattr_1[0];  getattr_1 = None
    return {'tail': tail_1, 'parts': [getitem_1, (getitem_2, None)], 'rest': (neg, sub, pow_1, getitem_3)}
"""  # what PyTorch 2.13 writes


def agree(found, wanted):
    torch.testing.assert_close(found["tail"], wanted["tail"])
    torch.testing.assert_close(found["parts"][1][0], wanted["parts"][1][0])
    assert found["rest"][3] == wanted["rest"][3]


def test_code_is_that_of_pytorch():
    assert fx.symbolic_trace(Block()).code.strip() == CODE.strip()


def test_code_in_pytorch_itself():
    """The same program, traced live."""
    theirs = pytest.importorskip("torch")
    scope = {"torch": theirs, "nn": theirs.nn}
    exec(compile(source_of_block(), "<block>", "exec"), scope)
    assert theirs.fx.symbolic_trace(scope["Block"]()).code.strip() == CODE.strip()


def source_of_block():
    import inspect

    return inspect.getsource(Block)


@pytest.mark.parametrize("form", ["itself", "copied", "pickled", "transformed", "interpreted"])
def test_graphs_compute_what_programs_do(form):
    torch.manual_seed(0)
    block, x = Block(), torch.randn(5, 3)
    wanted = block(x)
    traced = fx.symbolic_trace(block)
    if form == "copied":
        traced = copy.deepcopy(traced)
        block.weight.data.zero_()  # the copy has parameters of its own
    elif form == "pickled":
        traced = pickle.loads(pickle.dumps(traced))
        assert traced.forward.__globals__["torch"] is torch
    elif form == "transformed":
        traced = fx.Transformer(traced).transform()
    agree(fx.Interpreter(traced).run(x) if form == "interpreted" else traced(x), wanted)
    assert type(traced).__name__ in ("Block", "GraphModule")


def test_gradients_go_through_graphs():
    block = Block()
    traced = fx.symbolic_trace(block)
    traced(torch.ones(2, 3))["tail"].sum().backward()
    assert traced.weight is block.weight
    assert block.weight.grad.shape == (4,)


def test_printed_graph():
    def function(x, n: int = 2):
        return torch.relu(x).reshape((n, -1)).add(x, alpha=2)

    assert str(fx.symbolic_trace(function).graph).splitlines() == [
        "graph():",
        "    %x : [num_users=2] = placeholder[target=x]",
        "    %n : int [num_users=1] = placeholder[target=n](default=2)",
        "    %relu : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})",
        "    %reshape : [num_users=1] = call_method[target=reshape](args = (%relu, (%n, -1)), kwargs = {})",
        "    %add : [num_users=1] = call_method[target=add](args = (%reshape, %x), kwargs = {alpha: 2})",
        "    return add",
    ]


def helper(x, n):
    return x * n if n > 1 else x  # nothing that can be traced through


fx.wrap("helper")
fx.wrap("len")


def test_wrapped_functions_and_those_of_math_are_steps():
    def function(x):
        return helper(x, x.shape[0]) + len(x) + math.sqrt(x.shape[0])

    traced = fx.symbolic_trace(function)
    called = [node.target for node in traced.graph.nodes if node.op == "call_function"]
    assert helper in called
    assert len in called
    assert math.sqrt in called
    assert 'wrap("' in traced.code
    assert traced(torch.ones(4)).tolist() == [10.0] * 4
    assert function(torch.ones(4)).tolist() == [10.0] * 4, "all is as it was"


@pytest.mark.parametrize(
    ("program", "error", "said"),
    [
        (lambda x: x if x.sum() > 0 else -x, fx.proxy.TraceError, "cannot be used as inputs to control flow"),
        (lambda x: [-row for row in x], fx.proxy.TraceError, "Proxy object cannot be iterated"),
        (lambda x: torch.cat(*x), fx.proxy.TraceError, "Proxy object cannot be iterated"),
        (lambda x: x + {x.sum(): 1}, RuntimeError, "Keys for dictionaries"),
        (lambda x: x.foo(object()), NotImplementedError, "argument of type: <class 'object'>"),
    ],
)
def test_what_cannot_be_traced(program, error, said):
    with pytest.raises(error, match=said):
        fx.symbolic_trace(program)
    assert not fx._symbolic_trace.is_fx_tracing()
    assert nn.Linear(2, 1)(torch.ones(1, 2)).shape == (1, 1), "modules are called as ever"


def test_values_given_to_the_trace():
    traced = fx.symbolic_trace(
        lambda a, b, c=None: a * 2 if b and c is None else a, concrete_args={"b": True, "c": None}
    )
    assert "torch._assert(eq, 'b has been specialized to have value True but got another value')" in traced.code
    assert traced(torch.ones(1), True, None).item() == 2
    with pytest.raises(AssertionError, match="b has been specialized"):
        traced(torch.ones(1), False, None)


def test_starred_arguments():
    def function(first, *rest, **more):
        return first + rest[0] + more["third"]

    traced = fx.symbolic_trace(function)
    assert traced(torch.ones(1), torch.ones(1), third=2).item() == 4


def test_graphs_by_hand():
    graph = fx.Graph()
    x = graph.placeholder("x")
    weight = graph.get_attr("inner.weight")
    product = graph.call_function(torch.mul, (x, weight))
    graph.output(graph.call_module("layer", (product,)))
    graph.lint()
    made = fx.GraphModule({"inner.weight": torch.tensor(3.0), "layer": nn.ReLU()}, graph)
    assert made(torch.tensor(-1.0)).item() == 0
    assert made(torch.tensor(1.0)).item() == 3
    with graph.inserting_after(product):
        negative = graph.call_method("neg", (product,))
    product.replace_all_uses_with(negative, delete_user_cb=lambda user: user is not negative)
    made.recompile()
    assert made(torch.tensor(-1.0)).item() == 3
    with pytest.raises(RuntimeError, match="still had 1 users"):
        graph.erase_node(product)
    with pytest.raises(NotImplementedError, match="does not support mutation"):
        graph.call_function(torch.cat, ([x, x],)).args[0].append(x)
    x.append(weight)
    assert [node.name for node in graph.nodes][:2] == ["x", "inner_weight"]
    broken = fx.Graph()
    broken.output(broken.get_attr("gone"))
    with pytest.raises(RuntimeError, match="referenced target gone"):
        fx.GraphModule({}, broken)


def test_lint_finds_what_is_out_of_order():
    graph = fx.symbolic_trace(lambda x: torch.exp(x) + 1).graph
    exp, add = [node for node in graph.nodes if node.op == "call_function"]
    add.append(exp)
    with pytest.raises(RuntimeError, match="was used before it has been defined"):
        graph.lint()


def test_dead_code_goes_and_random_numbers_stay():
    def function(x):
        torch.exp(x)
        F.dropout(x)
        x.add_(1)
        return x * 2

    traced = fx.symbolic_trace(function)
    assert traced.graph.eliminate_dead_code()
    assert [node.name for node in traced.graph.nodes] == ["x", "dropout", "mul", "output"]


@pytest.mark.parametrize(
    ("program", "pattern", "replacement", "count"),
    [
        (lambda x: torch.relu(x.sin()) + 1, lambda x: torch.relu(x) + 1, lambda x: torch.sigmoid(x), 1),
        (lambda x: (x + 1).exp() + (x * 2 + 1).exp(), lambda x: (x + 1).exp(), lambda x: x.cos(), 2),
        (
            lambda x, y: torch.cat([x, y]).sum() + torch.cat([y, x]).sum(),
            lambda a, b: torch.cat([a, b]).sum(),
            lambda a, b: a.sum() * b.sum(),
            2,
        ),
        (lambda x: torch.add(x, x) * 3, lambda x, y: torch.add(x, y), lambda x, y: x - y, 1),
        (lambda x: x.exp().log(), lambda x: x.exp().sin(), lambda x: x, 0),
        (lambda x: torch.exp(x) + torch.exp(x).log(), lambda x: torch.exp(x), lambda x: torch.tanh(x), 2),
    ],
)
def test_patterns_are_replaced(program, pattern, replacement, count):
    traced = fx.symbolic_trace(program)
    assert len(fx.replace_pattern(traced, pattern, replacement)) == count
    traced.graph.lint()
    arguments = [torch.tensor([0.3, 0.7])] * len(traced.graph.find_nodes(op="placeholder"))
    source = fx.symbolic_trace(program)
    assert (traced(*arguments) - source(*arguments)).abs().sum().item() > 0 or count == 0


def test_a_replacement_stands_before_the_first_user():
    def program(x, a, b):
        first, second = torch.cat([a, b]).sum(), torch.cat([a, b]).sum()
        return x + torch.max(first) + torch.max(second), torch.cat([b, a]).sum()

    traced = fx.symbolic_trace(program)
    fx.replace_pattern(traced, lambda a, b: torch.cat([a, b]).sum(), lambda a, b: torch.stack([a, b]).amax())
    names = "x a b stack amax max_1 add stack_1 amax_1 max_2 add_1 stack_2 amax_2 output"  # as in PyTorch
    assert [node.name for node in traced.graph.nodes] == names.split()


def test_interpreters_and_shapes():
    class Counting(fx.Interpreter):
        calls = 0

        def run_node(self, n):
            self.calls += 1
            return super().run_node(n)

    traced = fx.symbolic_trace(Block())
    counting = Counting(traced)
    counting.run(torch.ones(2, 3))
    assert counting.calls == len(traced.graph.nodes)
    assert not [value for node, value in counting.env.items() if node.op == "call_function" and node.name == "mul"]
    ShapeProp(traced).propagate(torch.ones(2, 3))
    shapes = {node.name: node.meta["tensor_meta"].shape for node in traced.graph.nodes if node.name in ("cat", "view")}
    assert shapes == {"cat": (2, 8), "view": (2, 4)}
    with pytest.raises(ZeroDivisionError) as caught:
        fx.Interpreter(fx.symbolic_trace(lambda x: x.shape[0] / (x.shape[0] - 2))).run(torch.ones(2))
    assert "While executing %truediv" in caught.value.__notes__[0]


def test_tracers_choose_their_leaves():
    class Deep(fx.Tracer):
        def is_leaf_module(self, m, module_qualified_name):
            return isinstance(m, nn.ReLU)

    block = Block()
    graph = Deep().trace(block)
    assert [node.target for node in graph.nodes if node.op == "call_module"] == ["tail.0"]
    assert "linear.weight" in [node.target for node in graph.nodes if node.op == "get_attr"]
    x = torch.ones(2, 3)
    agree(fx.GraphModule(block, graph)(x), block(x))


def test_modules_of_graphs_change_what_is_in_them():
    traced = fx.symbolic_trace(Block())
    assert traced.add_submodule("new.inner", nn.ReLU())
    assert isinstance(traced.get_submodule("new.inner"), nn.ReLU)
    traced.delete_all_unused_submodules()
    assert "new" not in dict(traced.named_modules())
    assert {"linear", "tail.0", "tail.1"} <= set(dict(traced.named_modules()))
    assert traced.delete_submodule("linear")
    assert not traced.delete_submodule("linear")
