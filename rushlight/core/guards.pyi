# The types of guards for checkers of types.
from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])
Switch = Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], tuple[Any] | None]

def anyone_asks() -> bool: ...
def answer(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any] | None: ...
def is_compiled(function: object) -> bool: ...
def asking(function: Function) -> Function: ...
def use_switch(switch: Switch | None) -> None: ...
def stands_for_number(
    positions: tuple[bool, ...], names: frozenset[str], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> bool: ...
def with_errors_of(
    refusal: Callable[[str, tuple[Any, ...], dict[str, Any], Exception], BaseException],
    other_form: Callable[[str, tuple[Any, ...], dict[str, Any], Exception], tuple[Any, Any] | None],
    foreign: Callable[[tuple[Any, ...], dict[str, Any]], Any],
    numbers_of: Callable[[Function], tuple[tuple[bool, ...], frozenset[str]]],
    as_numbers: Callable[[str, tuple[Any, ...], dict[str, Any]], tuple[tuple[Any, ...], dict[str, Any]]],
    function: Function,
    place: str,
) -> Function: ...
