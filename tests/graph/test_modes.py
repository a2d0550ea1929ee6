"""Grad modes: contexts, decorators, functions, generators, threads and tasks."""

import asyncio
import threading

import pytest


def test_no_grad_as_context(torch):
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        y = x * 2
        assert not torch.is_grad_enabled()
    assert y.grad_fn is None
    assert not y.requires_grad
    assert (x * 2).requires_grad


def test_enable_grad_inside_no_grad(torch):
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad(), torch.enable_grad():
        assert (x * 2).requires_grad
    with torch.no_grad():
        with torch.enable_grad():
            assert torch.is_grad_enabled()
        assert not torch.is_grad_enabled()


def test_decorators(torch):
    x = torch.ones(2, requires_grad=True)

    @torch.no_grad()
    def off(x):
        """Doubles."""
        return x * 2

    @torch.enable_grad()
    def on(x):
        return x * 2

    assert not off(x).requires_grad
    assert off.__doc__ == "Doubles."
    with torch.no_grad():
        assert on(x).requires_grad


def test_no_grad_without_parentheses(torch):
    @torch.no_grad
    def off(x):
        return x * 2

    assert not off(torch.ones(2, requires_grad=True)).requires_grad


def test_decorated_functions_can_recurse(torch):
    @torch.no_grad()
    def depth(n):
        assert not torch.is_grad_enabled()
        return 0 if n == 0 else 1 + depth(n - 1)

    assert depth(3) == 3
    assert torch.is_grad_enabled()


def test_set_grad_enabled_as_function_context_and_decorator(torch):
    torch.set_grad_enabled(False)
    assert not torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    with torch.set_grad_enabled(False):
        assert not torch.is_grad_enabled()
    assert torch.is_grad_enabled()

    @torch.set_grad_enabled(False)
    def off():
        return torch.is_grad_enabled()

    assert torch.is_grad_enabled()
    assert off() is False


def test_mode_is_restored_after_an_error(torch):
    with pytest.raises(KeyError), torch.no_grad():
        raise KeyError
    assert torch.is_grad_enabled()


def test_generators_keep_their_own_mode(torch):
    @torch.no_grad()
    def numbers():
        seen = [torch.is_grad_enabled()]
        got = yield torch.is_grad_enabled()
        seen.append(torch.is_grad_enabled())
        try:
            yield got
        except ValueError:
            seen.append(torch.is_grad_enabled())
            yield seen

    generator = numbers()
    assert next(generator) is False
    assert torch.is_grad_enabled()
    assert generator.send("x") == "x"
    assert generator.throw(ValueError) == [False, False, False]
    generator.close()


def test_threads_start_with_grad_enabled(torch):
    seen = []
    with torch.no_grad():
        thread = threading.Thread(target=lambda: seen.append(torch.is_grad_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]


def test_tasks_keep_their_modes_apart():
    import rushlight as torch

    async def silent():
        with torch.no_grad():
            await asyncio.sleep(0.01)
            return torch.is_grad_enabled()

    async def loud():
        await asyncio.sleep(0.005)
        return torch.is_grad_enabled()

    async def both():
        return await asyncio.gather(silent(), loud())

    assert asyncio.run(both()) == [False, True]


@pytest.mark.parametrize("mode", ["no_grad", "inference_mode"])
def test_a_view_made_without_recording_cannot_be_differentiated(torch, mode):
    x = torch.ones(2, 1, requires_grad=True)
    with getattr(torch, mode)():
        view = x.mT
    (x * 2).sum().backward()
    with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad"):
        torch.autograd.grad(view, x, torch.ones(1, 2))
