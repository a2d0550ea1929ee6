"""The shapes of the results of nodes, found by running the graph."""

from typing import Any, NamedTuple

from rushlight.dtypes import dtype as data_type
from rushlight.fx.interpreter import Interpreter
from rushlight.fx.node import Node, map_aggregate
from rushlight.size import Size
from rushlight.tensors import Tensor

__all__ = ["ShapeProp", "TensorMetadata"]


class TensorMetadata(NamedTuple):
    """The recorded properties of a tensor."""

    shape: Size
    dtype: data_type
    requires_grad: bool
    stride: tuple[int, ...]
    memory_format: Any
    is_quantized: bool
    qparams: dict[str, Any]


class ShapeProp(Interpreter):
    """Runs a graph and records each node's result in its `meta["tensor_meta"]` and `meta["type"]`.

    >>> import rushlight as torch
    >>> from rushlight.fx.passes.shape_prop import ShapeProp
    >>> traced = torch.fx.symbolic_trace(torch.nn.Linear(2, 3))
    >>> _ = ShapeProp(traced).propagate(torch.ones(5, 2))
    >>> [node.meta["tensor_meta"].shape for node in traced.graph.nodes if node.op == "output"]
    [torch.Size([5, 3])]
    """

    def run_node(self, n: Node) -> Any:
        """Runs a node and records the properties of its result."""
        result = super().run_node(n)
        found: list[Tensor] = []

        def note(value: Any) -> Any:
            if not isinstance(value, Tensor):
                return value
            found.append(value)
            return metadata(value)

        noted = map_aggregate(result, note)
        if found:
            n.meta["tensor_meta"] = noted
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args: Any) -> Any:
        """Runs the graph with these arguments, and returns its result."""
        return self.run(*args)


def metadata(tensor: Tensor) -> TensorMetadata:
    """The properties of a tensor to record."""
    return TensorMetadata(tensor.shape, tensor.dtype, tensor.requires_grad, tensor.stride(), None, False, {})
