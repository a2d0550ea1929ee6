"""The tensors in a module's outputs, and the leaves of their graph."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from rushlight.tensors import Tensor
from rushlight.utils.pytree import tree_leaves

__all__ = ["leaves_of"]


def tensors_in(outputs: Any) -> Iterator[Tensor]:
    """The tensors that require grad in nested lists, tuples, dictionaries and dataclasses."""
    for item in tree_leaves(outputs):
        if isinstance(item, Tensor):
            if item.requires_grad:
                yield item
        elif is_dataclass(item):
            yield from tensors_in([getattr(item, field.name) for field in fields(item)])


def leaves_of(outputs: Any) -> list[Tensor]:
    """The leaves that require grad in the graph of nested `outputs`, each once."""
    found = list(tensors_in(outputs))
    leaves = [tensor for tensor in found if tensor.is_leaf]
    nodes = [tensor.grad_fn for tensor in found if tensor.grad_fn is not None]
    seen = set(nodes)
    while nodes:
        for node, _ in nodes.pop().next_functions:
            if node is not None and node not in seen:
                seen.add(node)
                nodes.append(node)
                if hasattr(node, "variable"):
                    leaves.append(node.variable)
    return leaves
