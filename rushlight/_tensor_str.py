"""How tensors are printed, under PyTorch's private names, which programs with their own tensor classes use."""

from rushlight.printing import _add_suffixes as with_suffixes
from rushlight.printing import _contents as contents
from rushlight.printing import _options as PRINT_OPTS
from rushlight.tensors import Tensor

__all__ = ["PRINT_OPTS"]


def _tensor_str(self: Tensor, indent: int) -> str:
    """The elements of a tensor as printed, with later lines indented by `indent` characters."""
    return contents(self.detach().numpy(), indent)


def _add_suffixes(tensor_str: str, suffixes: list[str], indent: int, force_newline: bool = False) -> str:
    """A text with the suffixes that follow a tensor's elements, on a new line if the line would be too long."""
    if force_newline and suffixes:
        return f"{tensor_str},\n{' ' * indent}{', '.join(suffixes)})"
    return with_suffixes(tensor_str, suffixes, indent)
