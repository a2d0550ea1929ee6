"""autograd.functional: Jacobians, Hessians and their products, with all parameters, against analytic derivatives."""

import pytest


@pytest.fixture
def functional(torch):
    return torch.autograd.functional


@pytest.fixture
def x(torch):
    return torch.tensor([0.5, 1.0, 2.0], dtype=torch.float64)


@pytest.fixture
def y(torch):
    return torch.tensor([3.0, -1.0], dtype=torch.float64)


@pytest.fixture
def close(torch):
    def check(found, expected):
        expected = torch.as_tensor(expected, dtype=found.dtype)
        assert found.shape == expected.shape
        assert torch.allclose(found, expected)

    return check


STRATEGIES = [
    {},
    {"vectorize": True},
    {"strategy": "reverse-mode", "create_graph": True},
    {"vectorize": True, "create_graph": True},
    {"strict": True},
    {"strategy": "forward-mode", "vectorize": True},
]


@pytest.mark.parametrize("options", STRATEGIES)
def test_jacobian(torch, functional, x, close, options):
    close(functional.jacobian(lambda x: x**2, x, **options), torch.diag(2 * x))
    close(functional.jacobian(lambda x: x.sum(), x, **options), torch.ones(3))
    close(functional.jacobian(lambda x: x.sin(), x[0], **options), x[0].cos())
    matrix = x.reshape(1, 3)
    found = functional.jacobian(lambda a: a.T * a[0, 0], matrix, **options)
    assert found.shape == (3, 1, 1, 3)
    close(found[:, 0, 0], [[1.0, 0.0, 0.0], [1.0, 0.5, 0.0], [2.0, 0.0, 0.5]])


@pytest.mark.parametrize("options", STRATEGIES)
def test_tuples(torch, functional, x, y, close, options):
    def func(x, y):
        return x * y[0], x.sum() * y.prod()

    found = functional.jacobian(func, (x, y), **options)
    assert type(found) is tuple or "strategy" in options  # in PyTorch a list
    assert [[m.shape for m in row] for row in found] == [[(3, 3), (3, 2)], [(3,), (2,)]]
    close(found[0][0], 3 * torch.eye(3))
    close(found[0][1], torch.stack([x, 0 * x], 1))
    close(found[1][0], [-3.0] * 3)
    close(found[1][1], [-3.5, 10.5])
    (single,) = functional.jacobian(lambda x: (x * 2,), x, **options)
    (other,) = functional.jacobian(lambda x: x * 2, (x,), **options)
    assert single.equal(other)


@pytest.mark.parametrize("options", [{}, {"vectorize": True}, {"vectorize": True, "strategy": "forward-mode"}])
def test_an_input_without_effect(torch, functional, x, y, close, options):
    found = functional.jacobian(lambda x, y: (x * 2, y.detach()), (x, y), **options)
    assert [[m.shape for m in row] for row in found] == [[(3, 3), (3, 2)], [(2, 3), (2, 2)]]
    assert all((m == 0).all() for m in (found[0][1], *found[1]))


def test_create_graph(torch, functional, x, close):
    x.requires_grad_()
    jacobian = functional.jacobian(lambda x: x**3, x, create_graph=True)
    assert jacobian.requires_grad
    (grad,) = torch.autograd.grad(jacobian.sum(), x)
    close(grad, 6 * x.detach())
    assert not functional.jacobian(lambda x: x**3, x).requires_grad
    x.requires_grad_(False)
    assert functional.jacobian(lambda x: x**3, x, create_graph=True).requires_grad


def test_hooks_and_custom_functions_see_single_cotangents(torch, functional, x, close):
    shapes = []

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            shapes.append(grad.shape)
            grad.sum().item()
            return 2 * ctx.saved_tensors[0] * grad

    close(functional.jacobian(Square.apply, x), torch.diag(2 * x))
    assert shapes == [(3,)] * 3

    def hooked(x):
        out = x * 1
        out.register_hook(lambda g: shapes.append(g.shape))
        return out * x

    shapes.clear()
    functional.jacobian(hooked, x)
    assert shapes == [(3,)] * 3


def quadratic(x, y):
    return (x**3).sum() + x[0] * y[0] * y[1]


HESSIANS = [
    {},
    {"vectorize": True},
    {"create_graph": True},
    {"strict": True},
    {"vectorize": True, "outer_jacobian_strategy": "forward-mode"},
]


@pytest.mark.parametrize("options", HESSIANS)
def test_hessian(torch, functional, x, y, close, options):
    close(functional.hessian(lambda x: (x**3).sum(), x, **options), torch.diag(6 * x))
    rows = functional.hessian(quadratic, (x, y), **options)
    close(rows[0][0], torch.diag(6 * x))
    close(rows[0][1], [[-1.0, 3.0], [0.0, 0.0], [0.0, 0.0]])
    close(rows[1][0], [[-1.0, 0.0, 0.0], [3.0, 0.0, 0.0]])
    close(rows[1][1], [[0.0, 0.5], [0.5, 0.0]])
    close(functional.hessian(lambda x: (x**2).sum().reshape(1, 1), x, **options), 2 * torch.eye(3))


def test_products(torch, functional, x, y, close):
    def func(x, y):
        return x * y[0], x.sum() * y

    outputs, product = functional.vjp(func, (x, y), (torch.ones(3).double(), torch.tensor([1.0, 2.0]).double()))
    close(outputs[0], 3 * x)
    close(product[0], [4.0] * 3)
    close(product[1], [7.0, 7.0])
    outputs, product = functional.jvp(func, (x, y), (torch.ones(3).double(), torch.tensor([1.0, 2.0]).double()))
    close(product[0], x + 3)
    close(product[1], [12.5, 4.0])
    vectors = torch.ones(3).double(), torch.tensor([1.0, 2.0]).double()
    for name in ("vhp", "hvp"):
        output, product = getattr(functional, name)(quadratic, (x, y), vectors)
        close(output, 9.125 - 1.5)
        close(product[0], 6 * x + torch.tensor([5.0, 0.0, 0.0]).double())
        close(product[1], [0.0, 3.5])
        assert not product[0].requires_grad


@pytest.mark.parametrize("name", ["vjp", "jvp", "vhp", "hvp"])
def test_products_of_one_element(torch, functional, close, name):
    x = torch.tensor([2.0], dtype=torch.float64)
    output, product = getattr(functional, name)(lambda x: x**3, x)
    close(output, [8.0])
    close(product, [12.0])


@pytest.mark.parametrize("name", ["vjp", "jvp", "vhp", "hvp"])
def test_products_create_graph(torch, functional, x, close, name):
    x.requires_grad_()
    v = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
    func = (lambda x: x**3) if name in ("vjp", "jvp") else (lambda x: (x**4).sum() / 4)
    output, product = getattr(functional, name)(func, x, v, create_graph=True)
    assert output.requires_grad
    grads = torch.autograd.grad(product.sum(), (x, v))
    close(grads[0], (6 * x * v).detach())
    close(grads[1], (3 * x**2).detach())
    with torch.no_grad():
        assert not getattr(functional, name)(func, x, v)[1].requires_grad


def constant(torch):
    return lambda x: torch.ones(3, dtype=torch.float64)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("vjp", lambda f, func, x: f.vjp(func, x, x, strict=True)),
        ("jvp", lambda f, func, x: f.jvp(func, x, x, strict=True)),
        ("jacobian", lambda f, func, x: f.jacobian(func, x, strict=True)),
        ("hessian", lambda f, func, x: f.hessian(lambda x: func(x).sum(), x, strict=True)),
        ("vhp", lambda f, func, x: f.vhp(lambda x: func(x).sum(), x, x, strict=True)),
        ("hvp", lambda f, func, x: f.hvp(lambda x: func(x).sum(), x, x, strict=True)),
    ],
)
def test_strict_outputs(torch, functional, x, name, call):
    with pytest.raises(RuntimeError, match=r"^Output 0 of the user-provided function does not require gradients. The"):
        call(functional, constant(torch), x)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda f, x, y: f.vjp(lambda x, y: x * 1, (x, y), x, strict=True),
            "The output of the user-provided function is independent of input 1. This is not allowed in strict",
        ),
        (
            lambda f, x, y: f.jvp(lambda x, y: x * 1, (x, y), (x, y), strict=True),
            "The output of the user-provided function is independent of input 1. This is not allowed in strict",
        ),
        (
            lambda f, x, y: f.jacobian(lambda x, y: (x * y[0], x * 1), (x, y), strict=True),
            "Output 1 of the user-provided function is independent of input 1. This is not allowed in strict",
        ),
        (
            lambda f, x, y: f.jacobian(lambda x: x * 2, x, strict=True, create_graph=True),
            "The jacobian of the user-provided function is independent of input 0. This is not allowed in strict",
        ),
        (
            lambda f, x, y: f.hessian(lambda x: x.sum() * 2, x, strict=True),
            "While computing the hessian, found that the jacobian of the user-provided function with respect to inp",
        ),
        (
            lambda f, x, y: f.vhp(lambda x: x.sum() * 2, x, x, strict=True),
            "The jacobian of the user-provided function with respect to input 0 is independent of the input|While",
        ),
        (
            lambda f, x, y: f.hvp(lambda x: x.sum() * 2, x, x, strict=True),
            "The jacobian of the user-provided function with respect to input 0 is independent of the input|While",
        ),
    ],
)
def test_strict(functional, x, y, call, message):
    with pytest.raises(RuntimeError, match=message):
        call(functional, x, y)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda f, x: f.jacobian(lambda x: 3, x),
            TypeError,
            "The outputs of the user-provided function given to jacobian",
        ),
        (
            lambda f, x: f.jacobian(lambda x: (x, 3), x),
            TypeError,
            "must be either a Tensor or a tuple of Tensors but the",
        ),
        (
            lambda f, x: f.vjp(lambda x: x, [x], x),
            TypeError,
            "The inputs given to vjp must be either a Tensor or a tuple of",
        ),
        (lambda f, x: f.jacobian(lambda x: x, x, strategy="other"), AssertionError, "Expected strategy to be either"),
        (
            lambda f, x: f.hessian(lambda x: x, x, outer_jacobian_strategy="o"),
            AssertionError,
            "Expected strategy to be",
        ),
        (
            lambda f, x: f.jacobian(lambda x: x, x, strict=True, vectorize=True),
            RuntimeError,
            "`strict=True` and `vector",
        ),
        (
            lambda f, x: f.jacobian(lambda x: x, x, create_graph=True, strategy="forward-mode"),
            NotImplementedError,
            "torch.autograd.functional.jacobian: `create_graph=True` and `strategy=.forward-mode.` are not sup",
        ),
        (
            lambda f, x: f.jacobian(lambda x: x, x, strict=True, strategy="forward-mode"),
            RuntimeError,
            "torch.autograd.functional.jacobian: `strict=True` and `strategy=.forward-mode.` are not supp",
        ),
        (
            lambda f, x: f.vjp(lambda x: x, x),
            RuntimeError,
            "The vector v can only be None if the user-provided function",
        ),
        (
            lambda f, x: f.jvp(lambda x: x, x),
            RuntimeError,
            "The vector v can only be None if the input to the user-prov",
        ),
        (lambda f, x: f.vjp(lambda x: x, x, x[:1]), RuntimeError, "v has invalid size: should be torch.Size"),
        (
            lambda f, x: f.vjp(lambda x: (x, x), x, (x,)),
            RuntimeError,
            "v is a tuple of invalid length: should be 2 but",
        ),
        (lambda f, x: f.vjp(lambda x: (x, x), x, (x, x[:1])), RuntimeError, "Entry 1 in v has invalid size: should be"),
        (lambda f, x: f.vjp(lambda x: x, x, (x, x)), RuntimeError, "The given v should contain a single Tensor."),
        (
            lambda f, x: f.vhp(lambda x: x, x, x),
            RuntimeError,
            "The Tensor returned by the function given to vhp should",
        ),
        (
            lambda f, x: f.hvp(lambda x: (x.sum(),), x, x),
            RuntimeError,
            "The function given to hvp should return a single",
        ),
        (
            lambda f, x: f.hessian(lambda x: x, x),
            RuntimeError,
            "The Tensor returned by the function given to hessian sh",
        ),
        (
            lambda f, x: f.hessian(lambda x: (x, x), x),
            RuntimeError,
            "The function given to hessian should return a single",
        ),
    ],
)
def test_errors(functional, x, call, error, message):
    with pytest.raises(error, match=message):
        call(functional, x)


def test_forward_mode_without_vmap(x):
    """PyTorch refuses that; here the passes are made one after the other, for functions that vmap cannot run."""
    import rushlight as torch

    x = torch.tensor(x.tolist())
    found = torch.autograd.functional.jacobian(lambda x: x**2 if x[0].item() else x, x, strategy="forward-mode")
    assert found.tolist() == [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 4.0]]


def test_rows_in_several_passes(monkeypatch):
    import rushlight as torch
    from rushlight.autograd.functional import matrices

    x = torch.arange(5.0) + 1
    monkeypatch.setattr(matrices, "ELEMENTS", 10)
    assert torch.autograd.functional.jacobian(lambda x: x**2, x).equal(torch.diag(2 * x))
    monkeypatch.setattr(matrices, "ELEMENTS", 1)
    assert torch.autograd.functional.jacobian(lambda x: x**2, x).equal(torch.diag(2 * x))


@pytest.mark.parametrize("options", [{}, {"vectorize": True}, {"strategy": "forward-mode", "vectorize": True}])
def test_no_elements(options):
    import rushlight as torch

    assert torch.autograd.functional.jacobian(lambda x: x * 2, torch.ones(0), **options).shape == (0, 0)
    assert torch.autograd.functional.jacobian(lambda x: x[:0], torch.ones(2), **options).shape == (0, 2)
