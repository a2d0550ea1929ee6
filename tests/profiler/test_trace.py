"""The exported trace: its form, what it says, and that Perfetto reads it."""

import gzip
import json
import threading
from collections import Counter

import pytest

import rushlight

SLICE = {
    "required": ["name", "cat", "ts", "dur", "pid", "tid", "args"],
    "properties": {
        "name": {"type": "string", "minLength": 1},
        "cat": {"enum": ["cpu_op", "user_annotation"]},
        "ts": {"type": "number", "minimum": 0},
        "dur": {"type": "number", "minimum": 0},
        "pid": {"type": "integer"},
        "tid": {"type": "integer"},
        "args": {"type": "object"},
    },
}
ARROW = {
    "required": ["name", "cat", "id", "ts", "pid", "tid"],
    "properties": {"cat": {"const": "fwdbwd"}, "id": {"type": "integer"}, "ts": {"type": "number"}},
}
LABEL = {
    "required": ["name", "pid", "tid", "args"],
    "properties": {
        "name": {"enum": ["process_name", "process_labels", "thread_name", "thread_sort_index"]},
        "args": {"type": "object", "minProperties": 1},
    },
}
SCHEMA = {
    "type": "object",
    "required": ["schemaVersion", "displayTimeUnit", "baseTimeNanoseconds", "traceEvents"],
    "properties": {
        "displayTimeUnit": {"enum": ["ms", "ns"]},
        "baseTimeNanoseconds": {"type": "integer", "minimum": 1_500_000_000_000_000_000},
        "traceEvents": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["ph"],
                "oneOf": [
                    {"properties": {"ph": {"const": "X"}}, "allOf": [SLICE]},
                    {"properties": {"ph": {"const": "s"}}, "allOf": [ARROW]},
                    {"properties": {"ph": {"const": "f"}, "bp": {"const": "e"}}, "allOf": [ARROW], "required": ["bp"]},
                    {"properties": {"ph": {"const": "M"}}, "allOf": [LABEL]},
                ],
            },
        },
    },
}


def train(torch):
    """Two steps of a small model, in a region."""
    x = torch.ones(4, 3)
    w = torch.ones(5, 3, requires_grad=True)
    with torch.autograd.profiler.record_function("steps"):
        for _ in range(2):
            torch.nn.functional.linear(x, w, torch.zeros(5)).relu().sum().backward()


def recorded(**options):
    """The profiler after `train`."""
    with rushlight.profiler.profile(**options) as prof:
        train(rushlight)
    return prof


def exported(prof, path):
    """The trace that a profiler writes."""
    prof.export_chrome_trace(str(path))
    return json.loads(path.read_text())


def test_form(tmp_path):
    jsonschema = pytest.importorskip("jsonschema")
    prof = recorded(record_shapes=True, profile_memory=True, with_flops=True, with_stack=True)
    trace = exported(prof, tmp_path / "trace.json")
    jsonschema.validate(trace, SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**trace, "traceEvents": [{"ph": "X", "name": "no time"}]}, SCHEMA)


def test_slices_are_the_events(tmp_path):
    prof = recorded(record_shapes=True, with_flops=True)
    slices = [entry for entry in exported(prof, tmp_path / "trace.json")["traceEvents"] if entry["ph"] == "X"]
    assert Counter(entry["name"] for entry in slices) == Counter(event.name for event in prof.events())
    by_number = {entry["args"]["External id"]: entry for entry in slices}
    for event in prof.events():
        entry = by_number[event.id]
        assert entry["ts"] == event.time_range.start
        assert entry["dur"] == pytest.approx(event.cpu_time_total, abs=1e-3)
    (steps,) = [entry for entry in slices if entry["name"] == "steps"]
    assert steps["cat"] == "user_annotation"
    product = next(entry for entry in slices if entry["name"] == "aten::addmm")
    assert product["args"]["Input Dims"] == [[5], [4, 3], [3, 5]]
    assert product["args"]["FLOPs"] == 120


def test_arrows_lead_from_operators_to_their_derivatives(tmp_path):
    entries = exported(recorded(), tmp_path / "trace.json")["traceEvents"]
    at = {(entry["ts"], entry["tid"]): entry["name"] for entry in entries if entry["ph"] == "X"}
    arrows = {}
    for entry in entries:
        if entry["ph"] in "sf":
            arrows.setdefault(entry["id"], {})[entry["ph"]] = at[entry["ts"], entry["tid"]]
    assert Counter((arrow["s"], arrow["f"]) for arrow in arrows.values()) == {
        ("aten::addmm", "AddmmBackward0"): 2,
        ("aten::clamp_min", "ReluBackward0"): 2,
        ("aten::sum", "SumBackward0"): 2,
    }


def test_threads_are_apart(tmp_path):
    everything = rushlight.profiler._ExperimentalConfig(profile_all_threads=True)
    with rushlight.profiler.profile(experimental_config=everything) as prof:
        threads = [threading.Thread(target=train, args=(rushlight,)) for _ in range(2)]
        for thread in threads:
            thread.start()
        numbers = {thread.native_id for thread in threads}
        for thread in threads:
            thread.join()
    entries = exported(prof, tmp_path / "trace.json")["traceEvents"]
    assert {entry["tid"] for entry in entries if entry["ph"] == "X"} == numbers
    labels = [entry for entry in entries if entry["ph"] == "M" and entry["name"] == "thread_name"]
    assert sorted(label["args"]["name"] for label in labels) == sorted(f"thread {number}" for number in numbers)


def test_compressed_with_metadata(tmp_path):
    prof = recorded()
    prof.add_metadata("model", "small")
    prof.add_metadata_json("sizes", "[4, 3]")
    prof.export_chrome_trace(str(tmp_path / "trace.json.gz"))
    with gzip.open(tmp_path / "trace.json.gz") as file:
        trace = json.load(file)
    assert (trace["model"], trace["sizes"]) == ("small", [4, 3])


def test_lists_of_events_are_written_too(tmp_path):
    prof = recorded()
    prof.events().export_chrome_trace(tmp_path / "trace.json")
    trace = json.loads((tmp_path / "trace.json").read_text())
    assert sum(entry["ph"] == "X" for entry in trace["traceEvents"]) == len(prof.events())
