"""Iterating over a module and its submodules: parameters, buffers and modules, by name and in order."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Self

from rushlight.nn.modules.base.attributes import Attributes
from rushlight.nn.parameter import Parameter
from rushlight.tensors import Tensor

if TYPE_CHECKING:
    from rushlight.nn.modules.module import Module


class Traversal(Attributes):
    """Lists and finds the parameters, buffers and submodules of a module."""

    def _named_members(
        self, members: Callable[..., Any], prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[Any]:
        """The members of this module and, with `recurse`, of its submodules, each with its full name."""
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        seen = set()
        for path, module in modules:
            for name, member in members(module):
                if member is None or member in seen:
                    continue
                if remove_duplicate:
                    seen.add(member)
                yield f"{path}.{name}" if path else name, member

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """The parameters of this module and, with `recurse`, of its submodules; each once.

        >>> import rushlight as torch
        >>> [p.shape for p in torch.nn.Linear(2, 3).parameters()]
        [torch.Size([3, 2]), torch.Size([3])]
        """
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """The parameters with their names, such as `layer.weight`."""
        yield from self._named_members(lambda module: module._parameters.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers of this module and, with `recurse`, of its submodules; each once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """The buffers with their names, such as `layer.running_mean`."""
        yield from self._named_members(lambda module: module._buffers.items(), prefix, recurse, remove_duplicate)

    def children(self) -> "Iterator[Module]":
        """The direct submodules; each once."""
        for _, module in self.named_children():
            yield module

    def named_children(self) -> "Iterator[tuple[str, Module]]":
        """The direct submodules with their names."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module  # type: ignore[misc]  # all of them are Modules

    def modules(self, remove_duplicate: bool = True) -> "Iterator[Module]":
        """This module and its submodules at any depth, outer ones first; each once."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_modules(
        self, memo: set[Any] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> "Iterator[tuple[str, Module]]":
        """This module and its submodules at any depth, with their names; this module's own name is `prefix`.

        Modules in the set `memo` are skipped; those visited are added to it.
        """
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self  # type: ignore[misc]  # it is a Module
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def apply(self, fn: "Callable[[Module], None]") -> Self:
        """Calls a function with every submodule, and then with this module, for example to initialize a network."""
        for module in self.children():
            module.apply(fn)
        fn(self)  # type: ignore[arg-type]  # it is a Module
        return self

    def get_submodule(self, target: str) -> "Module":
        """The submodule with a full name such as `net.conv`; the empty name is this module.

        AttributeError if there is none.
        """
        module = self
        for name in target.split(".") if target else ():
            module = attribute_of(module, name)
            if not isinstance(module, Attributes):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module  # type: ignore[return-value]  # it is a Module

    def set_submodule(self, target: str, module: "Module", strict: bool = False) -> None:
        """Replaces or adds the submodule with a full name; with `strict` it must exist already.

        ValueError for an empty name and for anything that is not a module; AttributeError if the name belongs to
        something else.
        """
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Attributes):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if (strict or hasattr(parent, name)) and not isinstance(attribute_of(parent, name), Attributes):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter with a full name such as `net.conv.weight`. AttributeError if there is none."""
        path, _, name = target.rpartition(".")
        parameter = attribute_of(self.get_submodule(path), name)
        if not isinstance(parameter, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return parameter

    def get_buffer(self, target: str) -> Tensor:
        """The buffer with a full name such as `net.norm.running_mean`. AttributeError if there is none."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        buffer = attribute_of(module, name)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return buffer


def attribute_of(module: Any, name: str) -> Any:
    """An attribute of a module; AttributeError, in PyTorch's words, if there is none."""
    if not hasattr(module, name):
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    return getattr(module, name)
