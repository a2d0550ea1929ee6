"""Changes in place of tensors with tangents, and of views: the tangents change with them."""

import pytest


def test_a_dual_tensor(torch, dual, tangent):
    y = dual.clone()
    y.mul_(2).add_(dual)
    assert y.tolist() == [3.0, 6.0]
    assert tangent(y) == [3.0, 1.5]
    y.zero_()
    assert tangent(y) == [0.0, 0.0]


def test_the_tangent_of_the_source_stays(torch, dual, tangent):
    y = dual + 1  # its tangent has the values of that of `dual`
    y.mul_(5)
    assert tangent(dual) == [1.0, 0.5]
    assert tangent(y) == [5.0, 2.5]


def test_a_tensor_without_tangent(torch, dual, tangent):
    y = torch.ones(2)
    y.mul_(dual)
    assert tangent(y) == [1.0, 0.5]
    z = torch.zeros(2)
    z.copy_(dual)
    assert tangent(z) == [1.0, 0.5]


def test_slices_of_a_tensor(torch, dual, tangent):
    base = torch.zeros(4)
    before = base[1:3]
    base[1:3] = dual * 2
    base[0] = 7.0
    assert base.tolist() == [7.0, 2.0, 4.0, 0.0]
    assert tangent(base) == [0.0, 2.0, 1.0, 0.0]
    assert tangent(before) == [2.0, 1.0]
    assert tangent(base[2:]) == [1.0, 0.0]


def test_a_view_that_is_changed(torch, dual, tangent):
    base = torch.zeros(4)
    view = base[1:3]
    view.copy_(dual)
    assert tangent(view) == [1.0, 0.5]
    assert tangent(base) == [0.0, 1.0, 0.5, 0.0]
    base.mul_(4)
    assert tangent(view) == [4.0, 2.0]
    view.mul_(0.5)
    assert tangent(base) == [0.0, 2.0, 1.0, 0.0]


def test_views_of_a_dual_tensor(torch, dual, tangent):
    y = dual * 1
    y[0].mul_(3)
    assert tangent(y) == [3.0, 0.5]
    y.view(2, 1).T.mul_(2)
    assert tangent(y) == [6.0, 1.0]


def test_views_of_views(torch, fw, tangent):
    with fw.dual_level():
        x = fw.make_dual(torch.arange(6.0).reshape(2, 3), torch.ones(2, 3)) * 1
        x.T[1].mul_(torch.tensor([10.0, 20.0]))
        assert x.tolist() == [[0.0, 10.0, 2.0], [3.0, 80.0, 5.0]]
        assert tangent(x) == [[1.0, 10.0, 1.0], [1.0, 20.0, 1.0]]


@pytest.mark.parametrize("key", ["mask", "index"])
def test_index_put(torch, dual, key, tangent):
    base = torch.zeros(3)
    base[torch.tensor([True, False, True] if key == "mask" else [0, 2])] = dual
    assert tangent(base) == [1.0, 0.0, 0.5]
    base[base == 1] = 0.0
    assert tangent(base) == [0.0, 0.0, 0.5]


def test_methods_of_several_kinds(torch, dual, tangent):
    y = dual.clone()
    y.clamp_(max=1.5)
    assert tangent(y) == [1.0, 0.0]
    y.sigmoid_()
    assert tangent(y)[0] == pytest.approx(0.1966, abs=1e-4)
    y = dual.clone()
    y.index_add_(0, torch.tensor([0, 0]), dual)
    assert tangent(y) == [2.5, 0.5]
    y = dual.clone().unsqueeze_(0)
    assert tangent(y) == [[1.0, 0.5]]
    y.fill_(3.0)
    assert tangent(y) == [[0.0, 0.0]]


def test_no_grad(torch, dual, tangent):
    y = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        y.mul_(dual)
    assert tangent(y) == [1.0, 0.5]


def test_reverse_over_forward(torch, fw):
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    with fw.dual_level():
        dual = fw.make_dual(x, torch.tensor([1.0, 3.0], dtype=torch.float64))
        y = torch.zeros(3, dtype=torch.float64)
        y[:2] = dual**2
        y.pow_(2)
        primal, t = fw.unpack_dual(y)
    assert torch.autograd.grad(primal.sum(), x, retain_graph=True)[0].tolist() == [4.0, 32.0]
    assert torch.autograd.grad(t.sum(), x)[0].tolist() == [12.0, 144.0]  # d/dx of 4 x^3 v


def test_forward_over_reverse(torch, fw):
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    with fw.dual_level():
        dual = fw.make_dual(x, torch.tensor([1.0, 3.0], dtype=torch.float64))
        y = dual * 1
        y.mul_(dual)
        y[0] *= dual[0]
        (grad,) = torch.autograd.grad(y.sum(), dual)
        primal, t = fw.unpack_dual(grad)
    assert primal.tolist() == [3.0, 4.0]
    assert t.tolist() == [6.0, 6.0]
