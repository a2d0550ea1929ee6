"""What a checkpoint takes for an object with a state."""

from typing import Any, Protocol, runtime_checkable

__all__ = ["Stateful"]


@runtime_checkable
class Stateful(Protocol):
    """An object that gives its state, and takes one: a module, an optimizer, anything of the user's."""

    def state_dict(self) -> dict[str, Any]:
        """The state."""
        ...

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over a state."""
        ...
