"""What PyTorch has and rushlight has not: the one table of names, with the reason and what to use in their place.

A name stands for itself and all below it; `*` in it for any letters. `missing` reads the table when a name is asked for
that is not there, and docs/parity.md lists it.
"""

from fnmatch import fnmatchcase
from typing import NamedTuple

__all__ = ["LEFT_OUT", "LeftOut", "reason"]


class LeftOut(NamedTuple):
    """Names that are absent for one reason. `outside` tells that they are no part of what rushlight is meant to be."""

    names: str
    reason: str
    outside: bool = False


COMPILER = "it belongs to PyTorch's compiler; rushlight runs programs as they are."
TORCHSCRIPT = (
    "it belongs to TorchScript, which rushlight does not compile: torch.jit.script gives programs back as they are, "
    "and torch.save keeps a module's state_dict."
)
GPU = "it needs a GPU, and rushlight computes on the CPU: ask torch.cuda.is_available() first."
QUANTIZED = "rushlight has no quantized tensors: compute in float16 or float32."
EXPORT = "rushlight exports no programs: save the state_dict, and export the model with PyTorch."

LEFT_OUT = [
    LeftOut(
        "torch.compiler.*_unsafe torch.compiler.*_artifacts torch.compiler.load_compiled_function "
        "torch.compiler.set_enable_guard_collectives torch._inductor",
        COMPILER,
        True,
    ),
    LeftOut("torch._dynamo.*", COMPILER, True),
    LeftOut("torch.jit.*", TORCHSCRIPT, True),
    LeftOut("torch.onnx.*", EXPORT, True),
    LeftOut(
        "torch.library.register_torch_dispatch torch.library.triton_op torch.library.wrap_triton "
        "torch.library.get_kernel torch.library.register_autocast",
        "it speaks to PyTorch's dispatcher, which rushlight has not: register_kernel, register_autograd and "
        "register_vmap of torch.library are there.",
        True,
    ),
    LeftOut("functorch.make_fx", "use torch.fx.symbolic_trace, which gives the graph of a module."),
]


def reason(name: str) -> str | None:
    """Why a name of PyTorch's, such as `torch.jit.load`, is absent; None where the table does not say."""
    found = entry(name)
    return None if found is None else found.reason


def entry(name: str) -> LeftOut | None:
    """The line of the table that a name, or what it is below, stands in: the first."""
    parts = name.split(".")
    whole = [".".join(parts[: i + 1]) for i in range(1, len(parts))]
    for line in LEFT_OUT:
        for pattern in line.names.split():
            if any(fnmatchcase(part, pattern) for part in whole):
                return line
    return None
