"""Many threads: no gradient is lost that several add to one leaf, and graphs may be shared."""

import os
import re
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import rushlight


def together(n, function):
    """Calls a function in n threads that start at the same moment; their results in order, their errors raised."""
    barrier = threading.Barrier(n)

    def run(i):
        barrier.wait()
        return function(i)

    with ThreadPoolExecutor(n) as pool:
        return list(pool.map(run, range(n)))


def test_no_update_is_lost(torch):
    """Hogwild: threads with graphs of their own add to the same leaves."""
    x = torch.zeros(2000, requires_grad=True)
    w = torch.zeros(2000, requires_grad=True)

    def run(i):
        for _ in range(25):
            (x * (i + 1) + w).sum().backward()

    together(8, run)
    assert x.grad.unique().tolist() == [25 * 36]
    assert w.grad.unique().tolist() == [25 * 8]


def test_the_first_gradient_is_not_lost_either(torch):
    for _ in range(50):
        x = torch.zeros(3, requires_grad=True)
        together(4, lambda i, x=x: (x * 2).sum().backward())
        assert x.grad.tolist() == [8, 8, 8]


def test_one_graph_in_several_threads(torch):
    x = torch.arange(1.0, 1001.0, requires_grad=True)
    y = x
    for _ in range(20):
        y = (y * 1.0).sin() + x
    y = y.sum()
    (expected,) = torch.autograd.grad(y, x, retain_graph=True)

    def run(i):
        for _ in range(5):
            y.backward(retain_graph=True)

    together(4, run)
    assert torch.allclose(x.grad, 20 * expected)


def test_grad_touches_nothing_shared(torch):
    x = torch.linspace(0, 1, 1000, requires_grad=True)
    y = (x * x).exp().sum()
    (expected,) = torch.autograd.grad(y, x, retain_graph=True)
    found = together(4, lambda i: torch.autograd.grad(y * (i + 1), x, retain_graph=True)[0])
    assert x.grad is None
    for i, g in enumerate(found):
        assert torch.allclose(g, expected * (i + 1))


def test_graphs_that_share_a_part(torch):
    x = torch.ones(100, requires_grad=True)
    trunk = (x * 2).exp()
    together(4, lambda i: (trunk * (i + 1)).sum().backward(retain_graph=True))
    assert torch.allclose(x.grad, 2 * trunk.detach() * 10)


def test_hooks_run_in_the_thread_that_calls_backward(torch):
    seen = []

    def run(i):
        x = torch.ones(2, requires_grad=True)
        x.register_hook(lambda grad: seen.append(threading.get_ident()) if i >= 0 else None)
        me = threading.get_ident()
        x.sum().backward()
        return me

    assert sorted(together(4, run)) == sorted(seen)


def test_post_accumulate_hooks_do_not_overlap():
    """Steps that are taken in hooks, in several threads: the gradient that a hook sees is there until it has used it.

    PyTorch leaves that to the hooks.
    """
    import rushlight as torch

    x = torch.zeros(1000, requires_grad=True)

    def step(p):
        with torch.no_grad():
            p -= p.grad
        p.grad = None

    x.register_post_accumulate_grad_hook(step)

    def run(i):
        for _ in range(25):
            (x * 1.0).sum().backward()

    together(4, run)
    assert x.detach().unique().tolist() == [-100]


def test_errors_in_one_thread_leave_the_others_alone(torch):
    x = torch.ones(2, requires_grad=True)
    y = (x * x).sum()

    def run(i):
        if i == 0:
            try:
                (y * torch.ones(2)).backward(retain_graph=True)
            except RuntimeError:
                return True
        y.backward(retain_graph=True)
        return True

    assert all(together(4, run))
    assert x.grad.tolist() == [6, 6]


LOCKED = """
import threading
from contextlib import ExitStack
import rushlight as torch
from rushlight.core import engine

x = torch.ones(3, requires_grad=True)
x.grad = torch.zeros(3)
thread = threading.Thread(target=x.backward, args=(torch.ones(3),))
with ExitStack() as locks:
    for held in engine.LEAVES:
        locks.enter_context(held)
    thread.start()
    thread.join(0.2)
    assert thread.is_alive()
    assert x.grad.tolist() == [0, 0, 0]
thread.join()
assert x.grad.tolist() == [1, 1, 1]
"""


def test_a_gradient_waits_for_the_lock_of_its_leaf():
    """In the plain form of the core, whose locks can be reached."""
    environment = os.environ | {"RUSHLIGHT_PURE_PYTHON": "1"}
    done = subprocess.run([sys.executable, "-c", LOCKED], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


FORK = """
import os, threading, time
import rushlight as torch

x = torch.ones(4, requires_grad=True)
x.register_post_accumulate_grad_hook(lambda leaf: time.sleep(0.002))
y = (x * x).sin().sum()
plain = torch.ones(20000, requires_grad=True)
going = True


def work():
    while going:
        y.backward(retain_graph=True)
        (plain * plain).sum().backward()
        torch.rand(2000)


threads = [threading.Thread(target=work, daemon=True) for _ in range(4)]
for thread in threads:
    thread.start()
for _ in range(8):
    time.sleep(0.02)
    child = os.fork()
    if child == 0:
        y.backward(retain_graph=True)
        (plain * plain).sum().backward()
        torch.rand(10)
        os._exit(0)
    end = time.monotonic() + 60
    while not os.waitpid(child, os.WNOHANG)[0]:
        if time.monotonic() > end:
            os.kill(child, 9)
            raise SystemExit("the child waits for ever")
        time.sleep(0.001)
going = False
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_while_others_run_passes():
    done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_within_a_hook_that_holds_a_lock():
    x = rushlight.ones(1, requires_grad=True)
    children = []

    def fork(leaf):
        children.append(os.fork())

    x.register_post_accumulate_grad_hook(fork)
    try:
        (x * 2).sum().backward()
    finally:
        if children and children[0] == 0:
            os._exit(0 if x.grad is not None and x.grad.item() == 2 else 1)
    assert os.waitpid(children[0], 0)[1] == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_while_another_thread_draws_random_numbers():
    generator = rushlight.Generator()
    drawing, forked = threading.Event(), threading.Event()

    def draw():
        with generator.lock, generator._bits.lock:
            drawing.set()
            forked.wait(60)

    thread = threading.Thread(target=draw)
    thread.start()
    drawing.wait(60)
    child = os.fork()
    if child == 0:
        signal.alarm(120)  # ends a child that waits for ever
        rushlight.rand(2000, generator=generator)
        os._exit(0)
    forked.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0


def test_locks_are_made_where_forks_know_them():
    """A lock of `threading` that a fork finds held stays held in the child."""
    package = Path(rushlight.__file__).parent
    sources = [path for path in package.rglob("*") if path.suffix in {".py", ".pyx"}]
    makers = {path.name for path in sources if re.search(r"\bR?Lock\(\)", path.read_text())}
    assert makers == {"locks.py"}
