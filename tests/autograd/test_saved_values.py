"""What nodes save: seen by users, packed by hooks, freed, and changed behind the graph's back."""

import gc
import weakref

import pytest


def leaf(torch, *values):
    return torch.tensor(list(values), requires_grad=True)


# looking at what is saved


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (lambda t, x: x * x, "self other"),
        (lambda t, x: x / x, "self other"),
        (lambda t, x: x**2, "self exponent"),
        (lambda t, x: x.exp(), "result"),
        (lambda t, x: x.tanh(), "result"),
        (lambda t, x: x.sigmoid(), "result"),
        (lambda t, x: x.log(), "self"),
        (lambda t, x: x.sin(), "self"),
        (lambda t, x: x.sum(0), "dim keepdim"),
        (lambda t, x: x.mean(0), "dim keepdim"),
        (lambda t, x: x.softmax(0), "result dim"),
        (lambda t, x: x.log_softmax(0), "result dim"),
        (lambda t, x: x.max(0)[0], "dim indices"),
        (lambda t, x: x.sort()[0], "dim indices"),
        (lambda t, x: x.transpose(0, 0), "dim0 dim1"),
        (lambda t, x: x.relu(), "result"),
        (lambda t, x: x.clamp(0, 1), "self min max"),
        (lambda t, x: x.view(2, 1) @ x.view(1, 2), "self mat2"),
        (lambda t, x: t.where(x > 0, x, x), "condition"),
        (lambda t, x: x.norm(), "self ord dim keepdim result"),
        (lambda t, x: x.cumsum(0), "dim"),
        (lambda t, x: x.logsumexp(0), "self dim keepdim result"),
    ],
)
def test_names(torch, function, names):
    node = function(torch, leaf(torch, 1.0, 2.0)).grad_fn
    for name in names.split():
        assert hasattr(node, f"_saved_{name}"), name
        assert f"_saved_{name}" in dir(node)
    assert not hasattr(node, "_saved_nonsense")


def test_values(torch):
    x, y = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
    node = (x * y).grad_fn
    assert node._saved_self is x
    assert node._saved_other is y
    assert (x**3).grad_fn._saved_exponent == 3
    h = x * 2
    z = h.exp()
    assert z.grad_fn._saved_result.grad_fn is z.grad_fn
    assert torch.equal(z.grad_fn._saved_result, z)
    assert torch.equal((h * y).grad_fn._saved_self, h)


def test_what_is_not_needed_is_none(torch):
    x, c = leaf(torch, 1.0), torch.ones(1)
    node = (x * c).grad_fn
    assert node._saved_self is None
    assert node._saved_other is c


def test_saved_tensors_can_be_differentiated(torch):
    x = leaf(torch, 1.0)
    y = (x * 3).exp()
    (g,) = torch.autograd.grad(y.grad_fn._saved_result, x)
    assert torch.equal(g, 3 * y.detach())


def test_freed_by_backward(torch):
    x = leaf(torch, 1.0)
    y = x * x
    assert y.grad_fn._saved_self is x
    y.backward(retain_graph=True)
    assert y.grad_fn._saved_self is x
    y.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        _ = y.grad_fn._saved_self
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.backward()


def test_nodes_without_saved_tensors_can_run_again(torch):
    x = leaf(torch, 1.0)
    y = (x + 1).view(1).sum()
    y.backward()
    y.backward()
    assert x.grad.item() == 2


def test_unused_paths_are_not_freed(torch):
    x, w = leaf(torch, 2.0), leaf(torch, 3.0)
    y = x * x
    z = w * w
    (y + z).backward(inputs=[x], retain_graph=False)
    z.backward()
    assert w.grad.item() == 6


def test_saved_inputs_live_as_long_as_the_graph(torch):
    x = leaf(torch, 2.0)
    c = torch.ones(1)
    seen = weakref.ref(c)
    y = x * c
    del c
    gc.collect()
    assert seen() is not None
    y.backward()
    gc.collect()
    assert seen() is None


# hooks


def test_hooks_pack_and_unpack(torch):
    events = []

    def pack(tensor):
        events.append(("pack", tensor.item(), tensor.requires_grad, torch.is_grad_enabled()))
        return tensor.item()

    def unpack(value):
        events.append(("unpack", value))
        return torch.tensor([value])

    x, y = leaf(torch, 2.0), leaf(torch, 3.0)
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        z = x * (y * y)
    z.backward()
    assert sorted(events[2:4]) == [("pack", 2, True, False), ("pack", 9, True, False)]
    assert {e[0] for e in events[:4]} == {"pack"}
    assert [e[0] for e in events[4:]] == ["unpack"] * 4
    assert (x.grad.item(), y.grad.item()) == (9, 12)


def test_results_are_packed_too(torch):
    x = leaf(torch, 0.5)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.item(), lambda v: torch.tensor([2 * v])):
        y = x.exp()
    y.backward()
    assert x.grad.item() == pytest.approx(2 * y.item())


def test_the_innermost_pair_is_used(torch):
    used = []

    def named(name):
        return torch.autograd.graph.saved_tensors_hooks(lambda t: used.append(name) or t.detach(), lambda t: t)

    with named("outer"):
        with named("inner"):
            _ = leaf(torch, 1.0) ** 2
        _ = leaf(torch, 1.0) ** 2
    _ = leaf(torch, 1.0) ** 2
    assert used == ["inner", "outer"]


def test_unpacked_values_are_used_for_each_order(torch):
    x = leaf(torch, 2.0)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
        y = x**3
        (g,) = torch.autograd.grad(y, x, create_graph=True)
        (h,) = torch.autograd.grad(g, x, create_graph=True)
    assert (g.item(), h.item()) == (12, 12)
    assert torch.autograd.grad(h, x)[0].item() == 6


def test_packed_tensors_may_be_changed(torch):
    x = leaf(torch, 2.0)
    h = x * 1
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
        y = h * h
    h.zero_()
    y.backward()
    assert x.grad.item() == 4


def test_errors_of_hooks(torch):
    hooks = torch.autograd.graph.saved_tensors_hooks

    def fails(value):
        raise KeyError("mine")

    with hooks(fails, lambda t: t), pytest.raises(KeyError, match="mine"):
        _ = leaf(torch, 1.0) ** 2
    with hooks(lambda t: t.detach(), fails):
        y = leaf(torch, 1.0) ** 2
    with pytest.raises(KeyError, match="mine"):
        y.backward()
    with hooks(lambda t: 3, lambda v: v):
        y = leaf(torch, 1.0) ** 2
    with pytest.raises(
        TypeError, match="Output of saved tensor unpack_hook expected to be a Tensor but got result of type int"
    ):
        y.backward()
    with (
        hooks(lambda t: t.detach().mul_(2), lambda v: v),
        pytest.raises(RuntimeError, match="A saved tensor pack hook is modifying its input in place"),
    ):
        _ = leaf(torch, 1.0) ** 2


def test_hooks_on_one_saved_tensor(torch):
    x = leaf(torch, 3.0)
    y = x**2
    saved = y.grad_fn._raw_saved_self
    saved.register_hooks(lambda t: t * 10, lambda t: t / 5)
    assert y.grad_fn._saved_self.item() == 6
    with pytest.raises(
        RuntimeError, match="Calling register_hooks on a saved tensor whose hooks have already been set"
    ):
        saved.register_hooks(lambda t: t, lambda t: t)
    y.backward()
    assert x.grad.item() == 12
    with pytest.raises(RuntimeError, match="Calling register_hooks on a saved tensor after it has been freed"):
        saved.register_hooks(lambda t: t, lambda t: t)


def test_hooks_do_not_keep_what_they_pack_alive(torch):
    c = torch.ones(3)
    seen = weakref.ref(c)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), lambda v: torch.tensor(v)):
        x = torch.ones(3, requires_grad=True)
        y = x * c
    del c
    gc.collect()
    assert seen() is None
    y.sum().backward()
    assert x.grad.tolist() == [1, 1, 1]


def test_lists_of_tensors_are_packed(torch):
    packed = []
    x = torch.ones(2, 2, requires_grad=True)
    hooks = (lambda t: packed.append(1) or t.tolist(), lambda v: 3 * torch.tensor(v))
    with torch.autograd.graph.saved_tensors_hooks(*hooks):
        y = torch.linalg.multi_dot([x, torch.eye(2), torch.eye(2)]).sum()
    y.backward()
    assert len(packed) > 0
    assert x.grad.tolist() == [[9, 9], [9, 9]]


def test_save_on_cpu(torch):
    x = leaf(torch, 2.0)
    with torch.autograd.graph.save_on_cpu():
        y = (x * x).exp()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    assert g.item() == pytest.approx(4 * y.item())
    assert torch.autograd.grad(g, x)[0].item() == pytest.approx(18 * y.item())


def test_disabled_hooks(torch):
    graph = torch.autograd.graph
    x = leaf(torch, 2.0)
    with graph.disable_saved_tensors_hooks("not here"):
        _ = x * x
        with pytest.raises(RuntimeError, match="not here"), graph.save_on_cpu():
            pass
        with (
            graph.disable_saved_tensors_hooks("nor here"),
            pytest.raises(RuntimeError, match="nor here"),
            graph.save_on_cpu(),
        ):
            pass
        with pytest.raises(RuntimeError, match="not here"), graph.save_on_cpu():
            pass
    with (
        graph.save_on_cpu(),
        pytest.raises(RuntimeError, match="too late"),
        graph.disable_saved_tensors_hooks("too late"),
    ):
        pass


# changes behind the graph's back


def test_increment_version(torch):
    x = leaf(torch, 2.0)
    h = x * 1
    y = h * h
    torch.autograd.graph.increment_version([h])
    assert h._version == 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()
    torch.autograd.graph.increment_version(h)
    assert h._version == 2
    with torch.inference_mode():
        t = torch.ones(1)
    torch.autograd.graph.increment_version(t)
    with pytest.raises((RuntimeError, TypeError)):
        torch.autograd.graph.increment_version(3)


def test_allow_mutation_on_saved_tensors(torch):
    x = leaf(torch, 1.0, 2.0)
    with torch.autograd.graph.allow_mutation_on_saved_tensors() as context:
        h = x * 1
        y = (h * h).sum() + (h[:1] ** 3).sum()
        h.zero_()
        e = x.exp()
        e.add_(100)
        assert len(context.cloned) > 0
        y.backward()
        e.sum().backward()
    assert x.grad.tolist() == pytest.approx([2 + 3 + 2.7182817, 4 + 7.389056])


def test_allow_mutation_ends_with_its_context(torch):
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        y = leaf(torch, 1.0) ** 2
        with (
            pytest.raises(RuntimeError, match="allow_mutation_on_saved_tensors contexts cannot be nested"),
            torch.autograd.graph.allow_mutation_on_saved_tensors(),
        ):
            pass
    with pytest.raises(
        AssertionError, match="Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"
    ):
        y.backward()


# edges


def test_edges_as_inputs(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x * 3
    edge = torch.autograd.graph.get_gradient_edge(y)
    assert (edge.node, edge.output_nr) == (y.grad_fn, 0)
    z = (y * y).sum()
    dy, dx = torch.autograd.grad(z, [edge, torch.autograd.graph.get_gradient_edge(x)], retain_graph=True)
    assert dy.tolist() == [6, 12]
    assert dx.tolist() == [18, 36]
    by_hand = torch.autograd.graph.GradientEdge(y.grad_fn.next_functions[0][0], 0)
    assert torch.autograd.grad(z, by_hand)[0].tolist() == [18, 36]


def test_edges_as_outputs(torch):
    x = leaf(torch, 1.0, 2.0)
    edge = torch.autograd.graph.get_gradient_edge((x * x).sum())
    torch.autograd.backward(edge)
    assert x.grad.tolist() == [2, 4]
    edge = torch.autograd.graph.get_gradient_edge(x * 3)
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        torch.autograd.backward(edge)
    with pytest.raises(RuntimeError, match=r"Mismatch in shape: grad_output\[0\] has a shape of torch.Size\(\[3\]\)"):
        torch.autograd.backward(edge, torch.ones(3))
    torch.autograd.backward(edge, torch.ones(2))
    assert x.grad.tolist() == [5, 7]


def test_edges_keep_the_graph_and_not_the_tensor(torch):
    x = leaf(torch, 1.0)
    y = x * 3
    seen = weakref.ref(y)
    edge = torch.autograd.graph.get_gradient_edge(y)
    z = y * 2
    del y
    gc.collect()
    assert seen() is None
    assert torch.autograd.grad(z, edge)[0].item() == 2


def test_edges_need_a_gradient(torch):
    with pytest.raises(
        RuntimeError, match="It is not possible to get the gradient edge for a Tensor that does not require"
    ):
        torch.autograd.graph.get_gradient_edge(torch.ones(1))
    x = leaf(torch, 1.0)
    with pytest.raises(RuntimeError, match="materialize_grads cannot be used when the given input is a GradientEdge"):
        torch.autograd.grad(x * 2, torch.autograd.graph.get_gradient_edge(leaf(torch, 1.0)), materialize_grads=True)


@pytest.mark.parametrize(("mode", "weighted"), [("sum", False), ("mean", False), ("max", False), ("sum", True)])
def test_a_table_may_change_where_gradients_do_not_depend_on_it(torch, mode, weighted):
    """Several workers may train one table: what one has looked up stays right while another takes a step."""
    table = leaf(torch, [1.0, 2.0], [3.0, 4.0], [5.0, 6.0])
    weights = leaf(torch, 2.0, 3.0, 4.0) if weighted else None
    indices, offsets = torch.tensor([0, 2, 2]), torch.tensor([0, 1])
    bags = torch.nn.functional.embedding_bag(indices, table, offsets, mode=mode, per_sample_weights=weights)
    with torch.no_grad():
        table.add_(1)
    if weighted:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            bags.sum().backward()
        return
    bags.sum().backward()
    assert table.grad[:, 0].tolist() == [1.0, 0.0, 2.0 if mode == "sum" else 1.0]


def test_dictionaries_of_inputs(torch):
    x, y = leaf(torch, 2.0), leaf(torch, 3.0)
    grads = torch.autograd.grad(x * y, {"x": x, "y": y})
    assert {name: g.item() for name, g in grads.items()} == {"x": 3, "y": 2}
    with pytest.raises(RuntimeError, match=r"`inputs` argument to `grad\(\)` cannot be empty"):
        torch.autograd.grad(x * y, [])


# nodes by hand


def test_nodes_can_be_called(torch):
    x, y = leaf(torch, 2.0), leaf(torch, 3.0)
    dx, dy = (x * y).grad_fn(torch.ones(1))
    assert (dx.item(), dy.item()) == (3, 2)
    assert x.exp().grad_fn(torch.ones(1)).item() == pytest.approx(7.389056)
    (second,) = torch.autograd.grad(x.reciprocal().grad_fn(torch.ones(1)), x)
    assert second.item() == 0.25
