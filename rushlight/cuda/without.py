"""The errors for what needs a CUDA device: as PyTorch without CUDA, then what to do."""

from typing import Any, NoReturn

from rushlight.absent.hardware import CPU_ONLY, Needed
from rushlight.devices import device as Device

__all__ = ["ADVICE", "index_of", "not_compiled", "only_a_name"]

ADVICE = f"{CPU_ONLY}: ask torch.cuda.is_available() first."
not_compiled = Needed(AssertionError, "Torch not compiled with CUDA enabled.", ADVICE)


def only_a_name(name: str) -> NoReturn:
    """Raises RuntimeError: a class that only serves annotations and `isinstance` in builds without CUDA."""
    raise RuntimeError(f"Tried to instantiate dummy base class {name}. {ADVICE}")


def index_of(device: Any, optional: bool = False) -> int | None:
    """The number of the given device. ValueError if there is no number, unless that is `optional`: then None."""
    if isinstance(device, int):
        return device
    found = Device(device) if isinstance(device, str) else device
    if isinstance(found, Device):
        if found.type != "cuda":
            raise ValueError(f"Expected a cuda device, but got: {found}. {ADVICE}")
        if found.index is not None:
            return found.index
    if optional:
        return None
    raise ValueError(f"Expected a torch.device with a specified index or an integer, but got:{device}. {ADVICE}")
