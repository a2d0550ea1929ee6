"""Training a module in several processes: `DistributedDataParallel`."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.nn.parallel.data_parallel import DataParallel
from rushlight.nn.parallel.replicated import DistributedDataParallel

__all__ = ["DataParallel", "DistributedDataParallel"]

_explain_misses(globals())
