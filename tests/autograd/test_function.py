"""Custom functions: what `forward` and `backward` are given, what they may return, and the errors for the rest."""

import gc
import weakref
from importlib import import_module

import pytest
from custom_functions import double, function, gradient, leaf, two


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
        (
            lambda ctx, g: (g.sum() + g.new_zeros(3), None),
            r"Function FnBackward returned an invalid gradient at index 0 - got \[3\]",
        ),
        (lambda ctx, g: (g.new_zeros(1), None), r"got \[1\] but expected shape compatible with \[2\]"),
        (lambda ctx, g: (g * 1j, None), "Expected isFloatingType"),
    ],
)
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
