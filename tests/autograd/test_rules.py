"""What passes allow and refuse, and what they hand to hooks: PyTorch's rules in detail."""

import importlib
import warnings
import weakref

import pytest


def test_a_hook_after_accumulation_returns_nothing(torch):
    refused = (
        (torch.ones(1), RuntimeError, "hooks should return None"),
        (torch.ones(2), RuntimeError, "has changed the size of value"),
        (torch.ones(1, dtype=torch.float64), RuntimeError, "has changed the type of value"),
        (3, TypeError, "'int'"),
    )
    for result, error, words in refused:
        x = torch.ones(1, requires_grad=True)
        x.register_post_accumulate_grad_hook(lambda leaf, result=result: result)
        with pytest.raises(error, match=words):
            (x * 2).sum().backward()


def test_a_hook_after_accumulation_may_return_the_leaf_that_it_changes(torch):
    x = torch.zeros(3, requires_grad=True)
    x.register_post_accumulate_grad_hook(lambda leaf: leaf.add_(leaf.grad, alpha=-0.1))
    x.backward(torch.tensor([1.0, 2.0, 3.0]))
    torch.testing.assert_close(x.detach(), torch.tensor([-0.1, -0.2, -0.3]))


@pytest.mark.parametrize("way", ["backward", "inputs", "grad"])
def test_hooks_of_a_leaf_in_their_order(torch, way):
    x, log = torch.ones(1, requires_grad=True), []
    node = x.view_as(x).grad_fn.next_functions[0][0]
    for n in "12":
        node.register_hook(lambda i, o, n=n: log.append("after" + n))
        x.register_post_accumulate_grad_hook(lambda leaf, n=n: log.append("added" + n))
        node.register_prehook(lambda g, n=n: log.append("before" + n))
        x.register_hook(lambda g, n=n: log.append("tensor" + n))
    y = (x * 2).sum()
    if way == "grad":
        torch.autograd.grad(y, x)
    else:
        y.backward(inputs=[x] if way == "inputs" else None)
    rest = ["before1", "before2", "added1", "added2", "after1", "after2"]
    assert log == ["tensor1", "tensor2", *([] if way == "grad" else rest)]


def test_a_first_gradient_is_what_later_hooks_see(torch):
    x, seen = torch.ones(1, requires_grad=True), []
    node = x.view_as(x).grad_fn.next_functions[0][0]
    node.register_hook(lambda i, o: seen.append(o[0]))
    x.register_post_accumulate_grad_hook(lambda leaf: leaf.grad.add_(0.5) and None)
    (x * 2).sum().backward()
    assert seen[0].item() == 2.5


def test_recorded_gradients_have_memory_of_their_own(torch):
    for make in (lambda: torch.ones(2, requires_grad=True), lambda: torch.ones(2, requires_grad=True) * 1):
        x, seen = make(), []
        x.retain_grad()
        x.register_hook(seen.append)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            (x * x).sum().backward(create_graph=True)
        x.grad.data.add_(1)
        assert seen[0].tolist() == [2, 2]


def test_wrong_calls(torch):
    x = torch.ones(1, requires_grad=True)
    y = x.exp()
    for count in (0, 2):
        with pytest.raises(TypeError, match=f"expected 1 arguments, got {count} instead"):
            y.grad_fn(*[torch.ones(1)] * count)
    with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad"):
        torch.autograd.grad(torch.ones(1), x)
    with pytest.raises(RuntimeError, match="If `is_grads_batched=True`, we interpret the first"):
        torch.autograd.grad(y, x, torch.ones(2), is_grads_batched=True)


def test_recording_a_pass_into_grad_warns_once(torch):
    x = torch.ones(1, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (x * x).sum().backward(create_graph=True)  # the once
    torch.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match="Using backward\\(\\) with create_graph=True"):
            (x * x).sum().backward(create_graph=True)
    finally:
        torch.set_warn_always(False)
    x.grad = None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (x * x).sum().backward(create_graph=True)
        torch.autograd.grad((x * x).sum(), x, create_graph=True)
    x.grad = None


def test_classes_are_not_decorated(torch):
    with pytest.warns(FutureWarning, match="Decorating classes is deprecated"):

        @torch.no_grad()
        class Made:
            def __init__(self):
                self.recorded = torch.is_grad_enabled()

    assert not Made().recorded


class Twin:
    """Custom functions for either library."""

    def __init__(self, torch):
        class Kept(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                second = x * 2
                ctx.mark_non_differentiable(second)
                ctx._materialize_non_diff_grads = False
                return x, second

            @staticmethod
            def backward(ctx, grad, other):
                (x,) = ctx.saved_tensors
                assert other is None
                return grad * x

        self.Kept = Kept


def test_freed_values_of_functions(torch):
    x = torch.ones(2, requires_grad=True)
    y, _ = Twin(torch).Kept.apply(x)
    node = y.grad_fn
    y.sum().backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        _ = node.saved_tensors
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.sum().backward()


def test_an_input_that_is_saved_and_returned(torch):
    x = torch.tensor([3.0], requires_grad=True)
    y, _ = Twin(torch).Kept.apply(x.clone())
    (first,) = torch.autograd.grad(y, x, create_graph=True)
    assert first.tolist() == [3]
    assert torch.autograd.grad(first, x)[0].tolist() == [1]


def test_once_differentiable_keeps_the_shape_of_the_graph(torch):
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            return a + b

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx, grad):
            return grad * 1, grad * 2

    a, b = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    grads = torch.autograd.grad(Twice.apply(a, b), (a, b), torch.ones(1, requires_grad=True), create_graph=True)
    assert grads[0].grad_fn is grads[1].grad_fn
    assert [type(node).__name__ for node, _ in grads[0].grad_fn.next_functions] == ["AccumulateGrad"] * 2
    with pytest.raises(RuntimeError, match="once_differentiable"):
        grads[1].backward()


def checkpoints(torch):
    return importlib.import_module(f"{torch.__name__}.utils.checkpoint").checkpoint


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_checkpoints_directly_in_checkpoints(torch, depth):
    checkpoint, function = checkpoints(torch), torch.sin
    for _ in range(depth):
        function = lambda x, inner=function: checkpoint(inner, x, use_reentrant=False)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    function(x).sum().backward()
    assert torch.allclose(x.grad, x.detach().cos())


@pytest.mark.parametrize("inner", [False, True])
def test_gradients_within_a_checkpoint(torch, inner):
    checkpoint = checkpoints(torch)

    def function(x):
        y = checkpoint(torch.exp, x, use_reentrant=False) if inner else x.exp()
        return torch.autograd.grad(y.sum(), x, create_graph=True)[0] * x

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    checkpoint(function, x, use_reentrant=False).sum().backward()
    assert torch.allclose(x.grad, ((x + 1) * x.exp()).detach())


def test_what_hooks_on_saved_tensors_hold_is_freed_at_once(torch):
    def program():
        def unpack(tensor):
            return tensor

        x = torch.ones(2, requires_grad=True)
        with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, unpack):
            x.sin().sum().backward()
        return weakref.ref(unpack)

    assert program()() is None


def test_contexts_put_back_only_what_is_theirs(torch):
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        torch.set_grad_enabled(False)
    assert not torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    mode = torch.no_grad()
    with mode:
        assert not torch.is_grad_enabled()
    assert torch.is_grad_enabled()


def test_views_made_in_inference_mode(torch):
    x = torch.ones(3, requires_grad=True).clone()
    with torch.inference_mode():
        view, made = x[:2], torch.ones(2)
    with pytest.raises(
        RuntimeError, match="A view was created in inference mode and is being modified inplace in normal"
    ):
        view.mul_(2)
    assert not view.is_inference()
    assert all(t.is_inference() for t in (made, made.detach(), made[:1], made.view(2)))
    assert not any(t.is_inference() for t in (made.clone(), made + 1))


def test_no_grad_around_vjp(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.no_grad():
        output, product = torch.func.vjp(torch.sin, x)
        (grad,) = product(torch.ones(2))
    assert not output.requires_grad
    assert not grad.requires_grad
    assert torch.allclose(grad, x.detach().cos())


def test_a_view_of_something_new_cannot_be_dirty(torch):
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            out = x.clone().view_as(x)
            ctx.mark_dirty(out)
            return out

        @staticmethod
        def backward(ctx, grad):
            return grad

    with pytest.raises(RuntimeError, match="received a tensor that was not an input"):
        Wrong.apply(torch.ones(1, requires_grad=True).clone())


def test_a_view_without_valid_history_can_be_shown(torch):
    x = torch.ones(1, requires_grad=True)
    with torch.no_grad():
        view = x[:]
        view *= 2
    assert repr(view) == "tensor([2.], grad_fn=<Invalid>)"
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode and its base"):
        _ = view.grad_fn
