"""gradcheck and gradgradcheck: what passes, what fails with which words, all parameters."""

import pytest


@pytest.fixture
def gradcheck(torch):
    return torch.autograd.gradcheck


@pytest.fixture
def x(torch):
    return torch.tensor([0.3, 0.7, 1.1], dtype=torch.float64, requires_grad=True)


@pytest.fixture
def z(torch):
    return torch.tensor([0.3 + 1j, 0.7 - 0.2j], dtype=torch.complex128, requires_grad=True)


MODES = [{}, {"fast_mode": True}, {"check_forward_ad": True}, {"check_forward_ad": True, "fast_mode": True}]


def custom(torch, backward, jvp=None, value=lambda x: x * x):
    """The square with a derivative that may be wrong."""
    members = {
        "forward": staticmethod(lambda ctx, x: (ctx.save_for_backward(x), value(x))[1]),
        "backward": staticmethod(backward),
    }
    if jvp is not None:
        members["jvp"] = staticmethod(jvp)
    return type("Made", (torch.autograd.Function,), members).apply


def wrong(ctx, grad):
    return 3 * ctx.saved_tensors[0] * grad


@pytest.mark.parametrize("options", MODES)
def test_right_derivatives(torch, gradcheck, x, options):
    assert gradcheck(lambda x: x.sin() * x, x, **options)
    assert gradcheck(lambda x: (x.sum(), x.prod() * x), (x,), **options)
    assert gradcheck(lambda x, n, y: (x**n * y, y[0], x.long()), (x, 2, x.detach().clone().requires_grad_()), **options)
    assert gradcheck(torch.sin, torch.tensor(0.5, dtype=torch.float64, requires_grad=True), **options)
    assert gradcheck(lambda x: x * 2, torch.ones(0, dtype=torch.float64, requires_grad=True), **options)
    matrix = torch.ones(2, 3, dtype=torch.float64).t().requires_grad_()
    assert gradcheck(lambda a: a @ a.mT, matrix, **options)


@pytest.mark.parametrize("options", MODES)
def test_complex(torch, gradcheck, x, z, options):
    assert gradcheck(lambda z: z * z.exp(), z, **options)
    assert gradcheck(torch.abs, z, **options)
    assert gradcheck(lambda z, x: z.conj() * x[:2], (z, x), **options)
    assert gradcheck(lambda x: torch.complex(x, x * x), x, **options)


def test_all_checks(torch, gradcheck, x):
    names = (
        "check_undefined_grad",
        "check_grad_dtypes",
        "check_batched_grad",
        "check_batched_forward_grad",
        "check_forward_ad",
    )
    assert gradcheck(lambda x: x.cos().sum() * x, x, **dict.fromkeys(names, True))
    assert gradcheck(torch.exp, x, check_backward_ad=False, check_forward_ad=True)


@pytest.mark.parametrize("fast_mode", [False, True])
def test_wrong_derivatives(torch, gradcheck, x, fast_mode):
    with pytest.raises(torch.autograd.gradcheck.__globals__["GradcheckError"]) as error:
        gradcheck(custom(torch, wrong), x, fast_mode=fast_mode)
    text = str(error.value)
    assert isinstance(error.value, RuntimeError)
    assert text.startswith("Jacobian mismatch for output 0 with respect to input 0,\nnumerical:")
    assert "\nanalytical:" in text
    assert gradcheck(custom(torch, wrong), x, fast_mode=fast_mode, raise_exception=False) is False
    jacobian = "tensor([[0.9000, 0.0000, 0.0000],\n        [0.0000, 2.1000, 0.0000],\n        [0.0000, 0.0000, 3.3000]]"
    assert jacobian in text
    assert jacobian.replace("0.9", "0.6").replace("2.1", "1.4").replace("3.3", "2.2") in text


def test_wrong_forward(torch, gradcheck, x):
    apply = custom(torch, lambda ctx, g: 2 * ctx.saved_tensors[0] * g, lambda ctx, t: 5 * t)
    assert gradcheck(apply, x)
    with pytest.raises(
        RuntimeError, match=r"^Jacobian computed with forward mode mismatch for output 0 with respect to input"
    ):
        gradcheck(apply, x, check_forward_ad=True)


def test_wrong_part_of_complex(torch, gradcheck, z):
    apply = custom(torch, lambda ctx, g: 2 * ctx.saved_tensors[0] * g)
    with pytest.raises(
        RuntimeError, match=r"^While considering the imaginary part of complex outputs only, Jacobian mismatch"
    ):
        gradcheck(apply, z)


def test_the_pair_that_is_wrong(torch, gradcheck, x):
    apply = custom(torch, wrong)
    y = x.detach().clone().requires_grad_()
    with pytest.raises(RuntimeError, match=r"^Jacobian mismatch for output 1 with respect to input 1"):
        gradcheck(lambda x, y: (x * y, x * apply(y)), (x, y))


def test_not_reentrant(torch, gradcheck, x):
    calls = []

    def backward(ctx, grad):
        calls.append(0)
        return 2 * ctx.saved_tensors[0] * grad + 1e-7 * len(calls) * grad

    with pytest.raises(RuntimeError, match=r"Backward is not reentrant, i.e., running backward with same input"):
        gradcheck(custom(torch, backward), x)
    calls.clear()
    assert gradcheck(custom(torch, backward), x, nondet_tol=1e-4)


def test_what_is_not_multiplied(torch, gradcheck, x):
    def backward(ctx, grad):
        return torch.where(grad.sum() == 0, torch.ones_like(grad), 2 * ctx.saved_tensors[0] * grad)

    with pytest.raises(RuntimeError, match=r"backward not multiplied by grad_output"):
        gradcheck(custom(torch, backward), x)


@pytest.mark.filterwarnings("ignore:Backwards compatibility")
def test_undefined_gradients(torch, gradcheck, x):
    class Pair(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, a, b):
            return a * 2 + b * 3 if strict else sum(g * n for g, n in ((a, 2), (b, 3)) if g is not None)

    strict = False
    assert gradcheck(lambda x: Pair.apply(x)[0] + 0, x, check_undefined_grad=False)
    strict = True
    with pytest.raises((RuntimeError, TypeError)):
        gradcheck(lambda x: Pair.apply(x), x)


def test_outputs_that_do_not_require_grad(torch, gradcheck, x):
    assert gradcheck(lambda x: x.sign().detach(), x)
    with pytest.raises(RuntimeError, match=r"Numerical gradient for function expected to be zero"):
        gradcheck(lambda x: x.detach() * 2, x)


def test_inputs(torch, gradcheck, x):
    with pytest.raises(
        ValueError, match=r"gradcheck expects at least one input tensor to require gradient, but none of"
    ):
        gradcheck(torch.sin, x.detach())
    with pytest.raises(
        RuntimeError, match=r"The 0th input has a dimension with stride 0. gradcheck only supports inputs"
    ):
        gradcheck(torch.sin, x.detach()[:1].expand(3).requires_grad_())
    with pytest.warns(UserWarning, match=r"Input #0 requires gradient and is not a double precision floating point or"):
        gradcheck(lambda x: x * 1, x.detach().float().requires_grad_(), eps=1e-2, atol=1e-2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"check_backward_ad": False}, "Expected at least one of check_forward_ad or check_backward_ad to be True"),
        (
            {"check_backward_ad": False, "check_forward_ad": True, "check_batched_grad": True},
            "Setting check_batched_grad=True requires check_backward_ad to be True",
        ),
        (
            {"check_batched_forward_grad": True},
            "Setting check_batched_forward_grad=True requires check_forward_ad to be",
        ),
    ],
)
def test_choices_that_make_no_sense(torch, gradcheck, x, options, message):
    with pytest.raises(AssertionError, match=message):
        gradcheck(torch.sin, x, **options)


@pytest.mark.parametrize(
    "options", [{}, {"fast_mode": True}, {"check_fwd_over_rev": True}, {"check_batched_grad": True}]
)
def test_second_order(torch, x, z, options):
    check = torch.autograd.gradgradcheck
    assert check(lambda x: x.sin() * x, x, **options)
    assert check(lambda x, y: (x * y, x.exp().sum()), (x, x.detach().clone().requires_grad_()), **options)
    assert check(lambda x: x**3, x, (x.detach().clone().requires_grad_(),), **options)
    assert check(lambda x: x**3, x, gen_non_contig_grad_outputs=True, **options)
    if "fast_mode" not in options:
        assert check(lambda z: z**3, z, **options)


def test_wrong_second_order(torch, x):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return 2 * ctx.saved_tensors[0].detach() * grad

    assert torch.autograd.gradcheck(Square.apply, x)
    with pytest.raises(RuntimeError, match=r"^Jacobian mismatch for output 0 with respect to input 0"):
        torch.autograd.gradgradcheck(Square.apply, x)
    with pytest.raises(AssertionError, match=r"Expected at least one of check_fwd_over_rev or check_rev_over_rev"):
        torch.autograd.gradgradcheck(Square.apply, x, check_rev_over_rev=False)
