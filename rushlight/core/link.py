"""The identity as an operator, for a leaf that needs its own place in the graph.

Also: tensors with ordinary arrays in place of lazily conjugated ones.
"""

from typing import Any

from rushlight.core.batching import leading
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.operators import Operator, use_resolving
from rushlight.core.recording import connect, recording, start
from rushlight.core.turned import Turned

LINK = Operator(
    "alias",
    lambda input: input,
    ("input",),
    {"input": lambda grad: grad},
    linear=True,
    batch=leading,
    node="AliasBackward0",
    layout="as computed",
)


def resolved(value: Any) -> Any:
    """A tensor, or each in a list, with an ordinary array, the same place in the graph and the same version counter."""
    if isinstance(value, (tuple, list)):
        return type(value)([resolved(item) for item in value])
    if not isinstance(value, TensorBase) or type(value._array) is not Turned:
        return value
    out = new_tensor(value._array.values())
    out._counter, out._inference, out._tangents = value._versions(), value._inference, value._tangents
    out._node, out._index, out._needs = value._node, value._index, value.requires_grad
    if value.requires_grad and value._node is None and recording():
        out._node = start(LINK, 1)
        connect(out._node, LINK, (value,))
    return out


use_resolving(resolved)
