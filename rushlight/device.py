"""The device that tensors live on: the CPU."""


class device:
    """Where a tensor lives. rushlight computes on the CPU.

    >>> import rushlight as torch
    >>> torch.device("cpu")
    device(type='cpu')
    """

    __slots__ = ("index", "type")

    def __init__(self, type: "str | device" = "cpu", index: int | None = None):
        name, _, number = str(type).partition(":")
        if name not in ("cpu", "cuda", "mps", "xpu", "meta"):
            raise RuntimeError(f"Expected one of cpu, cuda, mps, xpu, meta device type at start of device string: {name}")
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


CPU = device("cpu")


def check_device(where) -> device:
    """The device that a `device=` argument names; None is the CPU. RuntimeError for any other than the CPU."""
    found = CPU if where is None else device(where)
    if found.type != "cpu":
        raise RuntimeError(
            f"rushlight computes on the CPU only, not on {str(found)!r}: leave device= out, or choose it with "
            "torch.device('cuda' if torch.cuda.is_available() else 'cpu')."
        )
    return CPU
