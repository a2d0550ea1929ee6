"""Which lines are the user's, and that warnings are given at them: also from deep within, through NumPy and Python."""

import os
import warnings

import numpy as np
import pytest

import rushlight as torch
from rushlight.core import lines

F = torch.nn.functional


def test_whose_a_file_is():
    assert (
        lines.whose(torch.__file__) == lines.whose("rushlight/core/graph.py") == lines.whose(np.__file__) == lines.OURS
    )
    assert lines.whose(os.__file__) == lines.whose("<frozen runpy>") == lines.PYTHON
    for users in (__file__, pytest.__file__, "code.py", "/home/me/contextlib.py", "<stdin>"):
        assert lines.is_users(users)
    assert lines.is_users(lines.DEMO)


def two_rates():
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1)
    torch.optim.lr_scheduler.StepLR(optimizer, 1).step()


def empty_clip():
    torch.nn.utils.clip_grad_norm_((p for p in ()), 1.0)


WARNED = {
    "std of one": lambda: torch.ones(1, requires_grad=True).std(),
    "softmax without dim": lambda: F.softmax(torch.ones(3)),
    "a module's": lambda: torch.nn.Softmax()(torch.ones(3)),
    "sizes of a loss": lambda: torch.nn.MSELoss()(torch.ones(3, 1), torch.ones(3)),
    "copy of a tensor": lambda: torch.tensor(torch.ones(1)),
    "reduction": lambda: torch.nn.MSELoss(size_average=True),
    "grad of a result": lambda: (torch.ones(1, requires_grad=True) * 2).grad,
    "to real": lambda: torch.ones(1, dtype=torch.complex64).to(torch.float32),
    "schedule": two_rates,
    "clip": empty_clip,
    "through Python": lambda: list(map(torch.tensor, [torch.ones(1)])),
}


@pytest.mark.parametrize("explained", [False, True])
@pytest.mark.parametrize("program", WARNED.values(), ids=WARNED)
def test_warnings_name_the_users_line(program, explained):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if explained:
            with torch.autograd.explain(file=False):
                program()
        else:
            program()
    assert caught
    for one in caught:
        assert one.filename == __file__, one
