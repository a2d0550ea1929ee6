"""Makes `import torch`, `import torchvision`, `import mindspore` and imports of their modules give rushlight's."""

import sys
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pkgutil import iter_modules
from types import CodeType
from typing import Any

from rushlight.absent.left_out import reason
from rushlight.absent.misses import LateText, near_names
from rushlight.interop.places import is_placed, make_namesakes, placed

OURS = {
    "torch": "rushlight",
    "torchvision": "rushlight.vision",
    "functorch": "rushlight.functorch",
    "mindspore": "rushlight.interop.mindspore",
}


def serve_torch() -> None:
    """Makes `import torch` in this process give rushlight: `torch is rushlight`, and likewise for all modules.

    `torch.__name__` is "torch" for programs. RuntimeError if PyTorch itself has been imported already.

    >>> from rushlight.interop import serve_torch
    >>> serve_torch()  # doctest: +SKIP
    >>> import torch.nn.functional as F  # doctest: +SKIP
    """
    serve("torch", "torchvision", "functorch")
    sys.modules["rushlight"].__name__ = "torch"


def serve_mindspore() -> None:
    """Makes `import mindspore` in this process give `rushlight.interop.mindspore`, and likewise for its modules.

    RuntimeError if MindSpore itself has been imported already.

    >>> from rushlight.interop import serve_mindspore
    >>> serve_mindspore()  # doctest: +SKIP
    >>> from mindspore import nn  # doctest: +SKIP
    """
    serve("mindspore")


def serve(*roots: str) -> None:
    """Starts serving packages that are not served yet."""
    served = {root for finder in sys.meta_path if isinstance(finder, Finder) for root in finder.roots}
    wanted = [root for root in roots if root not in served]
    for root in wanted:
        if root in sys.modules:
            raise RuntimeError(f"{root} is imported already: call serve_{roots[0]}() before anything imports it.")
    sys.meta_path.insert(0, Finder(wanted))


class Finder(MetaPathFinder, Loader):
    """Finds the modules of served packages in rushlight: the same objects under both names."""

    def __init__(self, roots: list[str]):
        self.roots = roots

    def find_spec(self, fullname: Any, path: Any = None, target: Any = None) -> Any:
        """The spec of a module. ModuleNotFoundError, with similar names, for one that rushlight lacks."""
        root, _, rest = fullname.partition(".")
        if root not in self.roots:
            return None
        real = f"{OURS[root]}.{rest}" if rest else OURS[root]
        if not is_placed(real) and real not in sys.modules and find_spec(real) is None:
            raise ModuleNotFoundError(LateText(lacking, fullname, real), name=fullname)
        return ModuleSpec(fullname, self, origin=real)

    def find_distributions(self, context: Any) -> Any:
        """The served packages as `importlib.metadata` looks for them."""
        return import_module("rushlight.interop.metadata").served(self.roots, context)

    def create_module(self, spec: Any) -> Any:
        """The module itself. The import system will give it another spec; `exec_module` restores its own."""
        module = placed(spec.origin) if is_placed(spec.origin) else import_module(spec.origin)
        spec.loader_state = module.__spec__
        return module

    def get_code(self, fullname: str) -> CodeType | None:
        """The code of a module, for `python -m`."""
        root, _, rest = fullname.partition(".")
        real: Any = find_spec(f"{OURS[root]}.{rest}")
        return real.loader.get_code(real.name)

    def exec_module(self, module: Any) -> None:
        """Nothing is left to execute. Submodules that the module has loaded are registered under the served name too.

        Python sets an imported module as an attribute of its package: `import torch.autograd.gradcheck` would replace
        the function of that name. It does not do so for modules that are already imported.
        """
        name, module.__spec__ = module.__spec__.name, module.__spec__.loader_state
        make_namesakes(module)
        below = f"{module.__name__}."
        for real, loaded in list(sys.modules.items()):
            if real.startswith(below):
                sys.modules.setdefault(f"{name}.{real.removeprefix(below)}", loaded)


def lacking(fullname: str, real: str) -> str:
    """The message that rushlight lacks a module, with the reason or similar names."""
    if why := reason(fullname):
        return f"No module named '{fullname}' in rushlight: {why}"
    parent, _, name = fullname.rpartition(".")
    package = sys.modules[real.rpartition(".")[0]]
    names = [module.name for module in iter_modules(getattr(package, "__path__", []))]
    near = near_names(name, names)
    hint = f" Did you mean {' or '.join(f'{parent}.{n}' for n in near)}?" if near else f" It has {', '.join(names)}."
    return f"No module named '{fullname}' in rushlight.{hint if names else ''}"
