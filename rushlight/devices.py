"""The device that tensors live on: the CPU."""

__all__ = ["device", "get_default_device", "set_default_device"]

NAMES = ("cpu", "cuda", "mps", "xpu", "meta")


class device:
    """Where a tensor lives. rushlight computes on the CPU; other devices can be named, as scripts do, but not used.

    As a context manager it is PyTorch's default device inside.

    >>> import rushlight as torch
    >>> torch.device("cpu")
    device(type='cpu')
    """

    __slots__ = ("index", "type")

    def __init__(self, type: "str | device" = "cpu", index: int | None = None):
        if isinstance(type, int):
            raise RuntimeError("Cannot access accelerator device when none is available.")
        name, _, number = str(type).partition(":")
        if name not in NAMES:
            raise RuntimeError(f"Expected one of {', '.join(NAMES)} device type at start of device string: {name}")
        if number and not number.isdigit():
            raise RuntimeError(f"Invalid device string: '{type}'")
        self.type = name
        self.index = int(number) if number else index

    def __eq__(self, other):
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self):
        return hash((self.type, self.index))

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self):
        return f"device(type={self.type!r}{'' if self.index is None else f', index={self.index}'})"

    def __reduce__(self):
        return device, (self.type, self.index)

    def __enter__(self):
        check_device(self)
        return self

    def __exit__(self, *exception):
        pass


CPU = device("cpu")


def check_device(where) -> device:
    """The device that a `device=` argument names; None is the CPU. PyTorch's errors for any other than the CPU."""
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
    """The device that new tensors are on: the CPU.

    >>> import rushlight as torch
    >>> torch.get_default_device()
    device(type='cpu')
    """
    return CPU


def set_default_device(device: "device | str | None") -> None:
    """Takes the CPU, which is the default already; raises PyTorch's errors for any other device.

    >>> import rushlight as torch
    >>> torch.set_default_device("cpu")
    """
    check_device(device)
