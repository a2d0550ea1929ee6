"""`torch.onnx`, as far as programs ask for it without exporting: rushlight writes no ONNX files."""

from typing import Any, NoReturn

from rushlight.absent.misses import no_such_name as _no_such_name
from rushlight.onnx import errors
from rushlight.onnx.errors import OnnxExporterError

__all__ = ["OnnxExporterError", "errors", "export", "is_in_onnx_export"]


def is_in_onnx_export() -> bool:
    """Whether a model is being exported: none is."""
    return False


def export(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises OnnxExporterError: PyTorch exports a model from its `state_dict`, which it can load."""
    raise OnnxExporterError(
        "rushlight writes no ONNX files. Save the model's state_dict with torch.save, load it into the same model in "
        "PyTorch, and export it there."
    )


def __getattr__(name: str) -> NoReturn:
    """Says why there is no such name, or which ones are near."""
    raise _no_such_name("rushlight.onnx", name)
