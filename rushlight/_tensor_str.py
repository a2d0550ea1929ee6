"""How tensors print, where programs that print tensors of their own reach into PyTorch for it."""

from rushlight.printing import _add_suffixes as with_suffixes
from rushlight.printing import _contents as contents
from rushlight.printing import _options as PRINT_OPTS
from rushlight.tensors import Tensor

__all__ = ["PRINT_OPTS"]


def _tensor_str(self: Tensor, indent: int) -> str:
    """The elements of a tensor, as they are printed behind `indent` characters."""
    return contents(self.detach().numpy(), indent)


def _add_suffixes(tensor_str: str, suffixes: list[str], indent: int, force_newline: bool = False) -> str:
    """A text with what is said of a tensor behind its elements, on a line of its own where it is too long."""
    if force_newline and suffixes:
        return f"{tensor_str},\n{' ' * indent}{', '.join(suffixes)})"
    return with_suffixes(tensor_str, suffixes, indent)
