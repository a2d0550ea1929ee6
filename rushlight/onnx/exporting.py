"""`torch.onnx.export`: a model as a file in the ONNX format."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import onnx
from onnx import helper, version_converter

from rushlight.autograd.grad_mode import no_grad
from rushlight.core.lines import warn
from rushlight.nn.modules.module import Module
from rushlight.onnx.errors import OnnxExporterError
from rushlight.onnx.onnx_program import ONNXProgram
from rushlight.onnx.recording import REFUSED, Recorded, record
from rushlight.onnx.sizes import Dimension, Sizes, grown
from rushlight.onnx.translating import graph_of, translation_of
from rushlight.tensors import Tensor
from rushlight.testing import assert_close
from rushlight.utils.pytree import tree_flatten, tree_leaves, tree_unflatten
from rushlight.version import __version__

__all__ = ["check_outputs", "exported"]

OPSET = 18  # the output is the same up to the newest opset that was tested
NEWEST = 22


def exported(
    model: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    input_names: Sequence[str] | None,
    output_names: Sequence[str] | None,
    opset_version: int | None,
    dynamic: Any,
) -> ONNXProgram:
    """The `ONNXProgram` of a model, recorded with example arguments.

    `dynamic` names the variable dimensions by input.
    """
    opset = OPSET if opset_version is None else opset_version
    written = min(max(opset, OPSET), NEWEST)
    if not 1 <= opset <= (latest := onnx.defs.onnx_opset_version()):
        raise OnnxExporterError(f"opset_version {opset} is unknown to the package onnx: its latest is {latest}.")
    leaves, structure = tree_flatten((args, kwargs))
    places = [i for i, one in enumerate(leaves) if isinstance(one, Tensor)]
    inputs = [leaves[i] for i in places]
    own = names_of_arguments(model, args, kwargs)
    names = names_for(
        input_names, own if len(own) == len(inputs) else [f"input_{i}" for i in range(len(inputs))], "inputs"
    )
    state = dict([*model.named_parameters(), *model.named_buffers()]) if isinstance(model, Module) else {}

    def recorded(tensors: Sequence[Tensor]) -> Recorded:
        filled = list(leaves)
        for place, tensor in zip(places, tensors, strict=True):
            filled[place] = tensor
        all_args, all_kwargs = tree_unflatten(filled, structure)
        return record(lambda: model(*all_args, **all_kwargs), tensors, list(state.values()))

    if isinstance(dynamic, Mapping) and (unknown := set(dynamic) - {*names, *(output_names or ())}):
        raise OnnxExporterError(f"{REFUSED}: {min(unknown)!r} is no input. Its inputs are {', '.join(names)}.")
    dims = [by_dimension(dynamic, name, i, tensor) for i, (name, tensor) in enumerate(zip(names, inputs, strict=True))]
    sizes = compared(recorded, inputs, dims)
    count = len(sizes.base.outputs)
    outputs = names_for(output_names, [f"output_{i}" for i in range(count)] if count > 1 else ["output"], "outputs")
    weights = {id(tensor._array): name for name, tensor in state.items()}
    graph = graph_of(sizes, names, outputs, weights)
    proto = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", written)], producer_name="rushlight", producer_version=__version__
    )
    proto.ir_version = 10
    onnx.checker.check_model(proto, full_check=True)
    return ONNXProgram(proto if opset == written else converted(proto, opset))


def converted(proto: onnx.ModelProto, opset: int) -> onnx.ModelProto:
    """A model in another version of the operators, or with a warning as it is if the package cannot convert it."""
    try:
        made = version_converter.convert_version(proto, opset)
        onnx.checker.check_model(made, full_check=True)
    except Exception as error:  # its conversions raise errors of many kinds
        kept = proto.opset_import[0].version
        warn(
            f"The model keeps opset version {kept}: the package onnx could not convert it to {opset} "
            f"({str(error).splitlines()[0]}). Leave out opset_version if the runtime reads opset {kept}."
        )
        return proto
    return made


def compared(
    recorded: Callable[[Sequence[Tensor]], Recorded], inputs: list[Tensor], dims: list[dict[int, str]]
) -> Sizes:
    """The recordings with the given inputs, and with larger ones."""
    found: dict[str, Dimension] = {}
    for i, names in enumerate(dims):
        for dim, name in names.items():
            found.setdefault(name, Dimension(name, i, dim))
    dimensions = list(found.values())
    last = [number + 2 for number in range(len(dimensions))]
    growths: list[dict[str, int]] = [{}, *[{one.name: 1} for one in dimensions]]
    if dimensions:
        growths.append({one.name: more for one, more in zip(dimensions, last, strict=True)})
    tensors = [[grown(one, names, by) for one, names in zip(inputs, dims, strict=True)] for by in growths]
    sizes = [inputs[one.input].shape[one.dim] for one in dimensions]
    recordings = [recorded(one) for one in tensors]
    return Sizes(dimensions, sizes, recordings, last, lambda step: translation_of(step) or str(step))


def by_dimension(dynamic: Any, name: str, number: int, tensor: Tensor) -> dict[int, str]:
    """The names of an input's variable dimensions.

    `dynamic` is by name, as `dynamic_axes`, or by position; for each input it has a mapping or a list of dimensions.
    """
    given = dynamic.get(name) if isinstance(dynamic, Mapping) else dynamic[number] if number < len(dynamic) else None
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        marks = list(given)
        given = dict.fromkeys(marks) if all(type(one) is int for one in marks) else dict(enumerate(marks))
        given = {dim: mark for dim, mark in given.items() if mark is not None or type(marks[0]) is int}
    found = {}
    for dim, mark in given.items():
        if not -tensor.dim() <= dim < tensor.dim():
            raise OnnxExporterError(
                f"{REFUSED}: input {name} has no dimension {dim}. It has {tensor.dim()} dimensions."
            )
        dim %= tensor.dim()
        found[dim] = mark if isinstance(mark, str) else getattr(mark, "__name__", f"{name}_dim_{dim}")
    return found


def names_for(given: Sequence[str] | None, own: list[str], what: str) -> list[str]:
    """The names of inputs or outputs: the given ones first, then their own."""
    given = list(given or ())
    if len(given) > len(own):
        raise OnnxExporterError(f"{len(given)} names are given for {len(own)} {what}. Give no more than there are.")
    return given + own[len(given) :]


def names_of_arguments(model: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
    """The model's names for the tensors among its arguments."""
    function = model.forward if isinstance(model, Module) else model
    try:
        bound = inspect.signature(function).bind(*args, **kwargs).arguments
    except (TypeError, ValueError):
        return []
    return [name for name, value in bound.items() if isinstance(value, Tensor)]


def check_outputs(
    program: ONNXProgram, model: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """OnnxExporterError if the `onnx` package's reference implementation gives other outputs than the model."""
    tensors = [one for one in tree_leaves((args, kwargs)) if isinstance(one, Tensor)]
    with no_grad():
        wanted = tree_leaves(model(*args, **kwargs))
    for name, made, own in zip(
        (one.name for one in program.model_proto.graph.output), program(*tensors), wanted, strict=True
    ):
        try:
            assert_close(made, own, rtol=1e-3, atol=1e-5, equal_nan=True)
        except AssertionError as error:
            raise OnnxExporterError(f"Output {name} of the exported model is not the model's. {error}") from None
