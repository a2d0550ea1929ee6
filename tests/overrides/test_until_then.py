"""Nothing is put before functions until there is an object that takes calls over."""

import subprocess
import sys

import pytest

from rushlight.core import graph

PROGRAM = """
import rushlight as torch
import rushlight.distributed.checkpoint, rushlight.distributed.fsdp, rushlight.distributed.tensor
from rushlight.overrides import switches

class Named(torch.Tensor):
    pass

class Loud(torch.Tensor):
    @staticmethod
    def __new__(cls, data):
        return torch.Tensor._make_subclass(cls, data)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func.__name__

torch.nn.Parameter(torch.ones(2)) + torch.Tensor([1.0, 2.0])
assert not switches.installed
made = {}
assert switches.installed
print(torch.neg(made) if type(made) is Loud else type(torch.neg(made)).__name__)
"""


@pytest.mark.parametrize(
    ("made", "printed"),
    [
        ("torch.ones(2).as_subclass(Named)", "Named"),
        ("Named([1.0, 2.0])", "Named"),
        ("torch.Tensor._make_subclass(Named, torch.ones(2))", "Named"),
        ("Loud(torch.ones(2))", "neg"),
        ("torch.eye(2).to_sparse()", "SparseTensor"),
    ],
)
def test_the_first_object_brings_the_switches(made, printed):
    program = PROGRAM.replace("{}", made)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == [printed], done.stderr


CALLS = """
import sys
import rushlight as torch

class Named(torch.Tensor):
    pass

torch.nn.Parameter(torch.ones(2))
x = torch.ones(2)
x + x
calls = []
sys.setprofile(lambda frame, event, arg: event == "call" and calls.append(frame.f_code.co_name))
x + x
sys.setprofile(None)
print(calls)
"""


@pytest.mark.skipif(not graph.COMPILED, reason="results are made by Python where nothing is compiled")
def test_results_are_made_without_python_whatever_classes_there_are():
    done = subprocess.run([sys.executable, "-c", CALLS], capture_output=True, text=True)
    assert done.stdout == "[]\n", (done.stdout, done.stderr)


GUARDS = """
import rushlight as torch
from importlib import import_module
from rushlight.overrides import switches

if {early}:
    [getattr(torch, name) for name in dir(torch)]
switches.install_switches()
[getattr(torch, name) for name in dir(torch)]
for place in switches.PLACES:
    for name, value in sorted(vars(import_module(f"rushlight.{place}".rstrip("."))).items()):
        code = getattr(value, "__code__", None)
        print(place, name, code is not None and any(type(const) is switches.Switch for const in code.co_consts))
"""


def test_what_was_loaded_before_changes_nothing():
    outputs = [
        subprocess.run([sys.executable, "-c", GUARDS.replace("{early}", early)], capture_output=True, text=True)
        for early in ("True", "False")
    ]
    assert "norm True" in outputs[0].stdout, outputs[0].stderr
    assert "save False" in outputs[0].stdout
    assert outputs[0].stdout == outputs[1].stdout


FRAMES = """
import rushlight as torch, sys
class Mode(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        for frame in frames(): frame.f_locals
        return func(*args, **(kwargs or {}))
def frames():
    frame = sys._getframe()
    while frame is not None:
        yield frame
        frame = frame.f_back
with Mode():
    x = torch.ones(2)
    for call in (torch.sum, torch.mean, torch.tanh, torch.add, torch.relu, torch.mul):
        call(x, *[x] * (call in (torch.add, torch.mul)))
print("alive")
"""


def test_the_variables_of_frames_can_be_looked_at():
    done = subprocess.run([sys.executable, "-c", FRAMES], capture_output=True, text=True)
    assert done.stdout == "alive\n", done.stderr
