"""The errors of the graph: PyTorch's words, then what to do about them."""

import re
from collections.abc import Sequence
from typing import Any

from rushlight.core.above import above
from rushlight.core.aliases import Array
from rushlight.core.codes import CUSTOM, INFERRED, MULTI
from rushlight.core.graph import TensorBase
from rushlight.core.modes import RUN
from rushlight.dtypes import FROM_NUMPY, TYPE_NAMES


def type_name(array: Array) -> str:
    """The legacy name of an array's type, as in PyTorch's errors: `torch.FloatTensor`."""
    return f"torch.{TYPE_NAMES[FROM_NUMPY[array.dtype]]}Tensor"


def type_and_shape(array: Array) -> str:
    """An array as PyTorch's errors describe it: `torch.FloatTensor [2, 3]`."""
    return f"{type_name(array)} {list(array.shape)}"


def about(error: BaseException, **facts: Any) -> Any:
    """An error that carries the facts it is about, for `rushlight.explain`."""
    error.__dict__.update(facts)
    return error


@above
def freed(node: Any) -> RuntimeError:
    """The error for values that a node has freed; in a backward pass with the reason why the node runs again."""
    run = RUN.get()
    root = None if run is None or node is None else run.root
    advice = "" if root is None else CARRIED if root.sequence > node.freed else SHARED
    return about(RuntimeError(FREED + advice), freed=node, root=root)


FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
    "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
    "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
    "saved tensors after calling backward."
)
CARRIED = (
    "\nHere retain_graph=True is hardly the cure: this loss was recorded after the pass that freed what it reaches, so "
    "a tensor from before that pass takes part in it. A state that is carried from step to step has to be cut off "
    "after each (state = state.detach()); what was computed once, before the loop, has to be computed in each step; of "
    "losses that share a part, call backward once on their sum."
)
SHARED = (
    "\nHere a pass has run since this loss was recorded: through this very loss, or through another that shares a part "
    "of its graph. Add such losses up and call backward once, (a + b).backward(); or retain the graph in the first one."
)


def modified(array: Array, place: str, counter: Any, expected: int, leaf: bool = False) -> RuntimeError:
    """The error for a saved value that was changed in place before the backward pass that needs it."""
    changed_at = counter.changed_at and CHANGED_HERE + str(counter.changed_at)
    error = RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{type_and_shape(array)}]{place} is at version {counter.value}; expected version {expected} instead. "
        f"Hint: {changed_at or HOW_TO_FIND} To keep the old value, change a copy (x.clone()) or use the operation that "
        "returns a new tensor (x = x + 1, not x += 1)."
    )
    return about(error, changed_at=counter.changed_at, leaf=leaf)


CHANGED_HERE = (
    "the backtrace further above shows the operation that failed to compute its gradient. The variable in question was "
    "last changed here:\n"
)
HOW_TO_FIND = (
    "enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False). It also shows the line that changed the tensor."
)


@above
def modified_input(tensor: TensorBase, expected: int) -> RuntimeError:
    """The error for a saved input that was changed in place."""
    node = tensor._node
    place = "" if node is None else output_of(node, tensor._index)
    return modified(tensor._array, place, tensor._counter, expected, leaf=node is None and tensor._needs)


@above
def modified_result(array: Array, index: int, node: Any) -> RuntimeError:
    """The error for a saved output that was changed in place."""
    place = output_of(node, index)
    return modified(array, place, node.result_counter, node.result_version)


def output_of(node: Any, index: int) -> str:
    """The clause of the message that names the operation."""
    return f", which is output {index} of {operation(node)},"


def operation(node: Any) -> str:
    """The name of an operation in messages: `Mul` for `MulBackward0`."""
    return re.sub(r"Backward[0-9]*$", "", node.name())


def changed_view(tensor: TensorBase, what: str) -> RuntimeError:
    """The error for a view whose history cannot be rewritten after an in-place change; `what` tells what changed."""
    advice = {MULTI: OUTPUT_OF_MANY, CUSTOM: VIEW_IN_FUNCTION}.get(tensor._view.origin)
    inferred = tensor._view.origin == INFERRED
    mode, block, now = (
        ("inference mode", "inference_mode", "in normal mode")
        if inferred
        else ("no_grad mode", "no_grad", "with grad mode enabled")
    )
    if tensor._node is None:
        message = f"A view was created in {mode} and {what} modified inplace {now}."
    elif advice is not None:
        message = f"Output {tensor._index} of {operation(tensor._node)} is a view and {what} modified inplace."
    else:
        message = (
            f"Output {tensor._index} of {operation(tensor._node)} is a view of a view which was created in {mode} and "
            f"{what} modified inplace {now}."
        )
    return RuntimeError(f"{message} {advice or VIEW_IN_NO_GRAD.format(block=block)}")


OUTPUT_OF_MANY = (
    "This view is the output of a function that returns multiple views. Such functions do not allow the output views "
    "to be modified inplace. You should replace the inplace operation by an out-of-place one."
)
VIEW_IN_FUNCTION = (
    "This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic to "
    "handle view+inplace would override the custom backward associated with the custom Function, leading to incorrect "
    "gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function."
)
VIEW_IN_NO_GRAD = (
    "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both "
    "the view and the inplace either both inside the {block} block (if you don't want the inplace to be tracked) or "
    "both outside (if you want the inplace to be tracked)."
)


def sizes_differ(error: Any, shapes: Sequence[Sequence[int]]) -> Exception:
    """The error for operands whose shapes do not broadcast; `error` itself if they do."""
    for i, b in enumerate(shapes):
        for a in shapes[:i]:
            for k in range(1, min(len(a), len(b)) + 1):
                if a[-k] != b[-k] and 1 not in (a[-k], b[-k]):
                    return RuntimeError(
                        f"The size of tensor a ({a[-k]}) must match the size of tensor b ({b[-k]}) at non-singleton "
                        f"dimension {max(len(a), len(b)) - k}"
                    )
    return error


class Misfit(Exception):
    """A gradient has the wrong shape for its destination; `source` is the node that it came from."""

    def __init__(self, vertex: Any, index: Any, got: Any, expected: Any):
        self.place: tuple[Any, Any] = vertex, index
        self.got = got
        self.expected = expected
        self.source = None

    def error(self, roots: Any) -> RuntimeError:
        """The error to raise in the backward pass; `roots` are the (vertex, output) pairs that it began at."""
        if self.source is None:
            return RuntimeError(invalid_gradient(roots.index(self.place), self.got, self.expected))
        name, inputs = self.source.name(), [self.source.edge_at(i) for i in range(self.source.arity)]
        return RuntimeError(
            f"Function {name} returned an {invalid_gradient(inputs.index(self.place), self.got, self.expected)}"
        )


def invalid_gradient(i: int, got: Sequence[int], expected: Sequence[int]) -> str:
    """The message for a gradient of the wrong shape."""
    return f"invalid gradient at index {i} - got {list(got)} but expected shape compatible with {list(expected)}"


def larger_result(target: Array, shape: Sequence[int]) -> RuntimeError:
    """The error for a result that is larger than the tensor it would be written to."""
    return RuntimeError(f"output with shape {list(target)} doesn't match the broadcast shape {list(shape)}")


def lower_result(source: Any, target: Any, name: str = "") -> RuntimeError:
    """The error for a result of a dtype that the tensor cannot hold; some functions name the tensor's as C++ does."""
    source, name = TYPE_NAMES[FROM_NUMPY[source]], name or TYPE_NAMES[FROM_NUMPY[target]]
    return RuntimeError(f"result type {source} can't be cast to the desired output type {name}")
