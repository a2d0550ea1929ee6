"""What kernels take of the CPU: functions written out for its generations, and RUSHLIGHT_CPU_CAPABILITY."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from beside import ROOT, beside

from rushlight import config
from rushlight.kernels import compiled
from rushlight.machine import processor

COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]
OTHERS = [name for name in ("aarch64-linux-gnu-gcc",) if shutil.which(name)]

MARKED = """
static RUSHLIGHT_CLONES void scaled(float const *, float *, long); /*proto*/
static RUSHLIGHT_CLONES void scaled(float const *v_x, float *v_out, long v_n) {
  for (long i = 0; i + 16 <= v_n; i += 16)
    *(rushlight_floats*)(v_out + i) = *(rushlight_floats*)(v_x + i) * 2 + rushlight_filled((rushlight_floats*)v_x, 1);
}
static RUSHLIGHT_INLINED void fill(rushlight_floats *, float); /*proto*/
static RUSHLIGHT_FIT void measured(rushlight_floats *v_out) {
  fill(v_out, sizeof(rushlight_floats));
}
static RUSHLIGHT_INLINED void fill(rushlight_floats *v_out, float v_value) {
  v_out[0] = (rushlight_floats){0} + v_value;
}
"""
MAIN = """
#include <stdio.h>
int main(void) {
  float x[32], out[32] = {0};
  for (int i = 0; i < 32; i++) x[i] = i;
  scaled(x, out, 32);
  for (int i = 0; i < 32; i++) if (out[i] != 2 * i + 1) return 1;
  int length = rushlight_register_bytes();
  if (length) measured((rushlight_floats*)out);
  for (int i = 0; i < length / 4; i++) if (out[i] != length) return 2;
#ifdef RUSHLIGHT_GENERATIONS
  printf("%d\\n", rushlight_capability);
#else
  puts("0");
#endif
  return 0;
}
"""


def source(folder):
    """A C file with marked functions, as kernels have them."""
    sys.path.insert(0, str(beside("clones.py").parent))
    try:
        from clones import write_out
    finally:
        sys.path.pop(0)
    declarations = [ROOT / f"rushlight/kernels/compiled/{name}.pxd" for name in ("lanes", "tiles")]
    preamble = "".join(file.read_text("utf-8").split('"""')[1] for file in declarations)
    file = folder / "marked.c"
    file.write_text(preamble + MARKED + MAIN)
    write_out(str(file))
    assert not re.search("RUSHLIGHT_(CLONES|FIT|INLINED) void", file.read_text())
    return file


@pytest.mark.parametrize("compiler", COMPILERS)
def test_each_generation_gives_the_same_and_the_variable_caps_it(tmp_path, compiler):
    program = tmp_path / "program"
    subprocess.run([compiler, "-O2", "-o", program, source(tmp_path)], check=True)
    free = {name: value for name, value in os.environ.items() if name != processor.CAPABILITY}
    found = []
    for most in ({}, *({processor.CAPABILITY: name} for name in (*processor.CAPABILITIES, "junk"))):
        found.append(int(subprocess.run([program], env=free | most, capture_output=True, check=True).stdout))
    best = found[0]
    assert found == [best, 0, min(best, 1), best, best]


@pytest.mark.parametrize("compiler", OTHERS)
def test_other_cpus_have_the_same_source(tmp_path, compiler):
    subprocess.run([compiler, "-O2", "-c", "-o", tmp_path / "marked.o", source(tmp_path)], check=True)


NUMBERS = """
import numpy as np, rushlight as torch
from rushlight.config import config
x = torch.from_numpy(np.random.default_rng(0).standard_normal((40, 70), np.float32))
image = torch.from_numpy(np.random.default_rng(1).standard_normal((2, 3, 20, 20), np.float32))
weight = torch.from_numpy(np.random.default_rng(2).standard_normal((4, 3, 3, 3), np.float32))
F = torch.nn.functional
found = [x.softmax(1), F.gelu(x), F.layer_norm(x, (70,)), x @ x.t(), F.conv2d(image, weight), x.cumsum(1),
         x.clamp(-1, 1), x.double().exp(), torch.where(x > 0, x, -x), x % 0.3]
print(config()["kernels"])
print(repr([float(y.double().pow(2).sum()) for y in found]))
"""


def told(**environment):
    """What a process with some capability tells of its kernels, and its numbers."""
    free = {name: value for name, value in os.environ.items() if name != processor.CAPABILITY}
    command = [sys.executable, "-W", "error", "-c", NUMBERS]
    done = subprocess.run(command, env=free | environment, cwd=ROOT, capture_output=True, text=True, check=True)
    kernels, numbers = done.stdout.splitlines()
    return {part.partition(": ")[0] for part in kernels.split("; ")}, eval(numbers)


def test_kernels_take_no_more_than_is_allowed_and_give_the_same():
    best, numbers = told()
    for number, most in enumerate(processor.CAPABILITIES):
        kinds, capped = told(**{processor.CAPABILITY: most})
        assert kinds <= best | {*processor.CAPABILITIES[: number + 1], "not used (need avx2)", "not used (need avx512)"}
        assert not kinds & set(processor.CAPABILITIES[number + 1 :])
        assert capped == pytest.approx(numbers, rel=1e-5)


def test_every_kernel_is_listed_also_a_missing_one(monkeypatch):
    listed = config.kernels()
    assert all(name in listed for name in compiled.names())
    assert {"gemm", "softmax", "sharing"} <= set(compiled.names())
    monkeypatch.setattr(config, "names", lambda: ["no_such_kernel"])
    assert config.kernels() == "missing (NumPy instead): no_such_kernel"


def test_a_capability_that_there_is_not_is_ignored_with_a_warning(monkeypatch):
    monkeypatch.setenv(processor.CAPABILITY, "avx3")
    with pytest.warns(UserWarning, match="ignoring invalid value for RUSHLIGHT_CPU_CAPABILITY: avx3"):
        assert processor.capability() == "avx512"
    monkeypatch.setenv(processor.CAPABILITY, "avx2")
    assert not processor.has_avx512()
