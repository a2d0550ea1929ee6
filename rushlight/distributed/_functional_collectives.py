"""Collectives that return their results, under PyTorch's module name."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.distributed.groups import ProcessGroup
from rushlight.distributed.nn.functional import all_to_all_single
from rushlight.tensors import Tensor

__all__ = ["all_to_all_single_autograd", "wait_tensor"]


def wait_tensor(tensor: Tensor) -> Tensor:
    """Returns the tensor: results are complete when a function returns."""
    return tensor


def all_to_all_single_autograd(
    self: Tensor,
    output_split_sizes: list[int] | None,
    input_split_sizes: list[int] | None,
    group: ProcessGroup,
    tag: str = "",
) -> Tensor:
    """Sends each process its part of the rows, and returns those received; gradients go back the same way."""
    sizes = output_split_sizes or [self.shape[0] // group.size()] * group.size()
    output = self.new_empty((sum(sizes), *self.shape[1:]))
    return all_to_all_single(output, self, output_split_sizes, input_split_sizes, group)


_explain_misses(globals())
