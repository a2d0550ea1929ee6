# The types of replays for checkers of types; those for the compiler are in replaying.pxd.
from collections.abc import Callable
from typing import Any

from rushlight.compiler.guards import Guard
from rushlight.compiler.nodes import Backward, CompiledFunctionBackward
from rushlight.compiler.states import Start
from rushlight.core.graph import TensorBase
from rushlight.core.modes import Modes
from rushlight.dtypes import dtype as Dtype
from rushlight.random.generator import Generator

class Effect:
    kind: str
    place: tuple[int, Any]
    what: int | None
    def __init__(self, kind: str, place: tuple[int, Any], what: int | None = None) -> None: ...
    def happen(self, arguments: list[Any], outputs: list[Any]) -> None: ...

class Execution:
    walker: Any
    values: list[Any]
    strides: list[tuple[int, ...]]
    renewable: frozenset[int]
    settled: bool
    def __init__(self, walker: Any, values: list[Any]) -> None: ...
    def __call__(self, inputs: list[Any], spare: Any = None) -> list[Any]: ...

class Stretch:
    program: Any
    places: list[Any]
    effects: list[Effect]
    call: tuple[Any, ...] | None
    execute: Callable[[list[Any]], list[Any]]  # set where it is prepared
    renewed: list[tuple[Any, Any]]
    def __init__(self, program: Any, places: list[Any], call: tuple[Any, ...] | None) -> None: ...
    def prepare(self, execute: Callable[[list[Any]], list[Any]]) -> None: ...
    def spare(self, arguments: list[Any]) -> Any: ...

class Made:
    stretch: int
    output: int
    unsettled: bool
    def __init__(self, stretch: int, output: int, unsettled: bool) -> None: ...

class Detached:
    place: tuple[int, Any]
    def __init__(self, place: tuple[int, Any]) -> None: ...

class Spent:
    result: int
    cls: type
    places: list[Any]
    def __init__(self, result: int, cls: type, places: list[Any]) -> None: ...
    def mark(self, tensors: list[Any], arguments: list[Any]) -> None: ...

def run(stretches: list[Stretch], arguments: list[Any], steps: bool) -> list[Any]: ...
def tensor_of(result: Made | Detached | tuple[int, Any], arguments: list[Any], made: list[Any]) -> TensorBase: ...

class Replay:
    stretches: list[Stretch]
    results: list[Any]
    firsts: list[int]
    result: Any
    spent: list[Spent]
    backwards: list[Backward]
    items: list[tuple[int, int]]
    overwritten: list[Any]
    generators: list[Generator]
    others: list[TensorBase]
    def replay(
        self, arguments: list[Any], function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any: ...
    def replayed(
        self,
        arguments: list[Any],
        function: Callable[..., Any] | None,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        steps: bool,
    ) -> tuple[list[TensorBase], list[CompiledFunctionBackward], list[float]]: ...
    def start_of(self, arguments: list[Any], states: list[Any]) -> Start | None: ...

class Prepared:
    guard: Guard
    modes: Modes
    dtype: Dtype
    owners: list[int] | None
    recording: Replay
    left: int
    slow: bool
    def __init__(
        self, guard: Guard, modes: Modes, dtype: Dtype, owners: list[int] | None, recording: Replay
    ) -> None: ...
    def match(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any] | None: ...

def owners_of(arrays: list[Any]) -> list[int]: ...

class Replayer:
    function: Callable[..., Any]
    prepared: list[Prepared]
    def __init__(self, function: Callable[..., Any]) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def replayed(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any: ...
    def look_after(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any: ...
