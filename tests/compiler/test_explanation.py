"""torch.compiler.explain: what was recorded and planned, with lines and times, as text and as a picture."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.compiler import walking
from rushlight.compiler.execution import prepared

HERE = "test_explanation.py"


def takes_an_item(x):
    return x * x.sum().item()


def line_of(function, number):
    """The line of a function's body, as it is told."""
    return f"{HERE}:{function.__code__.co_firstlineno + number}"


def explained_step():
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def step(x):
        optimizer.zero_grad()
        loss = net(x).pow(2).mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step, torch.compiler.explain(step)(torch.ones(8, 3))


def test_a_step_is_told_by_its_lines():
    step, told = explained_step()
    text = str(told)
    assert f"{line_of(step, 2)}: linear, tanh, pow, mean" in text
    assert "given: argument 0 float32[8, 3], weight float32[4, 3], bias float32[4]" in text
    assert "arguments: float32[8, 3]" in text
    assert "places with a Parameter: weight, bias" in text
    assert "2 gradients set" in text
    assert "1 steps of optimizers" in text
    assert set(told.times) == {"as it is", "replayed"}


def test_groups_have_lines_and_times():
    step, told = explained_step()
    instructions = list(told.parts[0].instructions())
    groups = [one for one in instructions if "tanh" in one.what]
    assert len(groups) == 1
    assert groups[0].lines[0].endswith(line_of(step, 2))
    assert all(one.time is not None and one.time > 0 for one in instructions)
    assert [value for one in instructions for value in one.lines if not value.rpartition(":")[0].endswith(HERE)] == []
    assert f"{told.parts[0].plan.memory:,} bytes of memory" in str(told)


def test_the_picture():
    step, told = explained_step()
    picture = told.picture
    lines = [line for box in picture.boxes for line in box.lines]
    for expected in ("argument 0 float32[8, 3]", "weight float32[4, 3]", line_of(step, 2), line_of(step, 3)):
        assert expected in lines
    assert picture.mermaid.startswith("graph TD\n")
    assert picture.dot.startswith("digraph {")
    assert ElementTree.fromstring(told._repr_svg_()).tag.endswith("svg")
    ends = {end for pair in picture.arrows for end in pair}
    assert ends == {box.name for box in picture.boxes}
    results = [box.name for box in picture.boxes if box.kind == "result"]
    starts = {end: start for start, end in picture.arrows}
    assert len(results) == 3  # two gradients and the loss
    assert all(result in starts for result in results)


def test_the_backward_pass_of_a_result_is_a_part():
    weight = torch.ones(3, requires_grad=True)
    told = torch.compiler.explain(lambda x: torch.exp(x * weight))(torch.ones(3))
    assert [part.name for part in told.parts] == ["the call", "the backward pass"]
    assert "cotangent float32[3]" in str(told)


def test_what_is_overwritten_and_drawn_is_left_behind_once_for_each_call():
    total = torch.zeros(4)

    def add(x):
        total.add_(torch.rand(4) * 0 + x)
        return total.sum()

    torch.manual_seed(0)
    told = torch.compiler.explain(add)(torch.ones(4))
    calls = total[0].item()
    after = torch.get_rng_state()
    torch.manual_seed(0)
    for _ in range(int(calls)):
        torch.rand(4)
    assert torch.equal(torch.get_rng_state(), after)
    assert "1 tensors overwritten" in str(told)
    assert any(line == "overwrites total float32[4]" for box in told.picture.boxes for line in box.lines)


def test_what_runs_as_it_is_says_why():
    told = torch.compiler.explain(takes_an_item)(torch.ones(2))
    assert "takes_an_item runs as it is: item() takes a value out of the program" in str(told)
    assert told.picture.boxes == []
    assert told._repr_svg_() is None


def test_programs_that_run_step_by_step():
    told = torch.compiler.explain(torch.compile(lambda x: x * 2 + 1, backend="eager"))(torch.ones(2))
    assert "run step by step: backend='eager' does so" in str(told)


@pytest.mark.parametrize("compiled", [True, False])
def test_times_of_instructions_are_measured_in_both_forms(compiled, monkeypatch):
    if compiled and walking.fast is None:
        pytest.skip("the walker is not compiled")
    if not compiled:
        monkeypatch.setattr(walking, "fast", None)
    told = torch.compiler.explain(lambda x: (x @ x).tanh().sum(0))(torch.ones(5, 5))
    _, plan, execute = prepared(told.programs[0], "walker")
    given = np.ones((5, 5), np.float32)
    times = execute.times([given])
    assert len(times) == len(plan.code) == len(plan.made_of) == 2
    np.testing.assert_allclose(execute([given])[0], 5 * np.tanh(np.full(5, 5.0)), rtol=1e-5)
