"""Classes of plans for `shard_module`: without instances."""

from rushlight.absent.misses import explain_misses as _explain_misses

_explain_misses(globals())
