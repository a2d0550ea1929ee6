"""A gradient pass takes as many steps as the graph has edges: the lines that the plain core runs are counted."""

import json
import os
import subprocess
import sys

import pytest

PROGRAM = """
import json, sys
import rushlight as torch
from rushlight.utils.checkpoint import checkpoint


def leaves(n):
    return [torch.ones(1, requires_grad=True) for _ in range(n)]


class Each(torch.autograd.Function):
    @staticmethod
    def forward(ctx, *tensors):
        ctx.save_for_backward(*tensors)
        ctx.mark_dirty(tensors[0])
        return tuple(t if i % 2 == 0 else t * 2 for i, t in enumerate(tensors))

    @staticmethod
    def backward(ctx, *grads):
        return grads


def part(n):
    x = torch.ones(n, requires_grad=True)
    return x, x.unbind()


CASES = {
    "stack": lambda n: torch.stack(leaves(n)).sum().backward(),
    "cat, recorded": lambda n: torch.cat(leaves(n)).sum().backward(create_graph=True),
    "unbind": lambda n: sum(part(n)[1]).backward(),
    "many outputs": lambda n: torch.autograd.backward(list(part(n)[1])),
    "gradients of many": lambda n: torch.autograd.grad(torch.stack(ls := leaves(n)).sum(), ls),
    "one tensor many times": lambda n: torch.stack(leaves(1) * n).sum().backward(),
    "split": lambda n: torch.cat(torch.ones(n, requires_grad=True).split(1)).sum().backward(),
    "broadcast": lambda n: torch.stack(torch.broadcast_tensors(*leaves(n))).sum().backward(),
    "custom function": lambda n: torch.stack(Each.apply(torch.ones(1), *leaves(n))).sum().backward(),
    "a batch": lambda n: torch.func.vmap(lambda g: torch.autograd.grad(torch.stack(ls := leaves(n)), ls, g))(
        torch.ones(2, n, 1)
    ),
    "hooks": lambda n: [x.register_hook(lambda g: None) for x in leaves(1) * n][0].remove(),
    "checkpoints": lambda n: [checkpoint(torch.sin, x, use_reentrant=False).backward() for x in leaves(n)],
}


def lines(function, n):
    count = 0

    def local(frame, event, arg):
        nonlocal count
        count += event == "line"
        return local

    sys.settrace(lambda frame, event, arg: local)
    try:
        function(n)
    finally:
        sys.settrace(None)
    return count


for case in CASES.values():
    case(3)
print(json.dumps({name: [lines(case, n) for n in (40, 80, 120)] for name, case in CASES.items()}))
"""


@pytest.fixture(scope="module")
def counts():
    """The lines that each case runs for 40, 80 and 120 tensors."""
    environment = os.environ | {"RUSHLIGHT_PURE_PYTHON": "1", "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_growth_is_linear(counts):
    """As many lines more from 80 to 120 as from 40 to 80: a line for each pair would be 3,200 more."""
    for name, (small, middle, large) in counts.items():
        assert (large - middle) - (middle - small) < 300, (name, small, middle, large)
