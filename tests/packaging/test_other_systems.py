"""An import of rushlight, and an ordinary program, ask for nothing that a system without forks (Windows) lacks."""

import subprocess
import sys

PROGRAM = """
import os, sys
import numpy  # which knows the system that it is for

GONE = "fork forkpty register_at_fork sched_getaffinity getuid geteuid uname waitid O_CLOEXEC"
for name in GONE.split():
    if hasattr(os, name):
        delattr(os, name)
sys.modules |= dict.fromkeys(["fcntl", "termios", "resource", "pwd", "grp", "pty", "tty", "_posixshmem"])

import rushlight as torch
import rushlight.cli, rushlight.launch.start, rushlight.launch.end, rushlight.serialization, rushlight.utils.data
import rushlight.vision

layer = torch.nn.Linear(3, 2)
layer(torch.rand(4, 3)).square().mean().backward()
torch.optim.Adam(layer.parameters()).step()
torch.save(layer.state_dict(), sys.argv[1])
print(torch.load(sys.argv[1])["weight"].shape)
"""


def test_a_program_runs_without_what_only_unix_has(tmp_path):
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "layer.pt")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout == "torch.Size([2, 3])\n", done.stderr
