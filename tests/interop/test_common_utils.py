"""A test file in the form of PyTorch's own, run with either library."""

import subprocess
import sys

import pytest

TEXT = """
import torch
from torch.testing._internal.common_utils import (
    TestCase, instantiate_parametrized_tests, make_tensor, parametrize, run_tests, subtest)

class TestSums(TestCase):
    def test_values(self):
        self.assertEqual(torch.ones(2).sum(), 2.0)
        self.assertEqual([torch.ones(2), {"a": 1}], [torch.ones(2), {"a": 1}])
        self.assertEqual("a", "a")
        with self.assertRaises(AssertionError):
            self.assertEqual(torch.ones(2), torch.zeros(2))

    @parametrize("kind,size", [("a", 1.5), (None, (2, 3))])
    def test_named(self, kind, size):
        self.assertEqual(kind, kind)

    @parametrize("n", [1, 3])
    @parametrize("dtype,scale", [(torch.float32, 2), subtest((torch.float64, 3), name="wide")])
    def test_scaled(self, n, dtype, scale):
        x = make_tensor(n, device="cpu", dtype=dtype)
        self.assertEqual((x * scale).sum(), x.sum() * scale)

instantiate_parametrized_tests(TestSums)

if __name__ == "__main__":
    print(sorted(name for name in dir(TestSums) if name.startswith("test_")))
    run_tests()
"""


def printed(tmp_path, *command):
    path = tmp_path / "test_sums.py"
    path.write_text(TEXT)
    done = subprocess.run([sys.executable, *command, path], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "Ran 7 tests" in done.stderr
    return done.stdout


def test_as_with_pytorch(tmp_path):
    pytest.importorskip("torch")
    assert printed(tmp_path, "-m", "rushlight", "run") == printed(tmp_path)
