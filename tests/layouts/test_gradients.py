"""Where gradients lie that `autograd.grad` returns: as PyTorch's, however inputs and cotangents lie."""

import pytest


def lying(torch, *shape):
    """A tensor in order, transposed, and with gaps."""
    x = torch.arange(1.0, 1 + torch.ones(shape).numel()).reshape(shape) / 10
    dims = tuple(range(len(shape)))[::-1]
    return {"order": x, "turned": x.permute(dims).contiguous().permute(dims), "gaps": torch.stack([x, x], -1)[..., 1]}


TURNED, ORDER = (1, 2), (3, 1)
CALLS = {  # of gradients where input and cotangent lie in order or turned: the first of them that a formula has decides
    "sin": (lambda t, x: x.sin(), {"order, turned": TURNED, "turned, order": ORDER}),
    "mul": (lambda t, x: x * t.ones(2, 3), {"order, turned": TURNED, "turned, order": ORDER}),
    "erf": (lambda t, x: x.erf(), {"order, turned": ORDER, "turned, order": TURNED}),
    "where": (lambda t, x: t.where(x > 0.3, x, 0), {"order, turned": ORDER, "turned, order": TURNED}),
    "clamp": (lambda t, x: x.clamp(0.2, 0.5), {"order, turned": ORDER, "turned, order": TURNED}),
    "relu": (lambda t, x: x.relu(), {"order, turned": ORDER, "turned, order": TURNED}),
    "twice": (lambda t, x: x.cos().exp(), {"order, turned": TURNED, "turned, order": ORDER}),
    "index_select": (
        lambda t, x: x.index_select(1, t.tensor([0, 1, 2])),
        {"order, turned": ORDER, "turned, order": ORDER},
    ),
    "flip": (lambda t, x: x.flip(0), {"order, turned": TURNED, "turned, order": ORDER}),
}


@pytest.mark.parametrize("lies", ["order, order", "gaps, order", "turned, turned", "order, turned", "turned, order"])
@pytest.mark.parametrize("name", CALLS)
def test_of_elementwise_functions(torch, name, lies):
    call, strides = CALLS[name]
    place, way = lies.split(", ")
    x = lying(torch, 2, 3)[place].detach().requires_grad_()
    (grad,) = torch.autograd.grad(call(torch, x), x, lying(torch, 2, 3)[way])
    alike = ORDER if way == "order" or name == "index_select" else TURNED
    assert grad.stride() == strides.get(lies, alike)


@pytest.mark.parametrize("name", ["elu", "selu", "celu", "softplus", "hardtanh", "exp2", "power", "lerp", "square"])
def test_of_a_turned_leaf_are_those_of_one_in_order(torch, name):
    calls = {
        "exp2": lambda x: 2**x,
        "power": lambda x: x ** (x.detach() + 1),
        "lerp": lambda x: torch.lerp(x, x * x, 0.3),
        "square": lambda x: x.square(),
    }
    call, grads = calls.get(name) or getattr(torch.nn.functional, name), []
    for lies in ("order", "turned"):
        x = (lying(torch, 2, 3)[lies] - 0.35).detach().requires_grad_()
        grads += torch.autograd.grad(call(x), x, lying(torch, 2, 3)[lies])
    assert torch.allclose(*grads, equal_nan=True)
    assert [grad.stride() for grad in grads] == [ORDER, TURNED]


@pytest.mark.parametrize("name", ["var", "std", "nansum", "norm"])
def test_of_reductions_of_turned_tensors(torch, name):
    x = lying(torch, 2, 3)["turned"].requires_grad_()
    (grad,) = torch.autograd.grad(getattr(x, name)(), x)
    assert grad.stride() == TURNED
    assert not grad.is_contiguous()


@pytest.mark.parametrize("name", ["rms_norm", "layer_norm"])
def test_of_normalization_lie_in_order(torch, name):
    x = lying(torch, 2, 3)["turned"].requires_grad_()
    (grad,) = torch.autograd.grad(getattr(torch.nn.functional, name)(x, (3,)).sum(), x)
    assert grad.stride() == ORDER


VIEWS = {
    "t": lambda x: x.t(),
    "transpose": lambda x: x.transpose(0, 1),
    "permute": lambda x: x.permute(1, 0),
    "mT": lambda x: x.mT,
    "rot90": lambda x: x.rot90(),
}


@pytest.mark.parametrize("name", VIEWS)
def test_through_views_they_are_turned_too(torch, name):
    x = lying(torch, 2, 3)["order"].requires_grad_()
    (grad,) = torch.autograd.grad(VIEWS[name](x), x, torch.ones(3, 2))
    assert grad.stride() == TURNED
    with pytest.raises(RuntimeError, match="view size is not compatible"):
        grad.view(-1)


KERNELS = {
    "pad": (lambda t, x: t.nn.functional.pad(x, (1, 1), "reflect"), (1, 2, 3)),
    "interpolate": (lambda t, x: t.nn.functional.interpolate(x, size=4), (1, 2, 3)),
    "adaptive_avg_pool1d": (lambda t, x: t.nn.functional.adaptive_avg_pool1d(x, 2), (1, 2, 3)),
    "index_select": (lambda t, x: x.index_select(2, t.tensor([0, 2])), (2, 2, 3)),
    "an index": (lambda t, x: x[:, t.tensor([0, 1]), t.tensor([0, 2])], (2, 2, 3)),
}


@pytest.mark.parametrize("name", KERNELS)
def test_in_order_where_nothing_is_turned(torch, name):
    call, shape = KERNELS[name]
    x = lying(torch, *shape)["order"].requires_grad_()
    result = call(torch, x)
    (grad,) = torch.autograd.grad(result, x, torch.ones(result.shape))
    assert grad.is_contiguous()


PRODUCTS = {
    "mm": lambda t, w: t.ones(5, 3) @ w.t(),
    "mm, first": lambda t, w: w.t() @ t.ones(2, 5),
    "folded": lambda t, w: t.ones(4, 5, 3) @ w.t(),
    "linear": lambda t, w: t.nn.functional.linear(t.ones(5, 3), w),
    "mm, as it is": lambda t, w: w @ t.ones(3, 5),
}


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("name", PRODUCTS)
def test_of_products_they_lie_as_the_matrix(torch, name, squared):
    w = lying(torch, 2, 3)["order"].requires_grad_()
    result = PRODUCTS[name](torch, w)
    (grad,) = torch.autograd.grad((result * result if squared else result).sum(), w)
    assert grad.stride() == ORDER


@pytest.mark.parametrize("name", ["mm", "mm, first", "folded", "mm, as it is"])
def test_of_products_with_a_turned_matrix_they_are_turned(torch, name):
    w = lying(torch, 2, 3)["turned"].requires_grad_()
    result = PRODUCTS[name](torch, w)
    (grad,) = torch.autograd.grad((result * result).sum(), w)
    assert grad.stride() == TURNED


@pytest.mark.parametrize(
    "call", [lambda x: x.movedim(0, -1), lambda x: x.permute(1, 2, 0), lambda x: x.mT.transpose(0, 2)]
)
def test_of_turned_views_are_views(torch, call):
    """They lie as no layer's do: layers turn only large batches."""
    x = torch.ones(2, 3, 4, requires_grad=True)
    result = call(x)
    (grad,) = torch.autograd.grad(result, x, torch.ones(result.shape))
    assert call(grad).is_contiguous()
