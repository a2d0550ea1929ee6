"""Records the signatures of PyTorch's Python functions, classes and methods: `python tests/signatures/record.py`.

Needs torch. What is written in C has no signature to inspect: its forms are in rushlight/refusals/signatures.txt.
"""

import inspect
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).parents[2]))

from rushlight.absent.left_out import entry
from verify.parity import CLASSES, MODULES, place, public

STARRED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
PATH = Path(__file__).with_name("recorded.txt")
ROOTS = (torch.Tensor, torch.nn.Module, torch.optim.Optimizer, torch.TypedStorage, torch.UntypedStorage)
"""Classes whose methods are recorded once, and not again for the classes made from them."""

KINDS_OF_TENSORS = type(torch.FloatTensor)


def outside(name: str) -> bool:
    """Whether a name is out of rushlight's scope."""
    line = entry(name)
    return line is not None and line.outside


def written(value: Any) -> str:
    """A signature in one line; a default that has no literal is written as `...`. Nothing where there is none."""
    try:
        parameters = list(inspect.signature(value).parameters.values())
        while parameters and parameters[-1].name[0] == "_" and parameters[-1].kind not in STARRED:
            parameters.pop()  # a private one, unless others follow
        text = str(inspect.Signature([p.replace(annotation=p.empty, default=default(p.default)) for p in parameters]))
    except (ValueError, TypeError):
        return ""
    return text if text != "(*args, **kwargs)" else ""  # which says nothing


class Unwritten:
    """A default that is written as `...`."""

    def __repr__(self) -> str:
        return "..."


def default(value: Any) -> Any:
    """A default as it is written down."""
    if isinstance(value, torch.Size):
        return tuple(value)
    return (
        Unwritten()
        if re.search(r" at 0x|[<{]|^torch\.Generator", repr(value)) and value is not inspect._empty
        else value
    )


def methods(kind: type) -> Iterator[str]:
    """The names of a class's public methods that PyTorch defines in Python."""
    for name in sorted(n for n in dir(kind) if n[0] != "_"):
        owner = next((k for k in kind.__mro__ if name in vars(k)), object)
        if owner.__module__.startswith("torch") and (owner is kind or owner not in ROOTS):
            value = inspect.getattr_static(kind, name)
            if inspect.isfunction(getattr(value, "__func__", value)):
                yield name


def signatures() -> Iterator[tuple[str, Any]]:
    """The names and values of all functions, classes and methods, each under the first of its names."""
    seen = set()
    named = [(f"{m}.{n}", getattr(place(m), n, None)) for m in MODULES for n in sorted(public(place(m)))]
    for name, value in [*named, *((c, place(c)) for c in CLASSES)]:
        own = (getattr(value, "__module__", None) or "").startswith(("torch", "functorch"))
        if not callable(value) or not own or id(value) in seen or outside(name) or isinstance(value, KINDS_OF_TENSORS):
            continue
        seen.add(id(value))
        yield name, value
        for method in methods(value) if isinstance(value, type) else ():
            if not outside(f"{name}.{method}"):
                yield f"{name}.{method}", getattr(value, method)


def main() -> None:
    """Writes a line for each signature."""
    warnings.simplefilter("ignore")
    lines = [f"{name}{text}" for name, value in signatures() if (text := written(value))]
    PATH.write_text("\n".join(lines) + "\n")
    print(len(lines), "signatures")


if __name__ == "__main__":
    main()
