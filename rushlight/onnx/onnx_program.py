"""An exported model. The package `onnx` is loaded at its first use: programs may import the class without it."""

import os
from pathlib import Path
from typing import Any

from rushlight.onnx.errors import OnnxExporterError
from rushlight.ops.making.from_data import as_tensor
from rushlight.tensors import Tensor
from rushlight.utils.pytree import tree_leaves

__all__ = ["ONNXProgram"]

LARGEST = 2_000_000_000  # the largest file of the format in bytes; larger models store their weights in a second file


class ONNXProgram:
    """A model in ONNX form: `model_proto` is the `onnx` package's object.

    Calling it with the model's inputs returns a tuple of output tensors, as `call_reference` does.
    """

    def __init__(self, model_proto: Any):
        self.model_proto = model_proto

    def __repr__(self) -> str:
        import onnx

        return f"ONNXProgram(\n{onnx.printer.to_text(self.model_proto)}\n)"

    def __call__(self, *args: Any, **kwargs: Any) -> tuple[Tensor, ...]:
        """The outputs for some inputs."""
        return self.call_reference(*args, **kwargs)

    def call_reference(self, *args: Any, **kwargs: Any) -> tuple[Tensor, ...]:
        """The outputs for some inputs, by the `onnx` package's reference implementation."""
        from onnx.reference import ReferenceEvaluator

        weights = {one.name for one in self.model_proto.graph.initializer}
        names = [one.name for one in self.model_proto.graph.input if one.name not in weights]
        given = [one for one in tree_leaves((args, kwargs)) if one is not None]
        feed = {name: as_tensor(one).detach().numpy() for name, one in zip(names, given, strict=True)}
        return tuple(as_tensor(one) for one in ReferenceEvaluator(self.model_proto).run(None, feed))

    def save(
        self,
        destination: str | os.PathLike[str],
        *,
        include_initializers: bool = True,
        keep_initializers_as_inputs: bool = False,
        external_data: bool | None = None,
    ) -> None:
        """Writes the model to a file; with `external_data`, or if it is too large, the weights to a second file.

        OnnxExporterError with `include_initializers=False`: models are not written without their weights.
        """
        if not include_initializers:
            raise OnnxExporterError("include_initializers=False: models are written with their weights alone.")
        import onnx

        model = onnx.ModelProto()
        model.CopyFrom(self.model_proto)
        if keep_initializers_as_inputs:
            for one in model.graph.initializer:
                model.graph.input.append(onnx.helper.make_tensor_value_info(one.name, one.data_type, one.dims))
        path = Path(destination)
        beside = path.with_name(f"{path.name}.data")
        if external_data or (external_data is None and model.ByteSize() > LARGEST):
            beside.unlink(missing_ok=True)  # onnx would append to an existing file
            onnx.save_model(model, path, save_as_external_data=True, location=beside.name)
        else:
            onnx.save_model(model, path)
