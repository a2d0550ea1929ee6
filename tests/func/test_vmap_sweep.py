"""`vmap` of every operator against a loop over the examples: results and first derivatives."""

import numpy as np
import pytest
from sweep.cases import Reader, cotangent, function_of, tensors_in

import rushlight as torch

READER = Reader(torch)
IDS = [f"{i}-{case['name']}-{case['variant']}".rstrip("-") for i, case in enumerate(READER.cases)]
REFUSALS = (  # what PyTorch's vmap refuses as well
    "Vmap does not currently support same randomness",
    "Batch norm got a batched tensor as input",
    "vmap: rrelu in training draws",
)
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


def gradients(outs, inputs):
    """The gradients of results with fixed cotangents."""
    live = [(k, out) for k, out in enumerate(outs) if out.requires_grad]
    cotangents = [torch.from_numpy(cotangent(out.detach().numpy(), k)) for k, out in live]
    return torch.autograd.grad([out for _, out in live], inputs, cotangents, allow_unused=True) if live else []


@pytest.mark.parametrize("case", READER.cases, ids=IDS)
@pytest.mark.parametrize("sharing", ["all", "first", "rest"])
def test_vmap_is_a_loop(case, sharing):
    call = Call(case)
    n = len(call.inputs)
    shared = {"all": set(), "first": set(range(1, n)), "rest": {0}}[sharing]
    if n == 0 or (sharing != "all" and n < 2):
        return
    batches = [b.requires_grad_() for b in batches_of(call.inputs, shared)]
    try:
        expected = looped(call, batches, shared)
    except RuntimeError as error:
        pytest.skip(f"no batch of results: {error}")
    dims = tuple(None if i in shared else 0 for i in range(n))
    try:
        outs = torch.vmap(call, dims, randomness="same")(*batches)
    except RuntimeError as error:
        if str(error).startswith(REFUSALS):
            pytest.skip(str(error))
        raise
    check(outs, expected)
    check(gradients(outs, batches), gradients(expected, batches))
