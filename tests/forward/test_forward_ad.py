"""torch.autograd.forward_ad: dual levels, nesting, errors, printing, with reverse mode, and in grad modes."""

import pytest

import rushlight


@pytest.fixture
def x(torch):
    return torch.tensor([1.0, 2.0])


@pytest.fixture
def v(torch):
    return torch.tensor([1.0, 0.5])


def test_tangents_travel(torch, fw, x, v):
    with fw.dual_level() as level:
        assert level == 0
        y = fw.make_dual(x, v) ** 3
        primal, tangent = fw.unpack_dual(y)
        assert fw.unpack_dual(x).tangent is None
    assert primal.tolist() == [1.0, 8.0]
    assert tangent.tolist() == [3.0, 6.0]
    assert fw.unpack_dual(y) == (y, None)
    assert fw.UnpackedDualTensor._fields == ("primal", "tangent")


def test_tangents_end_with_their_level(torch, fw, x, v):
    with fw.dual_level():
        dual = fw.make_dual(x, v)
    with fw.dual_level():
        assert fw.unpack_dual(dual).tangent is None
        assert fw.unpack_dual(dual * 2).tangent is None
        assert fw.unpack_dual(fw.make_dual(dual, v) * 2).tangent.tolist() == [2.0, 1.0]


def test_the_dual_shares_memory(torch, fw, x, v):
    with fw.dual_level():
        dual = fw.make_dual(x, v)
        dual.mul_(3)
        assert fw.unpack_dual(dual).tangent.tolist() == [3.0, 1.5]
    assert x.tolist() == [3.0, 6.0]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda fw, t: fw.enter_dual_level(), RuntimeError, "Nested forward mode AD is not supported at the moment"),
        (lambda fw, t: fw.exit_dual_level(level=3), RuntimeError, "Trying to exit a forward AD level that was not the"),
        (lambda fw, t: fw.make_dual(t[0], t[2]), RuntimeError, "Trying to set a forward gradient that has a different"),
        (
            lambda fw, t: fw.make_dual(t[3], t[3]),
            ValueError,
            "Expected primal to be floating point or complex, but got",
        ),
        (lambda fw, t: fw.make_dual(t[0], t[3]), ValueError, "Expected tangent to be floating point or complex"),
        (lambda fw, t: fw.make_dual(t[0], t[1], level=1), RuntimeError, "Invalid level given to _make_dual"),
        (
            lambda fw, t: fw.make_dual(t[0], t[1], level=-1),
            RuntimeError,
            "Trying to create a dual Tensor for forward AD",
        ),
        (
            lambda fw, t: fw.make_dual(fw.make_dual(*t[:2]), t[1]),
            RuntimeError,
            "Making a dual Tensor based on a Tensor",
        ),
        (
            lambda fw, t: fw.make_dual(t[0], fw.make_dual(*t[:2])),
            RuntimeError,
            "Setting a forward grad that itself has",
        ),
        (lambda fw, t: fw.unpack_dual([1.0]), TypeError, "_unpack_dual.*: argument 'dual' .position 1. must be Tensor"),
    ],
)
def test_errors(torch, fw, x, v, call, error, message):
    values = x, v, torch.ones(3), torch.tensor([1, 2])
    with fw.dual_level(), pytest.raises(error, match=message):
        call(fw, values)


def test_errors_outside_a_level(torch, fw, x, v):
    with pytest.raises(
        RuntimeError, match="Trying to create a dual Tensor for forward AD but no level exists, make sure"
    ):
        fw.make_dual(x, v)
    with pytest.raises(RuntimeError, match="Dual level must be a positive number"):
        fw.exit_dual_level()


def test_a_level_ends_with_an_error_in_it(torch, fw, x, v):
    with pytest.raises(KeyError), fw.dual_level():
        raise KeyError
    with fw.dual_level():
        assert fw.unpack_dual(fw.make_dual(x, v)).tangent is not None


def test_printing(torch, fw, x, v):
    with fw.dual_level():
        dual = fw.make_dual(x, v)
        assert repr(dual) == "tensor([1., 2.], tangent=tensor([1.0000, 0.5000]))"
        assert repr(dual[0]) == "tensor(1., tangent=1.0)"
        dual = fw.make_dual(x.clone().requires_grad_(), v)
        assert repr(dual) == "tensor([1., 2.], grad_fn=<ViewBackward0>, tangent=tensor([1.0000, 0.5000]))"
    assert repr(dual.detach()) == "tensor([1., 2.])"


def test_grad_modes(torch, fw, x, v):
    with fw.dual_level():
        dual = fw.make_dual(x, v)
        with torch.no_grad():
            assert fw.unpack_dual(dual * 2).tangent.tolist() == [2.0, 1.0]
        with torch.inference_mode():
            assert fw.unpack_dual(dual * 2).tangent is None


def test_what_drops_tangents(torch, fw, x, v):
    with fw.dual_level():
        dual = fw.make_dual(x, v)
        for y in (dual.detach(), dual.data, dual.sign().long(), dual > 0):
            assert fw.unpack_dual(y).tangent is None
        assert fw.unpack_dual(dual.clone()).tangent.tolist() == [1.0, 0.5]


def test_out_is_refused(torch, fw, x, v):
    with fw.dual_level():
        dual = fw.make_dual(x, v)
        with pytest.raises(NotImplementedError, match=r"Trying to use forward AD with .* that does not support it"):
            torch.mul(dual, dual, out=torch.empty(2))
        with pytest.raises(NotImplementedError, match="Trying to use forward AD with aten::ones"):
            torch.ones(2, out=dual)


def test_reverse_over_forward(torch, fw):
    x = torch.tensor([0.3, 0.5], dtype=torch.float64, requires_grad=True)
    v = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    with fw.dual_level():
        tangent = fw.unpack_dual((fw.make_dual(x, v).sin() * x).sum()).tangent
    grads = torch.autograd.grad(tangent, [x, v])
    assert torch.allclose(grads[0], v * (x.cos() - x * x.sin()))  # the second occurrence of x has no tangent
    assert torch.allclose(grads[1], x * x.cos())


def test_forward_over_reverse(torch, fw):
    x = torch.tensor([0.3, 0.5], dtype=torch.float64, requires_grad=True)
    v = torch.tensor([1.0, 2.0], dtype=torch.float64)
    with fw.dual_level():
        dual = fw.make_dual(x, v)
        (grad,) = torch.autograd.grad((dual**4).sum(), dual)
        primal, tangent = fw.unpack_dual(grad)
    assert torch.allclose(primal, 4 * x**3)
    assert torch.allclose(tangent, 12 * x**2 * v)


def test_a_tangent_is_the_users_own(torch, fw, x, v):
    with fw.dual_level():
        assert fw.unpack_dual(fw.make_dual(x, v)).tangent is v


def test_complex(torch, fw):
    z, v = torch.tensor([1 + 2j]), torch.tensor([1j])
    with fw.dual_level():
        dual = fw.make_dual(z, v)
        assert fw.unpack_dual(dual * dual).tangent.tolist() == [2j * (1 + 2j)]
        assert fw.unpack_dual(dual.conj() * 1).tangent.tolist() == [-1j]
        assert fw.unpack_dual(dual.imag * 1).tangent.tolist() == [1.0]
        assert fw.unpack_dual(dual.abs()).tangent.item() == pytest.approx(2 / 5**0.5)


def test_optimizer_like_use(torch, fw):
    """The directional derivative of a model's loss along a direction in its parameters."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    data = torch.randn(5, 3)
    params = dict(model.named_parameters())
    directions = {name: torch.randn_like(p) for name, p in params.items()}
    with fw.dual_level():
        duals = {name: fw.make_dual(p, directions[name]) for name, p in params.items()}
        tangent = fw.unpack_dual(torch.func.functional_call(model, duals, (data,)).square().mean()).tangent
    model(data).square().mean().backward()
    expected = sum((p.grad * directions[name]).sum() for name, p in params.items())
    assert torch.allclose(tangent, expected, atol=1e-5)


def test_tangents_of_views_of_expanded_tensors():
    primal, tangent = rushlight.ones(1).expand(3), rushlight.tensor([1.0, 2.0, 3.0])
    for view in (lambda x: x[1:], lambda x: x.view(3, 1), lambda x: x.unsqueeze(0), lambda x: x.flip(0)):
        _, found = rushlight.func.jvp(view, (primal,), (tangent,))
        assert found.tolist() == view(tangent).tolist()
