"""The graph as users see it: leaves and results, nodes and their names, versions, memory."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import rushlight


def test_leaves_and_results(torch):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    assert x.is_leaf
    assert x.grad_fn is None
    assert not y.is_leaf
    assert y.requires_grad
    assert torch.ones(2).is_leaf
    assert not (torch.ones(2) * 2).requires_grad


def test_next_functions_lead_back_to_the_leaf(torch):
    a = torch.ones(3, requires_grad=True)
    d = 2 * torch.sin(a) + 1
    node = d.grad_fn
    assert node.name() == "AddBackward0"
    assert type(node).__name__ == "AddBackward0"
    assert repr(node).startswith("<AddBackward0 object at 0x")
    (mul, index), none = node.next_functions
    assert (mul.name(), index, none) == ("MulBackward0", 0, (None, 0))
    sin = mul.next_functions[0][0]
    assert sin.name() == "SinBackward0"
    ((accumulate, zero),) = sin.next_functions
    assert accumulate.name().endswith("AccumulateGrad")
    assert zero == 0
    assert accumulate.variable is a
    assert accumulate.next_functions == ()
    assert sin.next_functions[0][0] is accumulate


def test_nodes_are_the_same_objects(torch):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    z = y + 1
    assert z.grad_fn.next_functions[0][0] is y.grad_fn
    assert y.grad_fn is y.grad_fn


def test_metadata_of_a_node_is_kept(torch):
    y = torch.ones(2, requires_grad=True) * 2
    y.grad_fn.metadata["note"] = 1
    assert y.grad_fn.metadata == {"note": 1}


def test_only_floats_can_require_grad(torch):
    with pytest.raises(RuntimeError, match=r"[Oo]nly Tensors of floating point"):
        torch.ones(2, dtype=torch.int64).requires_grad_()


def test_results_cannot_stop_requiring_grad(torch):
    y = torch.ones(2, requires_grad=True) * 2
    with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf variables"):
        y.requires_grad = False


def test_switching_requires_grad_off_stops_recording(torch):
    a = torch.ones(2, 3, requires_grad=True)
    assert (2 * a).grad_fn.name() == "MulBackward0"
    a.requires_grad = False
    assert (2 * a).grad_fn is None


def test_detach_shares_memory_and_versions(torch):
    x = torch.ones(2, requires_grad=True)
    y = x.detach()
    assert not y.requires_grad
    y[0] = 5
    assert x[0].item() == 5
    assert x._version == y._version == 1


def test_data_shares_memory_but_not_versions(torch):
    x = torch.ones(2, requires_grad=True)
    x.data[0] = 5
    assert x[0].item() == 5
    assert x._version == 0


def test_data_can_be_replaced(torch):
    x = torch.ones(2, requires_grad=True)
    x.data = torch.zeros(3)
    assert x.shape == (3,)
    assert x.requires_grad


def test_a_changed_leaf_is_an_error(torch):
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        x.add_(1)
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad is being used in an in-place"):
        x[0] = 1
    with torch.no_grad():
        x.add_(1)
    assert x.tolist() == [2, 2]


def test_a_changed_saved_input_is_an_error(torch):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    z = y * y
    y += 1
    with pytest.raises(
        RuntimeError,
        match="one of the variables needed for gradient computation has been modified by an inplace operation: "
        r"\[torch.FloatTensor \[2\]\], which is output 0 of Add, is at version 1; expected version 0 instead",
    ):
        z.sum().backward()


def test_a_changed_saved_result_is_an_error(torch):
    x = torch.ones(2, requires_grad=True)
    y = torch.exp(x)
    y += 1
    with pytest.raises(RuntimeError, match="one of the variables needed for gradient computation has been modified"):
        y.sum().backward()


def test_changing_what_was_not_saved_is_allowed(torch):
    x = torch.ones(2, requires_grad=True)
    y = x + 1
    z = y + 2
    y += 1
    z.sum().backward()
    assert x.grad.tolist() == [1, 1]


def test_in_place_results_have_right_gradients(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    y *= x
    y += 1
    y.sum().backward()
    assert x.grad.tolist() == [4, 8]


def test_grad_assignment_is_checked(torch):
    x = torch.ones(2, requires_grad=True)
    x.grad = torch.ones(2)
    assert x.grad.tolist() == [1, 1]
    x.grad = None
    assert x.grad is None
    with pytest.raises(
        RuntimeError, match=r"attempting to assign a gradient of size '\[3\]' to a tensor of size '\[2\]'"
    ):
        x.grad = torch.ones(3)
    with pytest.raises(TypeError, match="assigned grad expected to be a Tensor or None"):
        x.grad = 1.0


def test_deepcopy_of_leaves_only(torch):
    x = torch.ones(2, requires_grad=True)
    x.sum().backward()
    y = copy.deepcopy(x)
    assert y.requires_grad
    assert y.grad.tolist() == [1, 1]
    y.data[0] = 7
    assert x[0].item() == 1
    with pytest.raises(RuntimeError, match="Only Tensors created explicitly by the user"):
        copy.deepcopy(x * 2)


def test_pickle_keeps_values_and_requires_grad(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = pickle.loads(pickle.dumps(x))
    assert y.tolist() == [1, 2]
    assert y.requires_grad
    z = pickle.loads(pickle.dumps(x * 2))
    assert z.is_leaf
    assert z.requires_grad


def test_numpy_refuses_tensors_that_require_grad(torch):
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"Can't call numpy\(\) on Tensor that requires grad"):
        x.numpy()
    with pytest.raises(RuntimeError, match=r"Can't call numpy\(\) on Tensor that requires grad"):
        np.asarray(x)
    assert np.asarray(x.detach()).tolist() == [1, 1]
    for block in (torch.no_grad, torch.inference_mode):
        with block():
            assert x.numpy().tolist() == np.asarray(x).tolist() == [1, 1]


def test_saved_tensors_can_be_packed_as_arrays(torch):
    """Hooks run without grad mode, where tensors that require grad may be read."""
    x = torch.ones(3, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.numpy().copy(), torch.from_numpy):
        y = (x.exp() * x).sum()
    y.backward()
    np.testing.assert_allclose(x.grad.numpy(), np.full(3, 2 * np.e), rtol=1e-6)


def test_a_capsule_shares_the_memory_of_a_parameter(torch):
    x = torch.ones(2, requires_grad=True)
    torch.from_dlpack(torch.utils.dlpack.to_dlpack(x))[0] = 5.0
    assert x.tolist() == [5, 1]


def test_a_finished_graph_is_freed_at_once():
    gc.collect()
    gc.disable()
    try:
        x = rushlight.ones(2, requires_grad=True)
        y = rushlight.exp(x * 2) * x
        nodes = [weakref.ref(y.grad_fn), weakref.ref(y.grad_fn.next_functions[0][0])]
        y.sum().backward()
        del y
        assert [node() for node in nodes] == [None, None]
    finally:
        gc.enable()


def test_a_chain_of_a_million_nodes():
    x = rushlight.ones(1, requires_grad=True)
    y = x
    for _ in range(1_000_000):
        y = y + x
    y.backward(rushlight.ones(1))
    assert x.grad.item() == 1_000_001
    del y


def test_saved_values_are_freed_by_backward():
    x = rushlight.ones(1000, requires_grad=True)
    y = x * 2
    seen = weakref.ref(y)
    z = (y * y).sum()
    del y
    assert seen() is not None
    z.backward()
    assert seen() is None
