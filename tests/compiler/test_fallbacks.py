"""What cannot be replayed runs as it is, and says so; nothing is done twice, and nothing is lost."""

import copy
import cProfile
import gc
import math
import pickle
import sys
import threading
import time
import warnings
from contextlib import contextmanager
from functools import partial

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.core.interpreters import writer

SEEN = []
COUNT = {"calls": 0}


def compiled(function, **options):
    return torch.compile(function, backend="eager", options={"timed": False}, **options)


def takes_an_item(x):
    return x * x.sum().item()


def takes_an_array(x):
    return x + float(np.max(x.numpy()))


def takes_a_list(x):
    return torch.tensor(x.tolist()) * 2


def prints(x):
    print("seen")
    return x + 1


def appends_to_a_global(x):
    SEEN.append(len(SEEN))
    return x + 1


def counts_in_a_global(x):
    COUNT["calls"] += 1
    return x * 2


def registers_a_hook(x):
    y = (x + 0).detach().requires_grad_()
    y.register_hook(lambda grad: grad * 2)
    (y * 3).sum().backward()
    return y.grad


class Stores:
    def __init__(self):
        self.last = None

    def __call__(self, x):
        self.last = x * 2
        return self.last + 1


WARN = [takes_an_item, takes_an_array, takes_a_list, prints, registers_a_hook]
QUIETLY_AT_FIRST = [appends_to_a_global, counts_in_a_global, Stores()]


def test_a_tensor_is_as_others_again_once_its_hooks_are_removed():
    f = compiled(torch.sin, fullgraph=True)
    x = torch.rand(3, requires_grad=True)
    for register in (x.register_hook, x.register_post_accumulate_grad_hook):
        handle = register(lambda _: None)
        with pytest.raises(RuntimeError, match="a tensor has hooks"):
            f(x)
        handle.remove()
        assert torch.equal(f(x), x.sin())


@pytest.mark.parametrize("function", WARN)
def test_a_warning_says_which_line_is_in_the_way(function):
    f = compiled(function)
    x = torch.tensor([1.0, 2.0])
    told = rf"{function.__name__} runs (as it is|in parts), because at .*test_fallbacks\.py:\d+ "
    with pytest.warns(UserWarning, match=told):
        first = f(x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for i in range(12):
            x = x + i
            assert torch.equal(f(x), function(x))
    assert torch.equal(first, function(torch.tensor([1.0, 2.0])))


@pytest.mark.parametrize("function", [*WARN, *QUIETLY_AT_FIRST[:2]])
def test_fullgraph_raises_with_the_line(function):
    with pytest.raises(RuntimeError, match=r"cannot be compiled at .*test_fallbacks\.py:\d+"):
        compiled(function, fullgraph=True)(torch.ones(2))


@pytest.mark.parametrize("function", QUIETLY_AT_FIRST, ids=lambda f: getattr(f, "__name__", "stores"))
def test_what_changes_other_objects_is_called_once_each_time(function):
    SEEN.clear()
    COUNT["calls"] = 0
    f = compiled(function)

    def call():
        return [torch.equal(f(torch.ones(2) + i), function(torch.ones(2) + i)) for i in range(12)]

    with pytest.warns(UserWarning, match="changes objects that it does not own"):
        assert all(call())
    assert SEEN in ([], list(range(24)))
    assert COUNT["calls"] in (0, 24)


def test_garbage_that_is_collected_meanwhile_is_no_obstacle():
    f = compiled(lambda x: [[i] for i in range(50)] and x + 1)
    threshold = gc.get_threshold()
    gc.callbacks.append(lambda phase, info: time.sleep(0))
    gc.set_threshold(1, 1, 1)
    try:
        for _ in range(3):
            assert f(torch.ones(1)).item() == 2
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.pop()
    assert [variant.replays for variant in f.variants] == [2]


def test_numbers_from_outside_are_not_frozen():
    import random

    def f(x):
        return x * random.random()

    g = compiled(f)
    with pytest.warns(UserWarning, match="random"):
        values = {g(torch.ones(1)).item() for _ in range(12)}
    assert len(values) == 12


def test_mathematics_of_numbers_is_no_obstacle():
    f = compiled(lambda x, n: x * math.sqrt(n) + max(n, 3) + sum(len(str(i)) for i in range(n)))
    for n in (2, 2, 2, 4, 4):
        assert torch.equal(f(torch.ones(2), n), f.uncompiled(torch.ones(2), n))
    assert [variant.replays for variant in f.variants] == [2, 1]


def test_more_than_eight_kinds_of_calls_run_as_they_are():
    f = compiled(lambda x, n: x * n)
    for n in range(20):
        assert f(torch.ones(1), n).item() == n
    assert len(f.variants) == 8


def test_shapes_that_depend_on_values_and_seldom_come_again():
    f = compiled(lambda x: x[x > 0])

    def call():
        return [len(f(torch.cat([torch.ones(i), -torch.ones(100 - i)]))) for i in range(1, 100)]

    with pytest.warns(UserWarning, match="mostly called in other ways"):
        assert call() == list(range(1, 100))
    assert f.given_up


def test_a_shape_that_depends_on_values_after_a_step():
    weight = torch.ones(3, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)

    @compiled
    def step(x):
        optimizer.zero_grad()
        (weight * x).sum().backward()
        optimizer.step()
        return weight.detach()[weight.detach() > 0.5].sum()

    def call():
        return [step(torch.ones(3)).item() for _ in range(6)]

    with pytest.warns(UserWarning, match="depends on values after an optimizer's step"):
        found = call()
    np.testing.assert_allclose(found, [2.7, 2.4, 2.1, 1.8, 0, 0], atol=1e-5)


def test_an_exception_in_the_middle():
    weight = torch.ones(2, requires_grad=True)

    def f(x, ok):
        loss = (x * weight).sum()
        loss.backward()
        if not ok:
            raise KeyError("stop")
        return loss.detach()

    g = compiled(f)
    for i in range(12):
        weight.grad = None
        if i % 4 == 3:
            with pytest.raises(KeyError, match="stop"):
                g(torch.full((2,), 2.0), False)
        else:
            assert g(torch.full((2,), float(i)), True).item() == 2 * i
            assert weight.grad.tolist() == [i, i]


def test_an_error_of_an_operator_is_the_same():
    f = compiled(lambda x, y: x @ y)
    f(torch.ones(2, 3), torch.ones(3, 2))
    for _ in range(3):
        with pytest.raises(RuntimeError, match="mat1 and mat2 shapes cannot be multiplied"):
            f(torch.ones(2, 3), torch.ones(2, 3))


@pytest.mark.parametrize("recorded", [False, True])
def test_threads_give_what_one_gives(recorded):
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh())
    f = compiled(lambda x: net(x).sum(1))
    data = [torch.full((2, 3), float(i)) for i in range(8)]
    expected = [f.uncompiled(x).detach() for x in data]
    if recorded:
        f(data[0])
    wrong = []

    def work():
        for _ in range(20):
            wrong.extend(i for i, x in enumerate(data) if not torch.equal(f(x), expected[i]))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert sum(variant.replays for variant in f.variants) == 0 or recorded


def test_a_thread_that_only_waits_is_no_obstacle():
    waiting, done = threading.Event(), threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    f = compiled(lambda x: x + 1)
    for _ in range(3):
        f(torch.ones(2))
    done.set()
    thread.join()
    assert [variant.replays for variant in f.variants] == [2]

    def work():
        waiting.set()
        done.wait()

    done.clear()
    thread = threading.Thread(target=work)
    thread.start()
    waiting.wait()
    g = compiled(lambda x: x + 1)
    for _ in range(3):
        g(torch.ones(2))
    done.set()
    thread.join()
    assert not g.variants


@contextmanager
def profiled():
    """What a profile function that the user has set sees."""
    seen = []
    sys.setprofile(lambda frame, event, arg: seen.append(event))
    try:
        yield seen
    finally:
        sys.setprofile(None)


@contextmanager
def traced():
    """What a trace function, such as a debugger's, sees."""
    before, seen = sys.gettrace(), []

    def look(frame, event, arg):
        seen.append(event)
        return look

    sys.settrace(look)
    try:
        yield seen
    finally:
        sys.settrace(before)


@pytest.mark.parametrize("profiler", [cProfile.Profile, profiled])
def test_profilers_are_not_disturbed(profiler):
    f = compiled(lambda x: (x * 2).sum())
    for _ in range(2):
        with profiler():
            watches = sys.getprofile()
            for number in range(1200):  # audits among them
                assert f(torch.full((2,), float(number))) == 4 * number
            assert sys.getprofile() is watches
        for number in range(8):
            f(torch.full((2,), float(number)))
    assert f.given_up is None
    assert [variant.replays > 1000 for variant in f.variants] == [True]


def test_calls_are_recorded_while_they_are_traced():
    f = compiled(lambda x: (x * 2).sum())
    with traced() as seen:
        for number in range(20):
            assert f(torch.full((2,), float(number))) == 4 * number
        assert sys.gettrace() is not None
    assert seen
    assert [variant.replays for variant in f.variants] == [19]


def test_a_profiler_that_the_call_starts_goes_on():
    profiler = cProfile.Profile()

    def later():
        return torch.ones(3).tanh()

    def f(x):
        profiler.enable()
        return x * 2

    g = compiled(f)
    with pytest.warns(UserWarning, match="enable is called"):
        g(torch.ones(2))
    later()
    profiler.disable()
    assert any("later" in str(entry.code) for entry in profiler.getstats())


def test_explanations_under_a_profiler_say_so():
    with cProfile.Profile():
        told = torch.compiler.explain(lambda x: x * 2)(torch.ones(2))
    assert "profiler" in told.trouble


def test_a_pass_that_ends_at_a_view_of_what_was_changed_frees_nothing():
    def f(s):
        y = s.reshape(1, 1).sin().squeeze()
        y.mul_(2)
        return y

    g = compiled(f)
    for _ in range(4):
        s = torch.tensor(0.5, requires_grad=True)
        y = g(s)
        y.sum().backward(inputs=[y])
        y.backward()
        assert s.grad == 2 * torch.cos(torch.tensor(0.5))


def test_a_graph_that_was_used_up():
    weight = torch.ones(2, requires_grad=True)

    @compiled
    def f(x):
        loss = (x * weight).pow(2).sum()
        loss.backward()
        return loss

    for _ in range(3):
        loss = f(torch.ones(2))
        assert loss.requires_grad
        assert type(loss.grad_fn).__name__ == "SumBackward0"
        with pytest.raises(RuntimeError, match="backward through the graph a second time"):
            loss.backward()


def test_a_change_of_what_a_backward_pass_reads_only_the_layout_of_is_allowed():
    @compiled
    def f(b):
        y = b.repeat_interleave(2, -1) + 1
        z = torch.view_as_real(y * 1j).triu()
        print(end="")
        y.mul_(2)
        return y, z, torch.autograd.grad((z**2).sum(), [b])[0]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(4):
            b = torch.tensor([[1.0], [2.0], [3.0]], requires_grad=True)
            assert f(b)[2].tolist() == [[8.0], [12.0], [16.0]]


def test_a_change_between_forward_and_backward_is_found():
    weight = torch.ones(2, requires_grad=True)
    f = compiled(lambda x: torch.exp(x * weight))
    for _ in range(3):
        for changes_result in (True, False):
            x = torch.ones(2)
            out = f(x)
            (out if changes_result else x).add_(1)
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                out.sum().backward()


def grows(xs, x):
    xs.append(x * 2)
    return x + xs[0]


def shrinks(xs, x):
    return xs.pop() + x


def returns_what_it_is_given(xs, x):
    return xs, x + 1


def returns_one_list_twice(xs, x):
    made = [x + 1]
    return made, [x * 2, made]


def returns_views(xs, x):
    made = x + 1
    return made, made.view(1, 2)


LISTS = [grows, shrinks, returns_what_it_is_given, returns_one_list_twice, returns_views]


@pytest.mark.parametrize("function", LISTS, ids=lambda function: function.__name__)
def test_lists_and_views_stay_what_they_are(function):
    f = compiled(function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in range(6):
            lists = [[torch.ones(2), torch.full((2,), float(i))] for _ in range(2)]
            expected, found = [g(xs, torch.ones(2) * i) for g, xs in zip((function, f), lists, strict=True)]
            if isinstance(found, tuple):
                for result in (expected, found):
                    (result[0][0] if isinstance(result[0], list) else result[0]).add_(1)
                assert (found[0] is lists[1]) == (expected[0] is lists[0])
            torch.testing.assert_close(found, expected)
            torch.testing.assert_close(lists[1], lists[0])
    assert f.given_up


def test_one_tensor_is_returned_twice():
    f = compiled(lambda x: (x, [y := x + 1, y]))
    for i in range(3):
        x = torch.ones(2) * i
        same, (first, second) = f(x)
        assert same is x
        assert first is second
    assert f.variants[0].replays == 2


def test_results_are_the_callers():
    f = compiled(lambda x: x + 1)
    results = [f(torch.full((2,), float(i))) for i in range(6)]
    for result in results:
        result.mul_(2)
    assert [result[0].item() for result in results] == [2.0 * (i + 1) for i in range(6)]


def test_disabled_functions_keep_out():
    @torch.compiler.disable
    def inner(x):
        return x * 2

    f = compiled(lambda x: inner(x) + 1)
    with pytest.warns(UserWarning, match="kept out by disable"):
        assert f(torch.ones(1)).item() == 3
    assert inner(torch.ones(1)).item() == 2


def test_what_is_done_otherwise_while_it_is_recorded():
    f = compiled(lambda x: x * (3 if writer() is not None else 2))
    with pytest.warns(UserWarning, match="a replay gives other values than the call"):
        assert [f(torch.ones(1)).item() for _ in range(4)][-1] == 2


def test_an_audit_knows_rounding():
    """Where tanh is almost one, rounding decides what its derivative is."""
    draw = np.random.default_rng(0)
    x = torch.tensor(draw.standard_normal((64, 1)), dtype=torch.float32)
    first = torch.tensor(5 + draw.standard_normal((1, 32)), dtype=torch.float32, requires_grad=True)
    last = torch.tensor(draw.standard_normal((32, 1)), dtype=torch.float32, requires_grad=True)
    f = torch.compile(lambda x: ((x @ first).tanh() @ last).sum(), options={"timed": False})
    for i in range(101):
        (grad,) = torch.autograd.grad(f(x * (1 + i)), first)
    assert grad.isfinite().all()
    assert f.given_up is None


def test_stances():
    f = compiled(lambda x: x * 2)
    with torch.compiler.set_stance("force_eager"):
        f(torch.ones(1))
    assert not f.variants
    f(torch.ones(1))
    with torch.compiler.set_stance("eager_on_recompile"):
        f(torch.ones(2))
    assert len(f.variants) == 1
    with torch.compiler.set_stance("fail_on_recompile"), pytest.raises(RuntimeError, match="recompile"):
        f(torch.ones(3))
    f(torch.ones(3))
    assert len(f.variants) == 2
    torch.compiler.reset()
    assert not f.variants


def test_inside_vmap_and_forward_mode_functions_run_as_they_are():
    f = compiled(lambda x: torch.sin(x).sum())
    x = torch.arange(6.0).reshape(2, 3)
    f(x[0])
    assert torch.equal(torch.func.vmap(f)(x), torch.sin(x).sum(1))
    assert torch.allclose(torch.func.jvp(f, (x[0],), (torch.ones(3),))[1], torch.cos(x[0]).sum())
    assert torch.allclose(torch.func.grad(f)(x[0]), torch.cos(x[0]))


def test_a_compiled_function_in_another():
    inner = compiled(lambda x: x * 2)
    outer = compiled(lambda x: inner(x) + 1)
    for i in range(3):
        assert outer(torch.full((1,), float(i))).item() == 2 * i + 1
    assert not inner.variants
    assert outer.variants[0].replays == 2


def test_modules():
    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh())
    whole = torch.compile(net, backend="eager")
    assert whole._orig_mod is net
    assert isinstance(whole, nn.Module)
    assert list(whole.parameters()) == list(net.parameters())
    whole.eval()
    assert not net.training
    net.compile(backend="eager")
    x = torch.ones(4, 2)
    expected = net[1](net[0](x))
    for _ in range(3):
        assert torch.equal(net(x), expected)
    other = copy.deepcopy(net)
    with torch.no_grad():
        other[0].weight.zero_()
    assert not torch.equal(other(x), expected)
    assert torch.equal(net(x), expected)


def test_a_compiled_function_is_pickled_as_its_function():
    f = torch.compile(torch.sin, backend="eager")
    assert pickle.loads(pickle.dumps(f))(torch.zeros(1)).item() == 0


def test_calls_are_made_as_they_are_only_where_replays_are_slower_in_many_trials():
    f = torch.compile(torch.tanh)
    f(torch.ones(3))
    (variant,) = f.variants
    for eager, replayed, count, judged, slow in [
        (2.0, 1.0, 2, False, False),
        (2.0, 1.0, 3, True, False),
        (1.0, 2.0, 3, False, False),
        (1.0, 2.0, 12, True, True),
    ]:
        variant.times = [eager] * count, [replayed] * count
        variant.judge()
        assert (variant.judged, variant.prepared.slow) == (judged, slow)


def test_functions_that_are_found_only_when_they_run_do_not_end_a_full_graph():
    """The first call finds them, the second is recorded."""
    scaled = partial(lambda scale, x: torch.tanh(x) * scale, 3.0)
    f = torch.compile(lambda x: scaled(x), fullgraph=True, options={"timed": False})
    for i in range(4):
        x = torch.full((3,), float(i))
        torch.testing.assert_close(f(x), torch.tanh(x) * 3)
    assert f.variants[0].replays == 2
