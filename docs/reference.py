"""Writes the pages of the reference: one for each public module, with every name in it."""

import inspect
from importlib import import_module
from pathlib import Path

MODULES = {
    "torch": "rushlight",
    "torch.Tensor": "rushlight.Tensor",
    "torch.autograd": "rushlight.autograd",
    "torch.autograd.functional": "rushlight.autograd.functional",
    "torch.autograd.forward_ad": "rushlight.autograd.forward_ad",
    "torch.autograd.graph": "rushlight.autograd.graph",
    "torch.func": "rushlight.func",
    "torch.nn": "rushlight.nn",
    "torch.nn.functional": "rushlight.nn.functional",
    "torch.nn.init": "rushlight.nn.init",
    "torch.nn.utils": "rushlight.nn.utils",
    "torch.optim": "rushlight.optim",
    "torch.optim.lr_scheduler": "rushlight.optim.lr_scheduler",
    "torch.linalg": "rushlight.linalg",
    "torch.fft": "rushlight.fft",
    "torch.special": "rushlight.special",
    "torch.distributions": "rushlight.distributions",
    "torch.masked": "rushlight.masked",
    "torch.signal.windows": "rushlight.signal.windows",
    "torch.utils.data": "rushlight.utils.data",
    "torch.utils.checkpoint": "rushlight.utils.checkpoint",
    "torch.amp": "rushlight.amp",
    "torch.distributed": "rushlight.distributed",
    "torch.profiler": "rushlight.profiler",
    "torch.testing": "rushlight.testing",
    "rushlight.explain": "rushlight.explain",
    "rushlight.interop": "rushlight.interop",
    "rushlight.array_api": "rushlight.array_api",
}


def write_reference(folder: Path) -> None:
    """Writes the pages, and the page that lists them; those that have not changed stay as they are."""
    folder.mkdir(exist_ok=True)
    shown: set[int] = set()  # what stands on a page above is not entered in the index again
    pages = {title.replace(".", "-").lower(): page(title, place, shown) for title, place in MODULES.items()}
    entries = "\n".join(f"   {name}" for name in pages)
    pages["index"] = (
        f"{heading('Reference')}Every public name, by module.\n\n.. toctree::\n   :maxdepth: 1\n\n{entries}\n"
    )
    for name, text in pages.items():
        path = folder / f"{name}.rst"
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def page(title: str, place: str, shown: set[int]) -> str:
    """The page of a module, or of the class Tensor."""
    if title == "torch.Tensor":
        return f"{heading(title)}.. autoclass:: rushlight.Tensor\n   :members:\n"
    found = public_names(import_module(place))
    names = {name: value for name, value in found.items() if f"{place}.{name}" not in MODULES.values()}
    again = {name for name, value in names.items() if id(value) in shown}
    shown.update(map(id, names.values()))
    kinds = [("Classes", "autoclass", inspect.isclass), ("Functions", "autofunction", inspect.isroutine)]
    parts = [heading(title), first_line(import_module(place))]
    for kind, directive, belongs in kinds:
        members = "\n   :members:" if directive == "autoclass" else ""
        found = [
            f".. {directive}:: {place}.{name}{members}" + "\n   :no-index:" * (name in again)
            for name, value in names.items()
            if belongs(value)
        ]
        if found:
            parts.append(heading(kind, "-") + "\n\n".join(found))
    return "\n\n".join(parts) + "\n"


def public_names(module) -> dict[str, object]:
    """The public classes and functions of a module, those of its modules left out."""
    names = getattr(module, "__all__", None) or [name for name in dir(module) if not name.startswith("_")]
    found = {name: getattr(module, name) for name in sorted(names)}
    return {
        name: value
        for name, value in found.items()
        if (inspect.isclass(value) or inspect.isroutine(value)) and value.__doc__ and of_rushlight(value)
    }


def of_rushlight(value) -> bool:
    """Whether a class or function is rushlight's own."""
    return str(getattr(value, "__module__", None)).startswith("rushlight")


def heading(text: str, line: str = "=") -> str:
    """A heading in reStructuredText."""
    return f"{text}\n{line * len(text)}\n\n"


def first_line(module) -> str:
    """What a module's docstring says first."""
    return (module.__doc__ or "").partition("\n")[0].replace("`", "``")
