# The types of guards for checkers of types.
from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])
Switch = Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], tuple[Any] | None]

def ask_first(asked: Switch) -> None: ...
def ask_no_more(asked: Switch) -> None: ...
def asking(function: Function) -> Function: ...
def use_switch(switch: Switch | None) -> None: ...
def with_errors_of(
    refusal: Callable[[str, tuple[Any, ...], dict[str, Any], Exception], BaseException],
    other_form: Callable[[str, tuple[Any, ...], dict[str, Any], Exception], tuple[Any, Any] | None],
    foreign: Callable[[tuple[Any, ...], dict[str, Any]], Any],
    function: Function,
    place: str,
) -> Function: ...
