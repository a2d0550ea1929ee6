"""Floating-point operations: PyTorch's formulas, on sizes for which the numbers are known."""

import pytest

import rushlight


def ones(torch, *shape):
    """A tensor of ones of a shape."""
    return torch.ones(*shape)


CASES = {
    "mm": ("aten::mm", 2 * 2 * 3 * 4, lambda t: t.mm(ones(t, 2, 3), ones(t, 3, 4))),
    "matmul": ("aten::mm", 2 * 2 * 3 * 4, lambda t: ones(t, 2, 3) @ ones(t, 3, 4)),
    "linear": ("aten::addmm", 2 * 4 * 3 * 5, lambda t: linear(t)(ones(t, 4, 3), ones(t, 5, 3), ones(t, 5))),
    "linear, no bias": ("aten::mm", 2 * 4 * 3 * 5, lambda t: linear(t)(ones(t, 4, 3), ones(t, 5, 3))),
    "linear, batch": ("aten::addmm", 2 * 8 * 3 * 5, lambda t: linear(t)(ones(t, 2, 4, 3), ones(t, 5, 3), ones(t, 5))),
    "addmm": ("aten::addmm", 2 * 2 * 3 * 4, lambda t: t.addmm(ones(t, 2, 4), ones(t, 2, 3), ones(t, 3, 4))),
    "bmm": ("aten::bmm", 2 * 2 * 3 * 4 * 5, lambda t: t.bmm(ones(t, 2, 3, 4), ones(t, 2, 4, 5))),
    "baddbmm": (
        "aten::baddbmm",
        2 * 2 * 3 * 4 * 5,
        lambda t: t.baddbmm(ones(t, 2, 3, 5), ones(t, 2, 3, 4), ones(t, 2, 4, 5)),
    ),
    "convolution": (
        "aten::conv2d",
        2 * 2 * 4 * 3 * 9 * 36,
        lambda t: t.nn.functional.conv2d(ones(t, 2, 3, 8, 8), ones(t, 4, 3, 3, 3)),
    ),
    "stride, padding, dilation": (
        "aten::conv2d",
        2 * 2 * 4 * 3 * 9 * 9,
        lambda t: t.nn.functional.conv2d(ones(t, 2, 3, 8, 8), ones(t, 4, 3, 3, 3), stride=2, padding=1, dilation=2),
    ),
    "groups": (
        "aten::conv2d",
        2 * 2 * 3 * 9 * 36,
        lambda t: t.nn.functional.conv2d(ones(t, 2, 3, 8, 8), ones(t, 3, 1, 3, 3), groups=3),
    ),
    "product": ("aten::mul", 12, lambda t: ones(t, 4, 3) * ones(t, 3)),
    "product with a number": ("aten::mul", 3, lambda t: ones(t, 3) * 2),
    "sum": ("aten::add", 12, lambda t: ones(t, 4, 3) + ones(t, 1)),
}


def linear(torch):
    """The linear layer's function."""
    return torch.nn.functional.linear


@pytest.mark.parametrize("case", CASES)
def test_operations_of_a_call(torch, case):
    name, operations, program = CASES[case]
    with torch.autograd.profiler.profile(with_flops=True) as prof:
        program(torch)
    assert {event.name: event.flops for event in prof.function_events if event.flops} == {name: operations}


def test_operations_of_a_backward_pass(torch):
    x, w = torch.ones(4, 3, requires_grad=True), torch.ones(5, 3, requires_grad=True)
    y = torch.nn.functional.linear(x, w, torch.ones(5))
    with torch.autograd.profiler.profile(with_flops=True) as prof:
        y.backward(torch.ones(4, 5))
    (average,) = [average for average in prof.key_averages() if average.key == "aten::mm"]
    assert average.flops == 2 * 120
    assert average.count == 2


def test_table_of_operations(torch):
    with torch.autograd.profiler.profile(with_flops=True) as prof:
        torch.ones(100, 100) @ torch.ones(100, 100)
        torch.ones(3).exp()
    lines = prof.key_averages().table().splitlines()
    assert lines[1].rstrip().endswith("Total MFLOPs")
    cells = {line.split()[0]: line.split()[-1] for line in lines[3:-2]}
    assert cells["aten::mm"] == "2.000"
    assert cells["aten::exp"] == "--"


@pytest.mark.parametrize(("operations", "head"), [(1, "FLOPs"), (999, "FLOPs"), (1000, "KFLOPs"), (10**15, "PFLOPs")])
def test_units(operations, head):
    assert rushlight.autograd.profiler.units.scale_of_flops(operations)[1] == head
