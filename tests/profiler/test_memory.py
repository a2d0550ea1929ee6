"""Memory: what results take is counted where they are made, and given back where they are freed."""

import pytest

import rushlight

KILOBYTE = 256  # float32 elements


def events_of(torch, program, *inputs):
    """The events of a program with memory, by name; the last of each."""
    with torch.autograd.profiler.profile(profile_memory=True) as prof:
        program(*inputs)
    return prof, {event.name: event for event in prof.function_events}


def test_results_are_counted(torch):
    prof, events = events_of(torch, lambda x: x * x, torch.ones(KILOBYTE))
    assert events["aten::mul"].cpu_memory_usage == 1024
    assert events["[memory]"].cpu_memory_usage == -1024  # nobody kept the result
    assert prof.total_average().cpu_memory_usage == 0


def test_results_that_are_kept_are_not_freed(torch):
    kept = []
    prof, events = events_of(torch, lambda x: kept.append(x.exp()), torch.ones(KILOBYTE))
    assert "[memory]" not in events
    assert prof.total_average().cpu_memory_usage == 1024


def test_freed_within_a_region(torch):
    def program(x):
        with torch.autograd.profiler.record_function("region"):
            y = x + x
            y = y.exp()
            del y

    _, events = events_of(torch, program, torch.ones(KILOBYTE))
    assert events["aten::add"].cpu_memory_usage == 1024
    assert events["region"].cpu_memory_usage == 0
    assert events["region"].self_cpu_memory_usage == -2048
    assert "[memory]" not in events


def test_views_and_changes_in_place_take_nothing(torch):
    _, events = events_of(torch, lambda x: x.view(2, -1).t()[0].add_(1), torch.ones(KILOBYTE))
    assert events["aten::view"].cpu_memory_usage == 0
    assert events["aten::select"].cpu_memory_usage == 0
    assert events["aten::add_"].cpu_memory_usage == 0


def test_several_results(torch):
    _, events = events_of(torch, lambda x: x.sort(), torch.ones(KILOBYTE))
    assert events["aten::sort"].cpu_memory_usage == 1024 + 2048  # values, and indices of eight bytes


def test_nested_operators_share_what_they_took(torch):
    x = torch.ones(16, 16)
    _, events = events_of(torch, lambda: torch.nn.functional.linear(x, x, x[0]))
    assert events["aten::linear"].cpu_memory_usage == 1024
    assert events["aten::linear"].self_cpu_memory_usage == 0
    assert events["aten::addmm"].self_cpu_memory_usage == 1024


def test_gradients_are_counted(torch):
    x = torch.ones(KILOBYTE, requires_grad=True)
    y = x.exp()
    grad = torch.ones(KILOBYTE)
    prof, events = events_of(torch, lambda: y.backward(grad))
    assert events["ExpBackward0"].cpu_memory_usage == 1024
    assert prof.total_average().cpu_memory_usage >= 1024  # the gradient is kept
    assert x.grad.nbytes == 1024


def test_table_of_memory(torch):
    x = torch.ones(KILOBYTE)
    with torch.autograd.profiler.profile(profile_memory=True) as prof:
        kept = [x.exp(), x.exp(), x.sin()]
    assert len(kept) == 3
    table = prof.key_averages().table(sort_by="self_cpu_memory_usage", row_limit=1)
    row = table.splitlines()[3]
    assert "CPU Mem" in table
    assert row.split()[0] == "aten::exp"
    assert row.count("2.00 KB") == 2


def test_nothing_is_counted_unless_asked(torch):
    with torch.autograd.profiler.profile() as prof:
        torch.ones(KILOBYTE).exp()
    assert prof.total_average().cpu_memory_usage == 0
    assert "CPU Mem" not in prof.table()


def test_what_is_freed_afterwards_does_not_count():
    x = rushlight.ones(KILOBYTE)
    with rushlight.autograd.profiler.profile(profile_memory=True) as prof:
        y = x.exp()
    del y
    assert prof.total_average().cpu_memory_usage == 1024


@pytest.mark.parametrize("size", [0, 1, 7])
def test_sizes(torch, size):
    _, events = events_of(torch, lambda x: x * 2, torch.ones(size, dtype=torch.float64))
    assert events["aten::mul"].cpu_memory_usage == 8 * size
