"""PyTorch's checkpoints in the files of `safetensors`, whose classes programs import: there are none here."""

from rushlight.absent.misses import explain_misses as _explain_misses

__all__: list[str] = []

_explain_misses(globals())
