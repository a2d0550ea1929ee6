"""How modules are called: in which mode, which are registered, which are used twice or never."""

from collections.abc import Sequence
from typing import Any
from weakref import ref

from rushlight.core.graph import TensorBase
from rushlight.core.lines import is_users
from rushlight.core.modes import CURRENT
from rushlight.explain.origins import info_of
from rushlight.explain.sites import Site

MODAL = ("Dropout", "BatchNorm", "InstanceNorm", "AlphaDropout")


class Root:
    """What is known of a module that the program calls directly."""

    def __init__(self, module: Any, site: Site):
        self.module = module
        self.site = site
        self.calls = 0
        self.version: int = version_of(module)
        self.eval_steps = 0  # steps after recorded calls in evaluation mode
        self.train_steps = 0
        self.recorded: bool | None = None  # the mode of the recorded calls since the last step
        self.loose: dict[int, tuple[Any, ...]] = {}  # modules called inside it that are not registered
        self.blind: dict[Site, int] = {}  # by line: calls in training mode that are not recorded
        self.inputs: dict[Any, int] = {}
        self.counts: dict[int, int] = {}
        self.again: dict[int, Site] = {}  # submodules called a second time within the first call, and where
        self.called: dict[int, Site] = {}  # by submodule: where it is called in the first call
        self.parts: set[int] = set()

    def changed(self) -> bool:
        """Whether parameters have changed since the first call."""
        return version_of(self.module) != self.version

    def modal(self) -> Any:
        """A submodule whose result depends on the mode, such as dropout."""
        for module in self.module.modules():
            name = type(module).__name__
            if name.startswith(MODAL) and getattr(module, "p", 1) != 0:
                return module
        return None


class Calls:
    """The calls of modules."""

    steps: int

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.roots: dict[int, Root] = {}
        self.modes: dict[int, tuple[Any, ...]] = {}  # by module: the mode that it was set to, and where
        self.built: dict[int, tuple[Any, Site]] = {}  # by module: where it was constructed
        self.sites: Any = None
        self.here: Any = None  # whether recording is off in this thread
        self.dropped: dict[Site, int] = {}
        self.copies: list[tuple[Site, Site, int]] = []  # what was loaded uncopied: line, origin, age
        self.steps = 0

    def builds(self, module: Any, frame: Any) -> None:
        """Called when a module is constructed; the line is outside the constructors of its classes."""
        while frame is not None and not (is_users(frame.f_code.co_filename) and constructed(frame) is not module):
            frame = frame.f_back
        if frame is not None and len(self.built) < 10_000:
            self.built[id(module)] = (ref(module), self.sites.of(frame))

    def built_at(self, module: Any) -> Site | None:
        """The line that constructed a module, if it is known."""
        held, site = self.built.get(id(module), (None, None))
        return site if held is not None and held() is module else None

    def only_built(self, name: str) -> Site | None:
        """The line that constructed a module of a class, if there is only one."""
        sites = {site for held, site in self.built.values() if type(held()).__name__ == name}
        return sites.pop() if len(sites) == 1 else None

    def lines_built(self, file: str) -> set[int]:
        """The lines of a file that constructed modules."""
        return {site.line for _, site in self.built.values() if site.file == file}

    def enter(self, module: Any, args: Sequence[Any]) -> None:
        """Called when a module is called."""
        if not self.stack:
            self.enter_root(module, args)
        else:
            root = self.roots.get(id(self.stack[0]))
            if root is not None:
                root.counts[id(module)] = root.counts.get(id(module), 0) + 1
                if root.calls == 1:
                    root.called.setdefault(id(module), self.sites.here())
                if root.calls == 1 and root.counts[id(module)] == 2:
                    root.again[id(module)] = self.sites.here()
                if id(module) not in root.parts and id(module) not in root.loose and len(root.loose) < 50:
                    root.loose[id(module)] = (module, self.sites.here(), self.stack[-1])
        self.stack.append(module)
        self.sites.part = self.part_at_work()

    def enter_root(self, module: Any, args: Sequence[Any]) -> None:
        """Called when the program calls a module directly."""
        root = self.roots.get(id(module))
        site = self.sites.here()
        if root is None:
            if len(self.roots) > 200:
                return
            root = self.roots[id(module)] = Root(module, site)
        root.calls += 1
        if root.calls <= 3 or not root.calls & 63:
            root.parts = {id(part) for part in module.modules()}
        if CURRENT.get().grad:
            root.recorded = module.training
        elif module.training and self.here.is_off():  # not inside a checkpoint, for example
            root.blind[site] = root.blind.get(site, 0) + 1
            for value in args[:1]:
                key = self.steps, key_of(value)
                root.inputs[key] = root.inputs.get(key, 0) + 1

    def leave(self, module: Any) -> None:
        """Called when a module's call ends."""
        while self.stack and self.stack.pop() is not module:
            pass
        self.sites.part = self.part_at_work()

    def part_at_work(self) -> Any:
        """The innermost active module, if it and its caller are library modules: usually part of a container."""
        inner = self.stack[-2:]
        return inner[-1] if len(inner) == 2 and not any(is_users(file_of(type(m).forward)) for m in inner) else None

    def set_mode(self, module: Any, mode: bool, site: Site) -> None:
        """Called when a module's mode is set."""
        self.modes[id(module)] = (ref(module), mode, site)

    def stepped(self) -> None:
        """Called when an optimizer took a step."""
        self.steps += 1
        for root in self.roots.values():
            if root.recorded is not None:
                if root.recorded:
                    root.train_steps += 1
                else:
                    root.eval_steps += 1
                root.recorded = None

    def loading(self, module: Any, state: Any, site: Site, clock: int) -> None:
        """Called when parameters are loaded: checks whether they share memory with the module's own."""
        own = [(p, state.get(name)) for name, p in module.named_parameters()]
        if own and all(isinstance(value, TensorBase) and same_memory(p, value) for p, value in own):
            info = info_of(own[0][1])
            if info is not None and len(self.copies) < 100:
                self.copies.append((site, info.site, clock - info.step))

    def dropping(self, p: float, training: bool, site: Site) -> None:
        """Called when dropout runs: checks whether the active registered module is in evaluation mode."""
        if training and p and self.stack:
            root = self.roots.get(id(self.stack[0]))
            parts = () if root is None else root.parts
            at_work = next((m for m in reversed(self.stack) if id(m) in parts), self.stack[0])
            if not at_work.training:
                self.dropped[site] = self.dropped.get(site, 0) + 1


def version_of(module: Any) -> int:
    """The sum of the versions of a module's parameters: it grows with each change."""
    return sum(p._version for p in module.parameters())


def same_memory(first: Any, second: Any) -> bool:
    """Whether two tensors start at the same address."""
    return first.shape == second.shape and first.data_ptr() == second.data_ptr()


def file_of(function: Any) -> str:
    """The file of a function's code; that of a library if unknown."""
    code = getattr(function, "__code__", None)
    return __file__ if code is None else code.co_filename


def constructed(frame: Any) -> Any:
    """The object that a frame is constructing, if the frame is a constructor's."""
    code = frame.f_code
    return frame.f_locals.get(code.co_varnames[0]) if code.co_name == "__init__" and code.co_argcount else None


def key_of(value: Any) -> Any:
    """A key for an input: the tensor, or for a view its part of the base."""
    view = getattr(value, "_view", None)
    return id(value) if view is None else (id(view.base), value.storage_offset(), tuple(value.shape))
