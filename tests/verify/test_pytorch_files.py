"""Test files of PyTorch's kind: what passes with PyTorch has to pass, or to lack something that is listed."""

import pytest

pytest.importorskip("torch")

from verify.__main__ import arguments_of
from verify.parts import pytorch_files

FILE = """
import torch
from torch._C import _current_graph_task_id
from unittest import TestCase

class TestAll(TestCase):
    def test_passes(self):
        x = torch.ones(2, requires_grad=True)
        x.sum().backward()
        self.assertEqual(x.grad.tolist(), [1.0, 1.0])

    def test_fails_with_both(self):
        self.assertTrue(torch.zeros(1).item())

    def test_fails_here(self):
        self.assertNotIn("rushlight", torch.__file__)

    def test_needs_an_inner_name(self):
        _current_graph_task_id()

    def test_needs_what_is_left_out(self):
        torch.quantize_per_tensor(torch.ones(2), 1.0, 0, torch.qint8)
"""


def test_how_tests_come_out(tmp_path):
    (tmp_path / "test_few.py").write_text(FILE)
    words = ["--folder", str(tmp_path), "--files", "test_few.py"]
    (figure,) = pytorch_files.run(arguments_of("pytorch_files", pytorch_files, words))
    assert (figure.checked, figure.expected, figure.explained.total()) == (4, 1, 2)
    assert [line.partition(": ")[0] for line in figure.unexplained] == ["test_few.py::TestAll::test_fails_here"]


def test_nothing_without_a_folder():
    assert pytorch_files.run(arguments_of("pytorch_files", pytorch_files, [])) == []


def test_notes_keep_outcomes(tmp_path):
    (tmp_path / "test_few.py").write_text(FILE)
    words = ["--folder", str(tmp_path), "--files", "test_few.py", "--notes", str(tmp_path / "notes")]

    def run(*more):
        return pytorch_files.run(arguments_of("pytorch_files", pytorch_files, [*words, *more]))[0]

    assert run("--most", "2").checked == 2
    assert run().checked == 4
    (tmp_path / "test_few.py").write_text(FILE.replace("[1.0, 1.0])", "[])"))
    assert run().expected == 1
