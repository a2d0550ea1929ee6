"""`torch` as PyTorch's test files import it: rushlight, with the testing tools from PyTorch's files.

Names that a file needs and rushlight lacks are found by loading the file repeatedly: each time the missing name gets a
placeholder. So do names that PyTorch's own tools no longer have.
"""

import re
import sys
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import find_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from rushlight.interop.imports import OURS, serve_torch
from verify.pytorch_files.absent import PlaceholderModule, stand_in

TOOLS = (
    "torch.testing._internal",
    "torch.testing._comparison",
    "torch.testing._creation",
    "torch.testing._utils",
    "torch.utils._import_utils",
)
BEFORE = ["_foreach_zero_", "_foreach_copy_"]  # what files look for with a default
TRIES = 2000  # names that one file may lack


def serve(folder: Path) -> None:
    """From now on `import torch` gives rushlight, and modules of a folder load: in a process without PyTorch."""
    package = Path(find_spec("torch").origin).parent
    serve_torch()
    import_module("rushlight._C")
    sys.meta_path.insert(0, Finder(package, folder))
    sys.modules["rushlight"].Tensor.is_nested = False
    import_module("rushlight._dynamo").config.compiled_autograd = False
    for name in BEFORE:
        setattr(sys.modules["rushlight"], name, lambda *_, name=name: stand_in(f"torch.{name}")())


class Beside(MetaPathFinder):
    """Finds the modules of the folder of test files before installed ones of the same name, such as `autograd`."""

    def __init__(self, folder: Path):
        self.folder = folder

    def find_spec(self, fullname, path=None, target=None):
        """Where a module is; None for all that others find."""
        beside = self.folder / fullname.replace(".", "/")
        return self.from_file(fullname, beside) if beside.with_suffix(".py").exists() else None

    def from_file(self, fullname: str, place: Path):
        """A module, or a package, in PyTorch's files."""
        if place.is_dir():
            file = place / "__init__.py"
            return spec_from_file_location(
                fullname, file, loader=PatientLoader(fullname, str(file)), submodule_search_locations=[str(place)]
            )
        file = place.with_suffix(".py")
        if not file.exists():
            return ModuleSpec(fullname, PlaceholderLoader(), is_package=True)
        return spec_from_file_location(fullname, file, loader=PatientLoader(fullname, str(file)))


class Finder(Beside):
    """Finds PyTorch's testing tools and test files, and gives placeholders for modules that rushlight lacks."""

    def __init__(self, package: Path, folder: Path):
        super().__init__(folder)
        self.package = package

    def find_spec(self, fullname, path=None, target=None):
        """Where a module is; None for all that others find."""
        root, _, rest = fullname.partition(".")
        if fullname.startswith(TOOLS):
            return self.from_file(fullname, self.package / rest.replace(".", "/"))
        if root == "torch" and not provided(rest):
            return ModuleSpec(fullname, PlaceholderLoader(), is_package=True)
        return super().find_spec(fullname, path, target)


def provided(rest: str) -> bool:
    """Whether rushlight has a module."""
    real = f"{OURS['torch']}.{rest}" if rest else OURS["torch"]
    try:
        return real in sys.modules or find_spec(real) is not None
    except ModuleNotFoundError:
        return False


class PlaceholderLoader(Loader):
    """Makes a module of placeholders."""

    def create_module(self, spec):
        """The module."""
        return PlaceholderModule(spec.name)

    def exec_module(self, module):
        """There is nothing to execute."""


class PatientLoader(SourceFileLoader):
    """Loads a file of PyTorch's, with placeholders for names of modules that are missing there."""

    def exec_module(self, module):
        """Executes the file until nothing is missing."""
        if sys.modules.get("torch") is sys.modules["rushlight"]:
            self.fill()
        clean = dict(vars(module))
        for _ in range(TRIES):
            try:
                return super().exec_module(module)
            except (AttributeError, ImportError) as error:
                lacking = missing(error)
                if lacking is None:
                    raise
                owner, name = lacking
                setattr(owner, name, stand_in(f"{owner.__name__}.{name}".replace("rushlight", "torch", 1)))
            vars(module).clear()
            vars(module).update(clean)
        raise ImportError(f"{module.__name__} asks for more than {TRIES} names that are not there")

    def fill(self):
        """Gives placeholders for names of rushlight's that the file mentions: tools ask for these while tests run."""
        for owner, name in re.findall(r"\b(torch\._C|torch)\.(\w+)", Path(self.path).read_text()):
            real = sys.modules[owner.replace("torch", "rushlight")]
            if not hasattr(real, name) and not provided(f"{owner}.{name}".removeprefix("torch.")):
                setattr(real, name, stand_in(f"{owner}.{name}"))


def missing(error: Exception) -> tuple[ModuleType | type, str] | None:
    """The module or class of rushlight's, and the name that is missing there."""
    if isinstance(error, AttributeError):
        owner, name = error.obj, error.name
    else:
        found = re.match(r"cannot import name '(\w+)' from", str(error))
        owner, name = sys.modules.get(error.name or ""), found[1] if found else None
    place = getattr(owner, "__name__", "") if isinstance(owner, ModuleType) else getattr(owner, "__module__", "")
    ours = isinstance(owner, (ModuleType, type)) and (place.startswith(("rushlight", "torch")))
    return (owner, name) if ours and name else None
