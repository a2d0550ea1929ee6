"""Custom functions: what `forward` and `backward` are given, what they may return, and the errors for the rest."""

import gc
import weakref
from importlib import import_module

import pytest


def leaf(torch, *values):
    return torch.tensor(list(values), requires_grad=True)


def function(torch, forward, backward=None, setup_context=None, **members):
    """A subclass of Function, named Fn, with these static methods."""
    given = {"forward": forward, "backward": backward, "setup_context": setup_context}
    members |= {name: staticmethod(f) for name, f in given.items() if f is not None}
    return type("Fn", (torch.autograd.Function,), members)


def double(ctx, x):
    return x * 2


def gradient(torch, fn, *args):
    """The gradient of the sum of what a function gives for [1, 2]."""
    x = leaf(torch, 1.0, 2.0)
    y = fn.apply(x, *args)
    (y[0] if isinstance(y, tuple) else y).sum().backward()
    return None if x.grad is None else x.grad.tolist()


def test_ctx_in_forward(torch):
    def forward(ctx, x, n):
        ctx.n = n
        ctx.save_for_backward(x)
        return x**n

    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * ctx.n * x ** (ctx.n - 1), None

    assert gradient(torch, function(torch, forward, backward), 3) == [3, 12]


def test_ctx_takes_any_attribute(torch):
    names = ["inputs", "outputs", "saved", "op", "plan", "run", "edges", "flags", "hooks", "places", "results", "ctx"]

    def forward(ctx, x):
        for name in names:
            assert not hasattr(ctx, name)
            setattr(ctx, name, name)
        return x * 2

    def backward(ctx, grad):
        assert [getattr(ctx, name) for name in names] == names
        return grad * 2

    assert gradient(torch, function(torch, forward, backward)) == [2, 2]
    y = function(torch, lambda ctx, x: setattr(ctx, "mine", 3) or x * 2, backward).apply(leaf(torch, 1.0))
    assert y.grad_fn.mine == 3
    with pytest.raises(AttributeError, match="'FnBackward' object has no attribute 'theirs'"):
        _ = y.grad_fn.theirs


def test_ctx_is_the_node_for_those_who_ask(torch):
    seen = []

    def backward(ctx, grad):
        seen.append((ctx.name(), ctx.next_functions[0][1], type(ctx).__name__))
        return grad

    gradient(torch, function(torch, double, backward))
    assert seen == [("FnBackward", 0, "FnBackward")]


def test_ctx_in_setup_context(torch):
    seen = []

    def setup(ctx, inputs, output):
        seen.append((len(inputs), inputs[1:], isinstance(output, torch.Tensor)))
        ctx.k = inputs[1] * inputs[2]

    fn = function(torch, lambda x, n, k=2: x * n * k, lambda ctx, grad: (grad * ctx.k, None, None), setup)
    assert gradient(torch, fn, 4) == [8, 8]
    assert fn.apply(leaf(torch, 1.0), n=4, k=5).item() == 20
    assert seen == [(3, (4, 2), True), (3, (4, 5), True)]


def test_keyword_arguments_reach_forward(torch):
    fn = function(torch, lambda ctx, x, n: x * n, lambda ctx, grad: grad)
    assert fn.apply(leaf(torch, 1.0), n=4).item() == 4


def test_names(torch):
    y = function(torch, double, lambda ctx, grad: grad).apply(leaf(torch, 1.0))
    assert y.grad_fn.name() == type(y.grad_fn).__name__ == "FnBackward"
    assert repr(y.grad_fn).startswith("<torch.autograd.function.FnBackward object at 0x")
    assert repr(y) == "tensor([2.], grad_fn=<FnBackward>)"
    assert isinstance(y.grad_fn, torch.autograd.graph.Node)


def test_forward_is_not_recorded_and_backward_neither(torch):
    modes = []

    def forward(ctx, x):
        modes.append(torch.is_grad_enabled())
        return x * 2

    def backward(ctx, grad):
        modes.append(torch.is_grad_enabled())
        return grad

    gradient(torch, function(torch, forward, backward))
    assert modes == [False, False]
    x = leaf(torch, 1.0)
    torch.autograd.grad(function(torch, forward, backward).apply(x), x, create_graph=True)
    assert modes[2:] == [False, True]


def test_vjp_is_another_name_of_backward(torch):
    assert gradient(torch, function(torch, double, vjp=staticmethod(lambda ctx, grad: grad * 7))) == [7, 7]
    both = function(torch, double, lambda ctx, grad: grad, vjp=staticmethod(lambda ctx, grad: grad))
    with pytest.raises(RuntimeError, match="Implementing both 'backward' and 'vjp'"):
        gradient(torch, both)


def test_missing_methods(torch):
    with pytest.raises(NotImplementedError, match="You must implement either the backward or vjp method"):
        gradient(torch, function(torch, double))
    with pytest.raises(NotImplementedError, match="You must implement the forward function"):
        gradient(torch, function(torch, None))


def test_functions_are_not_instantiated(torch):
    fn = function(torch, double)
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        instance = fn()
    with pytest.raises(RuntimeError, match="Legacy autograd function"):
        instance(leaf(torch, 1.0))


@pytest.mark.parametrize(
    ("backward", "message"),
    [
        (lambda ctx, g: g, r"function FnBackward returned an incorrect number of gradients \(expected 2, got 1\)"),
        (lambda ctx, g: (g, None, g), r"incorrect number of gradients \(expected 2, got 3\)"),
        (lambda ctx, g: (g, g), "function FnBackward returned a gradient different than None at position 2, but the"),
        (lambda ctx, g: (3.0, None), r"expected Variable or None \(got float\)"),
        (lambda ctx, g: (g.sum() + g.new_zeros(3), None),
         r"Function FnBackward returned an invalid gradient at index 0 - got \[3\]"),
        (lambda ctx, g: (g.new_zeros(1), None), r"got \[1\] but expected shape compatible with \[2\]"),
        (lambda ctx, g: (g * 1j, None), "Expected isFloatingType"),
    ],
)  # fmt: skip
def test_wrong_gradients(torch, backward, message):
    with pytest.raises(RuntimeError, match=message):
        gradient(torch, function(torch, lambda ctx, x, n: x * n, backward), 3)


def test_gradients_are_fitted(torch):
    assert gradient(torch, function(torch, double, lambda ctx, g: (g, None, None))) == [1, 1]
    assert gradient(torch, function(torch, double, lambda ctx, g: torch.ones(3, 2))) == [3, 3]
    assert gradient(torch, function(torch, double, lambda ctx, g: g.double())) == [1, 1]
    assert gradient(torch, function(torch, double, lambda ctx, g: None)) is None


def test_gradients_that_nobody_needs_are_not_looked_at(torch):
    fn = function(torch, lambda ctx, x, w: x * 2, lambda ctx, g: (g, torch.ones(7)))
    assert gradient(torch, fn, torch.ones(3)) == [1, 1]


def test_errors_in_backward_come_through(torch):
    def backward(ctx, grad):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        gradient(torch, function(torch, double, backward))


def test_needs_input_grad(torch):
    seen = []

    def backward(ctx, grad):
        seen.append(ctx.needs_input_grad)
        return grad, None, None

    gradient(torch, function(torch, lambda ctx, x, w, n: x * 2, backward), torch.ones(2), 3)
    assert seen == [(True, False, False)]


def test_without_recording(torch):
    x = leaf(torch, 1.0)
    with torch.no_grad():
        y = function(torch, double).apply(x)
    assert y.grad_fn is None
    assert function(torch, lambda ctx, n: n + 1).apply(3) == 4


# several outputs


def two(ctx, x):
    return x * 2, x * 3


def test_several_outputs(torch):
    x = leaf(torch, 1.0)
    a, b = function(torch, two, lambda ctx, g, h: g * 2 + h * 3).apply(x)
    assert (a.output_nr, b.output_nr) == (0, 1)
    assert a.grad_fn is b.grad_fn
    assert torch.autograd.grad((a * b).sum(), [x, a, b])[0].item() == 12


def test_missing_cotangents_are_zeros_or_none(torch):
    seen = []

    def backward(ctx, g, h):
        seen.append(h if h is None else h.tolist())
        return g

    gradient(torch, function(torch, two, backward))

    def unmaterialized(ctx, x):
        ctx.set_materialize_grads(False)
        return two(ctx, x)

    gradient(torch, function(torch, unmaterialized, backward))
    assert seen == [[0, 0], None]


def test_outputs_that_are_no_floating_point_tensors(torch):
    seen = []

    def forward(ctx, x):
        return x * 2, x.long(), 3, "text", None

    def backward(ctx, *grads):
        seen.extend(g if g is None else (g.tolist(), g.dtype) for g in grads)
        return grads[0]

    x = leaf(torch, 1.0)
    outputs = function(torch, forward, backward).apply(x)
    assert not outputs[1].requires_grad
    assert outputs[2:] == (3, "text", None)
    outputs[0].backward()
    assert seen == [([1], torch.float32), ([0], torch.int64), None, None, None]


def test_outputs_in_lists_are_not_recorded(torch):
    outputs = function(torch, lambda ctx, x: [x * 2], lambda ctx, g: g).apply(leaf(torch, 1.0))
    assert isinstance(outputs, list)
    assert not outputs[0].requires_grad


def test_tensors_in_lists_are_not_inputs(torch):
    assert not function(torch, lambda ctx, xs: xs[0] * 2).apply([leaf(torch, 1.0)]).requires_grad


def test_mark_non_differentiable(torch):
    seen = []

    def forward(ctx, x):
        a, b = x * 2, x * 3
        ctx.mark_non_differentiable(b)
        return a, b

    def backward(ctx, g, h):
        seen.append(h.tolist())
        return g

    x = leaf(torch, 1.0)
    a, b = function(torch, forward, backward).apply(x)
    assert not b.requires_grad
    a.backward()
    assert seen == [[0]]


def test_the_same_tensor_twice(torch):
    def forward(ctx, x):
        y = x * 2
        return y, y

    x = leaf(torch, 1.0)
    a, b = function(torch, forward, lambda ctx, g, h: g + 10 * h).apply(x)
    assert a is b
    (a + b).backward()
    assert x.grad.item() == 20


def test_a_backward_that_returns_nothing_passes_nothing_on(torch):
    seen = []

    def backward(ctx, grad):
        seen.append(grad.tolist())
        return grad

    x = leaf(torch, 1.0)
    inner = function(torch, double, backward).apply(x)
    function(torch, double, lambda ctx, g: None).apply(inner).backward()
    assert seen == [[0]]
    assert x.grad.tolist() == [0]


# outputs that are inputs, or views of them

VIEW_IN_FUNCTION = (
    "Output 0 of Fn is a view and is being modified inplace. This view was created inside a custom Function"
)


def test_an_input_that_is_returned(torch):
    x = leaf(torch, 1.0)
    y = function(torch, lambda ctx, x: x, lambda ctx, g: g * 5).apply(x)
    assert y is not x
    assert y.data_ptr() == x.data_ptr()
    assert y._is_view()
    y.backward()
    assert x.grad.item() == 5
    h = x * 1
    y = function(torch, lambda ctx, x: x, lambda ctx, g: g * 5).apply(h)
    with pytest.raises(RuntimeError, match=VIEW_IN_FUNCTION):
        y.add_(1)


def test_an_input_that_is_returned_and_saved(torch):
    def setup(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])

    with pytest.raises(
        RuntimeError, match="An input that has been returned as-is as output is being saved for backward"
    ):
        function(torch, lambda x: x, lambda ctx, g: g, setup).apply(leaf(torch, 1.0))


def test_without_recording_a_returned_input_is_another_tensor(torch):
    x = leaf(torch, 1.0)
    with torch.no_grad():
        y = function(torch, lambda ctx, x: x).apply(x)
    assert y is not x
    assert not y.requires_grad


def test_views_of_inputs(torch):
    x = leaf(torch, 1.0, 2.0)
    h = x * 1
    y = function(torch, lambda ctx, x: x.view(2, 1), lambda ctx, g: g.view(2) * 5).apply(h)
    y.sum().backward()
    assert x.grad.tolist() == [5, 5]
    with pytest.raises(RuntimeError, match=VIEW_IN_FUNCTION):
        y.add_(1)
    h.add_(1)
    with pytest.raises(
        RuntimeError, match="Output 0 of Fn is a view and its base or another view of its base has been"
    ):
        _ = y.grad_fn


def test_several_views(torch):
    h = leaf(torch, 1.0, 2.0) * 1
    a, _ = function(torch, lambda ctx, x: (x[:1], x[1:]), lambda ctx, g, h: torch.cat([g, h])).apply(h)
    with pytest.raises(
        RuntimeError, match=r"Output 0 of Fn is a view and is being modified inplace\. This view is the output"
    ):
        a.add_(1)


# changes in place


def triple_(ctx, x, *others):
    x.mul_(3)
    ctx.mark_dirty(x)
    return x


def test_mark_dirty(torch):
    x = leaf(torch, 1.0)
    h = x * 1
    y = function(torch, triple_, lambda ctx, g: g * 3).apply(h)
    assert y is h
    assert h.grad_fn.name() == "FnBackward"
    y.backward()
    assert x.grad.item() == 3


def test_mark_dirty_is_seen_by_others(torch):
    h = leaf(torch, 1.0) * 1
    z = h * h
    function(torch, triple_, lambda ctx, g: g * 3).apply(h)
    with pytest.raises(
        RuntimeError, match=r"modified by an inplace operation: .* which is output 0 of Fn, is at version 2"
    ):
        z.backward()


def test_a_dirty_input_that_did_not_require_grad(torch):
    x, w = torch.ones(1), leaf(torch, 5.0)
    y = function(torch, triple_, lambda ctx, g: (None, g * 3)).apply(x, w)
    assert y is x
    assert x.requires_grad
    y.backward()
    assert w.grad.item() == 3


def test_a_dirty_view_changes_its_base(torch):
    x = leaf(torch, 1.0, 2.0)
    h = x * 1
    function(torch, triple_, lambda ctx, g: g * 3).apply(h[:1])
    h.sum().backward()
    assert x.grad.tolist() == [3, 1]
    assert h.tolist() == [3, 2]


def test_a_dirty_output_can_be_saved(torch):
    def forward(ctx, x):
        x.exp_()
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        return x

    x = leaf(torch, 0.0)
    function(torch, forward, lambda ctx, g: g * ctx.saved_tensors[0]).apply(x * 1).backward()
    assert x.grad.item() == 1


def test_wrong_uses_of_mark_dirty(torch):
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad has been used in an in-place operation"):
        function(torch, triple_, lambda ctx, g: g).apply(leaf(torch, 1.0))
    h = leaf(torch, 1.0, 2.0) * 1
    with pytest.raises(RuntimeError, match="Some elements marked as dirty during the forward method were not returned"):
        function(torch, lambda ctx, x: triple_(ctx, x) * 1, lambda ctx, g: g).apply(h)
    with pytest.raises(
        RuntimeError, match="If your Function modifies inplace an input that is a view of another Tensor"
    ):
        function(torch, lambda ctx, x: (triple_(ctx, x), x * 2), lambda ctx, g, h: g).apply(h[:1])

    def marks_result(ctx, x):
        y = x * 2
        ctx.mark_dirty(y)
        return y

    with pytest.warns(UserWarning, match=r"ctx.mark_dirty\(\) received a tensor that was not an input"):
        function(torch, marks_result, lambda ctx, g: g).apply(h)


# saved tensors


def cube(ctx, x):
    ctx.save_for_backward(x)
    return x**3


def cube_backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return 3 * grad * x**2


def test_saved_inputs_are_the_tensors_themselves(torch):
    x = leaf(torch, 1.0)
    y = function(torch, cube, cube_backward).apply(x)
    assert y.grad_fn.saved_tensors[0] is x


def test_none_can_be_saved_and_others_cannot(torch):
    def forward(ctx, x, what):
        ctx.save_for_backward(what, x)
        return x * 2

    fn = function(torch, forward, lambda ctx, g: (g, None))
    x = leaf(torch, 1.0)
    assert fn.apply(x, None).grad_fn.saved_tensors[0] is None
    with pytest.raises(TypeError, match="save_for_backward can only save variables, but argument 0 is of type int"):
        fn.apply(x, 3)


def test_saved_tensors_are_freed(torch):
    x = leaf(torch, 1.0)
    y = function(torch, cube, cube_backward).apply(x)
    y.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        _ = y.grad_fn.saved_tensors
    y = function(torch, double, lambda ctx, g: g).apply(x)
    y.backward()
    y.backward()
    assert x.grad.item() == 5


def test_changed_saved_tensors(torch):
    h = leaf(torch, 1.0) * 1
    y = function(torch, cube, cube_backward).apply(h)
    h.add_(1)
    with pytest.raises(RuntimeError, match=r"has been modified by an inplace operation: .*, which is output 0 of Add"):
        y.backward()

    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    y = function(torch, forward, lambda ctx, g: g * ctx.saved_tensors[0]).apply(h)
    y.add_(1)
    with pytest.raises(RuntimeError, match=r"has been modified by an inplace operation: .*, which is output 0 of Fn"):
        y.backward()


def test_saved_outputs_make_no_cycle(torch):
    class Token:
        pass

    seen = []

    def forward(ctx, x):
        ctx.token = Token()
        seen.append(weakref.ref(ctx.token))
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    y = function(torch, forward).apply(leaf(torch, 1.0))
    gc.collect()
    gc.disable()
    try:
        assert seen[0]() is not None
        del y
        assert seen[0]() is None
    finally:
        gc.enable()


def test_hooks_on_saved_tensors(torch):
    x = leaf(torch, 2.0)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 10, lambda t: t / 5):
        y = function(torch, cube, cube_backward).apply(x)
    y.backward()
    assert x.grad.item() == 3 * 4**2
    x.grad = None
    y = function(torch, cube, cube_backward).apply(x)
    y.grad_fn._raw_saved_tensors[0].register_hooks(lambda t: t * 10, lambda t: t / 5)
    y.backward()
    assert x.grad.item() == 3 * 4**2


def test_clear_saved_tensors_on_access(torch):
    fn = function(torch, cube, cube_backward, clear_saved_tensors_on_access=True)
    assert gradient(torch, fn) == [3, 12]
    twice = function(
        torch, cube, lambda ctx, g: ctx.saved_tensors[0] * ctx.saved_tensors[0], clear_saved_tensors_on_access=True
    )
    with pytest.raises(RuntimeError, match="saved_tensors can only be accessed once"):
        gradient(torch, twice)


def test_boxed_grads_call(torch):
    seen = []

    def backward(ctx, grads):
        seen.append(type(grads))
        return grads.pop() * 2

    assert gradient(torch, function(torch, double, backward, boxed_grads_call=True)) == [2, 2]
    assert seen == [list]


# higher order


def test_double_backward(torch):
    x = leaf(torch, 1.0, 2.0)
    (g,) = torch.autograd.grad(function(torch, cube, cube_backward).apply(x).sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x, create_graph=True)
    assert h.tolist() == [6, 12]
    assert torch.autograd.grad(h.sum(), x)[0].tolist() == [6, 6]


def test_double_backward_through_a_saved_output(torch):
    def forward(ctx, x):
        result = 1 / x
        ctx.save_for_backward(result)
        return result

    x = leaf(torch, 1.0, 2.0)
    y = function(torch, forward, lambda ctx, g: -g * ctx.saved_tensors[0] ** 2).apply(x)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    assert torch.autograd.grad(g.sum(), x)[0].tolist() == [2, 0.25]


def test_once_differentiable(torch):
    once = import_module(f"{torch.__name__}.autograd.function").once_differentiable
    x = leaf(torch, 1.0)
    y = function(torch, cube, once(cube_backward)).apply(x)
    (g,) = torch.autograd.grad((y * y).sum(), x, create_graph=True)
    assert g.requires_grad
    with pytest.raises(RuntimeError, match="trying to differentiate twice a function that was marked with @once_diff"):
        g.sum().backward()
    assert gradient(torch, function(torch, cube, once(cube_backward))) == [3, 12]


def test_backward_may_run_backward(torch):
    def backward(ctx, grad):
        with torch.enable_grad():
            z = leaf(torch, 1.0, 2.0)
            (z * z).sum().backward()
        return grad * z.grad

    assert gradient(torch, function(torch, double, backward)) == [2, 4]


def test_hooks_on_custom_functions(torch):
    x = leaf(torch, 1.0)
    a, b = function(torch, two, lambda ctx, g, h: g * 2 + h * 3).apply(x)
    seen = []
    a.register_hook(lambda g: g * 10)
    b.retain_grad()
    a.grad_fn.register_prehook(lambda outputs: seen.append([g if g is None else g.item() for g in outputs]))
    a.grad_fn.register_hook(lambda inputs, outputs: seen.append([g.item() for g in inputs]))
    (a + b).backward()
    assert x.grad.item() == 23
    assert b.grad.item() == 1
    assert seen == [[10, 1], [23]]
