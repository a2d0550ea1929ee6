"""Classes of plans for `shard_module`: there are no objects of them."""

from rushlight.absent.misses import explain_misses as _explain_misses

_explain_misses(globals())
