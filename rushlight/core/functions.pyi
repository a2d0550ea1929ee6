# The types of functions for checkers of types.
from collections.abc import Callable
from typing import Any

from rushlight.core.operators import Operator

Otherwise = Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]

def of_tensor(op: Operator, otherwise: Otherwise) -> Callable[..., Any]: ...
def of_operands(op: Operator, with_number: Operator | None, otherwise: Otherwise) -> Callable[..., Any]: ...
