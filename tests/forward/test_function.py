"""Forward mode through custom functions: their `jvp`, what it is given, what it may return."""

import pytest


def function(torch, forward, jvp):
    """A custom function of two methods."""
    members = {"forward": staticmethod(forward)}
    if jvp is not None:
        members["jvp"] = staticmethod(jvp)
    return type("Made", (torch.autograd.Function,), members).apply


def scaled(ctx, x, factor):
    ctx.factor = factor
    return x * factor


def test_the_tangents_of_all_inputs(torch, dual, tangent):
    seen = []
    apply = function(torch, scaled, lambda ctx, t, n: (seen.append((t.tolist(), n)), t * ctx.factor)[1])
    assert tangent(apply(dual, 3.0)) == [3.0, 1.5]
    assert seen == [([1.0, 0.5], None)]


def test_missing_tangents(torch, fw, dual):
    def forward(ctx, x, y, n):
        ctx.set_materialize_grads(materialize)
        return x * y

    seen = []
    apply = function(torch, forward, lambda ctx, *ts: (seen.extend(ts), ts[0] * 1)[1])
    for materialize in (True, False):  # noqa: B007 (forward reads it)
        apply(dual, torch.ones(2), torch.tensor([1, 2]))
    assert seen[1].tolist() == [0.0, 0.0]
    assert seen[2] is seen[4] is seen[5] is None


def test_without_a_tangent_jvp_is_not_called(torch, fw, dual):
    assert function(torch, scaled, None)(torch.ones(1), 2.0).tolist() == [2.0]


def test_what_was_saved(torch, fw, tangent):
    class Product(torch.autograd.Function):
        @staticmethod
        def forward(x, y):
            return x * y

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_forward(*inputs)
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, grad):
            x, y = ctx.saved_tensors
            return grad * y, grad * x

        @staticmethod
        def jvp(ctx, a, b):
            x, y = ctx.saved_tensors
            return a * y + x * b

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.tensor([3.0, 4.0], requires_grad=True)
    with fw.dual_level():
        out = Product.apply(fw.make_dual(x, torch.ones(2)), fw.make_dual(y, torch.tensor([1.0, 0.0])))
        primal, t = fw.unpack_dual(out)
        assert t.tolist() == [4.0, 4.0]
        assert [g.tolist() for g in torch.autograd.grad(t.sum(), [x, y], retain_graph=True)] == [[1.0, 0.0], [1.0, 1.0]]
        (grad,) = torch.autograd.grad(out.sum(), x, create_graph=True)
        assert tangent(grad) == [1.0, 0.0]
    assert [g.tolist() for g in torch.autograd.grad(primal.sum(), [x, y])] == [[3.0, 4.0], [1.0, 2.0]]


@pytest.mark.parametrize("is_dual", [False, True])
def test_what_is_saved_for_either_mode(torch, fw, tangent, is_dual):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_forward(x * 0 + 7)
            ctx.save_for_backward(x * 0 + 5)
            return 2 * x

        @staticmethod
        def backward(ctx, grad):
            ctx.seen = ctx.factor if is_dual else None
            return grad * ctx.saved_tensors[0]

        @staticmethod
        def jvp(ctx, t):
            ctx.factor = 1  # `backward` finds it
            return t * ctx.saved_tensors[0]

    x = torch.ones(2, requires_grad=True)
    with fw.dual_level():
        out = Double.apply(fw.make_dual(x, torch.ones(2)) if is_dual else x)
        assert tangent(out) == ([7.0, 7.0] if is_dual else None)
    assert torch.autograd.grad(out.sum(), x)[0].tolist() == [5.0, 5.0]


def test_nested():
    import rushlight as torch  # PyTorch's gives zeros here

    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x**3

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_forward(*inputs)

        @staticmethod
        def jvp(ctx, t):
            (x,) = ctx.saved_tensors
            return 3 * x**2 * t

    x, one = torch.tensor(2.0), torch.tensor(1.0)

    def slope(x):
        return torch.func.jvp(Cube.apply, (x,), (one,))[1]

    assert torch.func.jvp(slope, (x,), (one,))[1].item() == 12.0
    assert torch.func.jvp(lambda x: torch.func.jvp(slope, (x,), (one,))[1], (x,), (one,))[1].item() == 6.0


def test_several_outputs(torch, dual, tangent):
    def forward(ctx, x):
        whole = x * 2
        ctx.mark_non_differentiable(whole)
        return whole, x * 3

    outs = function(torch, forward, lambda ctx, t: (None, t * 3))(dual)
    assert tangent(outs[0]) is None
    assert tangent(outs[1]) == [3.0, 1.5]


def test_changed_in_place(torch, dual, tangent):
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(3)

    y = dual.clone()
    assert function(torch, forward, lambda ctx, t: t.mul_(3))(y) is y
    assert y.tolist() == [3.0, 6.0]
    assert tangent(y) == [3.0, 1.5]
    assert tangent(dual) == [1.0, 0.5]
    for jvp in (lambda ctx, t: t * 3, lambda ctx, t: t):
        with pytest.raises(RuntimeError, match="An inplace custom Function is not "):
            function(torch, forward, jvp)(y.clone())


def test_views(torch, dual, tangent):
    def forward(ctx, x):
        return x.view(2, 1)

    assert tangent(function(torch, forward, lambda ctx, t: t.view(2, 1))(dual.clone())) == [[1.0], [0.5]]
    for jvp in (lambda ctx, t: t * 1, lambda ctx, t: t):
        with pytest.raises(
            RuntimeError, match=r"A custom Function.s forward is returning a view .or an input as-is. but"
        ):
            function(torch, lambda ctx, x: x.view(2), jvp)(dual.clone())


@pytest.mark.parametrize(
    ("jvp", "error", "message"),
    [
        (None, NotImplementedError, "You must implement the jvp function for custom autograd.Function to use it with"),
        (lambda ctx, t, n: (t, t), RuntimeError, "Function's jvp returned an invalid number of forward gradients .exp"),
        (lambda ctx, t, n: 3, RuntimeError, "expected Variable or None .got int. for grad output 0."),
        (lambda ctx, t, n: t[:1], RuntimeError, "Trying to set a forward gradient that has a different size than"),
    ],
)
def test_errors(torch, dual, jvp, error, message):
    with pytest.raises(error, match=message):
        function(torch, scaled, jvp)(dual, 2.0)


KINDS = {
    "clone": "is not returning a view",
    "other": "is not returning a view of the given grad input",
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_tangent_of_a_view_is_a_view_of_the_tangent(torch, kind):
    class First(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.narrow(0, 0, 2)

        @staticmethod
        def jvp(ctx, tangent):
            part = tangent.narrow(0, 0, 2).clone()
            return part if kind == "clone" else part.view_as(part)

    with torch.autograd.forward_ad.dual_level():
        x = torch.autograd.forward_ad.make_dual(torch.ones(3), torch.ones(3))
        with pytest.raises(RuntimeError, match=KINDS[kind]):
            First.apply(x)


def test_an_output_without_derivative_has_no_tangent(torch):
    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            out = x.clone()
            ctx.mark_non_differentiable(out)
            return x.clone(), out

        @staticmethod
        def jvp(ctx, tangent):
            return tangent, tangent.clone()

    with torch.autograd.forward_ad.dual_level():
        x = torch.autograd.forward_ad.make_dual(torch.ones(3), torch.ones(3))
        with pytest.raises(RuntimeError, match="You should return None at that position instead"):
            Both.apply(x)
