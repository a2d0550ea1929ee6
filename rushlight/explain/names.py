"""The program's own names for its tensors and modules."""

import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any

from rushlight.core.graph import TensorBase
from rushlight.core.lines import is_users, user_traces
from rushlight.explain.holders import is_object
from rushlight.tensors import Tensor


class Names:
    """The names of tensors: of modules' parameters, else of variables."""

    def __init__(self) -> None:
        self.known: dict[int, str] = {}
        self.modules: dict[int, Any] = {}  # the modules in variables
        self.called: dict[str, Any] = {}  # modules by the names of variables and attributes

    def learn(self, frame: FrameType | None, error: BaseException | None, readings: Any) -> None:
        """Collects the names of variables where the program is now, and of the parameters of called modules."""
        for trace in () if error is None else user_traces(error):
            self.of_variables(trace.tb_frame)
        while frame is not None:
            self.of_variables(frame)
            frame = frame.f_back
        main = sys.modules.get("__main__")
        if main is not None:
            self.of_values(vars(main))
        for root in readings.roots.values():
            for name, value in (*root.module.named_parameters(), *root.module.named_modules()):
                if name:
                    self.known.setdefault(id(value), name)

    def of_variables(self, frame: FrameType) -> None:
        """Collects the variables of a frame of the program."""
        if is_users(frame.f_code.co_filename):
            self.of_values(frame.f_globals)
            self.of_values(frame.f_locals)

    def of_values(self, values: dict[str, Any]) -> None:
        """Collects variables that are tensors, and tensor attributes of other objects."""
        for name, value in list(values.items()):
            if isinstance(value, TensorBase):
                if not name.startswith("_"):
                    self.known.setdefault(id(value), name)
            elif hasattr(type(value), "named_parameters"):
                self.modules[id(value)] = value
                self.called.setdefault(name, value)
                parts = getattr(value, "_modules", {})
                self.called.update({own: part for own, part in parts.items() if own not in self.called})
                for inner, part in value.named_modules():
                    self.known.setdefault(id(part), f"{name}.{inner}" if inner else name)
                for inner, parameter in value.named_parameters():
                    self.known.setdefault(id(parameter), f"{name}.{inner}")
            elif is_object(value):
                for own, part in list(vars(value).items()):
                    if hasattr(type(part), "named_parameters"):
                        self.called.setdefault(own, part)

    def of(self, tensor: Tensor, default: str = "") -> str:
        """The name of a tensor, in quotes; or a description."""
        name = self.known.get(id(tensor)) if tensor is not None else None
        if name:
            return f"`{name}`"
        return default or (f"a tensor of shape {list(tensor._array.shape)}" if tensor is not None else "a tensor")

    def of_module(self, module: Any) -> list[str]:
        """The names of a module: the variables and attributes that hold it, then its path in the module above."""
        names = [name for name, held in self.called.items() if held is module]
        return names + [part for part in reversed(self.known.get(id(module), "").split(".")) if part]

    def of_several(self, tensors: Sequence[Tensor], limit: int = 4) -> str:
        """The names of some tensors, as text."""
        names = [self.of(t) for t in tensors[:limit]]
        more = len(tensors) - limit
        return ", ".join(names) + (f" and {more} more" if more > 0 else "")
