"""`backward` and `grad`: what they compute, change and return, with all their parameters."""

import numpy as np
import pytest


def leaf(torch, *values):
    return torch.tensor(values, requires_grad=True)


def close(tensor, values):
    np.testing.assert_allclose(tensor.detach().numpy(), values, rtol=1e-6)


def test_backward_accumulates_and_returns_nothing(torch):
    x = leaf(torch, 1.0, 2.0)
    assert (x * x).sum().backward() is None
    close(x.grad, [2, 4])
    (x * x).sum().backward()
    close(x.grad, [4, 8])


def test_grad_returns_and_changes_nothing(torch):
    x = leaf(torch, 1.0, 2.0)
    grads = torch.autograd.grad((x * x).sum(), x)
    assert isinstance(grads, tuple)
    close(grads[0], [2, 4])
    assert x.grad is None
    assert not grads[0].requires_grad


def test_document_example_of_two_inputs(torch):
    x1, x2 = leaf(torch, 0.3939), leaf(torch, 0.7965)
    y = x1**2 + 5 * x2
    np.testing.assert_allclose(y.detach().numpy(), [4.13765], rtol=1e-4)
    g1, g2 = torch.autograd.grad(y, (x1, x2), torch.ones_like(y))
    close(g1, [2 * 0.3939])
    close(g2, [5])


def test_grad_tensors_weigh_the_elements(torch):
    x = leaf(torch, 1.0, 2.0, 3.0)
    torch.autograd.backward(x * 2, grad_tensors=torch.tensor([0.1, 1.0, 10.0]))
    close(x.grad, [0.2, 2, 20])


def test_several_outputs_add_up(torch):
    x = leaf(torch, 1.0, 2.0)
    torch.autograd.backward([(x * 2).sum(), x * x], [None, torch.tensor([1.0, 10.0])])
    close(x.grad, [2 + 2, 2 + 40])
    assert torch.autograd.grad([x.sum(), (3 * x).sum()], [x])[0].tolist() == [4, 4]


def test_tensor_backward_takes_gradient_and_inputs(torch):
    x, y = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
    (x * y).backward(torch.tensor([1.0, 10.0]), inputs=[x])
    close(x.grad, [3, 40])
    assert y.grad is None


def test_backward_with_inputs_accumulates_in_results_too(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x * 2
    (y * y).sum().backward(inputs=[y])
    close(y.grad, [4, 8])
    assert x.grad is None


def test_empty_inputs_are_refused(torch):
    x = leaf(torch, 1.0)
    with pytest.raises(RuntimeError, match=r"`?'?inputs'?`? argument to `?backward(\(\))?`? cannot be empty"):
        x.sum().backward(inputs=[])


def test_second_backward_needs_retain_graph(torch):
    x = leaf(torch, 1.0, 2.0)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    close(x.grad, [4, 8])
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.backward()


def test_a_graph_that_saved_nothing_can_run_again(torch):
    x = leaf(torch, 1.0, 2.0)
    y = (x + 1).sum()
    y.backward()
    y.backward()
    close(x.grad, [2, 2])


def test_create_graph_gives_any_order(torch):
    x = torch.tensor(2.0, requires_grad=True)
    y = x**5
    expected = [5 * 16, 20 * 8, 60 * 4, 120 * 2, 120]
    for value in expected:
        (y,) = torch.autograd.grad(y, x, create_graph=True)
        assert y.item() == pytest.approx(value)


def test_backward_with_create_graph_leaves_a_graph_on_grad(torch):
    x = torch.tensor(2.0, requires_grad=True)
    (x**3).backward(create_graph=True)
    assert x.grad.requires_grad
    (g,) = torch.autograd.grad(x.grad, x)
    assert g.item() == pytest.approx(12)


def test_unused_inputs(torch):
    x, y = leaf(torch, 1.0), leaf(torch, 2.0)
    with pytest.raises(
        RuntimeError, match="The differentiated Tensor at index 1 appears to not have been used in the graph"
    ):
        torch.autograd.grad(x.sum(), [x, y])
    assert torch.autograd.grad(x.sum(), [x, y], allow_unused=True)[1] is None
    assert torch.autograd.grad(x.sum(), [x, y], materialize_grads=True)[1].tolist() == [0]
    with pytest.raises(ValueError, match="Expected allow_unused to be True or not passed when materialize_grads=True"):
        torch.autograd.grad(x.sum(), [y], allow_unused=False, materialize_grads=True)


def test_inputs_must_require_grad(torch):
    x = leaf(torch, 1.0)
    with pytest.raises(RuntimeError, match="One of the differentiated Tensors does not require grad"):
        torch.autograd.grad(x.sum(), torch.tensor([1.0]))


def test_outputs_must_require_grad(torch):
    with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad and does not have a grad_fn"):
        torch.tensor([1.0]).sum().backward()


def test_non_scalars_need_a_gradient(torch):
    x = leaf(torch, 1.0, 2.0)
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        (x * 2).backward()


def test_shapes_of_gradients_are_checked(torch):
    x = leaf(torch, 1.0, 2.0)
    with pytest.raises(RuntimeError, match=r"Mismatch in shape: grad_output\[0\] has a shape of torch.Size\(\[3\]\)"):
        (x * 2).backward(torch.ones(3))


def test_gradients_must_be_tensors(torch):
    x = leaf(torch, 1.0, 2.0)
    with pytest.raises(TypeError, match="gradients can be either Tensors or None, but got"):
        torch.autograd.backward([x * 2], [[1.0, 2.0]])


def test_numbers_of_tensors_and_gradients_must_agree(torch):
    x = leaf(torch, 1.0, 2.0)
    with pytest.raises(RuntimeError, match="got 2 tensors and 1 gradients"):
        torch.autograd.backward([x * 2, x * 3], [torch.ones(2)])


def test_grad_variables_is_the_old_name(torch):
    x = leaf(torch, 1.0, 2.0)
    with pytest.warns(FutureWarning, match="grad_variables"):
        torch.autograd.backward(x * 2, grad_variables=torch.ones(2))
    close(x.grad, [2, 2])


def test_only_inputs_false_warns(torch):
    x = leaf(torch, 1.0, 2.0)
    with pytest.warns(FutureWarning, match="only_inputs argument is deprecated"):
        torch.autograd.grad(x.sum(), x, only_inputs=False)


def test_batched_gradients(torch):
    x = leaf(torch, 1.0, 2.0, 3.0)
    (jacobian,) = torch.autograd.grad(x * x, x, torch.eye(3), is_grads_batched=True)
    close(jacobian, np.diag([2, 4, 6]))


def test_gradient_of_an_intermediate_result(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x * 3
    z = (y * y).sum()
    gy, gx = torch.autograd.grad(z, [y, x])
    close(gy, [6, 12])
    close(gx, [18, 36])


def test_an_output_can_be_its_own_input(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x.sum()
    assert torch.autograd.grad(y, y)[0].item() == 1
    assert torch.autograd.grad(x, x, torch.ones(2))[0].tolist() == [1, 1]


def test_diamonds_are_summed_once(torch):
    x = torch.tensor(3.0, requires_grad=True)
    a = x * 2
    b = a * a + a
    (b * a).backward()
    assert x.grad.item() == pytest.approx(2 * (3 * 36 + 2 * 6))


def test_gradients_given_by_the_user_are_not_changed(torch):
    x, y = leaf(torch, 1.0, 2.0), leaf(torch, 1.0, 2.0)
    given = torch.ones(2)
    (x + y + x).backward(given)
    assert given.tolist() == [1, 1]
    x.grad.add_(1)
    assert y.grad.tolist() == [1, 1]
    assert given.tolist() == [1, 1]


def test_broadcast_inputs_get_gradients_of_their_shape(torch):
    x, y = torch.ones(3, 1, requires_grad=True), torch.ones(2, 1, 4, requires_grad=True)
    (x * y).sum().backward()
    assert x.grad.shape == (3, 1)
    assert y.grad.shape == (2, 1, 4)
    assert x.grad.flatten().tolist() == [8, 8, 8]
    assert y.grad.flatten().tolist() == [3] * 8


def test_mixed_dtypes_give_each_input_its_own(torch):
    x = torch.ones(2, dtype=torch.float32, requires_grad=True)
    y = torch.ones(2, dtype=torch.float64, requires_grad=True)
    (x * y).sum().backward()
    assert x.grad.dtype == torch.float32
    assert y.grad.dtype == torch.float64


def test_complex_gradients_follow_the_conjugate_convention(torch):
    z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    (z * (2 + 1j)).backward(torch.tensor([1 + 0j, 1j]))
    expected = np.conj(2 + 1j) * np.array([1, 1j])
    np.testing.assert_allclose(z.grad.numpy(), expected)


def test_real_inputs_of_complex_operations_get_real_gradients(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    z = x * torch.tensor([1 + 2j, 3 - 1j])
    (z * z.conj()).real.sum().backward()
    assert x.grad.dtype == torch.float32
    np.testing.assert_allclose(x.grad.numpy(), [2 * 5 * 1, 2 * 10 * 2], rtol=1e-6)
