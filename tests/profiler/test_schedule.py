"""torch.profiler: activities, schedules, what happens when a recording is ready."""

import json

import pytest

PLANS = [
    {"wait": 1, "warmup": 1, "active": 2},
    {"wait": 0, "warmup": 1, "active": 1, "repeat": 2},
    {"wait": 2, "warmup": 1, "active": 3, "repeat": 1, "skip_first": 2},
    {"wait": 3, "warmup": 2, "active": 1, "skip_first": 1, "skip_first_wait": 1},
]


def loop(torch, steps, **options):
    """The profiler of a loop, and the counts of events at each time when a recording was ready."""
    ready = []

    def on_ready(prof):
        ready.append((prof.step_num, {average.key: average.count for average in prof.key_averages()}))

    x = torch.ones(3)
    with torch.profiler.profile(on_trace_ready=on_ready, **options) as prof:
        for _ in range(steps):
            x.exp()
            prof.step()
    return prof, ready


ACTIONS = {  # of twelve steps of each plan: nothing, warm-up, record, save
    0: "NWRSNWRSNWRS",
    1: "WSWSNNNNNNNN",
    2: "NNNNWRRSNNNN",
    3: "NWWSNNNWWSNN",
}


@pytest.mark.parametrize("number", ACTIONS)
def test_plans(torch, number):
    plan = torch.profiler.schedule(**PLANS[number])
    letters = {"NONE": "N", "WARMUP": "W", "RECORD": "R", "RECORD_AND_SAVE": "S"}
    assert "".join(letters[plan(step).name] for step in range(12)) == ACTIONS[number]


def test_plans_that_cannot_be(torch):
    with pytest.raises(AssertionError, match=r"Invalid profiler schedule arguments\. Got wait=-1"):
        torch.profiler.schedule(wait=-1, warmup=1, active=1)
    with pytest.raises(AssertionError, match="Invalid profiler schedule arguments"):
        torch.profiler.schedule(wait=0, warmup=1, active=0)
    with pytest.warns(UserWarning, match="Profiler won't be using warmup"):
        torch.profiler.schedule(wait=0, warmup=0, active=1)
    with pytest.raises(AssertionError, match="Step must be non-negative"):
        torch.profiler.schedule(wait=0, warmup=1, active=1)(-1)


def test_without_a_schedule_all_is_recorded(torch):
    prof, ready = loop(torch, 5)
    (counts,) = [counts for _, counts in ready]
    assert counts["aten::exp"] == 5
    assert "ProfilerStep*" not in counts
    assert sum(event.name == "aten::exp" for event in prof.events()) == 5


@pytest.mark.filterwarnings("ignore:Warning. Profiler clears events")
def test_recordings_of_a_schedule(torch):
    plan = torch.profiler.schedule(wait=1, warmup=1, active=2, repeat=2)
    prof, ready = loop(torch, 10, schedule=plan)
    assert [step for step, _ in ready] == [4, 8]
    for _, counts in ready:
        assert counts["aten::exp"] == counts["ProfilerStep*"] == 2
    assert prof.step_num == 10
    steps = [event.trace_name for event in prof.events() if event.name == "ProfilerStep*"]
    assert steps == ["ProfilerStep#6", "ProfilerStep#7"]


def test_events_of_several_recordings(torch):
    plan = torch.profiler.schedule(wait=0, warmup=1, active=1, repeat=3)
    prof, ready = loop(torch, 6, schedule=plan, acc_events=True)
    assert [counts["aten::exp"] for _, counts in ready] == [1, 2, 3]
    assert sum(event.name == "aten::exp" for event in prof.events()) == 3


def test_a_recording_that_the_end_cuts_off(torch):
    plan = torch.profiler.schedule(wait=0, warmup=1, active=5)
    _, ready = loop(torch, 3, schedule=plan)
    assert [counts["aten::exp"] for _, counts in ready] == [2]


def test_schedules_that_make_no_sense(torch):
    action = torch.profiler.ProfilerAction
    with pytest.warns(UserWarning, match="Incorrect schedule: RECORD followed by NONE"):
        loop(torch, 2, schedule=lambda step: action.RECORD if step == 0 else action.NONE)
    with pytest.warns(UserWarning, match="Incorrect schedule: WARMUP followed by NONE"):
        loop(torch, 2, schedule=lambda step: action.WARMUP if step == 0 else action.NONE)


def test_start_and_stop(torch):
    prof = torch.profiler.profile()
    prof.start()
    torch.ones(3).exp()
    prof.stop()
    assert "aten::exp" in [event.name for event in prof.events()]
    with pytest.raises(AssertionError, match="Profiler must be initialized"):
        torch.profiler.profile().key_averages()


@pytest.mark.parametrize("use_gzip", [False, True])
def test_files_for_tensorboard(torch, tmp_path, use_gzip):
    handler = torch.profiler.tensorboard_trace_handler(str(tmp_path / "log"), "me", use_gzip=use_gzip)
    with torch.profiler.profile(on_trace_ready=handler):
        torch.ones(3).exp()
    (file,) = (tmp_path / "log").iterdir()
    assert file.name.startswith("me.")
    assert file.name.endswith(".pt.trace.json.gz" if use_gzip else ".pt.trace.json")
    if not use_gzip:
        assert any(entry.get("name") == "aten::exp" for entry in json.loads(file.read_text())["traceEvents"])


def test_activities(torch):
    activity = torch.profiler.ProfilerActivity
    assert activity.CPU in torch.profiler.supported_activities()
    with torch.profiler.profile(activities=[activity.CPU]) as prof:
        torch.ones(3).exp()
    assert "aten::exp" in [event.name for event in prof.events()]
    with pytest.raises(ValueError, match="specified more than once"):
        torch.profiler.profile(activities=[activity.CPU, activity.CPU])
    with pytest.raises(TypeError, match="Expected ProfilerActivity or dict, got"):
        torch.profiler.profile(activities=[activity.CPU, "cuda"])
    with pytest.raises(AssertionError, match="No valid profiler activities found"):
        torch.profiler.profile(activities=[])


def test_activities_of_devices_that_are_not_there(torch):
    activity = torch.profiler.ProfilerActivity
    with (
        pytest.warns(UserWarning, match="CUDA is not available, disabling CUDA profiling"),
        torch.profiler.profile(activities=[activity.CPU, activity.CUDA]) as prof,
    ):
        torch.ones(3).exp()
    assert "aten::exp" in [event.name for event in prof.events()]
