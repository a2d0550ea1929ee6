"""Native loops: groups of a plan compiled to machine code by LLVM, if `llvmlite` is installed.

`emission` writes a group as LLVM IR, with the functions in `functions`; `building` compiles it, and caches the code on
disk. A group with a function that is not supported here is left to the walker's own loops.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from rushlight.compiler.native.building import ATTRIBUTES, SELDOM, built, llvm
from rushlight.compiler.native.emission import Form, Unwritable, form_of, function_text
from rushlight.compiler.planning import Group, Plan

__all__ = ["MOST_OPERATIONS", "Native", "is_available", "with_native_loops"]

MOST_OPERATIONS = 16_384  # of a group, and
MOST_TEXT = 1_000_000  # characters of all functions of a plan: LLVM takes long for more
Function = tuple[str, set[str]]  # the text of a function, and the declarations that it needs


@dataclass(frozen=True, slots=True)
class Native:
    """A group with the address of its code, and the form that the code was made for."""

    group: Group
    address: int
    form: Form


def is_available() -> bool:
    """Whether LLVM is available."""
    return llvm() is not None


def with_native_loops(plan: Plan) -> Plan:
    """The plan with native code for the groups that support it; groups of the same form share it."""
    forms: dict[int, Form] = {}
    for i, instruction in enumerate(plan.code):
        if isinstance(instruction, Group):
            try:
                forms[i] = form_of(instruction)
            except Unwritable:
                continue
    functions = written(forms.values())
    if not functions:
        return plan
    names = [name_of(form) for form in functions]
    address = dict(zip(functions, built(module_text(list(functions.values())), names), strict=True))
    code = [Native(x, address[forms[i]], forms[i]) if forms.get(i) in address else x for i, x in enumerate(plan.code)]
    return replace(plan, code=code)


def written(forms: Iterable[Form]) -> dict[Form, Function]:
    """The functions of forms, those of most groups first: as many as LLVM compiles in half a second."""
    found: dict[Form, Function] = {}
    length = 0
    for form, _ in Counter(forms).most_common():
        text, needed = function_text(form, name_of(form))
        length += len(text)
        if length <= MOST_TEXT:
            found[form] = text, needed
    return found


def name_of(form: Form) -> str:
    """The name of a form's function."""
    return f"group_{hashlib.sha256(form.text().encode()).hexdigest()[:16]}"


def module_text(functions: list[Function]) -> str:
    """All functions as one LLVM module."""
    declared = sorted(set().union(*[needed for _, needed in functions]))
    return "\n".join([*declared, *[text for text, _ in functions], ATTRIBUTES, SELDOM, ""])
