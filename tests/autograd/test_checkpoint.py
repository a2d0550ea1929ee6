"""Checkpointing: the same gradients for less memory, by computing again."""

import contextlib
import gc
import weakref
from importlib import import_module

import pytest


@pytest.fixture
def utils(torch):
    return import_module(f"{torch.__name__}.utils.checkpoint")


def leaf(torch, *values):
    return torch.tensor(list(values), requires_grad=True)


def counted(function):
    """A function and the list that grows with its calls."""
    calls = []

    def wrapper(*args, **kwargs):
        calls.append(1)
        return function(*args, **kwargs)

    return wrapper, calls


reentrant = pytest.mark.parametrize("use_reentrant", [False, True])


@reentrant
def test_the_same_gradients(torch, utils, use_reentrant):
    w = leaf(torch, 3.0, 4.0)
    function, calls = counted(lambda x: (x * w).sin() * x)
    x = leaf(torch, 1.0, 2.0)
    utils.checkpoint(function, x, use_reentrant=use_reentrant).sum().backward()
    assert len(calls) == 2
    y = leaf(torch, 1.0, 2.0)
    expected = torch.autograd.grad(((y * w).sin() * y).sum(), [y, w])
    assert torch.equal(x.grad, expected[0])
    assert torch.equal(w.grad, expected[1])


@reentrant
def test_several_arguments_and_outputs(torch, utils, use_reentrant):
    x, y = leaf(torch, 2.0), leaf(torch, 3.0)
    a, b, c = utils.checkpoint(lambda x, n, y: (x * y, x**n, "text"), x, 3, y, use_reentrant=use_reentrant)
    assert c == "text"
    (a + b).backward()
    assert (x.grad.item(), y.grad.item()) == (15, 2)


def test_keyword_arguments(torch, utils):
    x = leaf(torch, 2.0)
    utils.checkpoint(lambda x, *, n: x**n, x, n=3, use_reentrant=False).backward()
    assert x.grad.item() == 12
    with pytest.raises(ValueError, match="Unexpected keyword arguments: n"):
        utils.checkpoint(lambda x, n: x**n, x, n=3, use_reentrant=True)


@reentrant
def test_random_numbers_are_drawn_again(torch, utils, use_reentrant):
    x = torch.ones(50, requires_grad=True)
    torch.manual_seed(0)
    y = utils.checkpoint(lambda x: x * torch.rand(50) * 1, x, use_reentrant=use_reentrant)
    state = torch.get_rng_state()
    y.sum().backward()
    assert torch.equal(x.grad, y.detach())
    assert torch.equal(torch.get_rng_state(), state)


@reentrant
def test_random_numbers_may_differ(torch, utils, use_reentrant):
    x = torch.ones(50, requires_grad=True)
    y = utils.checkpoint(lambda x: x * torch.rand(50) * 1, x, use_reentrant=use_reentrant, preserve_rng_state=False)
    y.sum().backward()
    assert not torch.equal(x.grad, y.detach())


def test_what_is_saved_is_dropped(torch, utils):
    seen = []

    def function(x):
        y = x * 2
        if not seen:
            seen.append(weakref.ref(y))
        return y.exp().sin()

    x = leaf(torch, 1.0)
    z = utils.checkpoint(function, x, use_reentrant=False)
    gc.collect()
    assert seen[0]() is None
    z.backward()


def test_early_stop(torch, utils):
    reached = []

    def function(x):
        y = x.sin().cos()
        reached.append("end")
        return y

    x = leaf(torch, 1.0)
    utils.checkpoint(function, x, use_reentrant=False).backward()
    assert reached == ["end"]
    utils.checkpoint(function, x, use_reentrant=False, early_stop=False).backward()
    assert reached == ["end"] * 3
    with utils.set_checkpoint_early_stop(False):
        y = utils.checkpoint(function, x, use_reentrant=False)
    y.backward()
    assert reached == ["end"] * 5


def test_nested(torch, utils):
    inner, inner_calls = counted(lambda x: x.sin().cos())
    outer, outer_calls = counted(lambda x: utils.checkpoint(inner, x.exp(), use_reentrant=False).tanh())
    x, y = leaf(torch, 0.5), leaf(torch, 0.5)
    utils.checkpoint(outer, x, use_reentrant=False).backward()
    y.exp().sin().cos().tanh().backward()
    assert torch.equal(x.grad, y.grad)
    assert len(outer_calls) == 2
    assert 2 <= len(inner_calls) <= 3


def test_grad_and_create_graph(torch, utils):
    x = leaf(torch, 0.5)
    y = utils.checkpoint(lambda x: x**3, x, use_reentrant=False)
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    (h,) = torch.autograd.grad(g, x)
    assert (g.item(), h.item()) == (0.75, 3)


def test_retain_graph_computes_again(torch, utils):
    function, calls = counted(lambda x: x.sin().exp())
    x = leaf(torch, 0.5)
    y = utils.checkpoint(function, x, use_reentrant=False)
    y.backward(retain_graph=True)
    y.backward()
    assert len(calls) == 3


def test_backward_within_the_function(torch, utils):
    def function(x):
        y = x.sin()
        z = y.cos()
        (gx,) = torch.autograd.grad(z, x, retain_graph=True)
        return x.cos() * gx

    x, y = leaf(torch, 0.5), leaf(torch, 0.5)
    utils.checkpoint(function, x, use_reentrant=False).backward()
    function(y).backward()
    assert torch.equal(x.grad, y.grad)


def test_without_grad_it_is_a_call(torch, utils):
    function, calls = counted(lambda x: x * 2)
    with torch.no_grad():
        y = utils.checkpoint(function, leaf(torch, 1.0), use_reentrant=False)
    assert not y.requires_grad
    assert len(calls) == 1


def test_contexts(torch, utils):
    seen = []

    @contextlib.contextmanager
    def named(name):
        seen.append(name)
        yield

    x = leaf(torch, 1.0)
    y = utils.checkpoint(
        lambda x: x.sin().exp(), x, use_reentrant=False, context_fn=lambda: (named("forward"), named("again"))
    )
    y.backward()
    assert seen == ["forward", "again"]


def test_a_context_that_swallows_errors(torch, utils):
    def function(x):
        raise KeyError

    with pytest.raises(RuntimeError, match="the forward context provided by context_fn suppressed an exception"):
        utils.checkpoint(
            function,
            leaf(torch, 1.0),
            use_reentrant=False,
            context_fn=lambda: (contextlib.suppress(KeyError), contextlib.nullcontext()),
        )


def test_errors_of_the_function_come_through(torch, utils):
    def function(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        utils.checkpoint(function, leaf(torch, 1.0), use_reentrant=False)


def changing(torch, *functions):
    """A function that is another one each time it is called."""
    left = list(functions)
    return lambda x: left.pop(0)(x)


def test_a_different_number_of_saved_tensors(torch, utils):
    x = leaf(torch, 1.0, 2.0)
    y = utils.checkpoint(changing(torch, lambda x: x.sin().exp().cos(), lambda x: x.sin()), x, use_reentrant=False)
    with pytest.raises(
        utils.CheckpointError,
        match=r"A different number of tensors was saved during the original forward and recomputation\.\n"
        r"Number of tensors saved during forward: 3\nNumber of tensors saved during recomputation: 1",
    ):
        y.sum().backward()


def test_more_saved_tensors(torch, utils):
    x = leaf(torch, 1.0, 2.0)
    y = utils.checkpoint(
        changing(torch, lambda x: x.sin(), lambda x: x.sin().exp().cos()), x, use_reentrant=False, early_stop=False
    )
    with pytest.raises(utils.CheckpointError, match="trying to save more tensors during recomputation than during the"):
        y.sum().backward()


def test_different_metadata(torch, utils):
    functions = [lambda x: x.sin().exp(), lambda x: x[:1].sin().exp()]
    x = leaf(torch, 1.0, 2.0)
    y = utils.checkpoint(changing(torch, *functions), x, use_reentrant=False)
    with pytest.raises(
        utils.CheckpointError, match="Recomputed values for the following tensors have different metadata"
    ):
        y.sum().backward()
    y = utils.checkpoint(
        changing(torch, *functions), x, use_reentrant=False, determinism_check="none", early_stop=False
    )
    y.sum().backward()


def test_changed_arguments_are_noticed(torch, utils):
    h = leaf(torch, 1.0) * 1
    y = utils.checkpoint(lambda x: x.sin().exp(), h, use_reentrant=False)
    h.add_(1)
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        y.backward()


def test_options(torch, utils):
    x = leaf(torch, 1.0)
    with pytest.raises(ValueError, match="determinism_check should be one of"):
        utils.checkpoint(torch.sin, x, use_reentrant=False, determinism_check="all")
    with pytest.raises(ValueError, match="Passing `context_fn` or `debug` is only supported when use_reentrant=False"):
        utils.checkpoint(torch.sin, x, use_reentrant=True, debug=True)
    with pytest.raises(ValueError, match="debug=True is incompatible with non-default context_fn"):
        utils.checkpoint(torch.sin, x, use_reentrant=False, debug=True, context_fn=lambda: None)
    with pytest.warns(UserWarning, match="the use_reentrant parameter should be passed explicitly"):
        utils.checkpoint(torch.sin, x)


def test_reentrant_needs_a_plain_backward(torch, utils):
    x = leaf(torch, 1.0)
    y = utils.checkpoint(torch.sin, x, use_reentrant=True)
    with pytest.raises(
        RuntimeError, match=r"torch.utils.checkpoint is incompatible with .grad\(\) or passing an `inputs`"
    ):
        torch.autograd.grad(y, x, retain_graph=True)
    with pytest.raises(RuntimeError, match=r"torch\.utils\.checkpoint is incompatible"):
        y.backward(inputs=[x])


def test_reentrant_needs_arguments_that_require_grad(torch, utils):
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
        y = utils.checkpoint(torch.sin, torch.ones(1), use_reentrant=True)
    assert not y.requires_grad


def test_detach_variable(torch, utils):
    x = leaf(torch, 1.0)
    y, n = utils.detach_variable((x * 2, 3))
    assert (y.is_leaf, y.requires_grad, n) == (True, True, 3)
    with pytest.raises(RuntimeError, match="Only tuple of tensors is supported"):
        utils.detach_variable([x])


@reentrant
def test_checkpoint_sequential(torch, utils, use_reentrant):
    counters = [counted(f) for f in (torch.sin, torch.exp, torch.cos, torch.tanh, torch.sin)]
    x, y = leaf(torch, 0.5), leaf(torch, 0.5)
    utils.checkpoint_sequential([f for f, _ in counters], 2, x, use_reentrant=use_reentrant).backward()
    y.sin().exp().cos().tanh().sin().backward()
    assert torch.equal(x.grad, y.grad)
    counts = [len(calls) for _, calls in counters]
    assert (counts[0], counts[2:]) == (2, [1, 1, 1])


def test_checkpoint_sequential_of_modules(torch, utils):
    nn = import_module(f"{torch.__name__}.nn")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Dropout(0.5), nn.Linear(4, 2))
    x = torch.ones(5, 3, requires_grad=True)
    torch.manual_seed(1)
    utils.checkpoint_sequential(model, 2, x, use_reentrant=False).sum().backward()
    found = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    torch.manual_seed(1)
    model(x).sum().backward()
    assert all(torch.allclose(a, p.grad) for a, p in zip(found, model.parameters(), strict=True))


def test_debug_shows_the_lines_that_saved():
    import rushlight as torch
    from rushlight.utils.checkpoint import CheckpointError, checkpoint

    x = leaf(torch, 1.0)
    y = checkpoint(changing(torch, lambda x: x.sin().exp(), lambda x: x.cos()), x, use_reentrant=False, debug=True)
    with pytest.raises(
        CheckpointError, match=r"(?s)Saved during forward:.*test_checkpoint.py.*Saved during recomputation:"
    ):
        y.backward()


def test_autocast_is_restored(torch):
    kinds = []

    def run(x):
        y = torch.mm(x, x)
        kinds.append(y.dtype)
        return torch.mm(y, x)

    x = torch.ones(2, 2, requires_grad=True)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = torch.utils.checkpoint.checkpoint(run, x, use_reentrant=False).sum()
    loss.backward()
    other = torch.utils.checkpoint.checkpoint(run, x, use_reentrant=False).sum()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        other.backward()
    assert kinds == [torch.bfloat16] * 2 + [torch.float32] * 2
