"""Classes that specify how PyTorch's first sharded tensors are sharded: without instances."""

from rushlight.absent.misses import explain_misses as _explain_misses

_explain_misses(globals())
