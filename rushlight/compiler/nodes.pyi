# The types of nodes for checkers of types; those for the compiler are in nodes.pxd.
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.compiler.program import Program, Value
from rushlight.compiler.states import Start
from rushlight.core.graph import Node, TensorBase

def tensor_at(place: tuple[int, Any], arguments: list[Any]) -> TensorBase: ...

class Backward:
    outputs: list[int]
    program: Program
    sources: list[tuple[int, Any]]
    places: list[tuple[int, Any]]
    results: list[int | None]
    kept: list[int]
    repeats: bool
    ends: bool
    layout: tuple[tuple[int, ...], ...]
    layouts: dict[Any, list[Value | None]]
    execute: Callable[[list[Any]], list[Any]]  # set where it is prepared
    def __init__(
        self,
        outputs: list[int],
        program: Program,
        sources: list[tuple[int, Any]],
        places: list[tuple[int, Any]],
        results: list[int | None],
        kept: list[int],
        repeats: bool,
        ends: bool,
        layout: tuple[tuple[int, ...], ...],
    ) -> None: ...
    def with_inputs(self, program: Program, sources: list[tuple[int, Any]]) -> Backward: ...

class Call:
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    arguments: list[Any]
    others: list[TensorBase]
    start: Start | None
    versions: list[int]
    def __init__(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        arguments: list[Any],
        others: list[TensorBase],
        start: Start | None,
    ) -> None: ...
    def tensors(self) -> list[TensorBase]: ...

def lead(node: Node, places: list[tuple[int, Any]], results: list[TensorBase], arguments: list[Any]) -> None: ...

class CompiledFunctionBackward(Node):
    backward: Backward
    call: Call
    values: list[Any] | None
    changes: list[Any]
    passed: bool
    def keep(
        self,
        backward: Backward,
        results: list[TensorBase],
        arguments: list[Any],
        made: list[Any],
        call: Call,
    ) -> None: ...
    def check(self) -> None: ...
    def apply(self, grad: Any, recorded: bool, needs: Sequence[bool]) -> list[Any]: ...
    def release(self) -> None: ...
