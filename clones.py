"""Functions that are compiled for several generations of CPUs: what Cython's C files say of each is written out.

A function declared `cdef wide` (`rushlight/kernels/compiled/lanes.pxd`) becomes one for each generation, and one that
calls what suits the CPU, and what RUSHLIGHT_CPU_CAPABILITY allows. So it is the same with every compiler that knows
generations by attributes; with others, and on other CPUs, there is the plain one alone. One declared `cdef fit`
(`rushlight/kernels/compiled/tiles.pxd`) becomes one for AVX-512 and one for other CPUs, with vectors as long as their
registers; so do those declared `cdef inlined`, which it calls.
"""

import re
from pathlib import Path

MARK = "RUSHLIGHT_CLONES "
FUNCTION = re.compile(rf"^static {MARK}void (\w+)\(([^;{{]*)\) \{{\n(.*?)^\}}\n", re.MULTILINE | re.DOTALL)
GENERATIONS = {"AVX512": 2, "AVX2": 1}
FITTED = re.compile(
    r"^static RUSHLIGHT_(FIT|INLINED) void (\w+)\(([^;{]*)\)(?:;[^\n]*\n| (\{\n.*?^\}\n))", re.MULTILINE | re.DOTALL
)


def written_out(text: str) -> str:
    """A C file in which each marked function stands for its copies."""
    text = FUNCTION.sub(clones, text).replace(f"static {MARK}", "static ")
    renamed = {found[2]: f"{found[2]}_own" for found in FITTED.finditer(text)}
    renamed |= {f"rushlight_{kind}": f"rushlight_own_{kind}" for kind in ("floats", "doubles")}
    return FITTED.sub(lambda found: fitted(found, renamed), text)


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


def fitted(found: re.Match, renamed: dict[str, str]) -> str:
    """What a function for vectors of each generation's length becomes: its copies, and a function that calls one."""
    text, (kind, name, parameters, body) = found[0], found.groups()
    own_text, own_parameters, own_body = (rewritten(part, renamed) for part in (text, parameters, body or ""))
    if kind == "INLINED":
        return "".join(part.replace("RUSHLIGHT_INLINED void", "RUSHLIGHT_ALWAYS") for part in (text, own_text))
    if body is None:
        return text.replace("RUSHLIGHT_FIT ", "")
    split = [re.fullmatch(r"(.*?)(\w+)", part).groups() for part in own_parameters.split(", ")]
    arguments = ", ".join(argument for _, argument in split)
    cast = ", ".join(f"({kind}){argument}" if "rushlight_own" in kind else argument for kind, argument in split)
    return (
        f"#ifdef RUSHLIGHT_GENERATIONS\nstatic RUSHLIGHT_AVX512 void {name}_AVX512({parameters}) {body}#endif\n"
        f"static RUSHLIGHT_OWN void {name}_own({own_parameters}) {own_body}"
        f"static void {name}({parameters}) {{\n"
        f"#ifdef RUSHLIGHT_GENERATIONS\n  if (rushlight_capability == 2) {{ {name}_AVX512({arguments}); return; }}\n"
        f"#endif\n  {name}_own({cast});\n}}\n"
    )


def rewritten(text: str, renamed: dict[str, str]) -> str:
    """C code with other names."""
    return re.sub(r"\w+", lambda word: renamed.get(word[0], word[0]), text)


def write_out(path: str) -> None:
    """Does it in a file."""
    text = Path(path).read_text("utf-8")
    if "RUSHLIGHT_CLONES" in text or "RUSHLIGHT_FIT" in text:
        Path(path).write_text(written_out(text), "utf-8")
