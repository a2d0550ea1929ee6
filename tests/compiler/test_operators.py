"""Every operator, its gradients too, compiled: what executors make of the recorded programs, against the reference.

Of the cases of the sweep each operator's first is taken: tests of the executors themselves have the shapes.
"""

import warnings
from functools import partial

import numpy as np
import pytest
from compiler.writing import compare, copy_of
from sweep.cases import Reader, cotangent, tensors_in

import rushlight as torch
from rushlight.compiler import compiled
from rushlight.compiler.lowering import Unsuitable, lowered
from rushlight.compiler.native import is_available
from rushlight.compiler.passes import improved
from rushlight.compiler.planning import planned
from rushlight.compiler.program import Mismatch, run
from rushlight.compiler.walking import executor
from verify.operators.names import function_of

READER = Reader(torch)
CASES = {f"{case['name']}-{case['variant']}".rstrip("-"): case for case in reversed(READER.cases)}
BACKENDS = ["walker", "llvm"] if is_available() else ["walker"]


def both(program, backend):
    """What runs a program by an executor and by the reference, and compares."""
    try:
        plan = planned(improved(lowered(program)))
    except Unsuitable:
        return partial(run, program)
    executors = {name: executor(plan, native=name == "llvm") for name in BACKENDS}

    def runs(inputs):
        given = [copy_of(one) for one in inputs]
        state = torch.get_rng_state()
        expected = run(program, given)
        for name, execute in executors.items():
            torch.set_rng_state(state)
            found_inputs = [copy_of(one) for one in inputs]
            found = execute(found_inputs)
            check(found, expected, name, program)
            check(found_inputs, given, name, program)
        torch.set_rng_state(state)
        return run(program, inputs)

    return runs


def check(found, expected, name, program):
    try:
        compare(found, expected, 64)
    except AssertionError as error:
        raise AssertionError(f"{name}: {error}\n{program}") from None


@pytest.mark.parametrize("name", CASES)
def test_executors_agree(name, monkeypatch):
    case = CASES[name]
    monkeypatch.setattr(compiled, "execution", both)
    function = function_of(torch, case["name"], case["variant"])

    def forward_and_backward(args, kwargs):
        torch.manual_seed(42)
        outs = tensors_in(function(*args, **kwargs), torch.Tensor)
        live = [out for out in outs if out.requires_grad]
        inputs = [t for t in tensors_in([args, kwargs], torch.Tensor) if t.requires_grad]
        if not live or not inputs:
            return outs
        cotangents = [torch.from_numpy(cotangent(np.empty(out.shape, np.float64), 0)).to(out.dtype) for out in live]
        return outs, torch.autograd.grad(live, inputs, cotangents, allow_unused=True)

    step = torch.compile(forward_and_backward)
    step.timed = False
    for _ in range(2):
        args, kwargs = [READER.value(case["input"]), *READER.value(case["args"])], READER.value(case["kwargs"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                step(args, kwargs)
            except Mismatch:
                break
