"""Classes that say how tensors of PyTorch's first kind are cut: there are no objects of them."""

from rushlight.absent.misses import explain_misses as _explain_misses

_explain_misses(globals())
