"""What is written: on a terminal, as a page, in the list; how sessions begin and end; and what they leave behind."""

import os
import subprocess
import sys

import pytest
from beside import ROOT, beside
from explain.programs import explained

import rushlight as torch
from rushlight.autograd.grad_mode import GradMode
from rushlight.explain import KINDS
from rushlight.explain.listing import listing
from rushlight.explain.text import report

SCRIPT = """
import torch
w = torch.randn(3, requires_grad=True)
hidden = (w * 2).detach()
hidden.sum().backward()
"""
LOOP = """
model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    model(torch.randn(4, 2)).pow(2).mean().backward()
    opt.step()
"""


def command(*arguments):
    done = subprocess.run(
        [sys.executable, "-m", "rushlight", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=600
    )
    return done.returncode, done.stdout, done.stderr


def test_run_explains(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    code, out, err = command("run", "--explain", str(script))
    assert (code, out) == (1, "")
    assert "does not require grad" in err
    assert "script.py:4" in err
    assert "hidden = (w * 2).detach()" in err
    assert "`w` loses the way to the loss" in err


def test_run_is_silent_on_a_sound_script(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.replace(".detach()", ""))
    assert command("run", "--explain", str(script)) == (0, "", "")


def test_list_has_every_kind():
    code, out, _ = command("explain", "--list")
    assert code == 0
    assert all(name in out for name in KINDS)
    assert command("explain", "no-such-kind")[0] == 2


def test_each_kind_is_shown_with_its_mend():
    for kind in KINDS.values():
        shown = listing([kind.name])
        assert kind.title in shown
        assert "    + " in shown or "    - " in shown


def test_report_numbers_its_findings():
    why, _ = explained(LOOP)
    text = report(why.findings)
    assert text.startswith("rushlight explains: 1 finding\n")
    assert "1. " in text
    assert "why:" in text
    assert "do:" in text
    assert report([]) == ""


def test_page_has_lines_norms_and_graph(tmp_path):
    path = tmp_path / "why.html"
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with torch.autograd.explain(file=False, page=str(path)):
        for _ in range(3):
            model(torch.randn(4, 2)).pow(2).mean().backward()
            optimizer.step()
    page = path.read_text()
    assert "never-zeroed" in page
    assert "<b>" in page
    assert "optimizer.step()" in page
    assert "<polyline" in page
    assert "MeanBackward0" in page


def test_findings_are_objects():
    why, _ = explained(LOOP, "loop")
    (finding,) = why.findings
    assert (finding.kind, finding.symptom) == (KINDS["never-zeroed"], "wrong")
    assert (finding.line.file, finding.line.number) == ("<loop>", 5)
    assert finding.lines[0] is finding.line


def test_errors_pass_through_and_are_explained():
    w = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable"), torch.autograd.explain(file=False) as why:
        w += 1
    assert [finding.kind.name for finding in why.findings] == ["leaf-in-place"]


def test_one_at_a_time():
    with torch.autograd.explain(file=False), pytest.raises(RuntimeError, match="under way"):
        torch.autograd.explain(file=False).__enter__()


def test_nothing_stays_behind():
    methods = {name: vars(torch.Tensor)[name] for name in ("item", "detach", "data", "grad", "numpy")}
    zero_grad = torch.optim.Optimizer.zero_grad
    with torch.autograd.explain(file=False):
        assert vars(torch.Tensor)["item"] is not methods["item"]
    assert {name: vars(torch.Tensor)[name] for name in methods} == methods
    assert torch.optim.Optimizer.zero_grad is zero_grad
    assert "__enter__" not in vars(GradMode)


def test_a_profiler_works_inside():
    x = torch.ones(3, requires_grad=True)
    with torch.autograd.explain(file=False) as why, torch.autograd.profiler.profile() as prof:
        (x * 2).sum().backward()
    assert "aten::mul" in [event.name for event in prof.function_events]
    assert not why.findings


def test_saved_files_have_nothing_of_it(tmp_path):
    x = torch.ones(3, requires_grad=True)
    with torch.autograd.explain(file=False):
        y = (x * 2).detach()
        torch.save(y, tmp_path / "y.pt")
    torch.save((x * 2).detach(), tmp_path / "z.pt")
    assert (tmp_path / "y.pt").stat().st_size == (tmp_path / "z.pt").stat().st_size


README = """
import torch

encoder, decoder = torch.nn.Linear(4, 2), torch.nn.Linear(2, 4)
optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.1)
for x in torch.randn(3, 8, 4):
    code = torch.tensor(encoder(x).tolist())
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(decoder(code), x).backward()
    optimizer.step()
"""


def test_the_example_of_the_readme(tmp_path):
    (tmp_path / "train.py").write_text(README)
    done = subprocess.run(
        [sys.executable, "-m", "rushlight", "run", "--explain", "train.py"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    shown = beside("README.md").read_text().split("## An error that explains itself")[1].split("##")[0]
    lines = [line.removeprefix("    ") for line in shown.splitlines() if line.startswith("    ")]
    assert "\n".join(lines) in done.stderr


def test_copies_of_tensors_lose_their_history_and_say_so():
    x = torch.ones(2, requires_grad=True)
    for copy in (torch.tensor, x.new_tensor):
        with pytest.warns(UserWarning, match="To copy construct from a tensor"):
            assert not copy(x * 2).requires_grad


def test_sparse_gradients_are_looked_at_too():
    table = torch.nn.Embedding(10, 3, sparse=True)
    optimizer = torch.optim.SGD(table.parameters(), lr=0.1)
    with torch.autograd.explain(file=False) as why:
        for _ in range(3):
            optimizer.zero_grad()
            table(torch.tensor([1, 2, 2])).pow(2).sum().backward()
            optimizer.step()
    assert not why.watch.troubles
    assert not why.findings


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float8_e4m3fn"])
def test_narrow_types(dtype):
    try:
        w = torch.zeros(2, dtype=getattr(torch, dtype), requires_grad=True)
        w.float()
    except ImportError:
        pytest.skip("ml_dtypes is not installed")
    with torch.autograd.explain(file=False) as why:
        w.float().log().sum().backward()
    assert [finding.kind.name for finding in why.findings] == ["first-bad-value"]
