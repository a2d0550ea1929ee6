"""MindSpore programs run unchanged, in a process of their own."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def run(tmp_path):
    """Runs a script's text with `rushlight run`; returns the finished process."""

    def run(text: str):
        (tmp_path / "script.py").write_text(text)
        command = [sys.executable, "-m", "rushlight", "run", str(tmp_path / "script.py")]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)

    return run


DOCUMENT = (Path(__file__).parents[1] / "documents" / "scripts" / "document_4.py").read_text()


def test_the_document_unchanged(run):
    done = run(DOCUMENT)
    assert done.stderr == ""
    assert done.stdout == (
        "[[1.4100001 1.5999999 6.6      ]\n [1.4100001 1.5999999 6.6      ]]\ntensor(12.) tensor(4.)\ntensor(12.)\n"
    )


def test_every_way_to_import(run):
    done = run(
        "import mindspore, mindspore.nn, mindspore.ops, mindspore.common, sys\n"
        "import mindspore as ms\n"
        "import mindspore.ops.operations as P\n"
        "import mindspore.ops.functional as F\n"
        "import mindspore.ops.composite as C\n"
        "import mindspore.common.dtype as mstype\n"
        "from mindspore import context, dtype, grad, jit, nn, ops, Parameter, Tensor\n"
        "from mindspore.common.initializer import Normal, initializer\n"
        "from mindspore.common.parameter import ParameterTuple\n"
        "from mindspore.common import set_seed\n"
        "import rushlight.interop.mindspore\n"
        "assert ms is rushlight.interop.mindspore is sys.modules['mindspore']\n"
        "assert dtype is mstype and nn is mindspore.nn and ops.MatMul is P.MatMul and ops.sin is F.sin\n"
        "assert ms.Tensor is Tensor and C.GradOperation is ops.GradOperation\n"
        "context.set_context(mode=context.GRAPH_MODE)\n"
        "print(F.exp(Tensor(0, mstype.float32)))\n"
    )
    assert done.stderr == ""
    assert done.stdout == "1.0\n"


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("import mindspore as ms\nms.Tensorr(1)", "module 'mindspore' has no attribute 'Tensorr' in rushlight. Did"),
        ("from mindspore import ops\nops.NotThere()", "module 'mindspore.ops' has no attribute 'NotThere' in"),
        ("from mindspore.nn import Densee", "cannot import name 'Densee'"),
        ("import mindspore.dataset", "No module named 'mindspore.dataset' in rushlight."),
        ("import mindspore as ms\nms.bfloat16", "module 'mindspore' has no attribute 'bfloat16'"),
    ],
)
def test_what_is_not_served_is_named(run, program, message):
    done = run(program)
    assert done.returncode == 1
    assert message in done.stderr
