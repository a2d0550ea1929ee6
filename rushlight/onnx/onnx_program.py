"""An exported model. The package `onnx` is loaded when one is used: programs ask for the class without it."""

import os
from pathlib import Path
from typing import Any

from rushlight.onnx.errors import OnnxExporterError
from rushlight.ops.making.from_data import as_tensor
from rushlight.tensors import Tensor
from rushlight.utils.pytree import tree_leaves

__all__ = ["ONNXProgram"]

LARGEST = 2_000_000_000  # bytes of a file of the format; larger models keep their weights in another


class ONNXProgram:
    """A model in the form of ONNX: `model_proto` is the `onnx` package's object.

    Called with the inputs of the model it gives the outputs, a tuple of tensors, as `call_reference` does.
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
        """The outputs for some inputs, by the reference implementation of the `onnx` package."""
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
        """Writes the model to a file; with `external_data`, or where it is too large for one, the weights beside it.

        OnnxExporterError with `include_initializers=False`: a model without its weights is not written.
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
            beside.unlink(missing_ok=True)  # onnx would write behind what is there
            onnx.save_model(model, path, save_as_external_data=True, location=beside.name)
        else:
            onnx.save_model(model, path)
