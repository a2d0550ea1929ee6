"""The device of tensors: the CPU, or "meta", where tensors have no memory."""

import re
from contextvars import ContextVar

from rushlight.core.advice import advised
from rushlight.core.modes import Layered

__all__ = ["AcceleratorError", "OutOfMemoryError", "device", "get_default_device", "set_default_device"]

NAMES = ("cpu", "cuda", "mps", "xpu", "meta")


class OutOfMemoryError(RuntimeError):
    """Out of memory on a device. Programs catch it; rushlight never raises it, NumPy raises MemoryError instead.

    >>> import rushlight as torch
    >>> issubclass(torch.OutOfMemoryError, RuntimeError)
    True
    """

    __module__ = "torch"


class AcceleratorError(RuntimeError):
    """An error of an accelerator. Programs catch it; rushlight never raises it, as there is no accelerator.

    >>> import rushlight as torch
    >>> issubclass(torch.AcceleratorError, RuntimeError)
    True
    """

    __module__ = "torch"


def named(text: str) -> tuple[str, int | None]:
    """The kind of a device and its number, from a text such as "cuda:1". PyTorch's errors for other texts."""
    found = re.fullmatch(r"([A-Za-z_]+)(?::(0|[1-9][0-9]*))?", text)
    if not text:
        raise RuntimeError("Device string must not be empty")
    if found is None:
        raise RuntimeError(advised(f"Invalid device string: '{text}'"))
    if found[1] not in NAMES:
        listed = ", ".join(NAMES)
        raise RuntimeError(advised(f"Expected one of {listed} device type at start of device string: {found[1]}"))
    return found[1], None if found[2] is None else int(found[2])


class device(Layered):
    """The device of a tensor: the CPU, or "meta", for tensors with a shape, strides and dtype but no memory.

    Other devices can be named, as scripts do, but not used. As a context manager it sets the default device inside.

    >>> import rushlight as torch
    >>> torch.device("cpu")
    device(type='cpu')
    """

    __slots__ = ("index", "type")
    type: str
    _layers: "ContextVar[tuple[device, ...]]"

    def __init__(self, type: "str | device | int" = "cpu", index: int | None = None):
        kind = type.__class__.__name__
        if isinstance(type, bool) or not isinstance(type, (str, device, int)):
            raise TypeError(
                f"device() received an invalid combination of arguments - got ({kind}). Give it a text such as 'cpu'."
            )
        if isinstance(type, int):
            if type < 0:
                raise RuntimeError("Device index must not be negative")
            raise RuntimeError("Cannot access accelerator device when none is available.")
        if not (index is None or isinstance(index, int)):
            kind = index.__class__.__name__
            raise TypeError(f"device(): argument 'index' (position 2) must be int, not {kind}")
        self.type, number = named(str(type))
        if number is not None and index is not None:
            raise RuntimeError(f"type (string) must not include an index because index was passed explicitly: {type}")
        if index is not None and index < 0:
            raise RuntimeError("Device index must not be negative")
        self.index: int | None = index if number is None else number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        return f"device(type={self.type!r}{'' if self.index is None else f', index={self.index}'})"

    def __reduce__(self) -> tuple[object, ...]:
        return device, (self.type, self.index)

    def _layer(self) -> "device":
        return device_of(self)


CPU = device("cpu")
META = device("meta")
# The default device, then those of the active contexts, innermost last.
DEFAULTS: ContextVar[tuple[device, ...]] = ContextVar("rushlight_devices", default=(CPU,))
device._layers = DEFAULTS


def device_of(where: "device | str | int | None") -> device:
    """The device that a `device=` argument names, the CPU or meta; None is the default one. Raises PyTorch's errors."""
    if where is None:
        return DEFAULTS.get()[-1]
    found = where if isinstance(where, device) else device(where)
    return META if found.type == "meta" else check_device(found)


def check_device(where: "device | str | int | None") -> device:
    """The device that a `device=` argument names.

    None is the CPU. PyTorch's errors for any other device than the CPU.
    """
    found = CPU if where is None else where if isinstance(where, device) else device(where)
    if found.type == "cpu":
        return CPU
    advice = (
        "rushlight computes on the CPU only: leave device= out, or choose it with "
        "torch.device('cuda' if torch.cuda.is_available() else 'cpu')."
    )
    if found.type in ("cuda", "xpu"):
        raise AssertionError(f"Torch not compiled with {found.type.upper()} enabled. {advice}")
    raise NotImplementedError(f"Could not run on device '{found}'. {advice}")


def get_default_device() -> device:
    """The device on which new tensors are created: the CPU, unless another was set.

    >>> import rushlight as torch
    >>> torch.get_default_device()
    device(type='cpu')
    """
    return DEFAULTS.get()[-1]


def set_default_device(device: "device | str | None") -> None:
    """Sets the device on which new tensors are created: the CPU (None), or meta. PyTorch's errors for any other.

    >>> import rushlight as torch
    >>> torch.set_default_device("cpu")
    """
    DEFAULTS.set((CPU if device is None else device_of(device), *DEFAULTS.get()[1:]))
