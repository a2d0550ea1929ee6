"""Hooks on tensors: when they are called, with what, in which order, and how they go away again."""

import gc
import weakref

import pytest


def leaf(torch, *values):
    return torch.tensor(list(values), requires_grad=True)


def test_a_hook_sees_and_replaces_the_gradient(torch):
    x = leaf(torch, 1.0, 2.0)
    seen = []
    x.register_hook(lambda grad: seen.append(grad.tolist()))
    x.register_hook(lambda grad: grad * 10)
    x.register_hook(lambda grad: seen.append(grad.tolist()))
    (x * 3).sum().backward()
    assert seen == [[3, 3], [30, 30]]
    assert x.grad.tolist() == [30, 30]


def test_a_hook_on_a_result_changes_what_flows_on(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x * 2
    y.register_hook(lambda grad: grad + 1)
    y.sum().backward()
    assert x.grad.tolist() == [4, 4]


def test_a_hook_sees_the_sum_of_all_that_arrives(torch):
    x = leaf(torch, 1.0)
    y = x * 2
    seen = []
    y.register_hook(lambda grad: seen.append(grad.item()))
    x.register_hook(lambda grad: seen.append(grad.item()))
    (y * 3 + y * 4 + x).sum().backward()
    assert seen == [7, 15]


def test_removal_by_handle(torch):
    x = leaf(torch, 1.0)
    handle = x.register_hook(lambda grad: grad * 2)
    handle.remove()
    handle.remove()
    x.sum().backward()
    assert x.grad.item() == 1


def test_handles_are_context_managers(torch):
    x = leaf(torch, 1.0)
    with x.register_hook(lambda grad: grad * 2):
        x.sum().backward()
    x.sum().backward()
    assert x.grad.item() == 3


def test_a_hook_may_remove_itself_or_a_later_one(torch):
    x = leaf(torch, 1.0)
    calls = []

    def first(grad):
        calls.append("first")
        handle_first.remove()

    handle_first = x.register_hook(first)
    x.register_hook(lambda grad: calls.append("second"))
    x.sum().backward()
    x.sum().backward()
    assert calls == ["first", "second", "second"]


def test_registering_needs_a_tensor_that_requires_grad(torch):
    x = torch.ones(2)
    with pytest.raises(RuntimeError, match="cannot register a hook on a tensor that doesn't require gradient"):
        x.register_hook(lambda grad: None)
    with pytest.raises(RuntimeError, match="cannot register a hook on a tensor that doesn't require gradient"):
        x.register_post_accumulate_grad_hook(lambda leaf: None)
    y = leaf(torch, 1.0) * 2
    with pytest.raises(RuntimeError, match="post accumulate grad hooks cannot be registered on non-leaf tensors"):
        y.register_post_accumulate_grad_hook(lambda leaf: None)
    with pytest.raises(RuntimeError, match="can't retain_grad on Tensor that has requires_grad=False"):
        x.retain_grad()


@pytest.mark.parametrize("wrong", [3.0, "x"])
def test_hooks_return_tensors_or_nothing(torch, wrong):
    x = leaf(torch, 1.0)
    x.register_hook(lambda grad: wrong)
    with pytest.raises(TypeError, match="hook"):
        x.sum().backward()
    assert x.grad is None


def test_hooks_keep_the_shape(torch):
    x = leaf(torch, 1.0, 2.0)
    x.register_hook(lambda grad: grad.sum())
    with pytest.raises(RuntimeError, match=r"hook '.*' has changed the size of value"):
        x.sum().backward()


def test_hooks_keep_the_type(torch):
    x = leaf(torch, 1.0, 2.0)
    x.register_hook(lambda grad: grad.double())
    with pytest.raises(RuntimeError, match=r"hook '.*' has changed the type of value"):
        x.sum().backward()


def test_errors_of_hooks_come_through(torch):
    x = leaf(torch, 1.0)

    def hook(grad):
        raise KeyError("mine")

    handle = x.register_hook(hook)
    with pytest.raises(KeyError, match="mine"):
        x.sum().backward()
    handle.remove()
    x.sum().backward()
    assert x.grad.item() == 1


def test_hooks_stay_with_the_history_before_a_change_in_place(torch):
    x = leaf(torch, 1.0)
    y = x * 2
    seen = []
    y.register_hook(lambda grad: seen.append(("before", grad.item())))
    y.mul_(5)
    y.register_hook(lambda grad: seen.append(("after", grad.item())))
    y.sum().backward()
    assert seen == [("after", 1), ("before", 5)]
    assert x.grad.item() == 10


def test_retain_grad_follows_the_tensor_through_changes_in_place(torch):
    x = leaf(torch, 1.0)
    y = x * 2
    y.retain_grad()
    y.mul_(5)
    y.sum().backward()
    assert y.grad.item() == 1
    assert y.retains_grad


def test_retain_grad_comes_after_hooks(torch):
    x = leaf(torch, 1.0)
    y = x * 2
    y.retain_grad()
    y.register_hook(lambda grad: grad * 7)
    y.retain_grad()
    y.sum().backward()
    assert y.grad.item() == 7
    assert x.grad.item() == 14


def test_retains_grad(torch):
    x = leaf(torch, 1.0)
    y = x * 2
    x.retain_grad()
    assert (x.retains_grad, y.retains_grad) == (False, False)
    y.retain_grad()
    assert y.retains_grad


def test_retained_gradients_add_up(torch):
    y = leaf(torch, 1.0) * 2
    y.retain_grad()
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    assert y.grad.item() == 2


def test_grad_of_a_result_warns_and_is_none(torch):
    y = leaf(torch, 1.0) * 2
    y.sum().backward()
    with pytest.warns(UserWarning, match="The .grad attribute of a Tensor that is not a leaf Tensor is being accessed"):
        assert y.grad is None


def test_post_accumulate_hooks_run_after_the_sum(torch):
    x = leaf(torch, 1.0)
    seen = []
    x.register_post_accumulate_grad_hook(lambda p: seen.append((p is x, p.grad.item())))
    x.register_hook(lambda grad: seen.append("tensor hook"))
    (x * 2).sum().backward()
    (x * 2).sum().backward()
    assert seen == ["tensor hook", (True, 2), "tensor hook", (True, 4)]


def test_post_accumulate_hooks_can_step_and_reset(torch):
    x = leaf(torch, 1.0)

    def step(p):
        with torch.no_grad():
            p -= 0.5 * p.grad
        p.grad = None

    handle = x.register_post_accumulate_grad_hook(step)
    (x * 2).sum().backward()
    assert x.item() == 0
    assert x.grad is None
    handle.remove()
    (x * 2).sum().backward()
    assert x.grad.item() == 2


def test_post_accumulate_hooks_are_not_called_by_grad(torch):
    x = leaf(torch, 1.0)
    seen = []
    x.register_post_accumulate_grad_hook(lambda p: seen.append(1))
    torch.autograd.grad((x * 2).sum(), x)
    assert seen == []


def test_node_hooks_see_inputs_and_outputs(torch):
    x, y = leaf(torch, 2.0), leaf(torch, 3.0)
    z = x * y
    seen = []
    z.grad_fn.register_prehook(lambda outputs: seen.append(("pre", [g.item() for g in outputs])))
    z.grad_fn.register_hook(
        lambda inputs, outputs: seen.append(("post", [g.item() for g in inputs], [g.item() for g in outputs]))
    )
    z.register_hook(lambda grad: seen.append(("tensor", grad.item())))
    z.sum().backward()
    assert seen == [("tensor", 1), ("pre", [1]), ("post", [3, 2], [1])]


def test_node_hooks_replace(torch):
    x, y = leaf(torch, 2.0), leaf(torch, 3.0)
    z = x * y
    z.grad_fn.register_prehook(lambda outputs: (outputs[0] * 10,))
    handle = z.grad_fn.register_hook(lambda inputs, outputs: (inputs[0] + 1, inputs[1] + 2))
    z.sum().backward(retain_graph=True)
    assert (x.grad.item(), y.grad.item()) == (31, 22)
    handle.remove()
    x.grad = y.grad = None
    z.sum().backward()
    assert (x.grad.item(), y.grad.item()) == (30, 20)


def test_missing_gradients_are_none_in_node_hooks(torch):
    x = leaf(torch, 2.0)
    z = x * torch.tensor([3.0])
    seen = []
    z.grad_fn.register_hook(lambda inputs, outputs: seen.append([g is None for g in inputs]))
    z.sum().backward()
    assert seen == [[False, True]]


@pytest.mark.parametrize("hook", [lambda i, o: (i[0], i[0], i[0]), lambda i, o: (i[0],)])
def test_node_hooks_return_as_many_as_they_got(torch, hook):
    z = leaf(torch, 2.0) * leaf(torch, 3.0)
    z.grad_fn.register_hook(hook)
    with pytest.raises(RuntimeError, match=r"hook '.*' has returned an incorrect number of values"):
        z.sum().backward()


def test_hooks_of_the_accumulator(torch):
    x = leaf(torch, 2.0)
    accumulator = (x * 3).grad_fn.next_functions[0][0]
    seen = []
    accumulator.register_prehook(lambda grads: (seen.append(("pre", x.grad)), (grads[0] * 2,))[1])
    accumulator.register_hook(
        lambda inputs, outputs: seen.append((len(inputs), [g.item() for g in outputs], x.grad.item()))
    )
    x.register_post_accumulate_grad_hook(lambda p: seen.append("accumulated"))
    x.register_hook(lambda grad: seen.append("tensor"))
    (x * 3).sum().backward()
    assert seen == ["tensor", ("pre", None), "accumulated", (0, [6], 6)]


def test_hooks_may_differentiate(torch):
    x = leaf(torch, 2.0)
    inner = leaf(torch, 3.0)
    seen = []

    def hook(grad):
        with torch.enable_grad():
            (g,) = torch.autograd.grad((inner * inner * grad).sum(), inner)
        seen.append(g.item())

    y = x * 5
    y.register_hook(hook)
    y.sum().backward()
    assert seen == [6]
    assert x.grad.item() == 5


def test_hooks_may_run_backward_through_the_graph_that_is_running(torch):
    x = leaf(torch, 2.0)
    y = x * x
    z = y * 3
    calls = []

    def hook(grad):
        if not calls:
            calls.append(grad.item())
            z.backward(retain_graph=True)

    y.register_hook(hook)
    z.backward(retain_graph=True)
    assert calls == [3]
    assert x.grad.item() == 24


def test_hooks_under_create_graph_can_be_differentiated(torch):
    x = leaf(torch, 2.0)
    y = x * x
    y.register_hook(lambda grad: grad * grad)
    (dx,) = torch.autograd.grad((y * y).sum(), x, create_graph=True)
    assert dx.item() == 4 * 4**2 * 4  # (2 y)^2 · 2x
    (ddx,) = torch.autograd.grad(dx, x)
    assert ddx.item() == 128 + 128**2 * 4  # the hook runs in this pass too


def test_hooks_run_without_recording(torch):
    x = leaf(torch, 2.0)
    modes = []
    x.register_hook(lambda grad: modes.append((torch.is_grad_enabled(), grad.requires_grad)))
    (x * x).sum().backward()
    torch.autograd.grad((x * x).sum(), x, create_graph=True)
    assert modes == [(False, False), (True, True)]


def test_multi_grad_hook_waits_for_all(torch):
    a, b = leaf(torch, 1.0), leaf(torch, 2.0)
    c, d = a * b, a * b
    seen = []
    handle = torch.autograd.graph.register_multi_grad_hook(
        (a, b, c, d), lambda grads: seen.append([g is not None for g in grads])
    )
    c.sum().backward(retain_graph=True)
    c.sum().backward(inputs=(a,), retain_graph=True)
    (c + d).sum().backward(retain_graph=True)
    handle.remove()
    c.sum().backward()
    assert seen == [[True, True, True, False], [True, False, True, False], [True, True, True, True]]


def test_multi_grad_hook_any(torch):
    a, b = leaf(torch, 1.0), leaf(torch, 2.0)
    plain = torch.ones(1)
    c = a * b
    seen = []
    torch.autograd.graph.register_multi_grad_hook((plain, a, b, c), lambda grad: seen.append(grad.item()), mode="any")
    c.sum().backward(retain_graph=True)
    (c * 3).sum().backward()
    assert seen == [1, 3]


def test_multi_grad_hook_modes(torch):
    with pytest.raises(ValueError, match="Expects mode to be one of"):
        torch.autograd.graph.register_multi_grad_hook((leaf(torch, 1.0),), print, mode="some")


def test_module_hooks_work_with_the_engine(torch):
    from importlib import import_module

    nn = import_module(f"{torch.__name__}.nn")
    layer = nn.Linear(2, 1)
    seen = []
    layer.register_full_backward_pre_hook(lambda m, outputs: seen.append(("pre", [tuple(g.shape) for g in outputs])))
    layer.register_full_backward_hook(
        lambda m, inputs, outputs: seen.append(("post", [tuple(g.shape) for g in inputs], tuple(outputs[0].shape)))
    )
    x = torch.ones(3, 2, requires_grad=True)
    layer(x).sum().backward()
    assert seen == [("pre", [(3, 1)]), ("post", [(3, 2)], (3, 1))]


def test_hooks_and_their_tensors_can_be_freed(torch):
    class Token:
        pass

    token = Token()
    seen = weakref.ref(token)
    x = leaf(torch, 1.0)
    x.register_hook(lambda grad, token=token: None)
    del token, x
    gc.collect()
    assert seen() is None


@pytest.mark.parametrize("several", [False, True])
def test_a_root_that_leads_to_nothing_wanted_runs_its_own_hooks(torch, several):
    x, s = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    inner = s * 2
    root = inner.tanh()
    seen = []
    root.retain_grad()
    inner.retain_grad()
    root.register_hook(lambda g: seen.append(g.tolist()))
    roots = [root, x * 2] if several else [root]
    torch.autograd.grad(roots, x, [torch.ones(2)] * len(roots), allow_unused=True)
    assert (seen, root.grad is None, inner.grad) == ([] if several else [[1, 1]], several, None)


@pytest.mark.parametrize("name", ["cummax", "sort", "topk", "max", "mode", "kthvalue"])
def test_hooks_of_nodes_see_no_gradients_of_indices(torch, name):
    seen = []
    rank = 1 if name in ("topk", "kthvalue") else 0
    values = getattr(torch.tensor([1.0, 3.0, 2.0], requires_grad=True), name)(rank)[0]
    values.grad_fn.register_hook(lambda inputs, outputs: seen.append(len(outputs)))
    values.sum().backward()
    assert seen == [1]


@pytest.mark.parametrize("create_graph", [False, True])
def test_hooks_of_a_view_that_was_made_without_recording_are_not_called(torch, create_graph):
    x = torch.ones(3, 4, requires_grad=True)
    with torch.no_grad():
        part = x[0]
    seen = []
    part.register_hook(seen.append)
    (part * 2).sum().backward(create_graph=create_graph)
    assert seen == []
    assert part.grad is None
    assert x.grad is None
