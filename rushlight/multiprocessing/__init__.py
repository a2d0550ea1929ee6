"""Python's `multiprocessing`, with tensors that processes share, and `spawn`: PyTorch's `torch.multiprocessing`.

A tensor that is sent to another process is moved to shared memory: both see what either writes. Gradients stay where
they are.
"""

from multiprocessing import *

from rushlight.missing import explain_misses as _explain_misses
from rushlight.multiprocessing.sharing import get_all_sharing_strategies, get_sharing_strategy, set_sharing_strategy
from rushlight.multiprocessing.spawning import (
    ProcessContext,
    ProcessExitedException,
    ProcessRaisedException,
    spawn,
    start_processes,
)

_explain_misses(globals())
