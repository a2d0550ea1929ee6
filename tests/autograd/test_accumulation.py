"""How gradients add up in `.grad`: identity, memory, layout, dtype, assignment."""

from importlib import import_module

import pytest


def leaf(torch, *values):
    return torch.tensor(list(values), requires_grad=True)


def test_later_gradients_are_added_in_place(torch):
    x = leaf(torch, 1.0, 2.0)
    (x * x).sum().backward()
    grad = x.grad
    (x * 3).sum().backward()
    assert x.grad is grad
    assert grad.tolist() == [5, 7]
    assert grad._version > 0


@pytest.mark.filterwarnings("ignore:Using backward:UserWarning")
def test_gradients_through_a_batched_pass_are_added_in_place(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x * x
    (rows,) = torch.autograd.grad(y, x, torch.eye(2), is_grads_batched=True, create_graph=True)
    y.sum().backward(create_graph=True)
    grad = x.grad
    rows.sum().backward(retain_graph=True)
    assert x.grad is grad
    assert grad.requires_grad
    assert grad.tolist() == [4, 6]
    x.grad = None
    rows.sum().backward(retain_graph=True)
    assert not x.grad.requires_grad
    grad = x.grad
    rows.sum().backward()
    assert x.grad is grad
    assert grad.tolist() == [4, 4]


@pytest.mark.filterwarnings("ignore:Using backward:UserWarning")
def test_a_recorded_gradient_is_a_copy_in_the_layout_of_its_leaf(torch):
    x = torch.ones(3, 2).t().requires_grad_()
    (x**2 * torch.arange(6.0).view(2, 3)).sum().backward(create_graph=True)
    assert x.grad.stride() == (1, 2)
    assert type(x.grad.grad_fn).__name__ == "CopyBackwards"
    (second,) = torch.autograd.grad(x.grad.sum(), x)
    assert second.tolist() == [[0, 2, 4], [6, 8, 10]]


def test_under_create_graph_a_new_tensor_takes_its_place(torch):
    x = leaf(torch, 1.0, 2.0)
    (x * x).sum().backward(create_graph=True)
    first = x.grad
    assert first.requires_grad
    (x * 3).sum().backward(create_graph=True)
    assert x.grad is not first
    assert first.tolist() == [2, 4]
    assert x.grad.tolist() == [5, 7]
    x.grad.sum().backward()
    assert x.grad.tolist() == [7, 9]


def test_a_given_gradient_is_never_taken(torch):
    x = leaf(torch, 1.0, 2.0)
    given = torch.ones(2)
    x.backward(given)
    assert x.grad.data_ptr() != given.data_ptr()
    x.backward(given)
    assert given.tolist() == [1, 1]
    x.grad = None
    x.backward(given, create_graph=True)
    assert x.grad is not given


def test_gradients_that_two_leaves_share_are_copied(torch):
    x, y = leaf(torch, 1.0), leaf(torch, 2.0)
    (x + y).backward()
    assert x.grad.data_ptr() != y.grad.data_ptr()
    (x * 3).backward()
    assert (x.grad.item(), y.grad.item()) == (4, 1)


def test_a_gradient_that_a_hook_keeps_is_not_added_to(torch):
    x = leaf(torch, 1.0)
    kept = []
    x.register_hook(kept.append)
    (x * 2).backward()
    (x * 2).backward()
    assert [g.item() for g in kept] == [2, 2]


def test_an_assigned_gradient_is_added_to(torch):
    x = leaf(torch, 1.0, 2.0)
    buffer = torch.zeros(4)
    x.grad = buffer[1:3]
    x.sum().backward()
    assert buffer.tolist() == [0, 1, 1, 0]
    assert buffer._version == 1


def test_an_assigned_tensor_is_the_gradient(torch):
    x = leaf(torch, 1.0, 2.0)
    g = torch.ones(2)
    x.grad = g
    assert x.grad is g
    del x.grad
    assert x.grad is None


def test_expanded_gradients_cannot_be_added_to(torch):
    x = leaf(torch, 1.0, 2.0)
    x.grad = torch.ones(1).expand(2)
    with pytest.raises(
        RuntimeError, match="unsupported operation: more than one element of the written-to tensor refers"
    ):
        x.sum().backward()


def test_assignment_is_checked(torch):
    x = leaf(torch, 1.0, 2.0)
    with pytest.raises(TypeError, match="assigned grad expected to be a Tensor or None but got grad of type int"):
        x.grad = 1
    with pytest.raises(RuntimeError, match="can't assign Variable as its own grad"):
        x.grad = x
    with pytest.raises(
        RuntimeError, match=r"attempting to assign a gradient of size '\[3\]' to a tensor of size '\[2\]'"
    ):
        x.grad = torch.ones(3)
    with pytest.raises(
        RuntimeError, match="attempting to assign a gradient with dtype 'double' to a tensor with grad_dtype"
    ):
        x.grad = torch.ones(2, dtype=torch.float64)


@pytest.mark.parametrize("form", ["transposed", "permuted", "contiguous"])
def test_gradients_lie_in_memory_as_their_leaves(torch, form):
    x = torch.arange(24.0).view(2, 3, 4)
    x = {"transposed": x.transpose(0, 1), "permuted": x.permute(2, 0, 1), "contiguous": x}[form]
    x = x.detach().requires_grad_()
    (x * x).sum().backward()
    assert x.grad.stride() == x.stride()
    x.grad = None
    x.sum().backward()
    assert x.grad.stride() == x.stride()
    x.grad = None
    (x.transpose(0, 1).contiguous() ** 2).sum().backward()
    assert x.grad.stride() == x.stride()
    assert torch.equal(x.grad, 2 * x.detach())


def test_gradients_of_expanded_leaves_have_their_own_memory(torch):
    x = torch.ones(1).expand(3).detach().requires_grad_()
    (x * x).sum().backward()
    assert x.grad.stride() == (1,)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
def test_gradients_have_the_dtype_of_their_leaves(torch, dtype):
    x = torch.ones(2, dtype=getattr(torch, dtype), requires_grad=True)
    y = x * torch.ones(2, dtype=torch.float64)
    (y * y.conj()).real.sum().backward()
    assert x.grad.dtype is x.dtype


def test_complex_gradients(torch):
    z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    (z * z.conj()).real.sum().backward()
    assert z.grad.tolist() == [2 + 4j, 6 - 2j]
    z.grad = None
    (z**2).backward(torch.ones(2, dtype=torch.complex64))
    assert z.grad.tolist() == [2 - 4j, 6 + 2j]
    x = leaf(torch, 2.0)
    (x * (1 + 3j)).abs().backward()
    assert x.grad.dtype is torch.float32
    assert x.grad.item() == pytest.approx(10**0.5)


def test_grad_dtype(torch):
    x = leaf(torch, 1.0, 2.0)
    assert x.grad_dtype is torch.float32
    x.grad_dtype = torch.float64
    seen = []
    handle = x.register_hook(lambda grad: seen.append(grad.dtype))
    (x * 2).sum().backward()
    handle.remove()
    assert x.grad.dtype is torch.float64
    assert seen == [torch.float64]
    assert torch.autograd.grad(x.sum(), x)[0].dtype is torch.float64
    with pytest.raises(
        RuntimeError, match="Cannot set grad_dtype to 'Float' because there is already a gradient with dtype"
    ):
        x.grad_dtype = torch.float32
    x.grad = None
    x.grad_dtype = None
    x.grad = torch.ones(2, dtype=torch.float16)
    assert x.grad_dtype is None
    y = x * 2
    with pytest.raises(RuntimeError, match="grad_dtype can only be accessed on leaf tensors"):
        _ = y.grad_dtype
    with pytest.raises(RuntimeError, match="grad_dtype can only be set on leaf tensors"):
        y.grad_dtype = torch.float64
    with pytest.raises(RuntimeError, match=r"grad_dtype must be a torch\.dtype or None, but got int"):
        x.grad_dtype = 3


def test_zero_grad(torch):
    nn, optim = import_module(f"{torch.__name__}.nn"), import_module(f"{torch.__name__}.optim")
    for thing in (nn.Linear(2, 1), None):
        weight = nn.Parameter(torch.ones(2)) if thing is None else thing.weight
        thing = thing or optim.SGD([weight], lr=0.1)
        weight.sum().backward()
        grad = weight.grad
        thing.zero_grad(set_to_none=False)
        assert weight.grad is grad
        assert grad.sum().item() == 0
        thing.zero_grad()
        assert weight.grad is None


def test_backward_with_inputs(torch):
    x, w = leaf(torch, 2.0), leaf(torch, 3.0)
    y = x * w
    seen = []
    x.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.item()))
    (y * y).backward(inputs=[x, y], retain_graph=True)
    assert x.grad.item() == 36
    assert y.grad.item() == 12
    assert y.retains_grad
    assert w.grad is None
    assert seen == [36]
    (y * y).backward(inputs=w)
    assert w.grad.item() == 24
    with pytest.raises(RuntimeError, match="can't retain_grad on Tensor that has requires_grad=False"):
        (x * w).backward(inputs=[torch.ones(1)])


def test_inputs_that_are_given_twice_count_once(torch):
    x = leaf(torch, 2.0)
    (x * 3).backward(inputs=[x, x])
    assert x.grad.item() == 3


def test_grad_accumulates_nothing(torch):
    x, w = leaf(torch, 2.0), leaf(torch, 3.0)
    assert [g.item() for g in torch.autograd.grad(x * w, [x, x, w])] == [3, 3, 2]
    assert x.grad is None
    assert w.grad is None


def test_leaves_that_stop_requiring_grad_get_none(torch):
    x = leaf(torch, 2.0)
    y = x * 3
    x.requires_grad_(False)
    y.backward()
    assert x.grad is None


def test_leaves_that_moved_into_the_graph(torch):
    x = torch.ones(2)
    w = leaf(torch, 3.0, 4.0)
    x.requires_grad_()
    y = x * 2
    with torch.no_grad():
        x.requires_grad_(False)
    x.mul_(w)
    with pytest.raises(RuntimeError, match="leaf variable has been moved into the graph interior"):
        y.sum().backward()


def test_a_sum_of_gradients_lies_in_memory_as_the_first(torch):
    x, w = torch.ones(3, 4, requires_grad=True), torch.ones(4, requires_grad=True)
    y = x @ w
    first = torch.autograd.grad((x * x).sum() + (y * y).sum(), [x, w], create_graph=True)
    grads = torch.autograd.grad(sum((g * g).sum() for g in first), [x, w])
    assert [g.stride() for g in grads] == [(1, 3), (1,)]


def test_the_real_part_of_a_gradient_lies_as_it_did(torch):
    x = torch.ones(4, requires_grad=True)
    (grad,) = torch.autograd.grad(torch.view_as_real(x * 1j).sum(), x)
    assert grad.stride() == (2,)
