"""How the memory layouts of the operands of elementwise operators fit together.

This is the Python version: where the core is compiled, `rows.pyx` replaces it.
"""

from typing import Any


def lies_as_elementwise(operands: Any, result: Any) -> Any:
    """Whether a quick look shows that a result has the layout of an elementwise result: here always False."""
    return False
