"""Conjugates and negatives are views: of one memory with what they show, through which it can be changed."""

import copy
import io
import pickle

import numpy as np
import pytest

import rushlight as torch

LOOKS = {  # views of a complex tensor c, what they are turned by, and what they show
    "c.conj()": ((True, False), lambda c: c.conj()),
    "c.conj().conj()": ((False, False), lambda c: c),
    "c.conj().imag": ((False, True), lambda c: -c.imag),
    "c.conj().real": ((False, False), lambda c: c.real),
    "c[0].conj()[1:]": ((True, False), lambda c: c.conj()[0, 1:]),
    "c.mH": ((True, False), lambda c: c.conj().T),
    "c.adjoint().T.reshape(-1)": ((True, False), lambda c: c.conj().reshape(-1)),
    "c.conj().unbind(1)[2]": ((True, False), lambda c: c.conj()[:, 2]),
    "torch._neg_view(c)": ((False, True), lambda c: -c),
    "torch._neg_view(c).conj().imag": ((False, False), lambda c: c.imag),
    "torch.view_as_real(torch._neg_view(c))": ((False, True), lambda c: np.stack([-c.real, -c.imag], -1)),
    "c.conj().detach().diagonal()": ((True, False), lambda c: c.conj().diagonal()),
}
VALUES = np.array([[1 + 2j, 3 - 1j, 0.5j], [-2 + 1j, 4j, 1.5]])


def numbers():
    return torch.tensor(VALUES.copy())


def shown(x):
    return x.detach().resolve_conj().resolve_neg().numpy()


@pytest.mark.parametrize("look", LOOKS)
def test_a_look_shows_what_lies_in_the_memory_of_its_base(look):
    (conjugate, negative), values = LOOKS[look]
    c = numbers()
    seen = eval(look)
    assert (seen.is_conj(), seen.is_neg()) == (conjugate, negative)
    np.testing.assert_array_equal(shown(seen), values(VALUES))
    assert seen.tolist() == values(VALUES).tolist()
    c.mul_(1 + 1j)
    np.testing.assert_array_equal(shown(seen), values(VALUES * (1 + 1j)))
    assert seen._version == c._version == 1


CHANGES = {
    "v.mul_(2)": lambda v: v * 2,
    "v.add_(v)": lambda v: v + v,
    "v.copy_(torch.ones_like(v) * 3)": lambda v: np.full_like(v, 3),
    "v.fill_(-2.5)": lambda v: np.full_like(v, -2.5),
    "v.zero_()": np.zeros_like,
    "v[0] = 7": lambda v: np.concatenate([np.full_like(v[:1], 7), v[1:]]),
    "v[..., -1:].sub_(1)": lambda v: v - (np.arange(v.shape[-1]) == v.shape[-1] - 1),
    "torch.mul(v.clone(), 3, out=v)": lambda v: v * 3,
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("look", LOOKS)
def test_changes_through_a_look_reach_its_base(look, change):
    c, v = numbers(), None
    v = eval(look)
    exec(change)
    wanted = CHANGES[change](LOOKS[look][1](VALUES))
    np.testing.assert_allclose(shown(v), wanted)
    np.testing.assert_allclose(LOOKS[look][1](c.numpy()), wanted)
    assert c._version == v._version == 1


@pytest.mark.parametrize("look", [look for look in LOOKS if "detach" not in look and "unbind" not in look])
def test_gradients_go_through_changes_of_looks(look):
    def function(x):
        c = x * 1
        v = eval(look)
        v.mul_(1.5).add_(x.abs().sum())
        return (c * c.conj() * (1 + 0.5j)).sum() + (v**2).sum()

    assert torch.autograd.gradcheck(function, [numbers().requires_grad_()])


@pytest.mark.parametrize("look", [look for look in LOOKS if "detach" not in look])
def test_derivatives_of_looks_are_right_in_every_mode(look):
    def function(c):
        return eval(look) ** 2 * c.abs().sum()

    x = numbers().requires_grad_()
    assert torch.autograd.gradcheck(function, [x], check_forward_ad=True, check_batched_grad=True)
    assert torch.autograd.gradgradcheck(function, [x], check_fwd_over_rev=True)


def test_leaves_that_show_conjugates():
    c = numbers()
    leaf = c.conj().requires_grad_()
    (leaf * leaf).sum().abs().backward()
    again = torch.tensor(VALUES.conj(), requires_grad=True)
    (again * again).sum().abs().backward()
    np.testing.assert_allclose(leaf.grad.numpy(), again.grad.numpy())
    with torch.no_grad():
        leaf.sub_(leaf)
    assert not c.any()


@pytest.mark.parametrize("give", ["backward", "hook", "function", "grad"])
def test_cotangents_may_show_conjugates(give):
    class Turning(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad.conj()

    x, cotangent = numbers().requires_grad_(), torch.tensor(VALUES.T.copy()).T
    y = Turning.apply(x) if give == "function" else x * 1
    if give == "hook":
        y.register_hook(torch.conj)
    if give == "grad":
        x.grad = cotangent.conj()
    y.backward(cotangent.conj() if give == "backward" else cotangent)
    wanted = VALUES.conj() + VALUES if give == "grad" else VALUES.conj()
    np.testing.assert_array_equal(shown(x.grad), wanted)


REFUSALS = {
    "v.numpy()": (RuntimeError, r"numpy\(\) on Tensor that has conjugate bit set. Use tensor.resolve_conj\(\).numpy"),
    "v.imag.numpy()": (RuntimeError, r"that has negative bit set. Use tensor.resolve_neg\(\).numpy"),
    "np.asarray(v)": (RuntimeError, "conjugate bit"),
    "torch.view_as_real(v)": (RuntimeError, "view_as_real doesn't work on unresolved conjugated tensors"),
    "v.view(torch.float64)": (RuntimeError, "not supported for conjugate view tensors"),
    "v.imag.view(torch.int64)": (RuntimeError, "not supported for tensors with negative bit set"),
    "v.__dlpack__()": (BufferError, "Can't export tensors with the conjugate bit set"),
}


@pytest.mark.parametrize("use", REFUSALS)
def test_what_would_show_the_memory_is_refused(use):
    v, (kind, words) = numbers().conj(), REFUSALS[use]
    with pytest.raises(kind, match=words):
        eval(use, {"v": v, "np": np, "torch": torch})
    np.testing.assert_array_equal(v.numpy(force=True), VALUES.conj())


def test_files_and_pickles_keep_what_is_shown():
    c, memory = numbers(), io.BytesIO()
    torch.save([c, c.conj()], memory)
    memory.seek(0)
    base, view = torch.load(memory)
    base.mul_(2)
    assert view.is_conj()
    np.testing.assert_array_equal(shown(view), 2 * VALUES.conj())
    imaginary = c.conj().imag
    memory = io.BytesIO()
    torch.save(imaginary, memory)
    memory.seek(0)
    for again in (torch.load(memory), pickle.loads(pickle.dumps(imaginary)), copy.deepcopy(imaginary)):
        np.testing.assert_array_equal(shown(again), -VALUES.imag)


def test_an_optimizer_refuses_what_only_shows_its_memory():
    with pytest.raises(NotImplementedError, match="resolve_conj"):
        torch.optim.SGD([numbers().conj().requires_grad_()], lr=0.1)


def test_resolving_copies_only_what_is_turned():
    c = numbers()
    v = c.conj()
    assert c.resolve_conj() is c
    assert v.resolve_neg() is v
    assert not v.resolve_conj().is_conj()
    assert v.resolve_conj().data_ptr() != v.data_ptr() == c.data_ptr()
    assert v.imag.resolve_neg().is_neg() is False
    for fresh in (v.clone(), v + 0, torch.empty_like(v), v.conj_physical(), v.to(torch.complex64)):
        assert not fresh.is_conj()


def test_a_saved_conjugate_is_guarded_by_the_version_of_its_memory():
    x = numbers().requires_grad_()
    c = x * 1
    v = c.conj()
    y = v * v
    c.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().abs().backward()


OF_A_NUMBER = {  # functions of a tensor without dimensions, which NumPy's functions would make a number of
    "index_fill": lambda x: x.index_fill(0, torch.tensor([0]), 3.0),
    "index_copy": lambda x: x.index_copy(0, torch.tensor([0]), x),
    "index_add": lambda x: x.index_add(0, torch.tensor([0]), x),
    "index_reduce": lambda x: x.index_reduce(0, torch.tensor([0]), x, "mean"),
    "scatter_add": lambda x: x.scatter_add(0, torch.tensor([0]), x),
    "unbind_copy": lambda x: torch.unbind_copy(x.reshape(1))[0],
    "complex": lambda x: torch.complex(x, x),
    "view_copy": lambda x: torch.view_copy(x, [1]),
    "masked_fill": lambda x: x.masked_fill(x > 100, 1.0),
    "cumsum": lambda x: x.cumsum(0),
    "sort": lambda x: x.sort().values,
    "clone": torch.clone,
}


@pytest.mark.parametrize("name", OF_A_NUMBER)
def test_looks_at_a_number_stay_arrays(name):
    look, plain = torch._neg_view(torch.tensor(-2.0)), torch.tensor(2.0)
    result, wanted = OF_A_NUMBER[name](look), OF_A_NUMBER[name](plain)
    assert result.shape == wanted.shape
    np.testing.assert_array_equal(result.numpy(), wanted.numpy())


@pytest.mark.parametrize(
    ("name", "conjugates"),
    [
        ("dot", {(True, True): True, (True, False): False, (False, True): False}),
        ("vdot", {(True, True): False, (True, False): False, (False, True): True}),
        ("inner", {(True, True): True, (True, False): False, (False, True): False}),
    ],
)
def test_products_are_lazily_conjugated_where_pytorch_computes_the_conjugate(name, conjugates):
    x, y = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True), torch.tensor([2 - 1j, 1j])
    for (first, second), lazily in conjugates.items():
        operands = x.conj() if first else x, y.conj() if second else y
        result = getattr(torch, name)(*operands)
        assert result.is_conj() == lazily
        assert (result.storage_offset(), result.shape) == (0, ())
        plain = getattr(torch, name)(*[operand.resolve_conj() for operand in operands])
        assert torch.equal(result.resolve_conj(), plain)
        found, wanted = (torch.autograd.grad(one.abs(), x, retain_graph=True)[0] for one in (result, plain))
        assert torch.equal(found, wanted)


def parts():
    return [torch.tensor(part.copy(), requires_grad=True) for part in (VALUES.real, VALUES.imag)]


def test_gradients_through_a_conjugate_are_looks_as_pytorchs():
    x, y = parts()
    result = torch.complex(x, y).conj()
    cotangent = torch.tensor(VALUES * (2 - 3j))
    of_x, of_y = torch.autograd.grad(result, [x, y], cotangent, retain_graph=True)
    assert (of_x.is_neg(), of_y.is_neg()) == (False, True)
    assert torch.equal(of_x, cotangent.real)
    assert torch.equal(of_y, -cotangent.imag)
    result.backward(cotangent)
    assert not y.grad.is_neg()
    assert torch.equal(y.grad, -cotangent.imag)


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda c: c.conj() + c.conj() * 2, lambda g: 3 * g.conj()),
        (lambda c: c.conj() * 2 + c.conj(), lambda g: 3 * g.conj()),
        (lambda c: c * 2 + c.conj(), lambda g: 2 * g + g.conj()),
        (lambda c: c.conj().conj(), lambda g: g),
    ],
)
def test_a_conjugated_gradient_is_added_to_others(function, expected, create_graph):
    c, cotangent = numbers().requires_grad_(), torch.tensor(VALUES * (2 - 3j))
    (found,) = torch.autograd.grad(function(c), c, cotangent, create_graph=create_graph)
    torch.testing.assert_close(found, expected(cotangent))


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
@pytest.mark.parametrize("part", [np.s_[:], np.s_[::2], np.s_[:, ::3]])
def test_negatives_of_complex_numbers(part, dtype):
    x = torch.arange(42).reshape(6, 7).to(dtype) * (1 - 2j)
    assert np.array_equal((-x[part]).numpy(), np.negative(x.numpy()[part]))
