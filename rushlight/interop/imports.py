"""Serves `import torch` and `import torchvision`, and all of their modules, with rushlight's own modules."""

import sys
from difflib import get_close_matches
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pkgutil import iter_modules

OURS = {"torch": "rushlight", "torchvision": "rushlight.vision"}


def serve_torch() -> None:
    """From now on, in this process, `import torch` gives rushlight: `torch is rushlight`, module for module.

    RuntimeError if PyTorch itself has been imported already.

    >>> from rushlight.interop import serve_torch
    >>> serve_torch()  # doctest: +SKIP
    >>> import torch.nn.functional as F  # doctest: +SKIP
    """
    if any(isinstance(finder, TorchFinder) for finder in sys.meta_path):
        return
    if "torch" in sys.modules:
        raise RuntimeError("PyTorch is imported already: call serve_torch() before anything imports torch.")
    sys.meta_path.insert(0, TorchFinder())


class TorchFinder(MetaPathFinder, Loader):
    """Finds PyTorch's modules in rushlight, under both names the same objects."""

    def find_spec(self, fullname, path=None, target=None):
        """Where a module of PyTorch is. ModuleNotFoundError, with near names, for one that rushlight lacks."""
        root, _, rest = fullname.partition(".")
        if root not in OURS:
            return None
        real = f"{OURS[root]}.{rest}" if rest else OURS[root]
        if real not in sys.modules and find_spec(real) is None:
            raise ModuleNotFoundError(lacking(fullname, real), name=fullname)
        return ModuleSpec(fullname, self, origin=real)

    def create_module(self, spec):
        """The module itself. The import system is about to give it another spec; `exec_module` puts its own back."""
        module = import_module(spec.origin)
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module):
        """Nothing is left to execute."""
        module.__spec__ = module.__spec__.loader_state


def lacking(fullname: str, real: str) -> str:
    """That rushlight lacks a module, and which are near."""
    parent, _, name = fullname.rpartition(".")
    package = sys.modules[real.rpartition(".")[0]]
    names = [module.name for module in iter_modules(getattr(package, "__path__", []))]
    near = get_close_matches(name, names)
    hint = f" Did you mean {' or '.join(f'{parent}.{n}' for n in near)}?" if near else f" It has {', '.join(names)}."
    return f"No module named '{fullname}' in rushlight.{hint if names else ''}"
