"""Classes for PyTorch's checkpoints in `safetensors` files, which programs import: without instances."""

from rushlight.absent.misses import explain_misses as _explain_misses

__all__: list[str] = []

_explain_misses(globals())
