"""Native loops: the groups of a plan as machine code, made by LLVM where `llvmlite` is installed.

`emission` writes a group in LLVM's language, with what `functions` has for NumPy's functions; `building` makes machine
code of it, and keeps that on the disk. A group with a function that has no form here is left to the walker's own loops.
"""

import hashlib
from dataclasses import dataclass, replace

from rushlight.compiler.native.building import ATTRIBUTES, SELDOM, built, llvm
from rushlight.compiler.native.emission import Form, Unwritable, form_of, function_text
from rushlight.compiler.planning import Group, Plan

__all__ = ["Native", "is_available", "with_native_loops"]


@dataclass(frozen=True, slots=True)
class Native:
    """A group with the address of its code, and the form that this was made for."""

    group: Group
    address: int
    form: Form


def is_available() -> bool:
    """Whether there is an LLVM to make code with."""
    return llvm() is not None


def with_native_loops(plan: Plan) -> Plan:
    """The plan with native code for the groups that have it; groups of one form share theirs."""
    forms: dict[int, Form] = {}
    for i, instruction in enumerate(plan.code):
        if isinstance(instruction, Group):
            try:
                forms[i] = form_of(instruction)
            except Unwritable:
                continue
    names = {form: f"group_{hashlib.sha256(form.text().encode()).hexdigest()[:16]}" for form in forms.values()}
    if not names:
        return plan
    address = dict(zip(names, built(module_text(names), list(names.values())), strict=True))
    code = [Native(x, address[forms[i]], forms[i]) if i in forms else x for i, x in enumerate(plan.code)]
    return replace(plan, code=code)


def module_text(names: dict[Form, str]) -> str:
    """All functions as one module."""
    declared: set[str] = set()
    functions = []
    for form, name in names.items():
        text, needed = function_text(form, name)
        declared |= needed
        functions.append(text)
    return "\n".join([*sorted(declared), *functions, ATTRIBUTES, SELDOM, ""])
