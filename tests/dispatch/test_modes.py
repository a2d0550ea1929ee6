"""Modes that take calls over below autograd: the names are those that PyTorch 2.13's dispatcher gives the calls."""

import pytest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight.core.interpreters import STACK
from rushlight.ops.overloads import OpOverload
from rushlight.utils._python_dispatch import (
    TorchDispatchMode,
    _disable_current_modes,
    _get_current_dispatch_mode,
    is_in_torch_dispatch_mode,
)


class Log(TorchDispatchMode):
    def __init__(self, log=None, name=""):
        super().__init__()
        self.log, self.name = [] if log is None else log, name

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        assert isinstance(func, OpOverload)
        self.log.append(self.name + str(func).removeprefix("aten."))
        return func(*args, **(kwargs or {}))


def given():
    torch.manual_seed(0)
    return {
        "x": torch.randn(2, 3),
        "v": torch.randn(3),
        "w": torch.randn(4, 3, requires_grad=True),
        "b": torch.randn(4, requires_grad=True),
        "X": torch.randn(5, 2, 3),
        "im": torch.randn(2, 3, 8, 8),
        "k": torch.randn(6, 3, 3, 3),
        "idx": torch.tensor([0, 1]),
        "mask": torch.tensor([[True, False, True], [False, True, True]]),
        "F": F,
        "torch": torch,
    }


NAMES = """
x * 2: mul.Tensor
x + x: add.Tensor
1 - x: rsub.Scalar
x / 2: div.Tensor
1 / x: reciprocal.default mul.Tensor
x ** 2: pow.Tensor_Scalar
x.abs() ** x: abs.default pow.Tensor_Tensor
-x: neg.default
x == 1: eq.Scalar
x > x: gt.Tensor
~mask: bitwise_not.default
x.maximum(x): maximum.default
torch.add(x, x, alpha=2): add.Tensor
x @ x.t(): t.default mm.default
x @ v: mv.default
v @ v: dot.default
X @ x.t(): t.default view.default mm.default _unsafe_view.default
torch.bmm(X, X.mT): transpose.int bmm.default
torch.addmm(b, x, w.t()): t.default addmm.default
torch.outer(v, v): view.default mul.Tensor
F.linear(x, w, b): t.default addmm.default
F.linear(x, w): t.default mm.default
F.linear(X, w, b): view.default t.default addmm.default view.default
F.linear(X, w): t.default view.default mm.default _unsafe_view.default
x.sum(): sum.default
x.sum(1, keepdim=True): sum.dim_IntList
x.mean(0): mean.dim
x.max(1): max.dim
x.amax(1): amax.default
x.argmax(1): argmax.default
x.std(): std.correction
torch.var_mean(x, 1): var_mean.correction
x.all(): all.default
mask.any(1): any.dim
x.cumsum(0): cumsum.default
x.sort(): sort.default
x.topk(1): topk.default
torch.logsumexp(x, 1): logsumexp.default
x.norm(): linalg_vector_norm.default
x.softmax(1): _softmax.default
x.log_softmax(1): _log_softmax.default
F.relu(x): relu.default
F.gelu(x): gelu.default
F.softplus(x): softplus.default
F.elu(x): elu.default
F.layer_norm(x, (3,)): native_layer_norm.default
F.group_norm(im, 3): native_group_norm.default
F.conv2d(im, k): convolution.default
F.conv_transpose2d(im, k.transpose(0, 1)): transpose.int convolution.default
F.max_pool2d(im, 2): max_pool2d_with_indices.default
F.avg_pool2d(im, 2): avg_pool2d.default
F.adaptive_avg_pool2d(im, 1): mean.dim
F.embedding(idx, x): embedding.default
F.cross_entropy(x, idx): _log_softmax.default nll_loss_forward.default
F.mse_loss(x, x): mse_loss.default
F.smooth_l1_loss(x, x): smooth_l1_loss.default
F.binary_cross_entropy_with_logits(x, x): binary_cross_entropy_with_logits.default
F.l1_loss(x, x): sub.Tensor abs.default mean.default
F.pad(x, (1, 1)): constant_pad_nd.default
F.unfold(im, 2): im2col.default
x.view(3, 2): view.default
x.reshape(6): view.default
x.permute(1, 0): permute.default
x.unsqueeze(0): unsqueeze.default
x.squeeze(): squeeze.default
x.squeeze(0): squeeze.dim
x.expand(4, 2, 3): expand.default
x.repeat(2, 1): repeat.default
x.split(1): split.Tensor
x.unbind(): unbind.int
x[0]: select.int
x[:, 1:]: slice.Tensor
x[0, 1:]: select.int slice.Tensor
x[None]: unsqueeze.default
x[idx]: index.Tensor
x[mask]: index.Tensor
x.index_select(0, idx): index_select.default
x.gather(0, idx[None]): unsqueeze.default gather.default
x.masked_fill(mask, 0.0): masked_fill.Scalar
torch.where(mask, x, x): where.self
torch.cat([x, x]): cat.default
torch.stack([x, x]): stack.default
x.clone(): clone.default
x.double(): _to_copy.default
x.t().contiguous(): t.default clone.default
x.clamp(0, 1): clamp.default
x.tril(): tril.default
x.flip(0): flip.default
x.roll(1): roll.default
x.diagonal(): diagonal.default
torch.lerp(x, x, 0.5): lerp.Scalar
x.clone().add_(1): clone.default add_.Tensor
x.clone().relu_(): clone.default relu_.default
x.clone().zero_(): clone.default zero_.default
x.clone().copy_(x): clone.default copy_.default
"""
CASES = [line.rsplit(": ", 1) for line in NAMES.strip().splitlines()]


@pytest.mark.parametrize(("text", "names"), CASES, ids=[text for text, _ in CASES])
def test_calls_have_the_dispatchers_names_and_give_what_they_give(text, names):
    plain, logged = eval(text, given()), Log()
    space = given()
    with logged:
        result = eval(text, space)
    assert logged.log == names.split()
    plain, result = ([one] if isinstance(one, torch.Tensor) else list(one) for one in (plain, result))
    assert all(torch.equal(a, b) for a, b in zip(plain, result, strict=True))


NETWORK = """
F.cross_entropy(F.linear(x, w, b).relu(), idx)
(X @ w.t() + b).softmax(-1)[:, 0].pow(2).sum()
F.layer_norm(F.linear(x, w, b), (4,), b, b).sigmoid().prod()
F.conv2d(im, k * w[0, 0]).std() + w.norm()
torch.cat([w, w * 2]).view(3, 8).split(4, 1)[1].cumsum(0).max(1)[0].sum()
torch.einsum("ij,kj->ik", x, w).log_softmax(1).mean()
w.unsqueeze(0).expand(2, 4, 3).exp().logsumexp(1).sum()
torch.where(w > 0, w, w * w).sort(0)[0].gather(0, idx[:, None].expand(2, 3)).sum()
""".strip().splitlines()


@pytest.mark.parametrize("text", NETWORK)
def test_gradients_are_the_same_within_a_mode(text):
    def gradients(mode):
        space = given()
        leaves = [space["w"], space["b"]]
        if mode is None:
            eval(text, space).backward()
        else:
            with mode:
                eval(text, space).backward()
        return [leaf.grad for leaf in leaves]

    mode = Log()
    for plain, within in zip(gradients(None), gradients(mode), strict=True):
        assert (plain is None and within is None) or torch.allclose(plain, within, atol=1e-6)
    assert len(mode.log) > 4


def test_the_backward_pass_comes_to_the_mode():
    w, x = given()["w"], given()["x"]
    y = F.linear(x, w).sum()
    with Log() as mode:
        y.backward()
    assert "mm.default" in mode.log


def test_what_a_mode_gives_is_recorded_as_the_result_of_the_call():
    class Twice(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            out = func(*args, **(kwargs or {}))
            assert not out.requires_grad
            return out * 2 if func is torch.ops.aten.sin.default else out

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with Twice():
        y = x.sin()
    assert torch.equal(y, 2 * x.sin())
    assert type(y.grad_fn).__name__ == "SinBackward0"
    (gradient,) = torch.autograd.grad(y.sum(), x)  # that of the sine: the mode computes below autograd
    assert torch.allclose(gradient, x.cos())


def test_second_derivatives_and_changes_in_place():
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    with Log() as mode:
        y = x * 2
        y[0].mul_(3)
        y.view(3, 1).mul_(2)
        (first,) = torch.autograd.grad((y**3).sum(), x, create_graph=True)
        (second,) = torch.autograd.grad(first.sum(), x)
    factors = torch.tensor([12.0, 4.0, 4.0])
    assert torch.allclose(first, 3 * factors**3 * x**2)
    assert torch.allclose(second, 6 * factors**3 * x)
    assert mode.log.count("mul_.Tensor") == 2


def test_modes_nest_the_innermost_first_and_are_left_while_they_compute():
    log = []
    with Log(log, "outer "), Log(log, "inner "):
        assert _get_current_dispatch_mode().name == "inner "
        torch.ones(2).exp()
    assert log == ["inner ones.default", "outer ones.default", "inner exp.default", "outer exp.default"]
    assert not is_in_torch_dispatch_mode()
    assert STACK.depth == 0


def test_without_modes_nothing_comes_to_them():
    with Log() as mode, _disable_current_modes() as modes:
        assert modes == [mode]
        assert not is_in_torch_dispatch_mode()
        torch.ones(2).exp()
    assert mode.log == []


def test_an_error_in_a_mode_leaves_no_trace():
    class Wrong(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"), Wrong():
        torch.ones(2).exp()
    assert STACK.depth == 0
    assert torch.equal(torch.zeros(2).exp(), torch.ones(2))


def test_a_mode_that_implements_nothing():
    class Nothing(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return NotImplemented

    with pytest.raises(TypeError, match=r"Multiple dispatch failed for 'torch.ops.aten.ones.default'"), Nothing():
        torch.ones(2).exp()


def test_vmap_and_forward_mode_within_a_mode():
    x = torch.randn(3, 4)
    with Log():
        batched = torch.vmap(lambda row: row.sin().sum())(x)
        value, tangent = torch.func.jvp(torch.sin, (x,), (torch.ones(3, 4),))
        gradient = torch.func.grad(lambda x: x.sin().sum())(x)
    assert torch.allclose(batched, x.sin().sum(1))
    assert torch.allclose(tangent, x.cos())
    assert torch.equal(value, x.sin())
    assert torch.allclose(gradient, x.cos())
