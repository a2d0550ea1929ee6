"""Functions that are compiled for several generations of CPUs: what Cython's C files say of each is written out.

A function declared `cdef wide` (`rushlight/kernels/compiled/lanes.pxd`) becomes one for each generation, and one that
calls what suits the CPU, and what RUSHLIGHT_CPU_CAPABILITY allows. So it is the same with every compiler that knows
generations by attributes; with others, and on other CPUs, there is the plain one alone.
"""

import re
from pathlib import Path

MARK = "RUSHLIGHT_CLONES "
FUNCTION = re.compile(rf"^static {MARK}void (\w+)\(([^;{{]*)\) \{{\n(.*?)^\}}\n", re.MULTILINE | re.DOTALL)
GENERATIONS = {"AVX512": 2, "AVX2": 1}


def written_out(text: str) -> str:
    """A C file in which each marked function stands for every generation."""
    return FUNCTION.sub(clones, text).replace(f"static {MARK}", "static ")


def clones(found: re.Match) -> str:
    """The functions that one marked function becomes."""
    name, parameters, body = found.groups()
    arguments = ", ".join(re.findall(r"\w+$", part)[0] for part in parameters.split(", "))
    variants, calls = "", ""
    for generation, level in GENERATIONS.items():
        variants += f"static RUSHLIGHT_{generation} void {name}_{generation}({parameters}) {{\n{body}}}\n"
        calls += f"  if (rushlight_capability == {level}) {{ {name}_{generation}({arguments}); return; }}\n"
    return (
        f"#ifdef RUSHLIGHT_GENERATIONS\n{variants}#endif\n"
        f"static RUSHLIGHT_APART void {name}_plain({parameters}) {{\n{body}}}\n"
        f"static void {name}({parameters}) {{\n"
        f"#ifdef RUSHLIGHT_GENERATIONS\n{calls}#endif\n"
        f"  {name}_plain({arguments});\n}}\n"
    )


def write_out(path: str) -> None:
    """Does it in a file."""
    text = Path(path).read_text("utf-8")
    if f"static {MARK}" in text:
        Path(path).write_text(written_out(text), "utf-8")
