"""Cell: the base class of networks and layers."""

from collections.abc import Callable, Iterator
from typing import Any

from rushlight.interop.mindspore.common.parameter import UNNAMED, Parameter, ParameterTuple
from rushlight.interop.mindspore.common.tensor import Tensor

__all__ = ["Cell"]


class Cell:
    """A network or layer: parameters and cells are attributes, and calling it runs `construct`.

    A parameter without a name gets its attribute's; the names of an inner cell's parameters are prefixed with the
    cell's attribute, unless the owner was made with `auto_prefix=False`. Cells are in evaluation mode until
    `set_train()`.

    >>> import rushlight.interop.mindspore as ms
    >>> import rushlight.interop.mindspore.nn as nn
    >>> class Scale(nn.Cell):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = ms.Parameter(ms.Tensor([2.0]))
    ...     def construct(self, x):
    ...         return x * self.factor
    >>> print(Scale()(ms.Tensor([1.0, 2.0])))
    [2. 4.]
    >>> Scale().trainable_params()
    [Parameter (name=factor, shape=(1,), dtype=Float32, requires_grad=True)]
    """

    def __init__(self, auto_prefix: bool = True, flags: dict[Any, Any] | None = None):
        self.__dict__.update(_params={}, _cells={}, _auto_prefix=auto_prefix, training=False, requires_grad=False)
        if hasattr(self, "bprop"):
            raise NotImplementedError(
                "Cell: a custom gradient (bprop) is not supported; rushlight.autograd.Function has it."
            )
        for name, value in (flags or {}).items():
            setattr(self, name, value)

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        """Computes the result; each kind of cell defines it."""
        raise AttributeError(f"For 'Cell', the method 'construct' is not defined in {type(self).__name__}.")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The result of `construct`."""
        return self.construct(*args, **kwargs)

    # attributes

    def __setattr__(self, name: str, value: Any) -> None:
        if "_params" not in self.__dict__:
            raise AttributeError("For 'Cell', call super().__init__() before attributes are assigned.")
        if isinstance(value, Parameter):
            self.__dict__.pop(name, None)
            self.insert_param_to_cell(name, value)
        elif isinstance(value, Cell):
            self.__dict__.pop(name, None)
            if self._auto_prefix:
                value.update_parameters_name(f"{name}.")
            self._cells[name] = value
        elif name in self._params and isinstance(value, Tensor):
            self._params[name].set_data(value)
        else:
            if isinstance(value, ParameterTuple):
                self._params.update({parameter.name: parameter for parameter in value})
            self._params.pop(name, None)
            self._cells.pop(name, None)
            self.__dict__[name] = value

    def __getattr__(self, name: str) -> Any:
        for kept in ("_params", "_cells"):
            if name in self.__dict__.get(kept, ()):
                return self.__dict__[kept][name]
        raise AttributeError(f"The '{type(self).__name__}' object has no attribute '{name}'.")

    def __delattr__(self, name: str) -> None:
        for kept in (self._params, self._cells, self.__dict__):
            if name in kept:
                del kept[name]
                return
        raise AttributeError(f"The '{type(self).__name__}' object has no attribute '{name}'.")

    def insert_param_to_cell(self, param_name: str, param: Parameter) -> None:
        """Adds a parameter under a name."""
        if param.name == UNNAMED:
            param.name = param_name
        self._params[param_name] = param

    def insert_child_to_cell(self, child_name: str, child_cell: "Cell") -> None:
        """Adds a cell under a name. KeyError for a name that is already used."""
        if child_name in self._cells or child_name in self.__dict__:
            raise KeyError(f"For 'insert_child_to_cell', the {child_name!r} already exists.")
        self._cells[child_name] = child_cell

    def update_parameters_name(self, prefix: str = "", recurse: bool = True) -> None:
        """Puts a prefix before the names of the parameters."""
        for parameter in self.get_parameters(expand=recurse):
            parameter.name = prefix + parameter.name

    # parameters

    def parameters_and_names(self, name_prefix: str = "", expand: bool = True) -> Iterator[tuple[str, Parameter]]:
        """The parameters with their paths; with `expand` also those of inner cells."""
        seen = set()
        for path, cell in self.cells_and_names(name_prefix) if expand else [(name_prefix, self)]:
            for name, parameter in cell._params.items():
                if id(parameter) not in seen:
                    seen.add(id(parameter))
                    yield f"{path}.{name}" if path else name, parameter

    def get_parameters(self, expand: bool = True) -> Iterator[Parameter]:
        """The parameters; with `expand` also those of inner cells."""
        for _, parameter in self.parameters_and_names(expand=expand):
            yield parameter

    def trainable_params(self, recurse: bool = True) -> list[Parameter]:
        """The parameters that require grad."""
        return [parameter for parameter in self.get_parameters(recurse) if parameter.requires_grad]

    def untrainable_params(self, recurse: bool = True) -> list[Parameter]:
        """The parameters that do not require grad."""
        return [parameter for parameter in self.get_parameters(recurse) if not parameter.requires_grad]

    def parameters_dict(self, recurse: bool = True) -> dict[str, Parameter]:
        """The parameters by their names."""
        return {parameter.name: parameter for parameter in self.get_parameters(recurse)}

    # cells

    def cells(self) -> Any:
        """The direct child cells."""
        return self._cells.values()

    def name_cells(self) -> dict[str, "Cell"]:
        """The direct child cells by name."""
        return dict(self._cells)

    def cells_and_names(self, name_prefix: str = "") -> Iterator[tuple[str, "Cell"]]:
        """The cell and all inner cells, without duplicates, with their paths."""
        waiting, seen = [(name_prefix, self)], set()
        while waiting:
            path, cell = waiting.pop()
            if id(cell) in seen:
                continue
            seen.add(id(cell))
            yield path, cell
            waiting += [(f"{path}.{name}" if path else name, inner) for name, inner in reversed(cell._cells.items())]

    def apply(self, fn: Callable[["Cell"], Any]) -> "Cell":
        """Calls a function with each inner cell and then with this one; returns the cell."""
        for cell in self._cells.values():
            cell.apply(fn)
        fn(self)
        return self

    # modes

    def set_train(self, mode: bool = True) -> "Cell":
        """Sets training mode for the cell and all inner cells: it affects dropout and batch normalization."""
        for _, cell in self.cells_and_names():
            cell.training = bool(mode)
        return self

    def set_grad(self, requires_grad: bool = True) -> "Cell":
        """Notes that the cell will be differentiated; `grad` works either way."""
        self.requires_grad = requires_grad
        return self

    def extend_repr(self) -> str:
        """The options in the cell's `repr`."""
        return ""

    def __repr__(self) -> str:
        own = self.extend_repr()
        if not self._cells:
            return f"{type(self).__name__}<{own}>"
        lines = [own] if own else []
        lines += [f"({name}): {cell!r}" for name, cell in self._cells.items()]
        body = "".join(f"\n{line}" for line in lines).replace("\n", "\n  ")
        return f"{type(self).__name__}<{body}\n  >"
