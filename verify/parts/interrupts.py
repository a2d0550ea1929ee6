"""Interrupts programs with Ctrl-C at random moments, and forks while threads are in backward: all goes on as before."""

import argparse
import contextlib
import gc
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator

import rushlight
from rushlight.core.interpreters import STACK
from rushlight.overrides import BaseTorchFunctionMode, calls
from rushlight.utils._python_dispatch import BaseTorchDispatchMode
from rushlight.utils.checkpoint import checkpoint
from verify.figures import Figure

PATIENCE = 60  # seconds after which a pass counts as waiting for ever
THREADS = 3


def options(parser: argparse.ArgumentParser) -> None:
    """What the command line can say."""
    parser.add_argument("--count", type=int, default=300, help="how many interrupts (default: %(default)s)")
    parser.add_argument("--forks", type=int, default=100, help="how many forks (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)


def run(arguments: argparse.Namespace) -> list[Figure]:
    """Both kinds of disturbance."""
    interrupts, forks = Figure("Ctrl-C at random moments"), Figure("forks while threads are in backward")
    interrupt(arguments.count, random.Random(arguments.seed), interrupts)
    fork(arguments.forks, forks)
    return [interrupts, forks]


def program(kept: rushlight.Tensor, x: rushlight.Tensor) -> None:
    """Enters each mode, records, transforms, and goes through a graph that is used again afterwards."""
    with rushlight.no_grad(), rushlight.random.fork_rng():
        x.sin()
    with rushlight.inference_mode():
        x.cos()
    with rushlight.autograd.graph.saved_tensors_hooks(lambda t: t.detach(), lambda t: t):
        (x * x).sum().backward()
    with rushlight.device("meta"), rushlight.device("cpu"), BaseTorchFunctionMode(), BaseTorchDispatchMode():
        x.tan()
    with rushlight.autocast("cpu"):
        (x @ x).sum().backward()
    checkpoint(lambda t: t.exp().sin(), x, use_reentrant=False).sum().backward()
    rushlight.vmap(rushlight.func.grad(lambda t: t.sin().sum()))(x)
    rushlight.func.jvp(rushlight.sin, (x.detach(),), (x.detach(),))
    rushlight.func.hessian(lambda t: (t**3).sum())(x.detach()[0])
    kept.backward(retain_graph=True)


def modes() -> tuple:
    """What a program may have left behind, as users can ask for it."""
    with rushlight.enable_grad():
        saved = (rushlight.ones(1, requires_grad=True) * 2).grad_fn
    return (
        rushlight.is_grad_enabled(),
        rushlight.is_inference_mode_enabled(),
        rushlight.is_autocast_enabled("cpu"),
        rushlight.get_default_dtype(),
        saved is not None,
        rushlight.get_default_device(),
        len(calls.HERE.modes),
        STACK.depth,
        type(rushlight.func.grad(rushlight.sin)(rushlight.ones(()))),
    )


def interrupt(count: int, chance: random.Random, figure: Figure) -> None:
    """Interrupts the program again and again: modes, random numbers and gradients are what they were."""
    x = rushlight.full((4, 4), 0.5, requires_grad=True)
    kept = (x * x).sin().sum()
    program(kept, x)
    start = time.perf_counter()
    program(kept, x)
    longest = time.perf_counter() - start
    (expected,) = rushlight.autograd.grad(kept, x, retain_graph=True)
    before, state = modes(), rushlight.get_rng_state()
    while figure.checked < count:
        if not is_interrupted(lambda: program(kept, x), chance.uniform(0, longest)):
            continue
        figure.checked += 1
        title = f"interrupt {figure.checked}"
        if modes() != before:
            figure.unexplained.append(f"{title}: the modes are {modes()}")
        if not rushlight.equal(rushlight.get_rng_state(), state):
            figure.unexplained.append(f"{title}: the random numbers are others")
        if not is_equal_in_a_thread(lambda: rushlight.autograd.grad(kept, x, retain_graph=True)[0], expected):
            figure.unexplained.append(
                f"{title}: a pass through the same graph in another thread does not end, or differs"
            )


def is_interrupted(work: Callable[[], None], after: float) -> bool:
    """Whether a function was interrupted, some seconds after its begin; what it prints on the way is not shown."""
    former = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, max(after, 1e-6))
        try:
            work()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        return True
    finally:
        signal.signal(signal.SIGALRM, former)
    return False


def is_equal_in_a_thread(work: Callable[[], rushlight.Tensor], expected: rushlight.Tensor) -> bool:
    """Whether a function gives what is expected in a thread of its own, before patience ends."""
    found: list[rushlight.Tensor] = []
    thread = threading.Thread(target=lambda: found.append(work()), daemon=True)
    thread.start()
    thread.join(PATIENCE)
    return bool(found) and rushlight.equal(found[0], expected)


def fork(count: int, figure: Figure) -> None:
    """Forks while threads go through graphs; each child goes on with passes of its own, and ends."""
    x = rushlight.full((8, 8), 0.5, requires_grad=True)
    kept = (x @ x).sin().sum()
    (expected,) = rushlight.autograd.grad(kept, x, retain_graph=True)
    with in_backward(kept):
        for number in range(count):
            time.sleep(0.005)
            child = os.fork()
            if child == 0:
                go_on(kept, x, expected)
            if (why := how_it_ends(child)) != 0:
                figure.unexplained.append(f"fork {number}: the child {'waits for ever' if why is None else why}")
            figure.checked += 1


@contextlib.contextmanager
def in_backward(kept: rushlight.Tensor) -> Iterator[None]:
    """While it is entered threads go through a graph, adding to gradients and drawing random numbers."""
    going = True

    def work():
        while going:
            kept.backward(retain_graph=True)
            rushlight.rand(8)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        going = False
        for thread in threads:
            thread.join()


def go_on(kept: rushlight.Tensor, x: rushlight.Tensor, expected: rushlight.Tensor) -> None:
    """What a child does. Never returns; the exit status is 0 if all was right."""
    right = False
    try:
        (found,) = rushlight.autograd.grad(kept, x, retain_graph=True)
        kept.backward(retain_graph=True)
        rushlight.nn.Linear(4, 4)(rushlight.rand(4)).sum().backward()
        gc.collect()
        right = rushlight.equal(found, expected)
    finally:
        os._exit(0 if right else 1)


def how_it_ends(child: int) -> int | None:
    """The status with which a process ends; None if it does not, and is killed."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None
