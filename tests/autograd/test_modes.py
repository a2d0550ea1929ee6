"""Inference mode, and modes in threads and tasks (no_grad and the like are in tests/graph/test_modes.py)."""

import asyncio
import contextvars
import threading

import pytest


def inference_tensor(torch):
    with torch.inference_mode():
        return torch.ones(2)


def test_inference_tensors(torch):
    x = torch.ones(2, requires_grad=True)
    with torch.inference_mode():
        assert torch.is_inference_mode_enabled()
        assert not torch.is_grad_enabled()
        y = x * 2
        assert y.is_inference()
        assert not y.requires_grad
        assert not x.is_inference()
    assert not torch.is_inference_mode_enabled()
    assert torch.is_grad_enabled()
    assert not (x * 2).is_inference()
    assert y.is_inference()


def test_inference_tensors_have_no_versions(torch):
    with pytest.raises(RuntimeError, match="Inference tensors do not track version counter"):
        _ = inference_tensor(torch)._version


def test_changing_inference_tensors(torch):
    t = inference_tensor(torch)
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode is not allowed"):
        t.add_(1)
    with torch.inference_mode():
        t.add_(1)
    c = t.clone()
    c.add_(1)
    assert not c.is_inference()


def test_normal_tensors_may_be_changed_inside(torch):
    t = torch.ones(2)
    with torch.inference_mode():
        t.add_(1)
    assert not t.is_inference()
    assert t._version == 1


def test_views_of_inference_tensors_are_detached_already(torch):
    with torch.inference_mode():
        x = torch.ones(2, 3)
    row = x[0]
    assert row.detach_() is row


def test_inference_tensors_cannot_be_saved(torch):
    x = torch.ones(2, requires_grad=True)
    t = inference_tensor(torch)
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        _ = x * t
    (x + t).sum().backward()
    (x * t.clone()).sum().backward()
    assert x.grad.tolist() == [2, 2]


def test_inference_tensors_cannot_require_grad_outside(torch):
    t = inference_tensor(torch)
    with pytest.raises(RuntimeError, match="Setting requires_grad=True on inference tensor outside InferenceMode"):
        t.requires_grad_()


def test_views_of_inference_tensors(torch):
    t = inference_tensor(torch)
    assert t[:1].is_inference()
    x = torch.ones(2)
    with torch.inference_mode():
        v = x[:1]
    assert not v.is_inference()
    v.add_(1)
    assert x.tolist() == [2, 1]


def test_inference_mode_off_inside(torch):
    with torch.inference_mode():
        with torch.inference_mode(False):
            assert torch.is_grad_enabled()
            assert not torch.ones(2).is_inference()
        assert torch.ones(2).is_inference()
        with torch.enable_grad():
            assert torch.is_inference_mode_enabled()


def test_inference_mode_as_decorator(torch):
    @torch.inference_mode()
    def called():
        return torch.is_inference_mode_enabled()

    @torch.inference_mode
    def bare():
        return torch.is_inference_mode_enabled()

    assert called()
    assert bare()
    assert not torch.is_inference_mode_enabled()


def test_set_multithreading_enabled(torch):
    x = torch.ones(2, requires_grad=True)
    with torch.autograd.set_multithreading_enabled(False):
        x.sum().backward()

    @torch.autograd.set_multithreading_enabled(False)
    def run():
        x.sum().backward()

    run()
    torch.autograd.set_multithreading_enabled(True)  # decorating has set it
    assert x.grad.tolist() == [2, 2]


def test_set_grad_enabled_as_function(torch):
    with torch.no_grad():
        torch.set_grad_enabled(True)
        assert torch.is_grad_enabled()
    assert torch.is_grad_enabled()
    with torch.enable_grad():
        torch.set_grad_enabled(False)
    assert torch.is_grad_enabled()


def test_backward_leaves_the_mode_alone(torch):
    x = torch.ones(2, requires_grad=True)
    y = (x * x).sum()
    with torch.no_grad():
        y.backward(retain_graph=True)
        assert not torch.is_grad_enabled()
        (g,) = torch.autograd.grad(y, x, create_graph=True)
        assert g.requires_grad
    assert torch.is_grad_enabled()


def test_an_error_in_backward_leaves_the_mode_alone(torch):
    x = torch.ones(2, requires_grad=True)
    x.register_hook(lambda grad: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        x.sum().backward()
    assert torch.is_grad_enabled()


def test_saved_tensors_hooks_are_of_their_thread(torch):
    seen = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: seen.append("packed") or t.detach(), lambda t: t):
        thread = threading.Thread(target=lambda: torch.ones(2, requires_grad=True) ** 2)
        thread.start()
        thread.join()
    assert seen == []


def test_threads_do_not_disturb_each_other(torch):
    barrier = threading.Barrier(2)
    seen = {}

    def run(name, mode):
        with mode:
            barrier.wait()
            seen[name] = (torch.is_grad_enabled(), (torch.ones(1, requires_grad=True) * 2).requires_grad)
            barrier.wait()

    modes = {"off": torch.no_grad(), "on": torch.enable_grad()}
    threads = [threading.Thread(target=run, args=item) for item in modes.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {"off": (False, False), "on": (True, True)}


def test_tasks_keep_all_their_modes_apart():
    import rushlight as torch

    async def with_mode(mode):
        with mode:
            await asyncio.sleep(0.001)
            return torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.is_anomaly_enabled()

    async def main():
        plain = asyncio.create_task(with_mode(torch.enable_grad()))
        return await asyncio.gather(
            with_mode(torch.no_grad()),
            with_mode(torch.inference_mode()),
            with_mode(torch.autograd.set_detect_anomaly(True)),
            plain,
        )

    results = asyncio.run(main())
    assert results[0][:2] == (False, False)
    assert results[1][:2] == (False, True)
    assert results[2][2]
    assert results[3][:2] == (True, False)


def test_modes_travel_with_a_copied_context():
    import rushlight as torch

    with torch.no_grad():
        context = contextvars.copy_context()
    seen = []
    thread = threading.Thread(target=lambda: seen.append(context.run(torch.is_grad_enabled)))
    thread.start()
    thread.join()
    assert seen == [False]


def test_a_view_whose_history_is_forbidden_says_whether_its_base_requires_grad(torch):
    base = torch.ones(3)
    with torch.no_grad():
        view = base[:2]
    assert not view.requires_grad
    base.mul_(torch.ones(3, requires_grad=True))
    assert view.requires_grad
    with pytest.raises(RuntimeError, match="view was created in no_grad mode"):
        _ = view.grad_fn


@pytest.mark.parametrize("create_graph", [False, True])
def test_zeros_of_unused_inputs_take_part_in_a_graph_that_is_asked_for(torch, create_graph):
    x, y = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
    first, zeros = torch.autograd.grad((x * x).sum(), [x, y], create_graph=create_graph, materialize_grads=True)
    assert (first.requires_grad, zeros.requires_grad) == (create_graph, create_graph)
    assert zeros.tolist() == [0.0, 0.0, 0.0]
