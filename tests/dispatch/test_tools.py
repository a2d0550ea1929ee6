"""What is built on modes: counts of floating-point operations, selective checkpointing, names of modules."""

from functools import partial

import pytest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight import nn
from rushlight.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts
from rushlight.utils.flop_counter import FlopCounterMode
from rushlight.utils.module_tracker import ModuleTracker


def rand(*sizes):
    return torch.randn(*sizes, requires_grad=True)


COUNTS = {  # PyTorch 2.13's
    "mm": (lambda: rand(2, 3) @ rand(3, 4), {"aten.mm": 144}),
    "bmm": (lambda: rand(5, 2, 3) @ rand(5, 3, 4), {"aten.bmm": 720}),
    "batches": (lambda: rand(2, 5, 2, 3) @ rand(2, 5, 3, 4), {"aten.bmm": 1440}),
    "folded": (lambda: rand(5, 2, 3) @ rand(3, 4), {"aten.mm": 720}),
    "linear": (lambda: F.linear(rand(2, 3), rand(4, 3), rand(4)), {"aten.addmm": 48, "aten.mm": 96}),
    "conv1d": (
        lambda: F.conv1d(rand(2, 3, 8), rand(4, 3, 3)),
        {"aten.convolution": 864, "aten.convolution_backward": 1728},
    ),
    "conv2d": (
        lambda: F.conv2d(rand(2, 3, 8, 8), rand(4, 3, 3, 3), stride=2),
        {"aten.convolution": 3888, "aten.convolution_backward": 7776},
    ),
    "transposed": (
        lambda: F.conv_transpose2d(rand(2, 3, 8, 8), rand(3, 4, 3, 3), stride=2),
        {"aten.convolution": 27648, "aten.convolution_backward": 55296},
    ),
    "baddbmm": (
        lambda: torch.baddbmm(rand(5, 2, 4), rand(5, 2, 3), rand(5, 3, 4)),
        {"aten.baddbmm": 240, "aten.bmm": 480},
    ),
    "einsum": (lambda: torch.einsum("bij,bjk->bik", rand(2, 3, 4), rand(2, 4, 5)), {"aten.bmm": 720}),
    "tensordot": (lambda: torch.tensordot(rand(2, 3, 4).detach(), rand(4, 5).detach(), 1) * rand(1), {"aten.mm": 240}),
    "nothing": (lambda: rand(2).exp(), {}),
}


@pytest.mark.parametrize("name", COUNTS)
def test_flops_of_forward_and_backward(name):
    function, expected = COUNTS[name]
    with FlopCounterMode(display=False) as counter:
        function().sum().backward()
    counts = counter.get_flop_counts().get("Global", {})
    assert {str(operator): count for operator, count in counts.items()} == expected
    assert counter.get_total_flops() == sum(expected.values())


def test_grouped_convolutions_count_what_they_compute():
    with FlopCounterMode(display=False) as counter:
        F.conv2d(rand(2, 4, 8, 8), rand(4, 2, 3, 3), groups=2).sum().backward()
    assert counter.get_total_flops() == 3 * 10368


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 3)
        self.b = nn.Sequential(nn.Linear(3, 3), nn.ReLU())

    def forward(self, x):
        return self.b(self.a(x))


def test_flops_by_module_and_as_a_table(capsys):
    with FlopCounterMode(depth=3) as counter:
        Net()(torch.ones(2, 3)).sum().backward()
    counts = {name: sum(found.values()) for name, found in counter.get_flop_counts().items()}
    assert counts == {"Global": 180, "Net": 180, "Net.a": 72, "Net.b": 108, "Net.b.0": 108}
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["Module", "FLOP", "%", "Total"]
    assert lines[2].split() == ["Net", "180.000", "100.00%"]


def test_a_count_of_ones_own():
    counted = {torch.ops.aten.exp: lambda shape, *args, out_shape=None, **kwargs: shape.numel()}
    with FlopCounterMode(display=False, custom_mapping=counted) as counter:
        torch.ones(2, 3).exp()
    assert counter.get_total_flops() == 6


def test_names_of_the_modules_that_are_computed():
    seen = []
    net = Net()
    net.b[1].register_full_backward_hook(lambda *args: seen.append(("back", tracker.is_bw)))
    net.a.register_forward_pre_hook(lambda *args: seen.append((sorted(tracker.parents), tracker.is_bw)))
    with ModuleTracker() as tracker:
        net(torch.ones(2, 3)).sum().backward()
    assert seen == [(["Global", "Net", "Net.a"], False), ("back", True)]


class Counted(torch.autograd.Function):
    calls = 0

    @staticmethod
    def forward(ctx, x):
        Counted.calls += 1
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return grad


def run(policy, x):
    from rushlight.utils._python_dispatch import TorchDispatchMode

    names = []

    class Log(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            names.append(str(func))
            return func(*args, **(kwargs or {}))

    context = partial(create_selective_checkpoint_contexts, policy)
    y = checkpoint(lambda x: ((x @ x).sin() @ x).cos(), x, use_reentrant=False, context_fn=context)
    with Log():
        (gradient,) = torch.autograd.grad(y.sum(), x)
    return gradient, names.count("aten.mm.default"), names.count("aten.sin.default")


def test_what_a_policy_saves_is_not_computed_again():
    x = rand(3, 3)
    (expected,) = torch.autograd.grad(((x @ x).sin() @ x).cos().sum(), x)
    mm = torch.ops.aten.mm.default
    by_list = run([mm], x)
    by_function = run(lambda ctx, op, *args, **kwargs: op is mm and ctx.op_output is not None, x)
    again = run(lambda ctx, op, *args, **kwargs: CheckpointPolicy.PREFER_RECOMPUTE, x)
    assert by_list[1:] == by_function[1:] == (4, 2)
    assert again[1:] == (6, 2)
    assert all(torch.allclose(found[0], expected) for found in (by_list, by_function, again))


def test_what_was_saved_must_not_be_changed():
    x = rand(3, 3)

    def function(x):
        y = x @ x
        y.mul_(2)
        return y.sin()

    context = partial(create_selective_checkpoint_contexts, [torch.ops.aten.mm.default])
    y = checkpoint(function, x, use_reentrant=False, context_fn=context)
    with pytest.raises(RuntimeError, match="has been mutated"):
        y.sum().backward()
    with pytest.raises(ValueError, match="Expected op in `op_list` to be an OpOverload"):
        create_selective_checkpoint_contexts([torch.ops.aten.mm])


def test_functionalize_gives_what_the_function_gives():
    def function(x):
        x.add_(1)
        return x.view(-1) * 2

    x = torch.ones(2, 2)
    assert torch.func.functionalize(function)(x).tolist() == [4.0] * 4
    assert x.tolist() == [[2.0, 2.0], [2.0, 2.0]]
    with pytest.raises(RuntimeError, match="invalid argument for remove"):
        torch.func.functionalize(function, remove="views")
