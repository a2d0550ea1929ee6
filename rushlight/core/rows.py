"""How the operands of elementwise operators lie together.

This is the plain twin: where the core is compiled, `rows.pyx` takes its place, and brings them in step for `formulas`.
"""

from typing import Any


def lies_as_elementwise(operands: Any, result: Any) -> Any:
    """Whether it is seen at once that a result lies where that of an elementwise operator does: never here."""
    return False
