"""The errors of the graph: PyTorch's words, then what to do about it."""

import re


def type_and_shape(array) -> str:
    """An array as PyTorch's errors describe it: `torch.FloatTensor [2, 3]`."""
    from rushlight.dtypes import FROM_NUMPY, TYPE_NAMES

    return f"torch.{TYPE_NAMES[FROM_NUMPY[array.dtype]]}Tensor {list(array.shape)}"


def modified(array, place, version, expected) -> RuntimeError:
    """A saved value was changed in place before the backward pass that needs it."""
    return RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{type_and_shape(array)}]{place} is at version {version}; expected version {expected} instead. "
        "Hint: enable anomaly detection to find the operation that failed to compute its gradient, "
        "with torch.autograd.set_detect_anomaly(True, check_nan=False). To keep the old value, change a copy (x.clone()) or use the "
        "operation that returns a new tensor (x = x + 1, not x += 1)."
    )


def modified_input(tensor, expected) -> RuntimeError:
    """The error for a saved input."""
    node = tensor._node
    place = "" if node is None else output_of(node, tensor._index)
    return modified(tensor._array, place, tensor._version, expected)


def modified_result(array, index, node) -> RuntimeError:
    """The error for a saved output."""
    place = output_of(node, index)
    return modified(array, place, node.result_counter.value, node.result_version)


def output_of(node, index) -> str:
    """The clause of the message that names the operation: `MulBackward0` is called `Mul` there."""
    return f", which is output {index} of {re.sub(r'Backward[0-9]+$', '', node.name())},"
