"""Ctrl-C at any moment leaves modes, levels, locks and graphs as they were.

Python delivers a signal where a function begins and where a call of a builtin function has returned. At each such place
in turn a profile function raises KeyboardInterrupt; where the core is compiled nothing may be left behind.
"""

import sys

import pytest

import rushlight as torch
from rushlight.autograd import forward_ad
from rushlight.core import batched, engine, interpreters, modes
from rushlight.core.graph import COMPILED
from rushlight.overrides import BaseTorchFunctionMode, calls
from rushlight.utils._python_dispatch import BaseTorchDispatchMode
from rushlight.utils.checkpoint import checkpoint

pytestmark = pytest.mark.skipif(not COMPILED, reason="uncompiled a context manager cannot keep a signal out")


def no_grad_context():
    with torch.no_grad():
        torch.ones(1).sum()


@torch.no_grad()
def no_grad_function():
    torch.ones(1).sum()


@torch.no_grad()
def generator():
    yield torch.ones(1)
    yield torch.ones(1)


def no_grad_generator():
    list(generator())


def inference():
    with torch.inference_mode():
        torch.ones(1).sum()


def hooks_on_saved():
    x = torch.ones(2, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach(), lambda t: t):
        y = x * x
    y.sum().backward()


def hooks_refused():
    with torch.autograd.graph.disable_saved_tensors_hooks("no"):
        torch.ones(1).sum()


def mutation_allowed():
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        x = torch.ones(2, requires_grad=True).clone()
        (x * x).sum().backward()


def anomaly():
    with torch.autograd.detect_anomaly():
        torch.ones(2, requires_grad=True).exp().sum().backward()


def custom_function():
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    Double.apply(torch.ones(2, requires_grad=True)).sum().backward()


def hooks():
    x = torch.ones(2, requires_grad=True)
    x.register_hook(lambda grad: grad * 2)
    x.register_post_accumulate_grad_hook(lambda leaf: None)
    (x * 2).sum().backward(create_graph=True)


def recomputation():
    checkpoint(lambda x: x.exp().sin(), torch.ones(2, requires_grad=True), use_reentrant=False).sum().backward()


def mapped():
    torch.vmap(torch.func.grad(torch.sin))(torch.ones(3))


def tangents():
    torch.func.jvp(torch.sin, (torch.ones(2),), (torch.ones(2),))


def dual_numbers():
    with forward_ad.dual_level():
        forward_ad.make_dual(torch.ones(2), torch.ones(2)).exp()


def hessian():
    torch.func.hessian(lambda x: x.sin().sum())(torch.ones(2))


def profiled():
    with torch.autograd.profiler.profile():
        torch.ones(2).exp()


def profiled_steps():
    with torch.profiler.profile(schedule=torch.profiler.schedule(wait=0, warmup=0, active=1)) as profiler:
        torch.ones(2).exp()
        profiler.step()


def autocast():
    with torch.autocast("cpu"), torch.autocast("cpu", enabled=False):
        torch.ones(2, 2) @ torch.ones(2, 2)


def random_numbers():
    with torch.random.fork_rng():
        torch.manual_seed(3)
        torch.rand(2)


def device():
    with torch.device("meta"), torch.device("cpu"):
        torch.ones(2)


def function_mode():
    with BaseTorchFunctionMode(), BaseTorchFunctionMode():
        torch.ones(2).exp()


def dispatch_mode():
    with BaseTorchDispatchMode(), BaseTorchDispatchMode():
        torch.ones(2).exp()


PROGRAMS = [
    no_grad_context,
    no_grad_function,
    no_grad_generator,
    inference,
    hooks_on_saved,
    hooks_refused,
    mutation_allowed,
    anomaly,
    custom_function,
    hooks,
    recomputation,
    mapped,
    tangents,
    dual_numbers,
    hessian,
    profiled,
    profiled_steps,
    autocast,
    random_numbers,
    device,
    function_mode,
    dispatch_mode,
]


def interrupted(program, k):
    """Runs a program that is interrupted at the k-th place. Returns whether it got as far as that."""
    places = 0

    def look(frame, event, arg):
        nonlocal places
        if event in ("call", "c_return"):
            places += 1
            if places == k:
                sys.setprofile(None)
                raise KeyboardInterrupt

    try:
        sys.setprofile(look)
        program()
    except KeyboardInterrupt:
        return True
    finally:
        sys.setprofile(None)
    return False


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
@pytest.mark.filterwarnings("ignore:Error detected")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_every_place(program):
    program()  # what is imported or set up at the first use is there
    before, asked, random_state = modes.CURRENT.get(), list(interpreters.ASKED), torch.get_rng_state()
    k = 1
    while interrupted(program, k) and k < 3000:
        assert modes.CURRENT.get() is before, k
        assert asked == interpreters.ASKED, k
        held = [
            engine.RUN.get(),
            batched.ENTERED.get(),
            bool(interpreters.STACK.depth),
            bool(calls.HERE.modes),
            torch.get_default_device() != torch.device("cpu"),
            engine.CLAIM.locked(),
        ]
        assert not any(held), k
        assert torch.equal(torch.get_rng_state(), random_state), k
        k += 1
    assert k > 5


def test_the_graph_can_be_used_again():
    x = torch.ones(3, requires_grad=True)
    y = (x * x).sin().sum()
    y.register_hook(lambda grad: None)
    x.register_hook(lambda grad: None)
    expected = torch.autograd.grad(y, x, retain_graph=True)[0]
    k = 1
    while interrupted(lambda: y.backward(retain_graph=True), k):
        assert y.grad_fn.next_functions[0][0] is not None
        x.grad = None
        y.backward(retain_graph=True)
        assert torch.equal(x.grad, expected), k
        k += 1
    assert k > 5
