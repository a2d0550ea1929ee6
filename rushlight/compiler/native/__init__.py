"""Native loops: groups of a plan compiled to machine code by LLVM, if `llvmlite` is installed.

`emission` writes a group as LLVM IR, with the functions in `functions`; `building` compiles it, and caches the code on
disk. A group with a function that is not supported here is left to the walker's own loops.
"""

import hashlib
from collections import Counter
from dataclasses import dataclass, replace

from rushlight.compiler.native.building import ATTRIBUTES, SELDOM, built, llvm
from rushlight.compiler.native.emission import Form, Unwritable, form_of, function_text
from rushlight.compiler.planning import Group, Plan

__all__ = ["MOST_NODES", "Native", "is_available", "with_native_loops"]

MOST_NODES = 64  # of a group, and
MOST_STEPS = 256  # of all forms of a plan: LLVM takes long for more


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
    names = {form: f"group_{hashlib.sha256(form.text().encode()).hexdigest()[:16]}" for form in chosen(forms)}
    if not names:
        return plan
    address = dict(zip(names, built(module_text(names), list(names.values())), strict=True))
    code = [Native(x, address[forms[i]], forms[i]) if forms.get(i) in address else x for i, x in enumerate(plan.code)]
    return replace(plan, code=code)


def chosen(forms: dict[int, Form]) -> list[Form]:
    """The forms that get code, those of most groups first: with as many steps as LLVM compiles in short time."""
    found, steps = [], 0
    for form, _ in Counter(forms.values()).most_common():
        steps += len(form.steps)
        if steps <= MOST_STEPS:
            found.append(form)
    return found


def module_text(names: dict[Form, str]) -> str:
    """All functions as one LLVM module."""
    declared: set[str] = set()
    functions = []
    for form, name in names.items():
        text, needed = function_text(form, name)
        declared |= needed
        functions.append(text)
    return "\n".join([*sorted(declared), *functions, ATTRIBUTES, SELDOM, ""])
