"""The order of a backward pass: what was recorded later runs earlier, a leaf's gradient is added up at once."""

from importlib import import_module


def leaf(torch, value=1.0):
    return torch.tensor([value], requires_grad=True)


def watch(events, **tensors):
    """Notes the name of each tensor when its gradient is complete."""
    for name, tensor in tensors.items():
        tensor.register_hook(lambda grad, name=name: events.append(name))


def test_later_recorded_earlier_run(torch):
    events = []
    a = leaf(torch)
    u = a * 2
    v = a * 3
    w = u * v
    z = w + v
    watch(events, a=a, u=u, v=v, w=w, z=z)
    z.backward()
    assert events == ["z", "w", "v", "u", "a"]


def test_the_order_of_recording_decides_not_that_of_use(torch):
    events = []
    a, b = leaf(torch), leaf(torch)
    v = b * 3
    u = a * 2
    z = u + v
    watch(events, u=u, v=v, z=z)
    z.backward()
    assert events == ["z", "u", "v"]


def test_leaves_come_as_soon_as_they_are_ready(torch):
    events = []
    a, b = leaf(torch), leaf(torch)
    u = a * 2
    v = b * 3
    z = u + v
    watch(events, a=a, b=b, u=u, v=v)
    z.backward()
    assert events == ["v", "b", "u", "a"]


def test_leaves_of_one_node_come_in_the_order_of_its_inputs(torch):
    events = []
    a, b = leaf(torch), leaf(torch)
    watch(events, a=a, b=b)
    (a * b).backward()
    (b * a).backward()
    assert events == ["a", "b", "b", "a"]


def test_leaves_wait_for_all_that_arrives(torch):
    events = []
    a = leaf(torch)
    u = a * 2
    v = u * a
    watch(events, a=a, u=u, v=v)
    (v * 2).backward()
    assert events == ["v", "u", "a"]
    assert a.grad.item() == 8


def test_several_roots(torch):
    events = []
    a, b = leaf(torch), leaf(torch)
    p = a * 2 + 1
    q = b * 3 + 1
    watch(events, a=a, b=b, p=p, q=q)
    torch.autograd.backward([p, q])
    assert events == ["q", "b", "p", "a"]
    events.clear()
    p = a * 2 + 1
    q = b * 3 + 1
    watch(events, p=p, q=q)
    torch.autograd.backward([q, p])
    assert events == ["q", "b", "p", "a"]


def test_a_root_within_the_graph_of_another(torch):
    events = []
    a = leaf(torch)
    u = a * 2
    z = u * 3
    watch(events, a=a, u=u, z=z)
    torch.autograd.backward([u, z])
    assert events == ["z", "u", "a"]
    assert a.grad.item() == 8


def test_the_hooks_of_one_result(torch):
    events = []
    x = leaf(torch)
    y = x * 2
    y.retain_grad()
    node = y.grad_fn
    node.register_hook(lambda inputs, outputs: events.append("after node"))
    node.register_prehook(lambda outputs: events.append("before node"))
    y.register_hook(lambda grad: events.append(("tensor", y.grad)))
    x.register_post_accumulate_grad_hook(lambda p: events.append("accumulated"))
    x.register_hook(lambda grad: events.append("leaf"))
    y.backward()
    assert events == [("tensor", None), "before node", "after node", "leaf", "accumulated"]
    assert y.grad.item() == 1


def test_custom_functions_and_modules_keep_the_order(torch):
    nn = import_module(f"{torch.__name__}.nn")
    events = []

    class Named(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, name):
            ctx.name_ = name
            return x.clone()

        @staticmethod
        def backward(ctx, grad):
            events.append(ctx.name_)
            return grad, None

    layer = nn.Linear(2, 2)
    layer.register_full_backward_hook(lambda *args: events.append("layer"))
    x = torch.ones(1, 2, requires_grad=True)
    a = Named.apply(x, "first")
    b = Named.apply(layer(a), "second")
    c = Named.apply(a, "third")
    (b + c).sum().backward()
    assert events == ["third", "second", "layer", "first"]


def test_a_pass_within_a_pass_ends_first(torch):
    events = []
    x, inner = leaf(torch), leaf(torch)
    y = x * 2
    z = y * 3
    deep = inner * 2
    watch(events, deep=deep, inner=inner)

    def hook(grad):
        events.append("y")
        deep.backward()
        events.append("y done")

    y.register_hook(hook)
    watch(events, x=x)
    z.backward()
    assert events == ["y", "deep", "inner", "y done", "x"]


def test_recorded_passes_have_nodes_of_their_own(torch):
    events = []
    a = leaf(torch)
    u = a.exp()
    v = u.sin()
    (g,) = torch.autograd.grad(v, a, create_graph=True)
    watch(events, a=a, u=u, v=v, g=g)
    g.backward()
    assert events == ["g", "u", "a"]
