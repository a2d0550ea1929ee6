"""A recording as the graph of an ONNX model."""

from typing import Any

import onnx
from onnx import helper

from rushlight.compiler.program import WRITE, Step, Value, replaced, values_in
from rushlight.onnx.errors import OnnxExporterError, UnsupportedOperatorError
from rushlight.onnx.graph import Graph, element_type, holds_size
from rushlight.onnx.operators import TRANSLATIONS
from rushlight.onnx.recording import REFUSED
from rushlight.onnx.sizes import Size, Sizes

__all__ = ["graph_of", "translation_of"]


def graph_of(sizes: Sizes, input_names: list[str], output_names: list[str], names: dict[int, str]) -> onnx.GraphProto:
    """The graph of a recording. `names` are those of parameters and buffers, by the ids of their arrays."""
    graph = Graph(sizes, names)
    recorded = sizes.base
    for value, name in zip(recorded.inputs, input_names, strict=True):
        graph.names[value] = name
    for step, args in sizes.steps:
        add(graph, step, args)
    outputs = []
    for value, name in zip(recorded.outputs, output_names, strict=True):
        graph.nodes.append(helper.make_node("Identity", [graph.name(value)], [name]))
        outputs.append(information(graph, name, value))
    inputs = [information(graph, name, value) for name, value in zip(input_names, recorded.inputs, strict=True)]
    return helper.make_graph(graph.nodes, "main_graph", inputs, outputs, list(graph.initializers.values()))


def information(graph: Graph, name: str, value: Value) -> onnx.ValueInfoProto:
    """The type and shape of an input or output, in which sizes may have names."""
    shape = [dimension_name(one) if isinstance(one, Size) else one for one in graph.dims(value)]
    return helper.make_tensor_value_info(name, element_type(value.dtype), shape)


def dimension_name(size: Size) -> str | None:
    """The name of a size that is exactly one named dimension; None for any other."""
    if size.terms is None or len(size.terms) != 1 or size.terms[0][1] != 1 or size.constant:
        return None
    return size.terms[0][0].name


def add(graph: Graph, step: Step, args: Any) -> None:
    """Adds a step: what does not depend on the inputs is computed at once, the rest is translated."""
    known = {value: graph.known(value) for value in values_in(args)}
    if not holds_size(args) and all(array is not None for array in known.values()):
        fold(graph, step, replaced(args, known.__getitem__))
        return
    translation = translation_of(step)
    if translation is None or step.kind == WRITE:
        raise UnsupportedOperatorError(
            f"{REFUSED}: {step}, at {step.where}, has no counterpart in ONNX here. Compute it from simpler functions, "
            "or load the state_dict into the same model in PyTorch, and export it there."
        )
    try:
        made = translation(graph, *args)
    except TypeError as error:  # it computes with a size as if it were a number
        if not holds_size(args):
            raise
        raise OnnxExporterError(f"{REFUSED}: {step} (at {step.where}) goes with a size. Fix that size.") from error
    for value, name in zip(step.results, made if isinstance(made, tuple) else (made,), strict=False):
        graph.names[value] = name


def translation_of(step: Step) -> Any:
    """The function that translates a step; None if there is none."""
    return TRANSLATIONS.get(step.op.name if step.op is not None else f"{step}()")


def fold(graph: Graph, step: Step, args: Any) -> None:
    """Computes a step whose arguments are all known."""
    if step.kind == WRITE:
        raise OnnxExporterError(f"{REFUSED}: it changes a tensor in place at {step.where}. Compute a new one.")
    made = step.function(*args)
    for value, array in zip(step.results, made if isinstance(made, (tuple, list)) else (made,), strict=True):
        graph.constants[value] = array
