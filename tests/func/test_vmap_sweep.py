"""`vmap` of every operator against a loop over the examples: results and first derivatives."""

import json

import numpy as np
import pytest
from sweep.cases import Reader, cotangent, tensors_in

import rushlight as torch
from verify.operators.names import function_of

READER = Reader(torch)
CASES = [case for case in READER.cases if '"tensor"' in json.dumps([case["input"], case["args"], case["kwargs"]])]
IDS = [f"{i}-{case['name']}-{case['variant']}".rstrip("-") for i, case in enumerate(CASES)]
REFUSALS = (  # what PyTorch's vmap refuses as well
    "Vmap does not currently support same randomness",
    "Batch norm got a batched tensor as input",
    "vmap: rrelu in training draws",
)
IMPROPER = ("all elements of target should be between 0 and 1",)  # what one example is refused for, without vmap
FACTORS = (1.0, 0.9, 1.05)  # what the examples differ by


class Call:
    """A recorded call as a function of those of its tensors that are differentiated."""

    def __init__(self, case):
        self.function = function_of(torch, case["name"], case["variant"])
        self.args = (READER.value(case["input"]), *READER.value(case["args"]))
        self.kwargs = READER.value(case["kwargs"])
        self.inputs = [t.detach() for t in tensors_in([self.args, self.kwargs], torch.Tensor) if t.requires_grad]

    def __call__(self, *inputs):
        """The tensors that the call returns for some inputs."""
        torch.manual_seed(0)
        inputs = iter(inputs)
        args, kwargs = with_tensors(self.args, inputs), with_tensors(self.kwargs, inputs)
        return tuple(tensors_in(self.function(*args, **kwargs), torch.Tensor))


def with_tensors(value, tensors):
    """A nested value with other tensors in the places of those that are differentiated."""
    if isinstance(value, torch.Tensor):
        return next(tensors) if value.requires_grad else value
    if isinstance(value, (tuple, list)):
        return type(value)(with_tensors(v, tensors) for v in value)
    if isinstance(value, dict):
        return {k: with_tensors(v, tensors) for k, v in value.items()}
    return value


def batches_of(inputs, shared):
    """The inputs with a new first dimension of examples; those numbered in `shared` as they are."""
    return [x if i in shared else torch.stack([x * f for f in FACTORS]) for i, x in enumerate(inputs)]


def looped(call, batches, shared):
    """The results of a loop, stacked."""
    results = [call(*[b if i in shared else b[k].clone() for i, b in enumerate(batches)]) for k in range(len(FACTORS))]
    return [torch.stack(column) for column in zip(*results, strict=True)]


def check(found, expected):
    """Compares results or gradients."""
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            one, other = one.detach().numpy(), other.detach().numpy()
            assert one.dtype == other.dtype
            tolerance = 1e-7 if one.dtype.itemsize >= 8 and one.dtype != np.complex64 else 1e-4
            np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


def attempt(function, refusals):
    """A function's result. Skips the test for RuntimeErrors that begin with one of `refusals`."""
    try:
        return function()
    except RuntimeError as error:
        if str(error).startswith(refusals):
            pytest.skip(str(error))
        raise


def gradients(outs, inputs):
    """The gradients of results with fixed cotangents."""
    live = [(k, out) for k, out in enumerate(outs) if out.requires_grad]
    cotangents = [torch.from_numpy(cotangent(out.detach().numpy(), k)) for k, out in live]
    return torch.autograd.grad([out for _, out in live], inputs, cotangents, allow_unused=True) if live else []


def sharings(n):
    """Which of `n` inputs all examples share: none, all but the first, the first."""
    return [set(), set(range(1, n)), {0}] if n > 1 else [set()]


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_vmap_is_a_loop(case):
    call = Call(case)
    n = len(call.inputs)
    for shared in sharings(n):
        batches = [b.requires_grad_() for b in batches_of(call.inputs, shared)]
        expected = attempt(lambda batches=batches, shared=shared: looped(call, batches, shared), IMPROPER)
        dims = tuple(None if i in shared else 0 for i in range(n))
        mapped = torch.vmap(call, dims, randomness="same")
        outs = attempt(lambda batches=batches, mapped=mapped: mapped(*batches), REFUSALS)
        check(outs, expected)
        check(gradients(outs, batches), gradients(expected, batches))


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_nested_levels(case):
    call = Call(case)
    once = [torch.stack([x, x * 0.95]) for x in call.inputs]
    twice = [torch.stack([x, x * 1.05, x * 0.9], 1) for x in once]
    expected = attempt(lambda: [looped(call, [x[k] for x in twice], set()) for k in range(2)], IMPROPER)
    mapped = torch.vmap(torch.vmap(call, randomness="same"), randomness="same")
    found = attempt(lambda: mapped(*twice), REFUSALS)
    check(found, [torch.stack(column) for column in zip(*expected, strict=True)])


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_forward_mode(case):
    call = Call(case)
    batches = batches_of(call.inputs, set())
    push = lambda *x: torch.func.jvp(call, x, tuple(torch.cos(t) for t in x))
    expected = attempt(lambda: [push(*[b[k].clone() for b in batches]) for k in range(len(FACTORS))], IMPROPER)
    found = attempt(lambda: torch.vmap(push, randomness="same")(*batches), REFUSALS)
    for part in range(2):
        columns = zip(*[results[part] for results in expected], strict=True)
        check(found[part], [torch.stack(column) for column in columns])
