"""The exceptions of PyTorch's exporter."""

__all__ = ["OnnxExporterError", "OnnxExporterWarning", "SymbolicValueError", "UnsupportedOperatorError"]


class OnnxExporterError(RuntimeError):
    """A model cannot be exported."""


class OnnxExporterWarning(UserWarning):
    """The category of the exporter's warnings."""


class UnsupportedOperatorError(OnnxExporterError):
    """An operator has no counterpart in ONNX."""


class SymbolicValueError(OnnxExporterError):
    """A value has no counterpart in ONNX."""
