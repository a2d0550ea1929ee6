"""Where gradients lie that PyTorch computes in another way than the formulas do: the option `slopes` of an entry."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.core.above import above
from rushlight.core.aliases import Array
from rushlight.core.batching import by
from rushlight.core.graph import Node, TensorBase, new_tensor
from rushlight.core.placing import RULES, laid
from rushlight.layouts import compact
from rushlight.ops.table import operator


@operator(
    aten=(),
    layout="as computed",
    linear=True,
    batch=by(lambda n, input, strides: input),
    input=lambda grad: grad,
    node="CloneBackward0",
)
def _laid(input: Array, strides: Sequence[int]) -> Array:
    """A copy with some strides, in elements."""
    return laid(input, strides) if type(input) is np.ndarray else input


@above
def lay_slope(node: Node, i: int, slope: Any, grad: Any) -> Any:
    """The gradient of input `i`, laid out by the operator's rule; `grad` is the cotangent of the node.

    The rule gets what the formula gets, with the number of the input if it is in a list, or with its strides if these
    decide.
    """
    rule = node.op.slopes[0 if node.op.lists else i]
    array = slope._settled() if isinstance(slope, TensorBase) else slope
    if rule == "" or type(array) is not np.ndarray:
        return slope
    strides = None
    if (find := RULES[rule]) is not None:
        picks = node.plan.picks[0 if node.plan.joint else i]
        given = [as_tensor(grad), *[node.look_at(k) for k in picks]]
        if node.op.lists:
            given.append(i)
        elif node.plan.stride_picks[i] >= 0:
            given.append(node.look_at(node.plan.stride_picks[i]))
        strides = find(array.shape, given)
    if strides is NotImplemented or (strides is None and array.flags.c_contiguous):
        return slope
    strides = strides or compact(array.shape, 1)
    if array.strides == tuple([step * array.itemsize for step in strides]):
        return slope
    return _laid(slope, strides) if isinstance(slope, TensorBase) else laid(array, strides)


def as_tensor(grad: Any) -> Any:
    """A cotangent as a tensor; NumPy makes numbers of arrays without dimensions."""
    return new_tensor(np.asarray(grad)) if isinstance(grad, (np.ndarray, np.generic)) else grad
