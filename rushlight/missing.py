"""What to say of a name that PyTorch or MindSpore may have and rushlight does not."""

import sys
from difflib import get_close_matches


def names_of(module: str) -> list[str]:
    """The public names of a module, those of modules that are loaded when first used included."""
    return [name for name in dir(sys.modules[module]) if not name.startswith("_")]


def explanation(module: str, name: str) -> str:
    """That a module lacks a name, in Python's words, and which of its names are near."""
    known = served_name(module)
    near = get_close_matches(name, names_of(module), n=3, cutoff=0.6)
    hint = f" Did you mean {' or '.join(near)}?" if near else f" dir({known}) lists what there is."
    return f"module '{known}' has no attribute '{name}' in rushlight.{hint}"


def served_name(module: str) -> str:
    """The name by which users know a module: that of PyTorch's or MindSpore's that it stands for.

    >>> served_name("rushlight.nn"), served_name("rushlight.interop.mindspore.ops")
    ('torch.nn', 'mindspore.ops')
    """
    return module.replace("rushlight.interop.mindspore", "mindspore", 1).replace("rushlight", "torch", 1)
