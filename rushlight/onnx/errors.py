"""What PyTorch's exporter raises."""

__all__ = ["OnnxExporterError", "OnnxExporterWarning", "SymbolicValueError", "UnsupportedOperatorError"]


class OnnxExporterError(RuntimeError):
    """A model cannot be exported."""


class OnnxExporterWarning(UserWarning):
    """What the exporter warns with."""


class UnsupportedOperatorError(OnnxExporterError):
    """An operator has no counterpart in ONNX."""


class SymbolicValueError(OnnxExporterError):
    """A value has no counterpart in ONNX."""
