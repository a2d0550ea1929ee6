"""The legacy classes of tensors and storages on CUDA devices, of which there are none, for `isinstance`."""

from typing import Any

from rushlight.cuda.without import not_compiled
from rushlight.legacy import no_base

KINDS = "BFloat16 Bool Byte Char Double Float Half Int Long Short".split()
COMPLEX = "ComplexDouble ComplexFloat".split()
__all__ = [f"{kind}Tensor" for kind in KINDS] + [f"{kind}Storage" for kind in KINDS + COMPLEX]


def no_tensor(cls: type, *args: Any, **kwargs: Any) -> None:
    """Raises TypeError: there is no device for a tensor of such a class."""
    raise TypeError(
        f"type torch.cuda.{cls.__name__} not available. Torch not compiled with CUDA enabled. rushlight computes on "
        f"the CPU only: torch.{cls.__name__} is there."
    )


for name in __all__:
    refuse = no_tensor if name.endswith("Tensor") else not_compiled("cls, *args, **kwargs")
    extended = {"__init_subclass__": no_base} if name.endswith("Tensor") else {}
    globals()[name] = type(name, (), {"__new__": refuse, "__module__": "torch.cuda", **extended})
