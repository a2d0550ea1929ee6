"""Functions that make tensors come to the modes, in the form that PyTorch's dispatcher gives their calls."""

from importlib import import_module

import numpy as np
import pytest

CALLS = """
zeros(2, 3): zeros.default [[2, 3]] device pin_memory
zeros((2, 3), dtype=torch.int64): zeros.default [[2, 3]] device dtype pin_memory
ones(()): ones.default [[]] device pin_memory
empty(2, 3): empty.memory_format [[2, 3]] device pin_memory
empty(1, 2, 2, 2, memory_format=torch.channels_last): empty.memory_format [[1, 2, 2, 2]] device memory_format pin_memory
full((2,), 1.5): full.default [[2], 1.5] device pin_memory
full(size=(2,), fill_value=True): full.default [[2], True] device pin_memory
arange(3): arange.default [3] device pin_memory
arange(1, 3): arange.start [1, 3] device pin_memory
arange(1, 3, 0.5): arange.start_step [1, 3, 0.5] device pin_memory
linspace(0, 1, 3): linspace.default [0, 1, 3] device pin_memory
logspace(0, 1, 3, 2.0): logspace.default [0, 1, 3, 2.0] device pin_memory
eye(3): eye.default [3] device pin_memory
eye(2, 3): eye.m [2, 3] device pin_memory
rand(2, 3): rand.default [[2, 3]] device pin_memory
rand(2, generator=torch.Generator()): rand.generator [[2]] device generator pin_memory
randn((2,), requires_grad=True): randn.default [[2]] device pin_memory
randint(5, (2,)): randint.default [5, [2]] device pin_memory
randint(1, 5, (2,)): randint.low [1, 5, [2]] device pin_memory
randint(high=5, size=(2,)): randint.default [5, [2]] device pin_memory
randperm(3, generator=torch.Generator()): randperm.generator [3] device generator pin_memory
normal(0.0, 1.0, (2,)): normal.float_float [0.0, 1.0, [2]] device pin_memory
scalar_tensor(2.0): scalar_tensor.default [2.0] device pin_memory
empty_strided((2, 3), (3, 1)): empty_strided.default [[2, 3], [3, 1]] device pin_memory
tril_indices(2, 2): tril_indices.default [2, 2] device pin_memory
zeros_like(x): zeros_like.default [x] pin_memory
ones_like(x, dtype=torch.int64): ones_like.default [x] dtype pin_memory
full_like(x, 2): full_like.default [x, 2] pin_memory
randn_like(x): randn_like.default [x] pin_memory
randint_like(x, 1, 5): randint_like.low_dtype [x, 1, 5] pin_memory
Tensor.new_zeros(x, 2): new_zeros.default [x, [2]] pin_memory
Tensor.new_ones(x, 2, 3): new_ones.default [x, [2, 3]] pin_memory
Tensor.new_full(x, (2,), 3.0): new_full.default [x, [2], 3.0] pin_memory
tensor([1.0, 2.0], requires_grad=True): lift_fresh.default [x]
as_tensor([1.0]): lift_fresh.default [x]
from_numpy(np.ones(2)): lift_fresh.default [x]
Tensor.new_tensor(x, [1.0]): lift_fresh.default [x]
zeros(2, out=x[0, :2]): select.int [x, 0, 0] slice.Tensor [x, 0, 0, 2] zeros.out [[2]] out
"""
CASES = [line.rsplit(": ", 1) for line in CALLS.strip().splitlines()]


def logging(torch):
    """A mode that writes down the calls: names, arguments with `x` for tensors, and names of options."""
    home = import_module(f"{torch.__name__}.utils._python_dispatch")

    class Log(home.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            shown = ["x" if isinstance(one, torch.Tensor) else str(one) for one in args]
            words = [str(func).removeprefix("aten."), f"[{', '.join(shown)}]", *sorted(kwargs or {})]
            self.log.append(" ".join(words))
            return func(*args, **(kwargs or {}))

    mode = Log()
    mode.log = []
    return mode


@pytest.mark.parametrize(("call", "wanted"), CASES, ids=[call for call, _ in CASES])
def test_calls(torch, call, wanted):
    space = {"torch": torch, "np": np, "x": torch.ones(2, 3)}
    torch.manual_seed(1)
    plain = eval(f"torch.{call}", space)
    torch.manual_seed(1)
    with logging(torch) as mode:
        found = eval(f"torch.{call}", space)
    assert " ".join(mode.log) == wanted
    assert (found.shape, found.dtype, found.requires_grad) == (plain.shape, plain.dtype, plain.requires_grad)
    assert "empty" in call or torch.equal(found, plain)


def test_tensors_are_not_lifted(torch):
    x = torch.ones(2)
    with logging(torch) as mode:
        assert torch.as_tensor(x) is x
    assert mode.log == []


def test_a_mode_makes_the_tensor_and_outer_modes_see_its_call(torch):
    class Twos(type(logging(torch))):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {})) + 1

    inner = Twos()
    with logging(torch) as outer, inner:
        assert torch.ones(2, requires_grad=True).tolist() == [2.0, 2.0]
    assert outer.log == ["ones.default [[2]] device pin_memory", "add.Tensor [x, 1]"]
    assert torch.ones(1).tolist() == [1.0]
    assert len(outer.log) == 2
