"""What to say of a name that PyTorch may have and rushlight does not."""

import sys
from difflib import get_close_matches


def names_of(module: str) -> list[str]:
    """The public names of a module, those of modules that are loaded when first used included."""
    return [name for name in dir(sys.modules[module]) if not name.startswith("_")]


def explanation(module: str, name: str) -> str:
    """That a module lacks a name, in Python's words, and which of its names are near."""
    torch = module.replace("rushlight", "torch", 1)
    near = get_close_matches(name, names_of(module), n=3, cutoff=0.6)
    hint = f" Did you mean {' or '.join(near)}?" if near else f" dir({torch}) lists what there is."
    return f"module '{torch}' has no attribute '{name}' in rushlight.{hint}"
