"""torchviz draws our graphs unchanged: all parameters by name, shared leaves once, what was saved."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = """
import torch
from torch import nn
from torchviz import make_dot

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
w = torch.ones(3, requires_grad=True)
loss = model(torch.ones(4, 2)).mean()
shared = ((w * 2).sin() + w.exp() * w).sum()
several = tuple((w * 2).split(1))

def draw(*args, **options):
    print(make_dot(*args, **options).source)
    print("====")

draw(loss, params=dict(model.named_parameters()))
draw(shared, params={"w": w})
draw(shared, params={"w": w}, show_attrs=True, show_saved=True)
draw(several, params={"w": w})
draw((w * 2)[1:], params={"w": w}, show_attrs=True, show_saved=True)
"""


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    """Of a network, a shared leaf, that with what is saved, several views, a part of a tensor."""
    if find_spec("torchviz") is None or find_spec("graphviz") is None:
        pytest.skip("torchviz is not installed")
    script = tmp_path_factory.mktemp("torchviz") / "draw.py"
    script.write_text(SCRIPT)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    command = [sys.executable, "-W", "ignore", "-m", "rushlight", "run", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.split("====\n")


def test_parameters_are_named(pictures):
    labels = re.findall(r'label="([\w.]+)\n \(([\d, ]*)\)', pictures[0])
    assert sorted(labels) == [("0.bias", "3"), ("0.weight", "3, 2"), ("2.bias", "1"), ("2.weight", "1, 3")]
    assert "TanhBackward0" in pictures[0]


def test_a_shared_leaf_is_one_box(pictures):
    assert pictures[1].count("label=AccumulateGrad") == 1
    (box,) = re.findall(r"(\d+) \[label=AccumulateGrad\]", pictures[1])
    assert len(re.findall(rf"\b{box} -> ", pictures[1])) == 3
    assert pictures[1].count('"w\n') == 1


def test_saved_values_are_shown(pictures):
    assert "[saved tensor]" in pictures[2]
    assert pictures[2].count("fillcolor=orange") >= 4
    assert "fillcolor=orange" not in pictures[1]


def test_views_lead_to_their_base(pictures):
    assert pictures[3].count("SplitBackward0") == 1
    assert "style=dotted" in pictures[3]
