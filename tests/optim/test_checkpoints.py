"""State dicts of every optimizer and schedule go through files, from PyTorch and to it, and training goes on."""

import copy
import io
from pathlib import Path

import pytest
from optim.checkpoints import OPTIMIZERS, SCHEDULES, Training

import rushlight

pytestmark = pytest.mark.filterwarnings("ignore")  # PyTorch's remarks on its own schedules

FILE = Path(__file__).with_name("checkpoints.pt")
NEWER = {
    "amsgrad",
    "capturable",
    "centered",
    "decoupled_weight_decay",
    "differentiable",
    "foreach",
    "fused",
    "maximize",
    "nesterov",
}
NUMBERS = {"step", "eta", "mu", "mu_product"}


def close(numbers):
    return pytest.approx(numbers, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("way", ["rushlight", "to torch", "from torch"])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_training_goes_on_where_it_stopped(optimizer, way):
    one = other = rushlight
    if way != "rushlight":
        torch = pytest.importorskip("torch")
        one, other = (rushlight, torch) if way == "to torch" else (torch, rushlight)
    for schedule in SCHEDULES:
        training = Training(one, optimizer, schedule).go_on(4)
        file = io.BytesIO()
        one.save(training.checkpoint(), file)
        file.seek(0)
        resumed = Training(other, optimizer, schedule).resume(other.load(file))
        assert resumed.go_on(4).numbers() == close(training.go_on(4).numbers()), schedule


def test_checkpoints_of_pytorch():
    recorded = rushlight.load(FILE)
    assert {name for case in recorded for name in case["of"]} == {*OPTIMIZERS, *SCHEDULES}
    for case in recorded:
        resumed = Training(rushlight, *case["of"]).resume(case["checkpoint"])
        assert resumed.go_on(4).numbers() == close(case["later"]), case["of"]


@pytest.mark.parametrize("optimizer", [name for name in OPTIMIZERS if "LBFGS" not in name])
def test_files_of_older_versions_lack_options_and_have_plain_numbers(optimizer):
    training = Training(rushlight, optimizer, "StepLR").go_on(3)
    older = copy.deepcopy(training.checkpoint())
    (group,) = older["optimizer"]["param_groups"]
    (options,) = training.optimizer.param_groups
    lacking = {name for name in NEWER & group.keys() if not options[name] or optimizer == "AdamW"}
    for name in lacking:
        del group[name]
    for state in older["optimizer"]["state"].values():
        state.update({name: state[name].item() for name in NUMBERS & state.keys()})
    resumed = Training(rushlight, optimizer, "StepLR").resume(older)
    assert resumed.go_on(3).numbers() == close(training.go_on(3).numbers())
    assert {name: resumed.optimizer.param_groups[0][name] for name in lacking} == {n: options[n] for n in lacking}
    states = resumed.optimizer.state.values()
    assert all(isinstance(s[name], rushlight.Tensor) for s in states for name in NUMBERS & s.keys())


def test_a_learning_rate_of_zero_stops_a_line_search():
    training = Training(rushlight, "LBFGS with line search", "StepLR")
    training.optimizer.param_groups[0]["lr"] = 0.0
    before = training.numbers()[:-1]
    assert training.go_on(2).numbers()[:-1] == before
