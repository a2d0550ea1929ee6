"""Classes of PyTorch's first sharded tensors: without instances."""

from rushlight.absent.misses import explain_misses as _explain_misses

_explain_misses(globals())
