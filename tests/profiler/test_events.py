"""Events: their names, how they lie one within the other, and that times and counts add up."""

import asyncio
import threading
import time

import pytest

import rushlight

EVALUATE = "autograd::engine::evaluate_function: "
LEAF = "torch::autograd::AccumulateGrad"


def names(prof, within=None):
    """The names of the events right within another (None for those within no other)."""
    return [event.name for event in prof.function_events if event.cpu_parent is within]


def named(prof, name):
    """The only event of a name."""
    (event,) = [event for event in prof.function_events if event.name == name]
    return event


CALLS = {
    "aten::add": lambda torch, x: x + x,
    "aten::sub": lambda torch, x: x - 1,
    "aten::rsub": lambda torch, x: 1 - x,
    "aten::mul": lambda torch, x: x * 2,
    "aten::div": lambda torch, x: x / x,
    "aten::neg": lambda torch, x: -x,
    "aten::pow": lambda torch, x: x**2,
    "aten::exp": lambda torch, x: x.exp(),
    "aten::tanh": lambda torch, x: torch.tanh(x),
    "aten::sigmoid": lambda torch, x: x.sigmoid(),
    "aten::relu": lambda torch, x: x.relu(),
    "aten::gelu": lambda torch, x: torch.nn.functional.gelu(x),
    "aten::clamp": lambda torch, x: x.clamp(0, 1),
    "aten::where": lambda torch, x: torch.where(x == x, x, x),
    "aten::addcmul": lambda torch, x: torch.addcmul(x, x, x),
    "aten::sum": lambda torch, x: x.sum(0),
    "aten::mean": lambda torch, x: x.mean(),
    "aten::max": lambda torch, x: x.max(0),
    "aten::argmax": lambda torch, x: x.argmax(),
    "aten::cumsum": lambda torch, x: x.cumsum(0),
    "aten::sort": lambda torch, x: x.sort(),
    "aten::log_softmax": lambda torch, x: x.log_softmax(1),
    "aten::softmax": lambda torch, x: x.softmax(1),
    "aten::mm": lambda torch, x: torch.mm(x, x),
    "aten::mv": lambda torch, x: torch.mv(x, x[0]),
    "aten::matmul": lambda torch, x: x @ x,
    "aten::bmm": lambda torch, x: torch.bmm(x[None], x[None]),
    "aten::linear": lambda torch, x: torch.nn.functional.linear(x, x, x[0]),
    "aten::conv2d": lambda torch, x: torch.nn.functional.conv2d(x[None, None], x[None, None]),
    "aten::max_pool2d": lambda torch, x: torch.nn.functional.max_pool2d(x[None], 2),
    "aten::layer_norm": lambda torch, x: torch.nn.functional.layer_norm(x, (3,)),
    "aten::mse_loss": lambda torch, x: torch.nn.functional.mse_loss(x, x),
    "aten::cat": lambda torch, x: torch.cat([x, x]),
    "aten::stack": lambda torch, x: torch.stack([x, x]),
    "aten::transpose": lambda torch, x: x.transpose(0, 1),
    "aten::t": lambda torch, x: x.t(),
    "aten::permute": lambda torch, x: x.permute(1, 0),
    "aten::unsqueeze": lambda torch, x: x.unsqueeze(0),
    "aten::view": lambda torch, x: x.view(9),
    "aten::select": lambda torch, x: x[0],
    "aten::index": lambda torch, x: x[[0, 1]],
    "aten::to": lambda torch, x: x.to(torch.float64),
    "aten::clone": lambda torch, x: x.clone(),
    "aten::add_": lambda torch, x: x.add_(1),
    "aten::mul_": lambda torch, x: x.mul_(x),
    "aten::relu_": lambda torch, x: x.relu_(),
    "aten::fill_": lambda torch, x: x.fill_(1.0),
}


@pytest.mark.parametrize("name", CALLS)
def test_operators_have_their_names(torch, name):
    x = torch.ones(3, 3)
    with torch.autograd.profiler.profile() as prof:
        CALLS[name](torch, x)
    assert name in names(prof)


NESTED = {
    "aten::matmul": "aten::mm",
    "aten::linear": "aten::addmm",
    "aten::relu": "aten::clamp_min",
    "aten::log_softmax": "aten::_log_softmax",
    "aten::softmax": "aten::_softmax",
    "aten::conv2d": "aten::convolution",
    "aten::max_pool2d": "aten::max_pool2d_with_indices",
    "aten::layer_norm": "aten::native_layer_norm",
    "aten::rsub": "aten::sub",
    "aten::to": "aten::_to_copy",
}


@pytest.mark.parametrize("name", NESTED)
def test_functions_have_the_operators_that_they_call_within(torch, name):
    x = torch.ones(3, 3)
    with torch.autograd.profiler.profile() as prof:
        CALLS[name](torch, x)
    assert NESTED[name] in names(prof, named(prof, name))


@pytest.mark.parametrize(("sizes", "name"), [([(3,), (3,)], "dot"), ([(2, 3), (3,)], "mv"), ([(2, 2, 3)] * 2, "bmm")])
def test_products_within_matmul(torch, sizes, name):
    x, y = torch.ones(sizes[0]), torch.ones(sizes[1])
    with torch.autograd.profiler.profile() as prof:
        x @ (y if y.ndim < 3 else y.mT)
    assert f"aten::{name}" in names(prof, named(prof, "aten::matmul"))


def test_backward_pass(torch):
    x = torch.ones(3, requires_grad=True)
    with torch.autograd.profiler.profile() as prof:
        (x * x).sin().backward(torch.ones(3))
    assert names(prof)[-3:] == [EVALUATE + "SinBackward0", EVALUATE + "MulBackward0", EVALUATE + LEAF]
    assert "SinBackward0" in names(prof, named(prof, EVALUATE + "SinBackward0"))
    assert LEAF in names(prof, named(prof, EVALUATE + LEAF))
    derivative, operator = named(prof, "SinBackward0"), named(prof, "aten::sin")
    assert derivative.sequence_nr == operator.sequence_nr >= 0
    assert derivative.fwd_thread == operator.thread
    assert derivative.scope == 1


def test_captured_gradients_reach_no_leaf(torch):
    x = torch.ones(3, requires_grad=True)
    with torch.autograd.profiler.profile() as prof:
        torch.autograd.grad((x * x).sum(), x)
    assert not names(prof, named(prof, EVALUATE + LEAF))


def test_recorded_derivatives_show_their_operators(torch):
    x = torch.ones(3, requires_grad=True)
    y = x.sin()
    with torch.autograd.profiler.profile() as prof:
        torch.autograd.grad(y, x, torch.ones(3), create_graph=True)
    assert {"aten::cos", "aten::mul"} <= set(names(prof, named(prof, "SinBackward0")))


def test_custom_functions_and_hooks(torch):
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x = torch.ones(3, requires_grad=True)
    with torch.autograd.profiler.profile() as prof:
        y = Twice.apply(x)
        y.register_hook(lambda grad: grad.exp())
        y.backward(torch.ones(3))
    assert "aten::mul" in names(prof, named(prof, "TwiceBackward"))
    assert named(prof, "aten::exp").cpu_parent.name == EVALUATE + "TwiceBackward"


def test_gradients_are_the_same_while_a_profiler_is_on():
    def gradients():
        rushlight.manual_seed(0)
        layer = rushlight.nn.Sequential(rushlight.nn.Conv2d(1, 2, 3), rushlight.nn.ReLU(), rushlight.nn.Flatten())
        layer(rushlight.randn(2, 1, 6, 6)).log_softmax(1).square().sum().backward()
        return [parameter.grad.tolist() for parameter in layer.parameters()]

    with rushlight.autograd.profiler.profile(record_shapes=True, profile_memory=True, with_stack=True):
        watched = gradients()
    assert watched == gradients()


def test_tangents_pass_while_a_profiler_is_on():
    x = rushlight.tensor([1.0, 2.0])
    with rushlight.autograd.profiler.profile() as prof:
        _, tangent = rushlight.func.jvp(lambda x: (x * x).add_(x), (x,), (rushlight.ones(2),))
    assert tangent.tolist() == [3, 5]
    assert {"aten::mul", "aten::add_"} <= {event.name for event in prof.function_events}


def test_regions(torch):
    profiler = torch.autograd.profiler

    @profiler.record_function("decorated")
    def square(x, depth=0):
        return x * x if depth == 0 else square(x, depth - 1)

    x = torch.ones(3)
    with profiler.profile() as prof:
        with profiler.record_function("outer"):
            with profiler.record_function("inner"):
                x.exp()
            x.sin()
        square(x, depth=1)
    outer = named(prof, "outer")
    assert names(prof)[0] == "outer"
    assert names(prof, outer) == ["inner", "aten::sin"]
    assert names(prof, named(prof, "inner")) == ["aten::exp"]
    assert outer.is_user_annotation
    counts = {average.key: average.count for average in prof.key_averages()}
    assert counts["aten::mul"] == 1
    assert counts["decorated"] >= 1


def test_a_region_without_a_profiler_does_nothing(torch):
    with torch.autograd.profiler.record_function("alone"):
        assert torch.ones(2).sum() == 2


def test_times_of_nested_events_add_up(torch):
    profiler = torch.autograd.profiler
    with profiler.profile() as prof, profiler.record_function("outer"):
        time.sleep(0.01)
        with profiler.record_function("inner"):
            time.sleep(0.02)
    outer, inner = named(prof, "outer"), named(prof, "inner")
    assert outer.cpu_time_total >= 30_000
    assert inner.cpu_time_total == inner.self_cpu_time_total >= 20_000
    assert outer.self_cpu_time_total == pytest.approx(outer.cpu_time_total - inner.cpu_time_total)
    assert outer.self_cpu_time_total >= 10_000
    assert prof.self_cpu_time_total == pytest.approx(outer.cpu_time_total)


def work(torch):
    """Some operators, a backward pass among them."""
    x = torch.ones(8, requires_grad=True)
    for _ in range(20):
        (x * x).exp().sum().backward()


def test_times_add_up_in_every_thread():
    everything = rushlight.profiler._ExperimentalConfig(profile_all_threads=True)
    with rushlight.profiler.profile(experimental_config=everything) as prof:
        threads = [threading.Thread(target=work, args=(rushlight,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    events = prof.events()
    by_thread = {event.thread for event in events}
    assert len(by_thread) == 3
    for thread in by_thread:
        here = [event for event in events if event.thread == thread]
        assert sum(event.name == "aten::mul" for event in here) == 20
        top = sum(event.cpu_time_total for event in here if event.cpu_parent is None)
        assert sum(event.self_cpu_time_total for event in here) == pytest.approx(top)
        assert all(event.self_cpu_time_total >= 0 for event in here)
        assert all(event.cpu_parent is None or event.cpu_parent.thread == thread for event in here)


def test_threads_that_take_over_the_context_are_recorded():
    async def main():
        await asyncio.to_thread(lambda: rushlight.ones(3).exp())

    with rushlight.profiler.profile() as prof:
        asyncio.run(main())
        rushlight.ones(3).sin()
    exponential, sine = prof.events()
    assert (exponential.name, sine.name) == ("aten::exp", "aten::sin")
    assert exponential.thread != sine.thread


def test_calls_that_fail(torch):
    x = torch.ones(2)
    with torch.autograd.profiler.profile() as prof:
        with pytest.raises(RuntimeError, match="The size of tensor a"):
            x + torch.ones(3)
        with pytest.raises(RuntimeError, match="The size of tensor a"):
            x.add_(torch.ones(3))
        with pytest.raises(TypeError):
            x + "1"
        (x * 2).add_(x)
    assert x.tolist() == [1, 1]
    assert [name for name in names(prof) if name in ("aten::mul", "aten::add_")][-2:] == ["aten::mul", "aten::add_"]


def test_batches_pass_while_a_profiler_is_on():
    with rushlight.autograd.profiler.profile() as prof:
        result = rushlight.func.vmap(lambda a, b: (a * b).sum())(rushlight.ones(3, 4), rushlight.ones(3, 4))
    assert result.tolist() == [4, 4, 4]
    assert {"aten::mul", "aten::sum"} <= {event.name for event in prof.function_events}


def test_other_threads_are_not_recorded(torch):
    with torch.autograd.profiler.profile() as prof:
        thread = threading.Thread(target=work, args=(torch,))
        thread.start()
        thread.join()
        torch.ones(3).exp()
    assert not any("mul" in name for name in names(prof))


def test_a_region_that_ends_in_another_thread_is_asynchronous():
    with rushlight.profiler.profile() as prof:
        region = rushlight.profiler.record_function("far").__enter__()
        thread = threading.Thread(target=region.__exit__, args=(None, None, None))
        rushlight.ones(3).exp()
        thread.start()
        thread.join()
    (far,) = [event for event in prof.events() if event.name == "far"]
    assert far.is_async
    assert far.self_cpu_time_total == 0
    assert not far.cpu_children


def test_grouping_by_shapes(torch):
    a, b = torch.ones(2, 3), torch.ones(4)
    with torch.autograd.profiler.profile(record_shapes=True) as prof:
        a * a, b * b, b * b, torch.add(b, b), torch.nn.functional.linear(a, a, torch.ones(2))
    groups = {(g.key, str(g.input_shapes)): g.count for g in prof.key_averages(group_by_input_shape=True)}
    assert groups["aten::mul", "[[2, 3], [2, 3]]"] == 1
    assert groups["aten::mul", "[[4], [4]]"] == 2
    assert groups["aten::add", "[[4], [4], []]"] == 1
    assert groups["aten::linear", "[[2, 3], [2, 3], [2]]"] == 1
    assert {g.key: g.count for g in prof.key_averages()}["aten::mul"] == 3


def test_grouping_by_lines():
    def double(x):
        return x + x

    x = rushlight.ones(3, requires_grad=True)
    with rushlight.autograd.profiler.profile(with_stack=True) as prof:
        double(x)
        double(x)
        y = x + x
        y.sum().backward()
    groups = [g for g in prof.key_averages(group_by_stack_n=1) if g.key == "aten::add"]
    assert sorted(g.count for g in groups) == [1, 2]
    assert all("test_events.py(" in g.stack[0] for g in groups)
    (derivative,) = [event for event in prof.function_events if event.name == "SumBackward0"]
    (operator,) = [event for event in prof.function_events if event.name == "aten::sum"]
    assert derivative.stack == operator.stack != []


def test_stacks_are_written(tmp_path):
    with rushlight.autograd.profiler.profile(with_stack=True) as prof, rushlight.profiler.record_function("wait here"):
        time.sleep(0.002)
    prof.export_stacks(tmp_path / "stacks", "self_cpu_time_total")
    (line,) = (tmp_path / "stacks").read_text().splitlines()
    lines, duration = line.split(" ")
    assert "test_events.py(" in lines.split(";")[-1]
    assert int(duration) >= 2000
    with pytest.raises(ValueError, match="metric should be one of"):
        prof.export_stacks(tmp_path / "stacks", "nothing")
    with rushlight.autograd.profiler.profile() as prof:
        pass
    with pytest.raises(AssertionError, match=r"export_stacks\(\) requires with_stack=True"):
        prof.export_stacks(tmp_path / "stacks")


def test_totals(torch):
    with torch.autograd.profiler.profile() as prof:
        work(torch)
    total = prof.total_average()
    assert total.key == "Total"
    assert total.count == len(prof.function_events)
    assert total.self_cpu_time_total == pytest.approx(prof.self_cpu_time_total)


def test_training_has_regions_of_its_own(torch):
    parameter = torch.nn.Parameter(torch.ones(2))
    parameter.grad = torch.ones(2)
    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(4, 1)), batch_size=2)
    with torch.autograd.profiler.profile() as prof:
        torch.optim.SGD([parameter], lr=0.1).step()
        for _ in data:
            pass
    counts = {average.key: average.count for average in prof.key_averages()}
    assert counts["Optimizer.step#SGD.step"] == 1
    assert counts["enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"] == 3


def test_not_enabled(torch):
    with torch.autograd.profiler.profile(enabled=False) as prof:
        torch.ones(3).exp()
    assert prof is None


def test_a_profiler_is_entered_once(torch):
    prof = torch.autograd.profiler.profile()
    with prof:
        torch.ones(3).exp()
    with pytest.raises(RuntimeError, match="Profiler context manager is not reentrant"), prof:
        pass


def test_no_profiler_within_another():
    with rushlight.profiler.profile() as prof:
        with pytest.raises(RuntimeError, match="Profiler is already enabled"), rushlight.profiler.profile():
            pass
        rushlight.ones(3).exp()
    assert [event.name for event in prof.events()] == ["aten::exp"]
    with rushlight.profiler.profile() as prof:
        pass
    assert prof.events() == []


def test_devices_that_are_not_there(torch):
    profile = torch.autograd.profiler.profile
    with (
        pytest.warns(FutureWarning, match="The attribute `use_cuda` will be deprecated soon"),
        pytest.warns(UserWarning, match="CUDA is not available, disabling CUDA profiling"),
        profile(use_cuda=True) as prof,
    ):
        torch.ones(3).exp()
    assert "aten::exp" in names(prof)
    with pytest.warns(UserWarning, match="The nonsense is not a valid device option"):
        profile(use_device="nonsense")
    with pytest.raises(AssertionError, match="Device-only events supported only with Kineto"):
        profile(use_cpu=False)


@pytest.mark.parametrize("name", ["emit_nvtx", "emit_itt"])
def test_other_tools(name):
    emit = getattr(rushlight.autograd.profiler, name)
    with (
        pytest.raises(RuntimeError, match=rf"{name} needs a library that rushlight has not.*export_chrome_trace"),
        emit(),
    ):
        pass
    with emit(enabled=False):
        pass
