"""`grad`, `vjp`, `jvp`, Jacobians and Hessians: values, structures, compositions and errors, as PyTorch's."""

import itertools
import math

import numpy as np
import pytest


def close(found, expected):
    """Compares two tensors."""
    np.testing.assert_allclose(found.detach().numpy(), expected.detach().numpy(), rtol=1e-5, atol=1e-6)


def numbers(torch, *shape):
    """Some numbers, the same for both libraries."""
    return torch.from_numpy(np.sin(1 + np.arange(np.prod(shape), dtype=np.float64)).reshape(shape))


def loss(torch):
    """A loss of weights (2, 3) and one input (3)."""
    return lambda w, x: (torch.tanh(w @ x) ** 2).sum()


def test_gradients_of_any_order(torch):
    f, x = torch.sin, torch.tensor(0.7, dtype=torch.float64)
    for expected in (math.cos, lambda x: -math.sin(x), lambda x: -math.cos(x)):
        f = torch.func.grad(f)
        assert f(x).item() == pytest.approx(expected(0.7))
        assert not f(x).requires_grad


def test_argnums_trees_and_aux(torch):
    x = numbers(torch, 3)
    grads, (value, aux) = torch.func.grad_and_value(
        lambda state, y: ((state["w"] * y).sum(), {"seen": state["w"] + 1}), argnums=(0, 1), has_aux=True
    )({"w": x}, 2 * x)
    close(grads[0]["w"], 2 * x)
    close(grads[1], x)
    close(value, (2 * x * x).sum())
    close(aux["seen"], x + 1)
    assert not value.requires_grad
    assert not aux["seen"].requires_grad


def test_outer_gradients_go_through(torch):
    x, w = numbers(torch, 3).requires_grad_(), numbers(torch, 3).requires_grad_()
    g = torch.func.grad(lambda x: (w * x**3).sum())(x)
    close(torch.autograd.grad(g.sum(), x, retain_graph=True)[0], 6 * w * x)
    close(torch.autograd.grad(g.sum(), w)[0], 3 * x**2)
    with torch.no_grad():
        assert not torch.func.grad(lambda x: (w * x**3).sum())(x).requires_grad


def test_no_grad_inside_makes_constants(torch):
    def f(x):
        with torch.no_grad():
            c = x**2
        return x - c

    assert torch.func.grad(f)(torch.tensor(3.0)).item() == 1.0


def test_unused_arguments_have_zero_gradients(torch):
    close(torch.func.grad(lambda x, y: y.sum())(numbers(torch, 3), numbers(torch, 2)), torch.zeros(3))


def test_vjp(torch):
    x, y = numbers(torch, 3), numbers(torch, 3)
    out, pull = torch.func.vjp(lambda x, y: {"a": x * y, "b": (x.sum(),)}, x, y)
    gx, gy = pull({"a": y, "b": (torch.tensor(2.0, dtype=torch.float64),)})
    close(gx, y * y + 2)
    close(gy, x * y)
    close(out["a"], x * y)
    again = pull({"a": x, "b": (torch.tensor(0.0, dtype=torch.float64),)})
    close(again[0], x * y)
    close(torch.func.vjp(lambda x: (x, 2 * x), x, has_aux=True)[2], 2 * x)


def test_jvp(torch):
    x, t = numbers(torch, 3), numbers(torch, 3) + 1
    out, product = torch.func.jvp(lambda x, y: (x * y, x.sum()), (x, 2 * x), (t, t))
    close(product[0], 3 * x * t)
    close(product[1], t.sum())
    close(out[0], 2 * x * x)
    assert torch.func.jvp(lambda x: torch.ones(2), (x,), (t,))[1].tolist() == [0.0, 0.0]
    out, product, aux = torch.func.jvp(lambda x: (x.sin(), x), (x,), (t,), has_aux=True)
    close(product, x.cos() * t)
    close(aux, x)


def test_linearize(torch):
    x = numbers(torch, 3)
    out, push = torch.func.linearize(lambda x: (x * x).sin(), x)
    for t in (x, x + 1):
        close(push(t), 2 * x * (x * x).cos() * t)
    close(out, (x * x).sin())
    with pytest.raises(RuntimeError, match="doesn't match the shape"):
        push(numbers(torch, 4))


@pytest.mark.parametrize("name", ["jacrev", "jacfwd"])
def test_jacobians(torch, name):
    jacobian = getattr(torch.func, name)
    w, x = numbers(torch, 2, 3), numbers(torch, 3)
    close(jacobian(lambda x: w @ x)(x), w)
    close(jacobian(lambda w, x: w @ x)(w, x), torch.einsum("ij,k->ijk", torch.eye(2, dtype=torch.float64), x))
    both = jacobian(lambda w, x: {"y": w @ x, "n": x.sum()}, argnums=(0, 1))(w, x)
    assert both["y"][0].shape == (2, 2, 3)
    assert both["n"][0].shape == (2, 3)
    close(both["y"][1], w)
    close(both["n"][1], torch.ones(3))
    jac, aux = jacobian(lambda x: (x.sin(), x * 2), has_aux=True)(x)
    close(jac, torch.diag(x.cos()))
    close(aux, 2 * x)
    tree = jacobian(lambda state: state["w"] @ state["x"])({"w": w, "x": x})
    assert tree["w"].shape == (2, 2, 3)
    close(tree["x"], w)


@pytest.mark.parametrize("chunk_size", [1, 2, 3, 100])
def test_jacobian_in_chunks(torch, chunk_size):
    x = numbers(torch, 4)
    f = lambda x: (x.sin() * x.sum(), x[:3] ** 2)
    for part, other in zip(torch.func.jacrev(f, chunk_size=chunk_size)(x), torch.func.jacfwd(f)(x), strict=True):
        close(part, other)


def test_second_derivatives_agree(torch):
    w, x = numbers(torch, 3, 4), numbers(torch, 4)
    f = lambda x: torch.tanh(w @ x).exp().sum()
    expected = torch.autograd.functional.hessian(f, x)
    close(torch.func.hessian(f)(x), expected)
    for outer in (torch.func.jacrev, torch.func.jacfwd):
        for inner in (torch.func.jacrev, torch.func.jacfwd):
            close(outer(inner(f))(x), expected)


@pytest.mark.parametrize(
    "name", ["add", "sub", "mul", "div", "maximum", "fmax", "hypot", "atan2", "where", "lerp", "addcmul"]
)
def test_derivatives_of_broadcast_numbers_agree(torch, name):
    w, x = numbers(torch, 3), torch.tensor(0.7, dtype=torch.float64)
    others = {"where": lambda y: torch.where(w > 0, y, w), "lerp": lambda y: torch.lerp(y, w, w)}
    others["addcmul"] = lambda y: torch.addcmul(y, w, w)
    combine = others.get(name, lambda y: getattr(torch, name)(y, w))
    f = lambda x: (combine(x.exp()) ** 2).sum()
    one = torch.ones_like(x)
    ways = torch.func.grad, lambda f: lambda x: torch.func.jvp(f, (x,), (one,))[1]
    expected = torch.func.grad(torch.func.grad(torch.func.grad(f)))(x)
    for way in itertools.product(ways, repeat=3):
        derivative = f
        for step in way:
            derivative = step(derivative)
        close(derivative(x), expected)
        assert derivative(x).shape == ()


def test_gradients_per_example(torch):
    w, x = numbers(torch, 2, 3), numbers(torch, 5, 3)
    found = torch.vmap(torch.func.grad(loss(torch)), (None, 0))(w, x)
    assert found.shape == (5, 2, 3)
    for k in range(5):
        close(found[k], torch.func.grad(loss(torch))(w, x[k]))


def test_gradients_per_example_of_a_module(torch):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
    x, y = numbers(torch, 6, 3).float(), torch.tensor([0, 1, 1, 0, 1, 0])
    parameters = {name: p.detach() for name, p in model.named_parameters()}

    def loss_of(parameters, x, y):
        scores = torch.func.functional_call(model, parameters, (x[None],))
        return torch.nn.functional.cross_entropy(scores, y[None])

    found = torch.vmap(torch.func.grad(loss_of), (None, 0, 0))(parameters, x, y)
    for k in range(6):
        model.zero_grad()
        torch.nn.functional.cross_entropy(model(x[k : k + 1]), y[k : k + 1]).backward()
        for name, p in model.named_parameters():
            close(found[name][k], p.grad)


def test_compositions(torch):
    w, x = numbers(torch, 2, 3), numbers(torch, 4, 3)
    f = loss(torch)
    hessians = torch.vmap(torch.func.hessian(f, 1), (None, 0))(w, x)
    for k in range(4):
        close(hessians[k], torch.func.hessian(f, 1)(w, x[k]))
    total = lambda w: torch.vmap(f, (None, 0))(w, x).sum()
    close(torch.func.grad(total)(w), sum(torch.func.grad(f)(w, row) for row in x))
    inner = torch.func.grad(lambda w: torch.vmap(torch.func.grad(f, 1), (None, 0))(w, x).pow(2).sum())(w)
    close(inner, torch.func.grad(lambda w: sum(torch.func.grad(f, 1)(w, row).pow(2).sum() for row in x))(w))
    push = lambda t: torch.func.jvp(lambda x: torch.tanh(w @ x), (x[0],), (t,))[1]
    close(torch.vmap(push)(x), torch.stack([push(t) for t in x]))
    rows = lambda x: torch.vmap(lambda row: torch.tanh(w @ row))(x)
    found = torch.func.jvp(rows, (x,), (x,))[1]
    close(found, torch.stack([torch.func.jvp(lambda r: torch.tanh(w @ r), (row,), (row,))[1] for row in x]))


def test_gradients_of_several_vmaps(torch):
    w, x, y = numbers(torch, 3), numbers(torch, 4, 3), numbers(torch, 2, 3)
    f = lambda w, a, b: (w * a * b).tanh().sum()
    each = torch.vmap(torch.vmap(torch.func.grad(f), (None, None, 0)), (None, 0, None))(w, x, y)
    for i in range(4):
        for j in range(2):
            close(each[i, j], torch.func.grad(f)(w, x[i], y[j]))
    outer = torch.func.grad(lambda w: torch.vmap(torch.vmap(f, (None, None, 0)), (None, 0, None))(w, x, y).sum())(w)
    close(outer, each.sum((0, 1)))


def test_batched_cotangents(torch):
    x = numbers(torch, 3).requires_grad_()
    y = x.sin() * x.sum()
    basis = torch.eye(3, dtype=torch.float64)
    (rows,) = torch.autograd.grad(y, x, basis, is_grads_batched=True, retain_graph=True)
    close(rows, torch.stack([torch.autograd.grad(y, x, v, retain_graph=True)[0] for v in basis]))
    close(torch.vmap(lambda v: torch.autograd.grad(y, x, v, retain_graph=True)[0])(basis), rows)
    (recorded,) = torch.autograd.grad(y, x, basis, is_grads_batched=True, create_graph=True)
    assert recorded.requires_grad


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda f: f.grad(lambda x: x)(None), "must be Tensor, got <class 'NoneType'>"),
        (lambda f: f.jacrev(lambda x: x, chunk_size=0), "`chunk_size` should be greater than 0"),
    ],
)
def test_value_errors(torch, call, message):
    with pytest.raises(ValueError, match=message):
        call(torch.func)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda f, x: f.grad(lambda x: x)(x), "to return a scalar Tensor, got tensor with 1 dims"),
        (lambda f, x: f.grad(lambda x: 1)(x), "to return a Tensor, got <class 'int'>"),
        (lambda f, x: f.grad(lambda x: x.sum(), argnums=1)(x), "Got argnum=1, but only 1 positional inputs"),
        (lambda f, x: f.grad(lambda x: x.sum(), argnums=())(x), "argnums must be non-empty"),
        (lambda f, x: f.grad(lambda x: x.sum(), has_aux=True)(x), "output of function f should be a tuple"),
        (lambda f, x: f.vjp(lambda x: None, x), "non-empty output"),
        (lambda f, x: f.vjp(lambda x: x > 0, x), "All outputs of f must be floating-point or complex"),
        (lambda f, x: f.vjp(lambda x: x, x)[1]((x, x)), "Expected pytree structure of cotangents to be the same"),
        (lambda f, x: f.jvp(lambda x: x, x, x), "Expected primals to be a tuple"),
        (lambda f, x: f.jvp(lambda x: x, (x,), (x, x)), "to have the same python structure"),
        (lambda f, x: f.jvp(lambda x: x, (), ()), "to contain at least one Tensor"),
        (lambda f, x: f.jvp(lambda x: x.detach() * 0 + 1, (x,), (x,), strict=True), "is independent of the inputs"),
    ],
)
def test_errors(torch, call, message):
    if message.startswith("is independent"):
        call = lambda f, x: f.jvp(lambda x: torch.ones(2), (x,), (x,), strict=True)
    with pytest.raises(RuntimeError, match=message):
        call(torch.func, numbers(torch, 3))


def test_custom_functions(torch):
    class Scaled(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x, w):
            return x * x * w

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, grad):
            x, w = ctx.saved_tensors
            return 2 * x * w * grad, x * x * grad

    x, w = numbers(torch, 3, 2).requires_grad_(), numbers(torch, 2).requires_grad_()
    torch.vmap(Scaled.apply, (0, None))(x, w).sum().backward()
    close(x.grad, 2 * x * w)
    close(w.grad, (x * x).sum(0))
    close(torch.vmap(torch.func.grad(lambda x: Scaled.apply(x, w).sum()))(x.detach()), 2 * x * w)


def test_backward_inside_vmap_is_refused(torch):
    w = numbers(torch, 2).requires_grad_()
    with pytest.raises(RuntimeError, match=r"backward\(\) called inside a functorch transform"):
        torch.vmap(lambda x: (x * w).sum().backward())(numbers(torch, 3, 2))


def test_convolutional_gradients_per_example(torch):
    x, weight = numbers(torch, 4, 2, 6, 6), numbers(torch, 3, 2, 3, 3)
    bias = numbers(torch, 3)

    def loss_of(weight, bias, x):
        out = torch.nn.functional.conv2d(x[None], weight, bias, stride=2, padding=1).relu()
        return torch.nn.functional.avg_pool2d(out, 2).pow(2).sum()

    found = torch.vmap(torch.func.grad(loss_of, (0, 1)), (None, None, 0))(weight, bias, x)
    for k in range(4):
        for part, other in zip(found, torch.func.grad(loss_of, (0, 1))(weight, bias, x[k]), strict=True):
            close(part[k], other)
    seconds = torch.vmap(torch.func.grad(lambda x: torch.func.grad(loss_of)(weight, bias, x).pow(2).sum()))(x)
    close(seconds[1], torch.func.grad(lambda x: torch.func.grad(loss_of)(weight, bias, x).pow(2).sum())(x[1]))
