"""`torch.multiprocessing`: Python's `multiprocessing` with shared tensors, and `spawn`.

A tensor that is sent to another process is moved to shared memory: both see changes by either. Gradients are not sent.
"""

from multiprocessing import *

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.multiprocessing.sharing import get_all_sharing_strategies as get_all_sharing_strategies
from rushlight.multiprocessing.sharing import get_sharing_strategy as get_sharing_strategy
from rushlight.multiprocessing.sharing import set_sharing_strategy as set_sharing_strategy
from rushlight.multiprocessing.spawning import ProcessContext as ProcessContext
from rushlight.multiprocessing.spawning import ProcessExitedException as ProcessExitedException
from rushlight.multiprocessing.spawning import ProcessRaisedException as ProcessRaisedException
from rushlight.multiprocessing.spawning import spawn as spawn
from rushlight.multiprocessing.spawning import start_processes as start_processes

_explain_misses(globals())
