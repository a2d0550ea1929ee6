"""The table: PyTorch's layout to the letter, on events whose times are known."""

import itertools

import pytest

import rushlight
from rushlight.autograd.profiler_util import EventList, FunctionEvent

OPTIONS = {
    "plain": {},
    "sorted": {"sort_by": "self_cpu_time_total"},
    "by count": {"sort_by": "count", "row_limit": 2},
    "by a device": {"sort_by": "cuda_time_total"},
    "no rows": {"row_limit": 0},
    "all rows": {"row_limit": -1},
    "narrow": {"max_name_column_width": 20, "max_shapes_column_width": 12, "max_src_column_width": 18},
    "any width": {"max_name_column_width": None, "max_shapes_column_width": None, "max_src_column_width": None},
    "header": {"header": "A header", "top_level_events_only": True},
    "seconds": {"time_unit": "s"},
    "microseconds": {"time_unit": "us"},
}

SPANS = [  # name, thread, from, to, shapes, memory, operations, lines
    ("train", 1, 0.0, 2_500_000.0, [], 0, 0, []),
    ("aten::linear", 1, 10.0, 1510.5, [[4, 3], [5, 3], [5]], 3000, 0, ["model.py(3): forward", "a.py(9): <module>"]),
    ("aten::addmm", 1, 20.25, 1500.0, [[5], [4, 3], [3, 5]], 3000, 120, ["model.py(3): forward"]),
    ("aten::mul", 1, 2000.0, 2000.5, [[4, 5], []], -5 * 1024**2, 20_000_000, []),
    ("aten::mul", 1, 2001.0, 2004.5, [[4, 5], []], 3 * 1024**3, 20_000_000, []),
    ("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", 1, 3000.0, 4000.0, [], 0, 0, []),
    ("aten::add", 2, 5.0, 7.0, [[2], [2]], 8, 2, ["a/very/long/path/to/a/file/of/a/worker.py(11): run"]),
]


def listed(event_class, list_class, parts, shapes, memory, flops, stack):
    """The events as a list of one of the two libraries, with the parts that a profiler was asked for."""
    events = [
        event_class(
            number,
            name,
            thread,
            start,
            end,
            trace_name=name,
            sequence_nr=-1,
            scope=0,
            fwd_thread=0,
            input_shapes=dims if shapes else [],
            cpu_memory_usage=size,
            flops=operations,
            stack=lines if stack else [],
        )
        for number, (name, thread, start, end, dims, size, operations, lines) in enumerate(parts)
    ]
    result = list_class(events, profile_memory=memory, with_flops=flops)
    result._build_tree()
    return result


@pytest.mark.parametrize(("shapes", "memory", "flops"), list(itertools.product([False, True], repeat=3)))
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("averages", [False, True])
def test_as_pytorch_lays_it_out(options, averages, shapes, memory, flops):
    pytest.importorskip("torch")
    from torch.autograd import profiler_util as theirs

    for stack in [False] if flops else [False, True]:  # PyTorch swaps the columns of lines and operations
        asked = {"shapes": shapes, "memory": memory, "flops": flops, "stack": stack}
        mine = listed(FunctionEvent, EventList, SPANS, **asked)
        yours = listed(theirs.FunctionEvent, theirs.EventList, SPANS, **asked)
        if averages:
            mine, yours = [events.key_averages(shapes, group_by_stack_n=2) for events in (mine, yours)]
        assert mine.table(**options) == yours.table(**options)


def test_golden():
    events = listed(FunctionEvent, EventList, SPANS[:3], shapes=True, memory=False, flops=False, stack=False)
    table = """\
----------------  ------------  ------------  ------------  ------------  ------------  ------------  
            Name    Self CPU %      Self CPU   CPU total %     CPU total  CPU time avg    # of Calls  
----------------  ------------  ------------  ------------  ------------  ------------  ------------  
           train        99.94%        2.498s       100.00%        2.500s        2.500s             1  
     aten::addmm         0.06%       1.480ms         0.06%       1.480ms       1.480ms             1  
    aten::linear         0.00%      20.750us         0.06%       1.500ms       1.500ms             1  
----------------  ------------  ------------  ------------  ------------  ------------  ------------  
Self CPU time total: 2.500s
"""
    assert events.key_averages().table(sort_by="self_cpu_time_total") == table


def test_no_events_make_no_table():
    assert EventList([]).table() == ""


def test_lines_and_operations_stand_in_their_columns():
    events = listed(FunctionEvent, EventList, SPANS[2:3], shapes=False, memory=False, flops=True, stack=True)
    head, _, row = events.table().splitlines()[1:4]
    assert head.index("Source Location") == row.index("model.py(3): forward")
    assert row.split()[-1] == "120.000"


def program(torch):
    """The document's program."""
    x = torch.randn(2, 3, requires_grad=True)
    y = torch.rand(2, 3, requires_grad=True)
    z = torch.ones(2, 3, requires_grad=True)
    with torch.autograd.profiler.profile() as prof:
        for _ in range(1000):
            z = (z / x) * y
    return prof


def test_columns_and_counts_of_a_program(torch):
    averages = program(torch).key_averages()
    lines = averages.table(sort_by="self_cpu_time_total").splitlines()
    heads = ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "# of Calls"]
    assert [head.strip() for head in lines[1].split("  ") if head] == heads
    assert {line.split()[0]: line.split()[-1] for line in lines[3:5]} == {"aten::div": "1000", "aten::mul": "1000"}
    assert lines[-1].startswith("Self CPU time total: ")


def test_sorting_and_limit(torch):
    averages = program(torch).key_averages()
    for key in ("cpu_time_total", "self_cpu_time_total", "cpu_time", "count"):
        lines = averages.table(sort_by=key, row_limit=1).splitlines()
        assert len(lines) == 6
        greatest = max(getattr(average, key) for average in averages)
        assert getattr(next(a for a in averages if a.key == lines[3].split()[0]), key) == greatest
    with pytest.raises(AttributeError):
        averages.table(sort_by="nothing")


def test_every_event_has_a_row(torch):
    x = torch.ones(3)
    with torch.autograd.profiler.profile() as prof:
        x.exp().exp().sin()
    names = [line.split()[0] for line in prof.table().splitlines()[3:-2]]
    assert names == ["aten::exp", "aten::exp", "aten::sin"]
    assert str(prof) == prof.table()


def test_unfinished():
    prof = rushlight.autograd.profiler.profile()
    assert repr(prof) == str(prof) == "<unfinished torch.autograd.profile>"
    with pytest.raises(AssertionError, match="Expected profiling results"):
        prof.key_averages()
