"""Sparse gradients, as those of `embedding(sparse=True)`, on their way through operators of dense tensors."""

from typing import Any

from rushlight.core.above import above
from rushlight.sparse.tensor import SparseTensor

# Nodes whose formulas multiply the gradient, element by element, or hand it on.
PRODUCTS = frozenset(f"{name}Backward0" for name in "Add Sub Mul Neg Clone Sin Cos Exp".split())


@above
def gradient_for(node: Any, grad: SparseTensor, recorded: bool) -> Any:
    """A sparse gradient as a node's formula takes it: sparse where it is only multiplied, else dense."""
    if not node.flags and node.name() in PRODUCTS:
        return grad
    dense = grad.to_dense()
    return dense if recorded else dense._array
