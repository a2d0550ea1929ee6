"""`torch.onnx`: exports models to files in the ONNX format, with the package `onnx`.

A model is recorded with example inputs, as compiled calls are, and each operator is translated to nodes of the graph.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from enum import IntEnum
from typing import Any

from rushlight.absent.misses import no_such_name as _no_such_name
from rushlight.nn.modules.module import Module as _Module
from rushlight.onnx import errors
from rushlight.onnx.errors import OnnxExporterError
from rushlight.onnx.onnx_program import ONNXProgram

__all__ = [
    "ONNXProgram",
    "OnnxExporterError",
    "OperatorExportTypes",
    "TrainingMode",
    "errors",
    "export",
    "is_in_onnx_export",
    "register_custom_op_symbolic",
    "unregister_custom_op_symbolic",
]

at_work = False  # whether an export is running
WITHOUT = {
    "artifacts_dir": ".",
    "autograd_inlining": True,
    "custom_opsets": None,
    "custom_translation_table": None,
    "dump_exported_program": False,
    "export_modules_as_functions": False,
    "operator_export_type": 0,
    "optimize": True,
    "profile": False,
    "report": False,
}
"""PyTorch's options that rushlight does not support, with the values that have no effect."""


class TrainingMode(IntEnum):
    """The mode in which a model is exported: evaluation, unchanged, or training."""

    EVAL = 0
    PRESERVE = 1
    TRAINING = 2


class OperatorExportTypes(IntEnum):
    """The operators to export to: those of ONNX."""

    ONNX = 0


def is_in_onnx_export() -> bool:
    """Whether an export is running."""
    return at_work


def export(
    model: Callable[..., Any],
    args: Any = (),
    f: str | os.PathLike[str] | None = None,
    *,
    kwargs: dict[str, Any] | None = None,
    verbose: bool | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    opset_version: int | None = None,
    dynamo: bool = True,
    external_data: bool = True,
    dynamic_shapes: Mapping[str, Any] | Sequence[Any] | None = None,
    verify: bool = False,
    export_params: bool = True,
    keep_initializers_as_inputs: bool = False,
    dynamic_axes: Mapping[str, Any] | None = None,
    training: TrainingMode = TrainingMode.EVAL,
    do_constant_folding: bool = True,
    **options: Any,
) -> Any:
    """Exports a model to the file `f` in the ONNX format, and returns it as an `ONNXProgram`.

    The model, a module or function, is called with `args`, a tensor or tuple of arguments, and `kwargs`; what it
    computes from the tensors among them is recorded, other arguments are constants. Dimensions have the sizes of these
    examples, unless `dynamic_axes` (by the names of inputs) or `dynamic_shapes` (by argument) makes them variable:
    `{"x": {0: "batch"}}`. Weights are stored in the file with `external_data=False`; otherwise large ones are stored in
    a second file. `verify` compares the outputs of the `onnx` package's reference implementation with the model's.

    OnnxExporterError for what cannot be exported: random numbers, conditions on values, changing state, other options;
    UnsupportedOperatorError for functions without a counterpart; ModuleNotFoundError without the package `onnx`.

    >>> import rushlight as torch
    >>> model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU())
    >>> torch.onnx.export(model, torch.randn(2, 4), "model.onnx", dynamic_axes={"input": {0: "n"}})  # doctest: +SKIP
    """
    refuse(options, export_params=export_params, do_constant_folding=do_constant_folding)
    try:
        import onnx
    except ModuleNotFoundError:
        raise ModuleNotFoundError("torch.onnx.export needs the package onnx: pip install onnx", name="onnx") from None
    from rushlight.onnx.exporting import check_outputs, exported  # imports the package onnx

    if not isinstance(args, tuple):
        args = (args,)
    if args and isinstance(args[-1], dict) and kwargs is None:  # the older form of keyword arguments
        args, kwargs = args[:-1], args[-1]
    if dynamic_axes is not None and dynamic_shapes is not None:
        raise OnnxExporterError("dynamic_axes and dynamic_shapes say the same: give one of them.")
    dynamic = dynamic_axes if dynamic_shapes is None else dynamic_shapes
    with in_mode(model, training):
        program = exported(model, args, kwargs or {}, input_names, output_names, opset_version, dynamic or {})
        if verify:
            check_outputs(program, model, args, kwargs or {})
    if verbose:
        print(onnx.printer.to_text(program.model_proto))
    if f is not None:
        program.save(f, keep_initializers_as_inputs=keep_initializers_as_inputs, external_data=external_data)
    return program if dynamo else None


def refuse(options: dict[str, Any], **wanted: bool) -> None:
    """OnnxExporterError for options of PyTorch's that are not supported, TypeError for unknown ones."""
    for name, value in options.items():
        if name not in WITHOUT:
            raise TypeError(f"export() got an unexpected keyword argument {name!r}. See help(torch.onnx.export).")
        if value is not None and value != WITHOUT[name]:
            raise OnnxExporterError(f"{name}={value!r}: rushlight's exporter has no such option. Leave it out.")
    for name, value in wanted.items():
        if not value:
            raise OnnxExporterError(f"{name}=False: weights are always written, and constants computed. Leave it out.")


@contextmanager
def in_mode(model: Any, training: TrainingMode) -> Any:
    """A context in which a model is exported: in evaluation mode unless told otherwise."""
    global at_work
    if training not in (TrainingMode.EVAL, TrainingMode.PRESERVE):
        raise OnnxExporterError("A model that trains draws and keeps averages: export it with TrainingMode.EVAL.")
    modules = list(model.modules()) if isinstance(model, _Module) and training == TrainingMode.EVAL else []
    modes = [module.training for module in modules]
    before, at_work = at_work, True
    try:
        for module in modules:
            module.training = False
        yield
    finally:
        at_work = before
        for module, mode in zip(modules, modes, strict=True):
            module.training = mode


def register_custom_op_symbolic(symbolic_name: str, symbolic_fn: Callable[..., Any], opset_version: int) -> None:
    """Raises OnnxExporterError: functions are translated by a table that cannot be extended."""
    raise OnnxExporterError(
        f"{symbolic_name}: rushlight's exporter takes no translations of programs. Compute it from other functions."
    )


def unregister_custom_op_symbolic(symbolic_name: str, opset_version: int) -> None:
    """Does nothing: no translation of a program's is registered."""


def __getattr__(name: str) -> Any:
    """Raises AttributeError with the reason why there is no such name, or similar names."""
    raise _no_such_name("rushlight.onnx", name)
